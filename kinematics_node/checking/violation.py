# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What a state check finds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class ViolationKind(IntEnum):
    """What is violated; the numbers are stable."""

    UNKNOWN_NAME = 0
    """The model has no coordinate or joint of that name."""
    NOT_FINITE = 1
    """A number is NaN or infinite."""
    QUATERNION_NORM = 2
    """A quaternion has not unit length."""
    POSITION = 3
    """A coordinate is beyond its limit."""
    VELOCITY = 4
    """A rate is beyond its limit."""
    EFFORT = 5
    """An effort is beyond its limit."""
    SOFT_POSITION = 6
    """A position is beyond a soft limit of its safety controller."""
    SOFT_VELOCITY = 7
    """A velocity is beyond what the safety controller would allow at this position."""
    SOFT_EFFORT = 8
    """An effort is beyond what the safety controller would allow at this velocity."""
    STOP = 9
    """An axis is beyond a mechanical stop."""
    MIMIC = 10
    """A follower is not where its master puts it."""
    COUPLING = 11
    """A coupling's sum is not its offset."""
    CLOSURE = 12
    """A closure is open."""
    ANCHOR = 13
    """A child's measured pose is one that its joint cannot give."""


@dataclass(frozen=True)
class Violation:
    """One thing that is wrong with a state.

    Attributes
    ----------
    kind : ViolationKind
        What is violated.
    element : str
        The joint, closure or coupling; the name asked for where it is unknown.
    coordinate : str
        The coordinate, or the axis of a ball joint; empty where the whole element is meant.
    value, bound : float
        What is, and what it is allowed to be, in rad, m, their rates, N m or N.
    margin : float
        How far the value is within its bound: negative, being beyond it; NaN where the value is.
    message : str
        One sentence.
    """

    kind: ViolationKind
    element: str
    coordinate: str
    value: float
    bound: float
    margin: float
    message: str


@dataclass(frozen=True)
class CheckResult:
    """The check of one state.

    Attributes
    ----------
    violations : tuple of Violation
        All that was found; empty for a valid state.
    """

    violations: tuple[Violation, ...]

    @property
    def valid(self) -> bool:
        """Whether nothing is violated."""
        return not self.violations

    def of_kind(self, kind: ViolationKind) -> tuple[Violation, ...]:
        """Return the violations of one kind."""
        return tuple(violation for violation in self.violations if violation.kind is kind)
