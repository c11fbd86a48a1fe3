# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Multipliers and answers in plain language."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kinematics_node.constraints.kinds import Kind
from kinematics_node.forces.parts import Capacity

if TYPE_CHECKING:
    from kinematics_node.forces.report import ForceReport

CLOSED = 1e-6
HELD = 1e-6
SHOWN = 4
_FORCES = tuple(f'force along {axis} of frame A on the side of B' for axis in 'xyz')
_ALIGN = (
    'moment about y of frame A (z along the axis) that keeps the axes along each other',
    'moment about x of frame A (z along the axis), reversed, that keeps the axes along each other',
)
_TURN = tuple(f'moment about {axis} of frame A on the side of B' for axis in 'xyz')
_MEANINGS = {
    Kind.FIXED: _FORCES + _TURN,
    Kind.REVOLUTE: _FORCES + _ALIGN,
    Kind.PRISMATIC: (*_FORCES[:2], *_TURN),
    Kind.UNIVERSAL: (*_FORCES, 'moment about the normal of the two axes'),
    Kind.BALL: _FORCES,
    Kind.PLANAR: (_FORCES[2], *_ALIGN),
    Kind.DISTANCE: ('force of the rod that pushes its ends apart',),
}


def row_meaning(kind: Kind, group: str, name: str, row: int) -> str:
    """Return what a positive multiplier of a row is."""
    if kind is not Kind.COUPLING:
        return _MEANINGS[kind][row]
    if group == 'mimic':
        return f"effort of the mimic along '{name}'"
    if group == 'brake':
        return f"effort of the brake along '{name}'"
    return 'effort on each coupled coordinate, per unit of its coefficient'


def summary_of(report: ForceReport) -> str:
    """Return a report in a few sentences."""
    actuated = int(np.count_nonzero(report.parts()[0].actuated))
    are = 'is' if actuated == 1 else 'are'
    lines = [
        f'{report.mode.capitalize()} dynamics of {count(len(report.model.joints), "joint")} and '
        f'{count(len(report.model.closures), "closure")} ({report.method} method); '
        f'{count(actuated, "coordinate")} {are} actuated, according to '
        f'{report.actuated_from}.'
    ]
    if report.mode == 'inverse':
        lines.append(_balance_line(report))
    if report.braced:
        lines.append(
            f'Actuators can brace against each other in {count(report.braced, "way")}; '
            'the efforts of least norm are given.'
        )
    lines += _shared_lines(report)
    lines += _residual_lines(report)
    lines += [
        f"The actuator at '{name}' needs {abs(effort):.3g}, above its limit {limit:g}."
        for name, effort, limit in report.overloads
    ]
    return '\n'.join(lines)


def count(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f'{number} {noun}' if number == 1 else f'{number} {noun}s'


def _balance_line(report: ForceReport) -> str:
    subject, holds = ('pose', 'held') if report.at_rest else ('motion', 'driven')
    if report.held:
        if not report.actuated:
            return f'This {subject} needs no actuator.'
        return f'This {subject} can be {holds} by its actuators.'
    missing = ', '.join(
        f"{abs(value):.3g} {unit} at '{name}'{_could_hold(report, name, value)}"
        for name, value, unit in report.missing[:SHOWN]
    )
    if len(report.missing) > SHOWN:
        missing += f' and less at {len(report.missing) - SHOWN} more'
    return f'This {subject} cannot be {holds}: {missing}.'


def _could_hold(report: ForceReport, name: str, value: float) -> str:
    found = [
        c
        for c in report.capacities
        if c.axis == name and (c.upper > 0.0 if value > 0.0 else c.lower < 0.0)
    ]
    words = [_capacity_words(c) for c in found]
    able = any(c.lower <= value <= c.upper for c in found)
    if not words:
        return ''
    return f' ({" and ".join(words)} could hold {"it" if able else "part of it"})'


def _capacity_words(capacity: Capacity) -> str:
    if np.isfinite(capacity.upper) and capacity.upper > 0.0:
        return f'{capacity.source} up to {capacity.upper:.3g}'
    return f'its {capacity.source}'


def _shared_lines(report: ForceReport) -> list[str]:
    if not report.shared:
        return ['Statics determine every wrench.']
    lines = []
    for shared in report.shared:
        members = ', '.join(f"'{name}'" for name in shared.members)
        lines.append(
            f'Statics do not determine how {members} share their load '
            f'({count(shared.dimension, "way")}); '
            'the least constraint wrenches are given.'
        )
        for name in shared.members:
            parts = ', '.join(report.load(name).unknown_components)
            lines.append(f"  '{name}': {parts} on the axes of '{report.load(name).frame}'.")
    return lines


def _residual_lines(report: ForceReport) -> list[str]:
    lines = []
    if report.residual > CLOSED:
        lines.append(
            f'Constraints are open by up to {report.residual:.3g} m or rad; forces are those of '
            'this configuration as it is.'
        )
    if report.rate_residual > CLOSED:
        lines.append(
            f'Velocities open constraints by up to {report.rate_residual:.3g} m/s or rad/s.'
        )
    if report.mode == 'inverse' and report.acceleration_residual > CLOSED:
        lines.append(
            'The accelerations asked for open constraints by up to '
            f'{report.acceleration_residual:.3g} m/s^2 or rad/s^2.'
        )
    return lines
