# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The stream goes on in a thread of its own, while something takes long."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
import sys
import threading
import time
from typing import TypeVar

T = TypeVar('T')

# How long a thread may hold the interpreter before another gets it [s]: with Python's default of
# 5 ms, five messages of a 1 kHz stream would come in while a description is being read.
SWITCH_INTERVAL = 0.0005
PAUSE = 0.001


class Background:
    """Does something again and again, in a thread, for as long as a call takes.

    Parameters
    ----------
    meanwhile : callable
        What is done; never while no call is made, and never twice at a time.
    """

    def __init__(self, meanwhile: Callable[[], None]) -> None:
        self._meanwhile = meanwhile
        self._begun: SimpleQueue[None] = SimpleQueue()
        self._calls = 0
        self._error: Exception | None = None
        self._at_work = threading.Lock()
        self._thread: threading.Thread | None = None

    def run(self, call: Callable[[], T]) -> T:
        """Return what a call returns; it is made here, since an answer waits for it.

        What the call raises is raised, and else what was raised meanwhile.
        """
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, daemon=True)
            self._thread.start()
        before = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_INTERVAL)
        self._error = None
        self._calls += 1
        self._begun.put(None)
        try:
            result = call()
        finally:
            with self._at_work:
                self._calls -= 1
            sys.setswitchinterval(before)
        if self._error is not None:
            raise self._error
        return result

    def _work(self) -> None:
        while True:
            self._begun.get()
            while self._is_due():
                pass

    def _is_due(self) -> bool:
        """Do it once if a call is being made; return whether it is to be done again."""
        time.sleep(PAUSE)
        with self._at_work:
            if not self._calls or self._error is not None:
                return False
            try:
                self._meanwhile()
            except Exception as error:
                self._error = error
        return True
