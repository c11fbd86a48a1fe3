# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Long work in a thread of its own, while the stream goes on."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty
from queue import SimpleQueue
import sys
import threading
from typing import Any
from typing import TypeAlias
from typing import TypeVar

T = TypeVar('T')
Outcome: TypeAlias = 'SimpleQueue[tuple[Any, Exception | None]]'

# How long a thread may hold the interpreter before another gets it [s]: with Python's default of
# 5 ms, five messages of a 1 kHz stream would come in while a description is being read.
SWITCH_INTERVAL = 0.0005
PAUSE = 0.001


class Background:
    """Makes one call after the other in a thread, which is started by the first."""

    def __init__(self) -> None:
        self._calls: SimpleQueue[tuple[Callable[[], Any], Outcome]] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def run(self, call: Callable[[], T], meanwhile: Callable[[], None]) -> T:
        """Return what a call returns; until it ends, run meanwhile again and again.

        What the call raises is raised here.
        """
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, daemon=True)
            self._thread.start()
        outcome: Outcome = SimpleQueue()
        before = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_INTERVAL)
        try:
            self._calls.put((call, outcome))
            result, error = _wait(outcome, meanwhile)
        finally:
            sys.setswitchinterval(before)
        if error is not None:
            raise error
        found: T = result
        return found

    def _work(self) -> None:
        while True:
            call, outcome = self._calls.get()
            try:
                outcome.put((call(), None))
            except Exception as error:
                outcome.put((None, error))
            # What they hold must not live until the next call.
            del call, outcome


def _wait(outcome: Outcome, meanwhile: Callable[[], None]) -> tuple[Any, Exception | None]:
    while True:
        try:
            return outcome.get(timeout=PAUSE)
        except Empty:
            meanwhile()
