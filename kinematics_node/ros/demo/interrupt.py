# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C at any moment: noted when it comes, acted upon where everything can be put away."""

from __future__ import annotations

import signal
from types import FrameType
from types import TracebackType


class Interrupted(Exception):
    """Somebody wants the demo to end."""


class Interruption:
    """Notes signals that ask for the end, instead of letting them strike between two lines."""

    SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def __init__(self) -> None:
        self._signal = 0

    def __enter__(self) -> Interruption:
        self._before = {number: signal.signal(number, self._note) for number in self.SIGNALS}
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def check(self) -> None:
        """Raise Interrupted if a signal has come."""
        if self._signal:
            raise Interrupted

    @property
    def status(self) -> int:
        """The exit status of a process that a signal ended."""
        return 128 + self._signal

    def _note(self, number: int, _: FrameType | None) -> None:
        self._signal = number
