# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The legend of a skeleton: what is in the picture, and at which scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerPatch
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch
import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.model.joint_types import JointType
from kinematics_node.plotting import style
from kinematics_node.plotting.scales import Scales
from kinematics_node.plotting.skeleton import Skeleton

HEAD = 9.0
APART = 1e-6  # m


def add_legend(figure: Figure, skeleton: Skeleton, scales: Scales) -> None:
    """Add the legend of what is in the picture."""
    entries = [*_line_entries(skeleton), *_axis_entries(skeleton, scales)]
    entries += _load_entries(skeleton, scales)
    figure.legend(
        [handle for handle, _ in entries],
        [text for _, text in entries],
        handler_map={FancyArrowPatch: _ArrowHandler(), _DoubleArrow: _ArrowHandler()},
        loc='upper right',
        bbox_to_anchor=(0.99, 0.96),
        fontsize=8.5,
        handlelength=2.8,
        labelspacing=0.9,
        frameon=False,
    )


def _line_entries(skeleton: Skeleton) -> list[tuple[Artist, str]]:
    entries: list[tuple[Artist, str]] = [(Line2D([], [], color=style.LINK_COLOR, lw=2.6), 'link')]
    if any(link.reach is not None for link in skeleton.links):
        reach = Line2D([], [], color=style.REACH_COLOR, lw=1.6, marker='o', ms=3.5)
        entries.append((reach, 'link, to its centre of mass'))
    if any(np.ptp(slide.segment, axis=0).max() > APART for slide in skeleton.slides):
        slide = Line2D([], [], color=style.LINK_COLOR, lw=1.4, ls=(0.0, (1.0, 1.5)))
        entries.append((slide, 'slide of a joint'))
    if any(anchor.type is not JointType.FIXED for anchor in skeleton.anchors):
        entries.append((_dot('o', 6.0), 'anchor of a joint'))
    if skeleton.closures:
        entries.append((_dot('D', 5.5), 'ends of a closure'))
    apart = [c for c in skeleton.closures if np.linalg.norm(c.B - c.A) > APART]
    if apart:
        color = style.residual_color(max(closure.largest for closure in apart))
        gap = Line2D([], [], color=color, lw=2.2, ls='dashed')
        entries.append((gap, 'between them: rod, or what is open'))
    return entries


def _axis_entries(skeleton: Skeleton, scales: Scales) -> list[tuple[Artist, str]]:
    if not scales.axis:
        return []
    numbers = sorted({axis.number for axis in skeleton.axes})
    if numbers == [0]:
        return [(_arrow(style.AXIS_COLORS[0], 1.3), 'axis of a joint')]
    return [
        (_arrow(style.AXIS_COLORS[n], 1.3), f'axis {n + 1} of a joint, as turned') for n in numbers
    ]


def _load_entries(skeleton: Skeleton, scales: Scales) -> list[tuple[Artist, str]]:
    loads = skeleton.loads
    forces = [(load.force, load.force_determinate) for load in loads]
    torques = [(load.torque, load.torque_determinate) for load in loads]
    return [
        *_arrow_entries('force', 'N', 'm/N', forces, scales.force, scales.shortest),
        *_arrow_entries('torque', 'N m', 'm/(N m)', torques, scales.torque, scales.shortest),
    ]


def _arrow_entries(
    word: str,
    unit: str,
    per: str,
    vectors: Sequence[tuple[Array, bool]],
    scale: float,
    shortest: float,
) -> list[tuple[Artist, str]]:
    """Return the entries of those arrows that are drawn."""
    sizes = [(float(np.linalg.norm(three)), certain) for three, certain in vectors]
    drawn = [(size, certain) for size, certain in sizes if scale * size >= shortest]
    if not drawn:
        return []
    double = word == 'torque'
    color = style.TORQUE_COLOR if double else style.FORCE_COLOR
    longest = max(size for size, _ in drawn)
    text = (
        f'{word}, parent on child: longest\n{_rounded(longest)} {unit}, drawn at {scale:g} {per}'
    )
    some, all_ = any(certain for _, certain in drawn), all(certain for _, certain in drawn)
    if not some:
        text += '\nStatics do not wholly determine it:\nthe least of all that fit'
    entries: list[tuple[Artist, str]] = [(_arrow(color, 2.0, double, some), text)]
    if some and not all_:
        text = f'{word} that statics do not wholly\ndetermine: the least of all that fit'
        entries.append((_arrow(color, 2.0, double, certain=False), text))
    return entries


def _rounded(number: float) -> str:
    """Return three figures, as 1200 rather than 1.2e+03."""
    return f'{float(f"{number:.3g}"):g}'


class _DoubleArrow(FancyArrowPatch):  # type: ignore[misc]
    """Stands for an arrow with two heads."""


def _arrow(
    color: style.Color, width: float, double: bool = False, certain: bool = True
) -> FancyArrowPatch:
    kind = _DoubleArrow if double else FancyArrowPatch
    return kind(
        (0.0, 0.0),
        (1.0, 0.0),
        edgecolor=color,
        facecolor=color if certain else 'white',
        linestyle='solid' if certain else (0.0, (3.0, 1.5)),
        linewidth=width,
    )


def _dot(marker: str, size: float) -> Line2D:
    return Line2D(
        [],
        [],
        ls='none',
        marker=marker,
        ms=size,
        markerfacecolor=style.ANCHOR_COLOR,
        markeredgecolor=style.LINK_COLOR,
        markeredgewidth=0.9,
    )


class _ArrowHandler(HandlerPatch):  # type: ignore[misc]
    """Draws arrows in the legend as they are in the picture."""

    def create_artists(
        self,
        legend: Any,
        orig_handle: Any,
        xdescent: float,
        ydescent: float,
        width: float,
        height: float,
        fontsize: float,
        trans: Any,
    ) -> list[Artist]:
        """Return one arrow, or two of which the second gives the second head."""
        middle = 0.5 * height - ydescent
        found: list[Artist] = []
        for back in (0.0, 0.4 * HEAD)[: 1 + isinstance(orig_handle, _DoubleArrow)]:
            arrow = FancyArrowPatch(
                (-xdescent, middle),
                (width - xdescent - back, middle),
                arrowstyle='-|>',
                mutation_scale=HEAD,
                shrinkA=0.0,
                shrinkB=0.0,
            )
            self.update_prop(arrow, orig_handle, legend)
            arrow.set_transform(trans)
            found.append(arrow)
        return found
