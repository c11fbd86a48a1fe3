# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The diagnostic tasks 'limits' and 'mimics and couplings': what of the state cannot be."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinematics_node.checking.bounds import ball_axis_ranges
from kinematics_node.checking.bounds import position_ranges
from kinematics_node.checking.bounds import rate_ranges
from kinematics_node.checking.bounds import stop_ranges
from kinematics_node.checking.bounds import violations_of
from kinematics_node.checking.violation import ViolationKind
from kinematics_node.ros.diagnostic_status import and_more
from kinematics_node.ros.diagnostic_status import Episodes
from kinematics_node.ros.diagnostic_status import Level
from kinematics_node.ros.diagnostic_status import Moment
from kinematics_node.ros.diagnostic_status import Status
from kinematics_node.ros.diagnostic_status import Thresholds
from kinematics_node.ros.stream import Stream

MOST_SHOWN = 16
# What stands before the name of a coordinate, so that each line has a name of its own.
NAMES = {
    ViolationKind.POSITION: '',
    ViolationKind.VELOCITY: 'velocity of ',
    ViolationKind.STOP: 'stop of ',
}


@dataclass(frozen=True)
class Violation:
    """One thing that is off: what, by how much, and as a sentence."""

    name: str
    amount: float
    sentence: str


class Limits:
    """Positions and velocities beyond limits and stops, of all joints that have a value."""

    name = 'limits'

    def __init__(self) -> None:
        self._episodes = Episodes()

    def look(self, stream: Stream, thresholds: Thresholds, now: Moment) -> Status:
        """Return the status at a moment."""
        beyond = list(beyond_limits(stream, thresholds.limit_tolerance))
        history = self._episodes.note(bool(beyond), now)
        return status_of(beyond, history, 'all joints are within their limits')


class Followers:
    """Measured followers and couplings that contradict what the model says.

    A single look may fall between the messages of two publishers, so that what counts is what is
    off at two looks in a row.
    """

    name = 'mimics and couplings'

    def __init__(self) -> None:
        self._episodes = Episodes()
        self._doubted: dict[str, Moment] = {}

    def look(self, stream: Stream, thresholds: Thresholds, now: Moment) -> Status:
        """Return the status at a moment."""
        off = [
            *contradicting_mimics(stream, thresholds.mimic_tolerance),
            *contradicting_couplings(stream, thresholds.mimic_tolerance),
        ]
        before = self._doubted
        self._doubted = {found.name: before.get(found.name, now) for found in off}
        certain = [found for found in off if found.name in before]
        first = min((before[f.name] for f in certain), key=lambda m: m.steady, default=None)
        history = self._episodes.note(bool(certain), now, first)
        return status_of(certain, history, 'followers and couplings agree')


def status_of(found: Sequence[Violation], history: dict[str, str], well: str) -> Status:
    """Return the status of some violations: the worst in the message, and all as values."""
    worst = max(found, key=lambda violation: violation.amount, default=None)
    values = {
        'count': str(len(found)),
        'worst': worst.name if worst else 'none',
        'worst amount': f'{worst.amount:.6g}' if worst else '0',
        **history,
    }
    for violation in sorted(found, key=lambda v: -v.amount)[:MOST_SHOWN]:
        values[violation.name] = violation.sentence
    if worst is None:
        return Status(Level.OK, well, values)
    return Status(Level.WARN, worst.sentence + and_more(len(found)), values)


def beyond_limits(stream: Stream, tolerance: float) -> Iterator[Violation]:
    """Find positions, rates and angles of ball joints beyond a limit or a stop."""
    model, shown = stream.model, stream.shown()
    q, v = stream.state[np.newaxis, : model.nq], stream.rates()[np.newaxis]
    known = {
        joint.name
        for link, joint in enumerate(model.joints, start=1)
        if shown.issuperset(stream.states.coordinates(link))
    }
    for ranges in (
        position_ranges(model, q),
        ball_axis_ranges(model, q),
        stop_ranges(model, q),
        # A rate that nobody gives is NaN, and beyond nothing.
        rate_ranges(model, ViolationKind.VELOCITY, v, model.velocity_limit),
    ):
        for _, found in violations_of(ranges, tolerance) if ranges is not None else ():
            if found.element in known:
                name = NAMES[found.kind] + found.coordinate
                yield Violation(name, -found.margin, found.message)


def contradicting_mimics(stream: Stream, tolerance: float) -> Iterator[Violation]:
    """Find measured followers that are elsewhere than their mimic says."""
    model = stream.model
    for (follower, master), (multiplier, offset) in zip(
        model.mimic_index.tolist(), model.mimic_ratio.tolist(), strict=True
    ):
        if follower not in stream.measured or master not in stream.known:
            continue
        value, right = stream.state[follower], multiplier * stream.state[master] + offset
        if abs(value - right) > tolerance:
            name, of = (model.coordinate_names[k] for k in (follower, master))
            yield Violation(
                name,
                abs(float(value - right)),
                f"'{name}' is at {value:.6g} where its mimic of '{of}' says {right:.6g}",
            )


def contradicting_couplings(stream: Stream, tolerance: float) -> Iterator[Violation]:
    """Find couplings that are not satisfied by joints that all have a value."""
    model = stream.model
    given = set(stream.known)
    for block in stream.loops.blocks if stream.loops is not None else ():
        if block.good is not None:
            given.update(block.solved.tolist())
    for coupling in model.couplings:
        terms = [(model.coordinate_index[name], factor) for name, factor in coupling.terms]
        if not given.issuperset(k for k, _ in terms):
            continue
        left = sum(factor * float(stream.state[k]) for k, factor in terms) - coupling.offset
        if abs(left) > tolerance:
            sentence = f"coupling '{coupling.name}' is off by {left:.6g}"
            yield Violation(f'coupling {coupling.name}', abs(left), sentence)
