# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What a solve returns: a status, the iterate, and what is left of every closure."""

from __future__ import annotations

from dataclasses import dataclass

from kinematics_node.compiled import Array
from kinematics_node.solving.status import SolveStatus


@dataclass(frozen=True)
class Residual:
    """What is left of one closure or coupling.

    Attributes
    ----------
    name, kind : str
        The closure or coupling and its kind, 'revolute', 'coupling' and so on.
    metres, radians : float
        How far apart its frames are, as a length and as an angle; 0 where it holds none.
    status : SolveStatus
        How the block it belongs to ended.
    """

    name: str
    kind: str
    metres: float
    radians: float
    status: SolveStatus

    @property
    def largest(self) -> float:
        """The larger of the two numbers."""
        return max(self.metres, self.radians)


@dataclass(frozen=True, eq=False)
class SolveResult:
    """How a solve ended; nothing is thrown away, whatever the status.

    Attributes
    ----------
    status : SolveStatus
        The worst of all blocks.
    q : array, shape (nq,)
        The iterate: the solution where the status is CONVERGED.
    iterations : int
        The most that any block took.
    residuals : tuple of Residual
        One for each closure and coupling, in the model's order.
    singular : bool
        Whether the unknown coordinates have lost a direction that they have in configurations
        nearby, so that they, or their rates, are not determined as usual. False where the solve
        did not converge.
    beyond_limits : tuple of str
        Coordinates that the solution puts beyond their limits.
    contradicting : tuple of str
        Measured coordinates on the closures and couplings that are not satisfied.
    """

    status: SolveStatus
    q: Array
    iterations: int
    residuals: tuple[Residual, ...]
    singular: bool
    beyond_limits: tuple[str, ...]
    contradicting: tuple[str, ...]

    @property
    def converged(self) -> bool:
        """Whether every closure and coupling is satisfied."""
        return self.status is SolveStatus.CONVERGED

    @property
    def worst(self) -> Residual | None:
        """The closure or coupling with the largest residual; None where there are none."""
        return max(self.residuals, key=lambda residual: residual.largest, default=None)


@dataclass(frozen=True, eq=False)
class RateResult:
    """Velocities or accelerations that satisfy the loops.

    Attributes
    ----------
    values : array, shape (nv,)
        All of them, measured and solved.
    remainder : float
        The largest rate [m/s, rad/s or per s^2] at which a row is left to open; zero unless
        measured rates contradict the loops or the configuration is singular.
    """

    values: Array
    remainder: float
