# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What is noticed about a description: a stable code, a severity, an element, a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Severity(IntEnum):
    """How much a finding matters; the numbers are those of the message Finding."""

    INFO = 0
    WARNING = 1
    ERROR = 2


@dataclass(frozen=True)
class Finding:
    """One thing noticed while reading, finalizing or reviewing a model.

    The code is stable and may be filtered on; the element reads like "joint 'elbow'"; the line
    is that of the source text, where it is known.
    """

    code: str
    severity: Severity
    element: str
    message: str
    line: int | None = None

    def __str__(self) -> str:
        """Return the finding as one line of text."""
        line = f' (line {self.line})' if self.line is not None else ''
        return f'{self.severity.name.lower()} [{self.code}] {self.element}{line}: {self.message}'
