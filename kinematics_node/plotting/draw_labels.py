# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Names beside points, where there is room: never over each other, rarely over lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
import math

from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from mpl_toolkits.mplot3d import proj3d
from mpl_toolkits.mplot3d.axes3d import Axes3D
import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.plotting.draw_file import plain
from kinematics_node.plotting.style import TEXT_COLOR

POINTS = 72.0
DISTANCES = (7.0, 14.0, 24.0, 38.0, 56.0)  # points from the label's point to its box
DIRECTIONS = 16
LEADER = 20.0  # points: labels further away get a line to their point
MARGIN = 1.5  # points around a box
CROSSED = 1.0  # cost of a point of line that a box covers, in points of distance
ANCHOR_COST = 30.0  # of covering a point that has a name
DOUBT_COST = 15.0  # of being nearer to another point than to one's own
MOST_COST = 130.0  # more than this, and a name hides what it names
SAMPLE = 4.0  # points between samples of lines
SAME = 6.0  # points: names of points nearer to each other make one label
MOST_NAMES = 3


@dataclass(frozen=True, eq=False)
class Label:
    """A text for a point (3,) of the view."""

    text: str
    point: Array
    color: str = TEXT_COLOR


@dataclass(frozen=True, eq=False)
class _Group:
    """The labels of one place: their text, how many they are, where on paper [points]."""

    text: str
    count: int
    spot: Array
    color: str


def add_labels(view: Axes3D, labels: Sequence[Label], lines: Array, size: float) -> int:
    """Write labels beside their points, and return how many of them found no room.

    Parameters
    ----------
    view : Axes3D
        The view, laid out already.
    labels : sequence of Label
        The first ones have the first choice.
    lines : array, shape (n, 2, 3)
        What is better not covered.
    size : float
        Of the letters [points].
    """
    canvas = view.figure.canvas
    assert isinstance(canvas, FigureCanvasAgg)
    per_pixel = POINTS / view.figure.dpi
    groups = _grouped(labels, on_paper(view, np.array([label.point for label in labels])))
    samples = _sampled(on_paper(view, lines.reshape(-1, 3)).reshape(-1, 2, 2))
    anchors = np.array([group.spot for group in groups])
    frame = view.get_window_extent(canvas.get_renderer()).extents * per_pixel
    taken = _numbers_beside(view, canvas.get_renderer())
    left = 0
    for group in groups:
        note = view.annotate(group.text, (0.0, 0.0), fontsize=size, ha='center', va='center')
        extent = note.get_window_extent(canvas.get_renderer())
        note.remove()
        half = 0.5 * per_pixel * np.array((extent.width, extent.height)) + MARGIN
        center = _place(group.spot, half, frame, taken, samples, anchors)
        if center is None:
            left += group.count
            continue
        taken.append(np.concatenate((center - half, center + half)))
        _write(view, group, center, half, size)
    return left


def on_paper(view: Axes3D, points: Array) -> Array:
    """Return points (n, 3) of a view as places (n, 2) on paper [points]."""
    if not points.size:
        return np.zeros((0, 2))
    x, y, _ = proj3d.proj_transform(*points.T, view.get_proj())
    placed: Array = view.transData.transform(np.column_stack((x, y))) * POINTS / view.figure.dpi
    return placed


def _numbers_beside(view: Axes3D, renderer: RendererBase) -> list[Array]:
    """Return the boxes of the numbers and names along the axes [points]."""
    texts = []
    for axis in (view.xaxis, view.yaxis, view.zaxis):
        # Asked for its labels, an axis would lay them out anew, as if it were in a plane.
        texts += [axis.label, *(tick.label1 for tick in axis.majorTicks)]
    boxes = [text.get_window_extent(renderer).extents for text in texts if text.get_text()]
    return [box * POINTS / view.figure.dpi for box in boxes]


def _grouped(labels: Sequence[Label], spots: Array) -> list[_Group]:
    """Join labels of one place into one."""
    groups: list[tuple[list[str], Array, str]] = []
    for label, spot in zip(labels, spots, strict=True):
        for names, place, color in groups:
            if color == label.color and np.linalg.norm(place - spot) < SAME:
                names.append(label.text)
                break
        else:
            groups.append(([label.text], spot, label.color))
    return [_Group(plain(_joined(n)), len(n), spot, color) for n, spot, color in groups]


def _joined(names: Sequence[str]) -> str:
    shown = [*names[:MOST_NAMES]]
    if len(names) > MOST_NAMES:
        shown.append(f'+ {len(names) - MOST_NAMES} more')
    return '\n'.join(shown)


def _sampled(lines: Array) -> Array:
    """Return points (n, 2) along lines, SAMPLE apart."""
    points = []
    for start, end in lines:
        count = max(2, math.ceil(float(np.linalg.norm(end - start)) / SAMPLE))
        points.append(start + np.linspace(0.0, 1.0, count)[:, None] * (end - start))
    return np.concatenate(points) if points else np.zeros((0, 2))


def _place(
    spot: Array,
    half: Array,
    frame: Array,
    taken: Sequence[Array],
    samples: Array,
    anchors: Array,
) -> Array | None:
    """Return the centre of the cheapest free box around a spot, if it is cheap enough."""
    best, least = None, MOST_COST
    for distance in DISTANCES:
        for k in range(DIRECTIONS):
            angle = 2.0 * math.pi * k / DIRECTIONS
            way = np.array((math.cos(angle), math.sin(angle)))
            center = spot + way * (distance + _reach(half, way))
            low, high = center - half, center + half
            if (low < frame[:2]).any() or (high > frame[2:]).any():
                continue
            if any((low < box[2:]).all() and (high > box[:2]).all() for box in taken):
                continue
            cost = distance + CROSSED * SAMPLE * _inside(samples, low, high)
            cost += ANCHOR_COST * _inside(anchors, low, high)
            cost += DOUBT_COST * _nearer(anchors, low, high, distance)
            if cost < least:
                best, least = center, cost
    return best


def _reach(half: Array, way: Array) -> float:
    """Return how far a box reaches from its centre against a direction."""
    with np.errstate(divide='ignore'):
        return float(np.min(half / np.maximum(np.abs(way), 1e-9)))


def _inside(points: Array, low: Array, high: Array) -> int:
    return int(((points > low) & (points < high)).all(axis=1).sum())


def _nearer(points: Array, low: Array, high: Array, distance: float) -> int:
    """Return how many points are nearer to a box than a distance."""
    gaps = np.maximum(np.maximum(low - points, points - high), 0.0)
    return int((np.linalg.norm(gaps, axis=1) < distance - 1e-6).sum())


def _write(view: Axes3D, group: _Group, center: Array, half: Array, size: float) -> None:
    to_data = view.transData.inverted().transform
    per_point = view.figure.dpi / POINTS
    away = center - group.spot
    far = float(np.linalg.norm(away)) - _reach(half, away / np.linalg.norm(away)) > LEADER
    view.annotate(
        group.text,
        xy=to_data(group.spot * per_point),
        xytext=to_data(center * per_point),
        fontsize=size,
        color=group.color,
        ha='center',
        va='center',
        zorder=20,
        bbox={'facecolor': 'white', 'edgecolor': 'none', 'alpha': 0.75, 'pad': 0.6},
        arrowprops={'arrowstyle': '-', 'color': '#999999', 'lw': 0.6} if far else None,
    )
