# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""How a solution of closed loops ends."""

from __future__ import annotations

from enum import IntEnum


class SolveStatus(IntEnum):
    """How a solve ended; where several blocks end differently, the largest number counts."""

    CONVERGED = 0
    """All residuals are below the tolerance."""
    MAX_ITERATIONS = 1
    """The residual was still falling when the iterations were used up."""
    STALLED = 2
    """No small motion of the unknown coordinates reduces the residual: out of reach."""
    CONTRADICTED = 3
    """Measured coordinates leave a closure or coupling no freedom, and do not satisfy it."""
    NOT_FINITE = 4
    """A coordinate is NaN or infinite."""
