# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What the node tells people, never at the rate of messages."""

from __future__ import annotations

import time

from rclpy.impl.rcutils_logger import RcutilsLogger

from kinematics_node.ros.stream import Complaints

PERIOD = 10.0
MOST_KEYS = 1000


class LoggedComplaints(Complaints):
    """Logs each complaint once, or at most once in ten seconds."""

    def __init__(self, logger: RcutilsLogger) -> None:
        self._logger = logger
        self._said: dict[str, float] = {}

    def once(self, key: str, sentence: str) -> None:
        """Log a sentence the first time that its key comes."""
        if key not in self._said:
            self._note(key)
            self._logger.warning(sentence)

    def repeated(self, key: str, sentence: str) -> None:
        """Log a sentence, but the same key not again within ten seconds."""
        if time.monotonic() - self._said.get(key, -PERIOD) >= PERIOD:
            self._note(key)
            self._logger.warning(sentence)

    def _note(self, key: str) -> None:
        if len(self._said) >= MOST_KEYS:
            self._said.clear()
        self._said[key] = time.monotonic()
