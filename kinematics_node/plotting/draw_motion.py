# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""A motion as a picture: residuals, rank and mobility, and a joint's load, below each other."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator
import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.plotting import style
from kinematics_node.plotting.draw_file import new_figure
from kinematics_node.plotting.draw_file import plain
from kinematics_node.plotting.motion import Flags
from kinematics_node.plotting.motion import Motion

SMALLEST = 1e-17  # m, rad: what a logarithm shows for zero
NAMED = 6  # closures and couplings that have a colour and a name of their own
SHADES = ('#1f6f8b', '#5b8c3a', '#a8577e', '#7a6a4f', '#4a5fa5', '#c27c3a')
OTHERS = '#b5bcc4'
RANK_COLOR, MOBILITY_COLOR, VALUE_COLOR = '#1f3b57', '#2a9d5c', '#8a8a8a'
SINGULAR_COLOR = '#d02020'
NEGLIGIBLE = 1e-6  # N m beside N
CROSSES = 20  # more of them are drawn smaller
LONGEST = 20  # letters of a name
DASHES = (0.0, (3.0, 1.5))


def draw_motion(motion: Motion, title: str = '') -> Figure:
    """Return the picture of a motion."""
    figure = new_figure(10.0, 9.5)
    grid = figure.add_gridspec(
        3, 1, left=0.09, right=0.7, top=0.885, bottom=0.07, hspace=0.14, height_ratios=(1, 1, 1.2)
    )
    first = figure.add_subplot(grid[0])
    panels = [first, *(figure.add_subplot(grid[n], sharex=first) for n in (1, 2))]
    _draw_residuals(panels[0], motion)
    _draw_rank(panels[1], motion)
    _draw_load(panels[2], motion)
    gaps = list(_stretches(motion.values, ~motion.closed))
    for panel in panels:
        for low, high in gaps:
            panel.axvspan(low, high, color=style.GAP_COLOR, lw=0.0, zorder=0.0)
        panel.grid(color=style.GRID_COLOR, lw=0.6)
        panel.tick_params(labelsize=8.5, labelbottom=panel is panels[-1])
        panel.set_xlim(float(motion.values.min()), float(motion.values.max()))
    panels[-1].set_xlabel(plain(f'{motion.coordinate} [{motion.unit}]'))
    figure.text(0.03, 0.975, plain(motion.robot), fontsize=15, fontweight='bold', va='top')
    figure.text(0.03, 0.938, plain(title), fontsize=9.5, color=style.TEXT_COLOR, va='top')
    return figure


def _draw_residuals(panel: Axes, motion: Motion) -> None:
    panel.set_ylabel('open by [m or rad]')
    if not motion.residuals:
        panel.set_yticks([])
        panel.text(
            0.5, 0.5, 'no closures and no couplings', transform=panel.transAxes, ha='center'
        )
        return
    panel.set_yscale('log')
    largest = {name: series.max(axis=1) for name, series in motion.residuals.items()}
    order = sorted(largest, key=lambda name: -float(largest[name].max()))
    for n, name in reversed(list(enumerate(order))):
        named = n < NAMED
        panel.plot(
            motion.values,
            np.maximum(largest[name], SMALLEST),
            color=SHADES[n] if named else OTHERS,
            lw=1.3 if named else 0.8,
            label=plain(_shortened(name)) if named else None,
        )
    handles = panel.get_legend_handles_labels()[0][::-1]
    if len(order) > NAMED:
        handles.append(Line2D([], [], color=OTHERS, lw=0.8, label=f'{len(order) - NAMED} more'))
    limit = panel.axhline(motion.tolerance, color=SINGULAR_COLOR, lw=1.0, ls=':')
    limit.set_label(f'closed below {motion.tolerance:g}')
    panel.set_ylim(SMALLEST / 3.0, None)
    _legend(panel, [*handles, limit, *_gap_handle(motion)])


def _draw_rank(panel: Axes, motion: Motion) -> None:
    """Draw rank and mobility, and on the right how far the rank is from being less."""
    x = motion.values
    (rank,) = panel.plot(x, motion.rank, color=RANK_COLOR, lw=2.0, label='rank of loop rows')
    (mobility,) = panel.plot(x, motion.mobility, color=MOBILITY_COLOR, lw=2.0, label='mobility')
    panel.set_ylabel('rank, mobility')
    panel.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    panel.set_ylim(0.0, max(1.0, _most(motion.rank), _most(motion.mobility)) * 1.25)
    handles: list[Line2D | Patch] = [rank, mobility]
    if motion.residuals:
        right = panel.twinx()
        (smallest,) = right.plot(
            x, motion.smallest, color=VALUE_COLOR, lw=1.0, label='smallest singular value'
        )
        right.set_yscale('log')
        right.set_ylabel('smallest singular value', color=VALUE_COLOR, fontsize=9)
        right.tick_params(labelsize=8, colors=VALUE_COLOR, which='both')
        _spread(right, motion.smallest)
        handles.append(smallest)
    if motion.singular.any():
        handles += panel.plot(
            x[motion.singular],
            motion.rank[motion.singular],
            'x',
            color=SINGULAR_COLOR,
            ms=7.0 if motion.singular.sum() < CROSSES else 3.0,
            mew=1.8,
            ls='none',
            label='singular',
        )
    _legend(panel, handles)


def _draw_load(panel: Axes, motion: Motion) -> None:
    """Draw the norms of force and torque, each on an axis of its own."""
    right = panel.twinx()
    force_top = 1.15 * _most(motion.force)
    # Where lines would lie on each other, that of torques is the lower one; and what is left by
    # rounding stays at zero.
    torque_top = max(1.3 * _most(motion.torque), NEGLIGIBLE * force_top)
    panel.set_ylim(0.0, force_top or 1.0)
    right.set_ylim(0.0, torque_top or 1.0)
    panel.set_ylabel(plain(f"force at '{motion.load}' [N]"), color=style.FORCE_COLOR)
    right.set_ylabel(plain(f"torque at '{motion.load}' [N m]"), color=style.TORQUE_COLOR)
    force = _parted(motion.force, motion.force_determinate, motion.closed)
    torque = _parted(motion.torque, motion.torque_determinate, motion.closed)
    handles: list[Line2D | Patch] = [
        *_load_lines(panel, motion.values, force, '|force|', style.FORCE_COLOR),
        *_load_lines(right, motion.values, torque, '|torque|', style.TORQUE_COLOR),
    ]
    loose = list(_stretches(motion.values, motion.closed & ~motion.held))
    for low, high in loose:
        panel.axvspan(low, high, facecolor='none', edgecolor='#bbbbbb', hatch='///', lw=0.0)
    if loose:
        label = 'pose cannot be held'
        handles.append(Patch(facecolor='none', edgecolor='#bbbbbb', hatch='///', label=label))
    _legend(panel, handles)


def _load_lines(
    axes: Axes, values: Array, parts: tuple[Array, Array], name: str, color: style.Color
) -> list[Line2D]:
    """Draw what is certain solid and the rest dashed, and return the lines that show something."""
    (sure,) = axes.plot(values, parts[0], color=color, lw=2.0, label=name)
    (unsure,) = axes.plot(values, parts[1], color=color, lw=1.6, ls=DASHES)
    unsure.set_label(f'{name}, not wholly\ndetermined by statics')
    axes.tick_params(axis='y', colors=color, labelsize=8.5)
    return [line for line in (sure, unsure) if np.isfinite(line.get_ydata()).any()]


def _parted(series: Array, certain: Flags, closed: Flags) -> tuple[Array, Array]:
    """Return the parts that are certain and that are not; they meet where they change."""
    loose = closed & ~certain
    unsure = loose.copy()
    unsure[:-1] |= loose[1:]
    unsure[1:] |= loose[:-1]
    return np.where(certain, series, np.nan), np.where(unsure, series, np.nan)


def _stretches(values: Array, flags: Flags) -> Iterator[tuple[float, float]]:
    """Return where flags are set, from half way before to half way behind."""
    middles = 0.5 * (values[1:] + values[:-1])
    edges = np.concatenate((values[:1], middles, values[-1:]))
    start = None
    for n, flag in enumerate([*flags.tolist(), False]):
        if flag and start is None:
            start = n
        elif not flag and start is not None:
            yield float(edges[start]), float(edges[n])
            start = None


def _shortened(name: str) -> str:
    half = LONGEST // 2
    return name if len(name) <= LONGEST else f'{name[:half]}…{name[-half:]}'


def _gap_handle(motion: Motion) -> list[Patch]:
    if motion.closed.all():
        return []
    return [Patch(facecolor=style.GAP_COLOR, label='loops cannot be closed')]


def _spread(axes: Axes, series: Array) -> None:
    """Show at least a decade of a logarithmic axis."""
    positive = series[np.isfinite(series) & (series > 0.0)]
    if positive.size:
        low, high = float(positive.min()), float(positive.max())
        middle = np.sqrt(low * high)
        axes.set_ylim(min(0.5 * low, middle / 10.0), max(2.0 * high, middle * 10.0))


def _most(series: Array) -> float:
    finite = series[np.isfinite(series)]
    return float(finite.max()) if finite.size else 0.0


def _legend(panel: Axes, handles: list[Line2D | Patch]) -> None:
    panel.legend(
        handles=handles,
        loc='upper left',
        bbox_to_anchor=(1.12, 1.02),
        fontsize=8.5,
        frameon=False,
        labelspacing=0.7,
    )
