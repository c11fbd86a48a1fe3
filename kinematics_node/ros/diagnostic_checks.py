# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The diagnostic tasks 'limits' and 'mimics and couplings': what of the state cannot be."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
import math

import numpy as np

from kinematics_node.model.ball_joint import quaternion_to_angles
from kinematics_node.model.joint_types import JointType
from kinematics_node.ros.diagnostic_status import and_more
from kinematics_node.ros.diagnostic_status import Episodes
from kinematics_node.ros.diagnostic_status import Level
from kinematics_node.ros.diagnostic_status import Moment
from kinematics_node.ros.diagnostic_status import Status
from kinematics_node.ros.diagnostic_status import Thresholds
from kinematics_node.ros.stream import Stream

MOST_SHOWN = 16


@dataclass(frozen=True)
class Violation:
    """One thing that is off: what, by how much, and as a sentence."""

    name: str
    amount: float
    sentence: str


class Limits:
    """Positions and velocities beyond their limits, of all joints that have a value."""

    name = 'limits'

    def __init__(self) -> None:
        self._episodes = Episodes()

    def look(self, stream: Stream, thresholds: Thresholds, now: Moment) -> Status:
        """Return the status at a moment."""
        beyond = [
            *beyond_positions(stream, thresholds.limit_tolerance),
            *beyond_angles(stream, thresholds.limit_tolerance),
            *beyond_rates(stream, thresholds.limit_tolerance),
        ]
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


def beyond_positions(stream: Stream, tolerance: float) -> Iterator[Violation]:
    """Find coordinates beyond their limits."""
    model, q = stream.model, stream.state[: stream.model.nq]
    beyond = np.maximum(model.lower - q, q - model.upper)
    shown = stream.shown()
    for k in np.flatnonzero(beyond > tolerance).tolist():
        if k in shown:
            name, value = model.coordinate_names[k], float(q[k])
            if value > model.upper[k]:
                yield _beyond(name, value, float(model.upper[k]), 'upper limit')
            else:
                yield _beyond(name, value, float(model.lower[k]), 'lower limit')


def beyond_angles(stream: Stream, tolerance: float) -> Iterator[Violation]:
    """Find angles about a ball joint's axes beyond their limits."""
    shown = stream.shown()
    for link, joint in enumerate(stream.model.joints, start=1):
        limited = any(math.isfinite(a.limits.upper - a.limits.lower) for a in joint.axes)
        where = stream.states.coordinates(link)
        if joint.type is not JointType.BALL or not limited or not shown.issuperset(where):
            continue
        w, x, y, z = stream.state[list(where)].tolist()
        angles = quaternion_to_angles([axis.direction for axis in joint.axes], (w, x, y, z))
        for number, (axis, angle) in enumerate(zip(joint.axes, angles, strict=True), start=1):
            name, limits = f'{joint.name}/axis{number}', axis.limits
            if angle > limits.upper + tolerance:
                yield _beyond(name, angle, limits.upper, 'upper limit')
            elif angle < limits.lower - tolerance:
                yield _beyond(name, angle, limits.lower, 'lower limit')


def beyond_rates(stream: Stream, tolerance: float) -> Iterator[Violation]:
    """Find rates beyond their limits; a limit of 0 is what descriptions give who know none."""
    limit, rates = stream.model.velocity_limit, np.abs(stream.rates())
    # A rate that nobody gives is NaN, and beyond nothing.
    for k in np.flatnonzero((rates > limit + tolerance) & (limit > 0.0)).tolist():
        name = stream.model.velocity_names[k]
        found = _beyond(name, float(rates[k]), float(limit[k]), 'velocity limit')
        yield Violation(f'velocity of {name}', found.amount, found.sentence)


def _beyond(name: str, value: float, bound: float, what: str) -> Violation:
    amount = abs(value - bound)
    sentence = f"'{name}' is at {value:.6g}, {amount:.3g} beyond its {what} {bound:.6g}"
    return Violation(name, amount, sentence)


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
