# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Long work in a thread of its own, while the stream goes on."""

from __future__ import annotations

from collections.abc import Callable
import sys
import threading
from typing import Generic
from typing import TypeVar

T = TypeVar('T')

# How long a thread may hold the interpreter before another gets it [s]: with Python's default of
# 5 ms, five messages of a 1 kHz stream would come in while a description is being read.
SWITCH_INTERVAL = 0.0005
PAUSE = 0.001


class _Work(threading.Thread, Generic[T]):
    """One call in a thread, with its result or its exception."""

    def __init__(self, call: Callable[[], T]) -> None:
        super().__init__(daemon=True)
        self._call = call
        self.ended = threading.Event()
        self.result: T
        self.error: Exception | None = None

    def run(self) -> None:
        """Make the call."""
        try:
            self.result = self._call()
        except Exception as error:
            self.error = error
        finally:
            self.ended.set()


def run_beside(call: Callable[[], T], meanwhile: Callable[[], None]) -> T:
    """Return what a call returns, made in a thread; until it ends, run meanwhile again and again.

    What the call raises is raised here.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL)
    work = _Work(call)
    try:
        work.start()
        while not work.ended.wait(PAUSE):
            meanwhile()
    finally:
        sys.setswitchinterval(before)
    if work.error is not None:
        raise work.error
    return work.result
