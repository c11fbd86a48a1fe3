# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What the node tells people, never at the rate of messages."""

from __future__ import annotations

import time

from rclpy.impl.rcutils_logger import RcutilsLogger

from kinematics_node.ros.complaints import Complaints

PERIOD = 10.0
MOST_KEYS = 1000
# Of a source that says something else every time, so many sentences are logged in a period.
MOST_SENTENCES = 30


class LoggedComplaints(Complaints):
    """Logs each complaint once, or at most once in ten seconds."""

    def __init__(self, logger: RcutilsLogger) -> None:
        self._logger = logger
        self._said: dict[str, float] = {}
        self._begun = time.monotonic()
        self._count = 0

    def once(self, key: str, sentence: str) -> None:
        """Log a sentence the first time that its key comes."""
        if key not in self._said:
            self._log(key, sentence)

    def repeated(self, key: str, sentence: str) -> None:
        """Log a sentence, but the same key not again within ten seconds."""
        if time.monotonic() - self._said.get(key, -PERIOD) >= PERIOD:
            self._log(key, sentence)

    def _log(self, key: str, sentence: str) -> None:
        now = time.monotonic()
        if now - self._begun >= PERIOD:
            self._begun, self._count = now, 0
        if self._count > MOST_SENTENCES:
            return
        if len(self._said) >= MOST_KEYS:
            self._said.clear()
        self._said[key] = now
        self._count += 1
        if self._count > MOST_SENTENCES:
            sentence = f'more is wrong than is logged; see the {MOST_SENTENCES} warnings before'
        self._logger.warning(sentence)
