# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What a stream has to say to people."""

from __future__ import annotations


class Complaints:
    """Says nothing; a node's version throttles and logs what it is told."""

    def once(self, key: str, sentence: str) -> None:
        """Say a sentence the first time that its key comes."""

    def repeated(self, key: str, sentence: str) -> None:
        """Say a sentence, but not again for a while."""
