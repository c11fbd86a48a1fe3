# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Solvers that are kept for the next question about the same robot with the same joints given."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock

from kinematics_node.model.model import Model
from kinematics_node.solving.solver import LoopSolver

MOST = 16


@contextmanager
def kept_solver(model: Model, measured: frozenset[str]) -> Iterator[LoopSolver]:
    """Lend the solver for given coordinates, to one thread at a time and holding nothing.

    It works in its own memory, and what an earlier question left there to be held must not move
    the idle coordinates of this one's answer.

    Raises
    ------
    ModelError
        A closure or coupling that cannot be made into rows.
    NameLookupError
        Measured coordinates that the model does not have.
    """
    solver, lock = _kept(model, measured)
    with lock:
        solver.hold(None)
        yield solver


@lru_cache(maxsize=MOST)
def _kept(model: Model, measured: frozenset[str]) -> tuple[LoopSolver, Lock]:
    return LoopSolver(model, measured), Lock()
