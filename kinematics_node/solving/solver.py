# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""LoopSolver: given measured coordinates, the others so that all loops close."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from kinematics_node.compiled import Array
from kinematics_node.constraints.kinds import Kind
from kinematics_node.constraints.table import Element
from kinematics_node.constraints.table import element_gap
from kinematics_node.errors import ValueShapeError
from kinematics_node.kinematics.poses import apply_mimics
from kinematics_node.model.model import Model
from kinematics_node.numeric import finite_vector
from kinematics_node.numeric import numbers_of
from kinematics_node.solving.assembly import assemble_from
from kinematics_node.solving.assembly import follow
from kinematics_node.solving.measured import measured_rates
from kinematics_node.solving.newton import solve_loops
from kinematics_node.solving.plan import ITERATIONS
from kinematics_node.solving.plan import plan_loops
from kinematics_node.solving.plan import STATUS
from kinematics_node.solving.projection import project
from kinematics_node.solving.rates import solve_rates
from kinematics_node.solving.result import RateResult
from kinematics_node.solving.result import Residual
from kinematics_node.solving.result import SolveResult
from kinematics_node.solving.singular import SingularityCheck
from kinematics_node.solving.status import SolveStatus

BEYOND = 1e-9


@dataclass(frozen=True)
class SolveOptions:
    """How hard to try.

    Attributes
    ----------
    tolerance : float
        Largest residual of a solution, in m and rad.
    max_iterations : int
        Newton steps for one block in one solve.
    max_step : float
        Largest change of an unknown in one step, in rad, or characteristic lengths.
    jump : float
        How far measured coordinates may move at once, in the same unit, when a solution is
        followed from a known one; larger ways are walked in parts.
    restarts : int
        Random starts of a first assembly.
    seed : int
        Of those starts.
    """

    tolerance: float = 1e-11
    max_iterations: int = 60
    max_step: float = 0.5
    jump: float = 0.15
    restarts: int = 40
    seed: int = 0


class LoopSolver:
    """Solves a model's closures and couplings for the coordinates that are not measured.

    One solver serves one thread: its memory is allocated once and used by every call.

    Parameters
    ----------
    model : Model
        The robot. Its mimic joints are satisfied by every solution.
    measured : iterable of str, or bool array of shape (nq,)
        Joints or coordinates that are given; a measured follower stands for its master.
    options : SolveOptions, optional
        How hard to try.

    Attributes
    ----------
    plan : LoopPlan
        Blocks, rows and unknowns.

    Raises
    ------
    ModelError
        A closure or coupling that cannot be made into rows.
    NameLookupError, ValueShapeError
        Measured coordinates that the model does not have.
    """

    def __init__(
        self,
        model: Model,
        measured: Iterable[str] | np.ndarray = (),
        options: SolveOptions | None = None,
    ) -> None:
        self.model = model
        self.options = options or SolveOptions()
        self.plan = plan_loops(model, measured_rates(model, measured))
        self._check: SingularityCheck | None = None
        self._order = _model_order(model, self.plan.elements)

    @property
    def unknowns(self) -> tuple[str, ...]:
        """Velocity coordinates that a solve finds."""
        return tuple(self.model.velocity_names[v] for v in self.plan.arrays.column_v)

    def step(self, q: Array) -> int:
        """Solve from q on, in place: for streams, with no checks and no report.

        Parameters
        ----------
        q : array, shape (nq,), C-contiguous float64
            Measured coordinates as they are, the others as they were; takes the iterate.

        Returns
        -------
        int
            A number of SolveStatus.
        """
        options = self.options
        return int(
            solve_loops(
                self.plan.arrays,
                self.plan.work,
                q,
                options.tolerance,
                options.max_iterations,
                options.max_step,
            )
        )

    def hold(self, q: ArrayLike | None) -> None:
        """Draw coordinates that the measured ones leave undetermined to those of q, or to none.

        A rod's spin then is where it is nearest to q, whatever way the motors went; without it,
        such coordinates keep the value that the last motion left them with, and wind up slowly.
        assemble() holds its solution if it converged.

        Raises
        ------
        ValueShapeError
            A wrong count, or a number that is not finite.
        """
        if q is None:
            self.plan.work.held[:] = np.nan
        else:
            # The kernels' memory is never empty, though a model's coordinates may be.
            held = self.plan.work.held[: self.model.nq]
            held[:] = finite_vector(q, self.model.coordinate_names, 'q')

    def solve(self, q: ArrayLike, start: ArrayLike | None = None) -> SolveResult:
        """Return the solution nearest to q that keeps q's measured coordinates.

        Parameters
        ----------
        q : array_like, shape (nq,)
            Measured coordinates, and where to start the others.
        start : array_like, shape (nq,), optional
            A configuration that closes the loops. The measured coordinates then walk from it to
            those of q in short parts, which keeps the assembly branch over long ways; the other
            coordinates of q are not used.

        Raises
        ------
        ValueShapeError
            A wrong count. Numbers that are not finite end in the status NOT_FINITE.
        """
        target = self._positions(q)
        if start is None or not np.isfinite(target).all():
            solution = target.copy()
            self.step(solution)
        else:
            solution = follow(self, self._positions(start), target)
        return self.report(solution)

    def assemble(self, q: ArrayLike) -> SolveResult:
        """Return a solution however far q is from one: for the first pose.

        It is tried from q itself, then by closing the gaps in small parts (continuation), then
        from random starts with a fixed seed. The first that converges within the limits is taken;
        if none does, the one that is least beyond them; if none converges, the one with the least
        residual. A solution is then held, see hold().

        Raises
        ------
        ValueShapeError
            A wrong count.
        """
        self.hold(None)
        result = assemble_from(self, self._positions(q))
        if result.converged:
            self.hold(result.q)
        return result

    def project_measured(self, q: ArrayLike, weights: ArrayLike | None = None) -> SolveResult:
        """Return the closed configuration nearest to q, measured coordinates moving too.

        Parameters
        ----------
        q : array_like, shape (nq,)
            Measured coordinates that contradict the loops, and where to start the others.
        weights : array_like, shape (nv,), optional
            How much a velocity coordinate's deviation counts, by default 1 for measured and 1e-6
            for the others; deviations are in rad, or in characteristic lengths.

        Raises
        ------
        ValueShapeError
            A wrong count, or weights that are not positive.
        """
        target = self._positions(q)
        measured = self.plan.measured
        if weights is None:
            chosen = np.where(measured, 1.0, 1e-6)
        else:
            chosen = finite_vector(weights, self.model.velocity_names, 'weights')
            if not (chosen > 0.0).all():
                raise ValueShapeError('weights must be positive; use a small one for a free joint')
        free = LoopSolver(self.model, (), self.options)
        return replace(free.report(project(free, target, chosen)), contradicting=())

    def velocities(self, q: ArrayLike, v: ArrayLike) -> RateResult:
        """Return all velocities, given the measured ones in v, at a solution q: J v = 0.

        Raises
        ------
        ValueShapeError
            A wrong count, or a number that is not finite.
        """
        positions = finite_vector(q, self.model.coordinate_names, 'q')
        rates = finite_vector(v, self.model.velocity_names, 'v')
        return self._rates(positions, np.array((rates, np.zeros(self.model.nv))), 1)

    def accelerations(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> RateResult:
        """Return all accelerations, given the measured ones in a: J v' = gamma.

        Velocities that are not measured are found on the way.

        Raises
        ------
        ValueShapeError
            A wrong count, or a number that is not finite.
        """
        positions = finite_vector(q, self.model.coordinate_names, 'q')
        rates = finite_vector(v, self.model.velocity_names, 'v')
        second = finite_vector(a, self.model.velocity_names, 'a')
        return self._rates(positions, np.array((rates, second)), 2)

    def motion(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> tuple[Array, Array]:
        """Return all velocities and accelerations at once, given the measured ones.

        Raises
        ------
        ValueShapeError
            A wrong count, or a number that is not finite.
        """
        positions = finite_vector(q, self.model.coordinate_names, 'q')
        rates = finite_vector(v, self.model.velocity_names, 'v')
        second = finite_vector(a, self.model.velocity_names, 'a')
        derivatives = np.array((rates, second))
        self._rates(positions, derivatives, 2)
        return derivatives[0], derivatives[1]

    def step_rates(self, q: Array, v: Array) -> float:
        """Fill in unknown velocities in place at a solution q: for streams, with no checks."""
        derivatives = np.zeros((2, v.shape[0]))
        derivatives[0] = v
        remainder = solve_rates(self.plan.arrays, self.plan.work, q, derivatives, 1)
        v[:] = derivatives[0]
        return float(remainder)

    def report(self, q: Array) -> SolveResult:
        """Return what the last step() left behind at q."""
        work, plan = self.plan.work, self.plan
        statuses = work.outcome[:, STATUS].tolist()
        worst = SolveStatus(max(statuses, default=0))
        residuals: list[Residual] = []
        for n in self._order:
            status = SolveStatus(statuses[self._block_of(n)])
            residuals.append(_residual(plan.elements[n], work.rows[plan.slices[n], 0], status))
        return SolveResult(
            status=worst,
            q=q,
            iterations=int(work.outcome[:, ITERATIONS].max(initial=0)),
            residuals=tuple(residuals),
            singular=worst is SolveStatus.CONVERGED and self._singular(q),
            beyond_limits=self.beyond_limits(q),
            contradicting=self._contradicting(statuses),
        )

    def beyond_limits(self, q: Array) -> tuple[str, ...]:
        """Return the unknown coordinates that are beyond their limits."""
        bad = (q < self.model.lower - BEYOND) | (q > self.model.upper + BEYOND)
        bad &= self._solved
        return tuple(self.model.coordinate_names[k] for k in np.flatnonzero(bad))

    @property
    def _solved(self) -> np.ndarray:
        mask = np.zeros(self.model.nq, bool)
        mask[self.plan.arrays.saved] = True
        return mask

    def _positions(self, q: ArrayLike) -> Array:
        numbers = numbers_of(q, 'q')
        if numbers.shape != (self.model.nq,):
            raise ValueShapeError(
                f'q has shape {numbers.shape}; the model takes {self.model.nq} numbers'
            )
        apply_mimics(self.model.mimic_index, self.model.mimic_ratio, numbers)
        return numbers

    def _rates(self, q: Array, derivatives: Array, orders: int) -> RateResult:
        for follower, (master, multiplier) in self.plan.reduction.masters.items():
            derivatives[:, follower] = multiplier * derivatives[:, master]
        remainder = solve_rates(self.plan.arrays, self.plan.work, q, derivatives, orders)
        return RateResult(derivatives[orders - 1], float(remainder))

    def _singular(self, q: Array) -> bool:
        if self._check is None:
            self._check = SingularityCheck(self.model, self.plan, q)
        return self._check.is_singular(q)

    def _block_of(self, n: int) -> int:
        ends = self.plan.arrays.blocks[:, 4]
        return int(np.searchsorted(ends, n, side='right'))

    def _contradicting(self, statuses: list[int]) -> tuple[str, ...]:
        names: dict[str, None] = {}
        for n, element in enumerate(self.plan.elements):
            left = np.abs(self.plan.work.rows[self.plan.slices[n], 0]).max()
            status = statuses[self._block_of(n)]
            if status in (SolveStatus.STALLED, SolveStatus.CONTRADICTED) and not (
                left <= self.options.tolerance
            ):
                for v, _, _ in element.support:
                    if self.plan.measured[v]:
                        names[self.model.velocity_names[v]] = None
        return tuple(names)


def _model_order(model: Model, elements: tuple[Element, ...]) -> list[int]:
    """Return where the model's closures, then its couplings, are among the plan's elements."""
    index = {(e.kind is Kind.COUPLING, e.name): n for n, e in enumerate(elements)}
    closures = [index[False, closure.name] for closure in model.closures]
    return closures + [index[True, coupling.name] for coupling in model.couplings]


def _residual(element: Element, phi: Array, status: SolveStatus) -> Residual:
    metres, radians = element_gap(element, phi)
    return Residual(element.name, element.kind.name.lower(), metres, radians, status)
