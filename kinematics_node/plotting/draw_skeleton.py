# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""A skeleton as a picture: a view in space with equal scales, a legend and names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from mpl_toolkits.mplot3d.art3d import Line3DCollection
from mpl_toolkits.mplot3d.axes3d import Axes3D
import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.model.joint_types import JointType
from kinematics_node.plotting import style
from kinematics_node.plotting.draw_arrows import add_arrow
from kinematics_node.plotting.draw_file import new_figure
from kinematics_node.plotting.draw_file import plain
from kinematics_node.plotting.draw_labels import add_labels
from kinematics_node.plotting.draw_labels import Label
from kinematics_node.plotting.draw_legend import add_legend
from kinematics_node.plotting.scales import FEW
from kinematics_node.plotting.scales import Scales
from kinematics_node.plotting.skeleton import ClosureEnds
from kinematics_node.plotting.skeleton import extent_of
from kinematics_node.plotting.skeleton import Skeleton

THINNEST = 0.22  # of the longest side of the box that is shown
PADDING = 0.04
FILLED = (0.87, 0.8)  # of the width and the height, beside numbers
PAD, OFFSET = 14.0, 8.0  # points from the box to numbers, and what matplotlib adds
TICKS = 6
STRAIGHT = 1e-3  # rad: a view along an axis does not show the axis
OPEN = 1e-6  # m, rad: closures that are more open say so


@dataclass(frozen=True)
class SkeletonOptions:
    """How a skeleton is drawn.

    Attributes
    ----------
    view : tuple of float
        Azimuth and elevation of the eye [degrees].
    names : bool
        Whether joints and closures are named.
    title : str
        Below the robot's name.
    """

    view: tuple[float, float] = (-60.0, 22.0)
    names: bool = True
    title: str = ''


def draw_skeleton(
    skeleton: Skeleton, scales: Scales, options: SkeletonOptions | None = None
) -> Figure:
    """Return the picture of a skeleton."""
    options = options or SkeletonOptions()
    figure = new_figure(11.5, 8.0)
    view = figure.add_axes((0.02, 0.0, 0.69, 0.96), projection='3d', computed_zorder=False)
    assert isinstance(view, Axes3D)
    _set_box(view, *_box(skeleton, scales), options.view)
    _draw_links(view, skeleton)
    _draw_closures(view, skeleton.closures)
    _draw_axes(view, skeleton, scales.axis)
    _draw_loads(view, skeleton, scales)
    figure.text(0.03, 0.97, plain(skeleton.robot), fontsize=15, fontweight='bold', va='top')
    figure.text(0.03, 0.925, plain(options.title), fontsize=9.5, color=style.TEXT_COLOR, va='top')
    add_legend(figure, skeleton, scales)
    figure.draw_without_rendering()
    if options.names:
        left = add_labels(view, _labels(skeleton), _lines(skeleton, scales), _letters(skeleton))
        if left:
            note = f'{left} name{"s" * (left > 1)} left out, where there is no room'
            figure.text(0.97, 0.03, note, fontsize=8, color='#777777', ha='right')
    return figure


def _box(skeleton: Skeleton, scales: Scales) -> tuple[Array, Array]:
    """Return the corners of what is shown, arrows included."""
    ends = [*extent_of(skeleton)]
    ends += [a.point + scales.axis * a.direction for a in skeleton.axes]
    for load in skeleton.loads:
        ends += [load.point + scales.force * load.force]
        ends += [load.point + scales.torque * load.torque]
    lower, upper = np.min(ends, axis=0), np.max(ends, axis=0)
    longest = float((upper - lower).max()) or 1.0
    half = np.maximum(0.5 * (upper - lower), 0.5 * THINNEST * longest) + PADDING * longest
    middle = 0.5 * (lower + upper)
    return middle - half, middle + half


def _set_box(view: Axes3D, lower: Array, upper: Array, eye: tuple[float, float]) -> None:
    """Show a box at equal scales, seen without perspective."""
    sides = upper - lower
    view.set_proj_type('ortho')
    view.view_init(elev=eye[1], azim=eye[0])
    view.set_box_aspect(tuple(sides), zoom=_zoom(sides, eye))
    azimuth, elevation = np.radians(eye)
    across = np.abs(np.array((np.cos(azimuth), np.sin(azimuth), 0.0)) * np.cos(elevation))
    across[2] = abs(np.sin(elevation))
    seen = sides * np.sqrt(np.maximum(1.0 - across**2, 0.0))
    for n, (axis, letter) in enumerate(
        zip((view.xaxis, view.yaxis, view.zaxis), 'xyz', strict=True)
    ):
        getattr(view, f'set_{letter}lim')(lower[n], upper[n])
        axis.set_pane_color((1.0, 1.0, 1.0, 0.0))
        axis._axinfo['grid'].update(color=style.GRID_COLOR, linewidth=0.6)
        if across[n] > 1.0 - STRAIGHT:
            axis.set_ticks([])
            continue
        axis.set_major_locator(MaxNLocator(max(2, round(TICKS * sides[n] / sides.max()))))
        # Numbers stand off by a share of the box's other sides.
        pad = PAD * sides.max() / np.linalg.norm(np.delete(seen, n)) - OFFSET
        axis.set_tick_params(labelsize=8, pad=pad)
        getattr(view, f'set_{letter}label')(f'{letter} [m]', fontsize=10, labelpad=1.4 * pad)


def _zoom(sides: Array, eye: tuple[float, float]) -> float:
    """Return the zoom at which a box of some sides just fits, with room for numbers beside it."""
    azimuth, elevation = np.radians(eye)
    right = np.array((-np.sin(azimuth), np.cos(azimuth), 0.0))
    up = np.array((*(-np.sin(elevation) * np.array((np.cos(azimuth), np.sin(azimuth)))), 0.0))
    up[2] = np.cos(elevation)
    ways = zip((right, up), FILLED, strict=True)
    largest = max(float(np.abs(way) @ sides) / share for way, share in ways)
    # matplotlib gives the box a diagonal that depends on its sides' ratios alone.
    return float(np.linalg.norm(sides)) / largest


def _draw_links(view: Axes3D, skeleton: Skeleton) -> None:
    segments = [segment for link in skeleton.links for segment in link.segments]
    reaches = [link.reach for link in skeleton.links if link.reach is not None]
    slides = [slide.segment for slide in skeleton.slides]
    for lines, color, width, dashes in (
        (segments, style.LINK_COLOR, 2.6, 'solid'),
        (reaches, style.REACH_COLOR, 1.6, 'solid'),
        (slides, style.LINK_COLOR, 1.4, (0.0, (1.0, 1.5))),
    ):
        if lines:
            view.add_collection3d(
                Line3DCollection(
                    lines, colors=color, linewidths=width, linestyles=dashes, capstyle='round'
                )
            )
    if reaches:
        _dots(view, [reach[1] for reach in reaches], 'o', 12.0, style.REACH_COLOR, 3.0, 'none')
    moving = [a.point for a in skeleton.anchors if a.type is not JointType.FIXED]
    size = 38.0 if len(moving) <= FEW else 20.0
    _dots(view, moving, 'o', size, style.ANCHOR_COLOR, 6.0, style.LINK_COLOR)


def _draw_closures(view: Axes3D, closures: Sequence[ClosureEnds]) -> None:
    for closure in closures:
        view.add_collection3d(
            Line3DCollection(
                [(closure.A, closure.B)],
                colors=[style.residual_color(closure.largest)],
                linewidths=2.2,
                linestyles='dashed',
                zorder=5.0,
            )
        )
    ends = [end for closure in closures for end in (closure.A, closure.B)]
    _dots(view, ends, 'D', 34.0, style.ANCHOR_COLOR, 6.0, style.LINK_COLOR)


def _draw_axes(view: Axes3D, skeleton: Skeleton, size: float) -> None:
    for axis in skeleton.axes:
        add_arrow(
            view,
            axis.point,
            size * axis.direction,
            double=False,
            color=style.AXIS_COLORS[axis.number],
            linewidth=1.3,
            zorder=7.0,
        )


def _draw_loads(view: Axes3D, skeleton: Skeleton, scales: Scales) -> None:
    for load in skeleton.loads:
        for three, scale, color, certain, double in (
            (load.force, scales.force, style.FORCE_COLOR, load.force_determinate, False),
            (load.torque, scales.torque, style.TORQUE_COLOR, load.torque_determinate, True),
        ):
            along = scale * three
            if np.linalg.norm(along) < scales.shortest:
                continue
            add_arrow(
                view,
                load.point,
                along,
                double,
                edgecolor=color,
                facecolor=color if certain else 'white',
                linestyle='solid' if certain else (0.0, (3.0, 1.5)),
                linewidth=2.0,
                zorder=8.0,
            )


def _dots(
    view: Axes3D,
    points: Sequence[Array],
    marker: str,
    size: float,
    color: str | style.Color,
    order: float,
    edge: str,
) -> None:
    if points:
        x, y, z = np.array(points).T
        view.scatter(
            x,
            y,
            z,
            marker=marker,
            s=size,
            color=[color],
            edgecolors=edge,
            linewidths=0.9,
            depthshade=False,
            zorder=order,
        )


def _letters(skeleton: Skeleton) -> float:
    moving = sum(anchor.type is not JointType.FIXED for anchor in skeleton.anchors)
    return 8.5 if moving <= FEW else 7.0


def _labels(skeleton: Skeleton) -> list[Label]:
    """Return the names of closures, of those that are open by how much, and of moving joints."""
    labels = []
    for closure in skeleton.closures:
        text = closure.name
        if closure.metres > OPEN:
            text += f'\nopen by {closure.metres:.3g} m'
        if closure.radians > OPEN:
            text += f'\nopen by {closure.radians:.3g} rad'
        color = style.TEXT_COLOR if closure.largest <= OPEN else style.OPEN_TEXT_COLOR
        labels.append(Label(text, 0.5 * (closure.A + closure.B), color))
    labels += [
        Label(anchor.joint, anchor.point)
        for anchor in skeleton.anchors
        if anchor.type is not JointType.FIXED
    ]
    return labels


def _lines(skeleton: Skeleton, scales: Scales) -> Array:
    """Return everything that names had better not cover, as segments (n, 2, 3)."""
    lines = [segment for link in skeleton.links for segment in link.segments]
    lines += [link.reach for link in skeleton.links if link.reach is not None]
    lines += [np.array((closure.A, closure.B)) for closure in skeleton.closures]
    lines += [np.array((a.point, a.point + scales.axis * a.direction)) for a in skeleton.axes]
    for load in skeleton.loads:
        for along in (scales.force * load.force, scales.torque * load.torque):
            lines.append(np.array((load.point, load.point + along)))
    return np.array(lines).reshape(-1, 2, 3)
