# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What a diagnostic task says, and what it remembers from one look to the next."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from enum import IntEnum

from kinematics_node.ros.rate import SECOND


class Level(IntEnum):
    """Levels of diagnostic_msgs/DiagnosticStatus."""

    OK = 0
    WARN = 1
    ERROR = 2
    STALE = 3


@dataclass(frozen=True)
class Thresholds:
    """From where on something is worth a warning.

    Attributes
    ----------
    stale_after : float
        Age of the last message of a source [s].
    limit_tolerance : float
        How far beyond a limit [rad, m, rad/s, m/s].
    mimic_tolerance : float
        How far a measured follower, or a coupling, may be off [rad, m].
    """

    stale_after: float = 1.0
    limit_tolerance: float = 1e-3
    mimic_tolerance: float = 1e-3


@dataclass(frozen=True)
class Moment:
    """A time, on the steady clock and as stamps have it [ns]."""

    steady: int
    stamp: int


@dataclass(frozen=True)
class Status:
    """One task's answer."""

    level: Level
    message: str
    values: Mapping[str, str] = field(default_factory=dict)


class Episodes:
    """Remembers since when something is wrong, and how often that began."""

    def __init__(self) -> None:
        self._since: Moment | None = None
        self._begun = 0

    def note(self, wrong: bool, now: Moment, first: Moment | None = None) -> dict[str, str]:
        """Note whether something is wrong now, or since a first moment; return it as values."""
        if not wrong:
            self._since = None
        elif self._since is None:
            self._since = first or now
            self._begun += 1
        values = {'violations': str(self._begun)}
        if self._since is not None:
            values['since [s]'] = f'{self._since.stamp / SECOND:.3f}'
            values['for [s]'] = f'{(now.steady - self._since.steady) / SECOND:.3f}'
        return values


def all_of(names: Collection[str]) -> str:
    """Return names as one value."""
    return ', '.join(names) if names else 'none'


def and_more(count: int) -> str:
    """Return what follows the worst of several."""
    return f', and {count - 1} more' if count > 1 else ''
