# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Solvers that are kept for the next question about the same robot with the same joints given."""

from __future__ import annotations

from functools import lru_cache
from threading import Lock
from typing import NamedTuple

from kinematics_node.model.model import Model
from kinematics_node.solving.solver import LoopSolver

MOST = 16


class KeptSolver(NamedTuple):
    """A solver, and the lock under which it is to be used, since it works in its own memory."""

    solver: LoopSolver
    lock: Lock


@lru_cache(maxsize=MOST)
def kept_solver(model: Model, measured: frozenset[str]) -> KeptSolver:
    """Return the solver for given coordinates; the one longest unused of too many is dropped.

    Raises
    ------
    ModelError
        A closure or coupling that cannot be made into rows.
    NameLookupError
        Measured coordinates that the model does not have.
    """
    return KeptSolver(LoopSolver(model, measured), Lock())
