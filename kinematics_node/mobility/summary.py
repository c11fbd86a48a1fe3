# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""A DOF report in plain language."""

from __future__ import annotations

from kinematics_node.mobility.report import Actuation
from kinematics_node.mobility.report import DofReport
from kinematics_node.mobility.report import Role


def summarise(report: DofReport) -> str:
    """Return a report in a few sentences."""
    return ' '.join(
        sentence
        for sentence in (
            _count(report),
            _redundancy(report),
            _doubts(report),
            _motion(report),
            _actuation(report),
        )
        if sentence
    )


def _count(report: DofReport) -> str:
    return (
        f'{_number(report.bodies, "moving body", "moving bodies")} with '
        f'{_number(report.rows, "constraint row")}, {report.rank} of them independent: '
        f'mobility {report.mobility} (counting rows alone would give {report.gruebler}).'
    )


def _redundancy(report: DofReport) -> str:
    if not report.redundant:
        return ''
    elements = zip(report.mechanism.sound, report.overlaps.tolist(), strict=True)
    names = [element.name for element, overlaps in elements if overlaps]
    return (
        f'{_number(report.redundant, "row is", "rows are")} redundant, in {_names(names)}: '
        'forces there are not determined by the motion.'
    )


def _doubts(report: DofReport) -> str:
    sentences = []
    if not report.closed:
        sentences.append(
            'The loops are not closed at this configuration, so that its numbers may not hold '
            'where they are.'
        )
    if report.singular:
        sentences.append(
            'The configuration is singular: nearby, the loops have rank '
            f'{report.nearby_rank}, here {report.loop_rank}; the mobility there is '
            f'{report.mobility + report.loop_rank - (report.nearby_rank or 0)}.'
            if report.nearby_rank != report.loop_rank
            else 'The configuration is close to a singular one: nearby, the loops hold far better.'
        )
    if not report.certain:
        sentences.append(
            f'The rank is uncertain: singular values {report.above:.2g} and {report.below:.2g} '
            f'lie near the threshold {report.threshold:.2g}.'
        )
    return ' '.join(sentences)


def _motion(report: DofReport) -> str:
    sentences = []
    if report.independent:
        modes = zip(report.independent, report.idle_modes.tolist(), strict=True)
        chosen = [coordinate for coordinate, idle in modes if not idle]
        if chosen:
            sentences.append(f'It is described by {_names(chosen)}.')
    if report.idle:
        moving = _joints_of(report, Role.IDLE)
        among = f', among {_names(moving)}' if moving else ''
        sentences.append(
            f'{_number(report.idle, "motion is", "motions are")} idle, noticed by nothing '
            f'outside{among}.'
        )
    locked = _joints_of(report, Role.LOCKED)
    if locked:
        sentences.append(f'{_names(locked)} cannot move.')
    return ' '.join(sentences)


def _joints_of(report: DofReport, role: Role) -> list[str]:
    """Return the names of the joints that have a role."""
    return [report.mechanism.joints[k].name for k in (report.roles == role).nonzero()[0]]


def _actuation(report: DofReport) -> str:
    motors = _number(len(report.actuated), 'motor')
    needed = report.mobility - report.idle
    if report.actuation is Actuation.UNDER:
        return (
            f'{motors} drive {report.actuated_rank} of {needed} motions: under-actuated.'
            if len(report.actuated) != 1
            else f'{motors} drives {report.actuated_rank} of {needed} motions: under-actuated.'
        )
    if report.actuation is Actuation.FULL:
        return f'Fully actuated by {motors}.'
    if report.actuation is Actuation.OVER:
        return f'Over-actuated: {motors} for {_number(needed, "motion")}.'
    return ''


def _number(count: int, one: str, many: str = '') -> str:
    return f'{count} {one if count == 1 else many or one + "s"}'


def _names(names: list[str]) -> str:
    shown = ', '.join(names[:6])
    return f'{shown} and {len(names) - 6} more' if len(names) > 6 else shown
