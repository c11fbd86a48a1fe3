# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The diagnostic tasks 'loops' and 'solver': what is closed, and how well it is solved."""

from __future__ import annotations

from kinematics_node.ros.diagnostic_status import all_of
from kinematics_node.ros.diagnostic_status import and_more
from kinematics_node.ros.diagnostic_status import Episodes
from kinematics_node.ros.diagnostic_status import Level
from kinematics_node.ros.diagnostic_status import Moment
from kinematics_node.ros.diagnostic_status import Status
from kinematics_node.ros.diagnostic_status import Thresholds
from kinematics_node.ros.loop_blocks import Outcome
from kinematics_node.ros.plan import listed
from kinematics_node.ros.stream import Stream
from kinematics_node.solving.status import SolveStatus

LEVELS = {
    'closed': Level.OK,
    'held': Level.WARN,
    'waiting': Level.WARN,
    'never closed': Level.ERROR,
    'stopped': Level.ERROR,
}
SENTENCES = {
    'held': 'does not close and is held where it was',
    'stopped': 'does not close and is not published',
    'never closed': 'has never closed',
}
MOST_SHOWN = 16
# Whether a solution is singular takes ten times a solve; of larger models it is not asked.
MOST_BLOCKS_LOOKED_AT = 8


class LoopsStanding:
    """Each block of loops: closed, held, stopped or waiting; residuals and missing motors."""

    name = 'loops'

    def __init__(self) -> None:
        self._episodes = Episodes()
        self._each: dict[tuple[str, ...], Episodes] = {}

    def look(self, stream: Stream, thresholds: Thresholds, now: Moment) -> Status:
        """Return the status at a moment."""
        outcomes = stream.loops.outcomes() if stream.loops is not None else []
        if not outcomes:
            return _without_blocks(stream)
        wrong = [o for o in outcomes if LEVELS[o.standing] is not Level.OK]
        history = self._episodes.note(bool(wrong), now)
        values = {
            'count': str(len(wrong)),
            'worst residual [m, rad]': f'{max(o.residual for o in outcomes):.3g}',
            'missing motors': all_of(sorted({name for o in outcomes for name in o.missing})),
            **history,
        }
        described = {o.names: self._described(o, now) for o in outcomes}
        for outcome in sorted(outcomes, key=lambda o: -LEVELS[o.standing])[:MOST_SHOWN]:
            values[listed(outcome.names)] = described[outcome.names]
        if not wrong:
            return Status(Level.OK, f'{len(outcomes)} of {len(outcomes)} blocks closed', values)
        worst = max(wrong, key=lambda o: (LEVELS[o.standing], o.residual))
        level = LEVELS[worst.standing]
        if len(wrong) == len(outcomes) and all(_waits_for_anything(o) for o in outcomes):
            level = Level.STALE
        return Status(level, _sentence(worst) + and_more(len(wrong)), values)

    def _described(self, outcome: Outcome, now: Moment) -> str:
        episodes = self._each.setdefault(outcome.names, Episodes())
        since = episodes.note(LEVELS[outcome.standing] is not Level.OK, now).get('for [s]')
        for_seconds = f', not closed for {since} s' if since else ''
        missing = f', waits for {listed(outcome.missing)}' if outcome.missing else ''
        return (
            f'{outcome.standing}, {outcome.status.name.lower()}, '
            f'residual {outcome.residual:.3g}{for_seconds}{missing}'
        )


class Solver:
    """How the last solve ended."""

    name = 'solver'

    def look(self, stream: Stream, thresholds: Thresholds, now: Moment) -> Status:
        """Return the status at a moment."""
        outcomes = stream.loops.outcomes() if stream.loops is not None else []
        solved = [o for o in outcomes if o.standing != 'waiting']
        if not outcomes:
            return _without_blocks(stream)
        if not solved:
            return Status(Level.STALE, 'nothing has been solved yet')
        worst = max(solved, key=lambda o: o.status)
        singular = self._singular(stream)
        values = {
            'status': worst.status.name.lower(),
            'iterations': str(max(o.iterations for o in solved)),
            'blocks solved': f'{len(solved)} of {len(outcomes)}',
            'singular': singular,
        }
        if worst.status is not SolveStatus.CONVERGED:
            message = f'{worst.status.name.lower()} at {listed(worst.names)}'
            return Status(Level.WARN, message, values)
        if singular == 'yes':
            return Status(Level.WARN, 'converged at a singular configuration', values)
        return Status(Level.OK, 'converged', values)

    def _singular(self, stream: Stream) -> str:
        loops = stream.loops
        if loops is None or len(loops.blocks) > MOST_BLOCKS_LOOKED_AT:
            return 'not known'
        return {True: 'yes', False: 'no', None: 'not known'}[loops.is_singular()]


def _without_blocks(stream: Stream) -> Status:
    if stream.loops is None:
        return Status(Level.OK, 'the robot has no loops')
    return Status(Level.STALE, 'no joint states yet')


def _waits_for_anything(outcome: Outcome) -> bool:
    return outcome.standing == 'waiting' and not outcome.missing


def _sentence(outcome: Outcome) -> str:
    names = listed(outcome.names)
    if outcome.standing == 'waiting':
        what = listed(outcome.missing) if outcome.missing else 'joint states'
        return f'{names} waits for {what}'
    said = f'{names} {SENTENCES[outcome.standing]}'
    return f'{said} ({outcome.status.name.lower()}, residual {outcome.residual:.3g})'
