# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""How often a set of joints is published."""

from __future__ import annotations

SECOND = 1_000_000_000


class Gate:
    """Lets messages through at a mean rate, by their stamps, and never falls silent.

    A token bucket of two messages (the generic cell rate algorithm, ITU-T I.371): a
    message is due when it is at most half an interval early, and the next one is then due one
    interval after this one was, so that jitter of a source at the chosen rate loses nothing. A
    stamp far in the future, or a clock that was set back, could close such a gate for ever;
    therefore a message that is more than an interval early is due, too, when an interval has gone
    by on the steady clock. A message with the stamp of the one before it brings nothing new.
    """

    def __init__(self, interval: int) -> None:
        """Take the interval [ns] between messages; 0 lets every message through."""
        self.interval = interval
        self._due: int | None = None
        self._last_stamp: int | None = None
        self._last_pass = 0

    def passes(self, stamp: int, steady: int) -> bool:
        """Tell whether a message of this stamp [ns] goes out, at steady clock time [ns]."""
        if self.interval == 0:
            return True
        if stamp == self._last_stamp:
            return False
        early = self.interval // 2
        if self._due is None:
            due = stamp
        elif stamp >= self._due - early:
            due = max(self._due, stamp - early)
        elif self._due - stamp > self.interval and steady - self._last_pass >= self.interval:
            due = stamp
        else:
            return False
        self._due = due + self.interval
        self._last_stamp = stamp
        self._last_pass = steady
        return True
