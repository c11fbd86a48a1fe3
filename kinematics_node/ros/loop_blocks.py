# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Blocks of loops that are solved together: how they are treated, and how they stand."""

from __future__ import annotations

from dataclasses import dataclass

from kinematics_node.compiled import Ints
from kinematics_node.ros.rate import SECOND
from kinematics_node.solving.status import SolveStatus


@dataclass(frozen=True)
class LoopOptions:
    """How loops are treated in the stream.

    Attributes
    ----------
    hold : int
        How long a block that does not close is shown where it was [ns].
    tolerance : float
        Residual up to which a loop counts as closed [m, rad]: what measured coordinates that
        contradict each other a little leave of it.
    project : bool
        Whether measured coordinates may be moved to where the loops close.
    """

    hold: int = SECOND
    tolerance: float = 1e-3
    project: bool = False


@dataclass
class Block:
    """Loops that are solved together.

    Attributes
    ----------
    names : tuple of str
        Closures and couplings.
    solved : int32 array
        Coordinates in q that a solution gives, followers included.
    given : frozenset of int
        Measured coordinates in q that it depends on.
    missing : tuple of str
        Motors that nobody measures.
    links : frozenset of int
        Links whose joints are solved.
    rows : slice
        Its rows among those of the solver.
    good : int or None
        When it was closed last, on the steady clock [ns].
    status : SolveStatus
        How the last solve ended.
    residual : float
        Largest residual of the last solve [m, rad].
    """

    names: tuple[str, ...]
    solved: Ints
    given: frozenset[int]
    missing: tuple[str, ...]
    links: frozenset[int]
    rows: slice
    good: int | None = None
    status: SolveStatus = SolveStatus.CONVERGED
    residual: float = 0.0

    @property
    def ready(self) -> bool:
        """Whether enough is measured to solve it."""
        return bool(self.given) and not self.missing


@dataclass(frozen=True)
class Outcome:
    """How a block stands, for people to read.

    Attributes
    ----------
    names : tuple of str
        Closures and couplings.
    standing : str
        'closed', 'held' where it was, 'stopped' (no longer shown), 'never closed' so far, or
        'waiting' for joint states.
    status : SolveStatus
        How the last solve ended.
    residual : float
        Largest residual of the last solve [m, rad].
    iterations : int
        What it took.
    missing : tuple of str
        Motors that nobody measures.
    """

    names: tuple[str, ...]
    standing: str
    status: SolveStatus
    residual: float
    iterations: int
    missing: tuple[str, ...]
