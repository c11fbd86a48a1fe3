# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Damped Newton steps on the rows of one block after the other, compiled.

Each step is the shortest that meets the linearised rows, dx = -J^T (J J^T + mu I)^-1 phi: it
leaves alone what the rows do not ask to move. The damping mu = lambda |phi|^2 vanishes with the
residual, which keeps convergence quadratic also where rows are redundant (Yamashita and Fukushima
2001; Fan and Yuan 2005), and grows where a step fails to reduce the residual (Levenberg 1944).

Shortest steps add up to a drift where coordinates are not determined: a rod's spin would wind up a
little with each cycle of the motors. A held posture prevents that. The first step of a solve then
also takes what of the way back to it the linearised rows do not see, z - J^T (J J^T)^-1 J z.
"""

from __future__ import annotations

import math

from kinematics_node.compiled import Array
from kinematics_node.compiled import inlined
from kinematics_node.compiled import leaf
from kinematics_node.constraints.primitive import TARGET
from kinematics_node.constraints.primitive import WEIGHT
from kinematics_node.constraints.rows import place_links
from kinematics_node.constraints.rows import write_jacobian
from kinematics_node.constraints.rows import write_rows
from kinematics_node.solving.linear import cholesky
from kinematics_node.solving.linear import minimum_norm
from kinematics_node.solving.linear import row_gram
from kinematics_node.solving.plan import COLUMNS
from kinematics_node.solving.plan import ELEMENTS
from kinematics_node.solving.plan import ITERATIONS
from kinematics_node.solving.plan import LINKS
from kinematics_node.solving.plan import Plan
from kinematics_node.solving.plan import RIGHT
from kinematics_node.solving.plan import ROOT
from kinematics_node.solving.plan import ROWS
from kinematics_node.solving.plan import STATUS
from kinematics_node.solving.plan import STEP
from kinematics_node.solving.plan import Work
from kinematics_node.solving.posture import give_back
from kinematics_node.solving.posture import posture_step
from kinematics_node.solving.posture import take_step
from kinematics_node.solving.status import SolveStatus

CONVERGED = int(SolveStatus.CONVERGED)
MAX_ITERATIONS = int(SolveStatus.MAX_ITERATIONS)
STALLED = int(SolveStatus.STALLED)
CONTRADICTED = int(SolveStatus.CONTRADICTED)
NOT_FINITE = int(SolveStatus.NOT_FINITE)

FIRST_DAMPING = 1e-3
LEAST_DAMPING = 1e-9
MOST_DAMPING = 1e9
ROUNDING = 1e-13  # of the trace: keeps the factor of redundant rows positive definite
STATIONARY = 1e-7  # of the residual: where its gradient is no larger, no step reduces it
SLOW, PATIENCE = (
    1e-3,
    6,
)  # no solution is near where the merit falls by less, so many times running
BENT = 10.0  # times the fourth power of a posture step: the merit that its curvature may cost


@leaf
def solve_loops(
    plan: Plan, work: Work, q: Array, tolerance: float, max_iterations: int, max_step: float
) -> int:
    """Solve every block from q on, in place; return the worst status."""
    worst = CONVERGED
    for b in range(plan.blocks.shape[0]):
        status = solve_block(plan, work, b, q, tolerance, max_iterations, max_step)
        work.outcome[b, STATUS] = status
        worst = max(worst, status)
    return worst


@leaf
def solve_block(
    plan: Plan,
    work: Work,
    b: int,
    q: Array,
    tolerance: float,
    max_iterations: int,
    max_step: float,
) -> int:
    """Solve one block from q on, in place, keeping the best iterate; return its status."""
    block = plan.blocks[b]
    m, n = block[ROWS + 1] - block[ROWS], block[COLUMNS + 1] - block[COLUMNS]
    damping, merit, allowed, trace = 10.0 * FIRST_DAMPING, math.inf, math.inf, 0.0
    iterations, slow, failed = 0, 0, False
    while True:
        worst = math.inf
        new_merit = math.inf
        if not failed:
            new_merit, worst = evaluate_block(plan, work, b, q)
        if new_merit < allowed:
            slow = slow + 1 if new_merit > (1.0 - SLOW) * merit else 0
            merit = allowed = new_merit
            work.outcome[b, ITERATIONS] = iterations
            if worst <= tolerance:
                return CONVERGED
            if n == 0:
                return CONTRADICTED
            if iterations >= max_iterations:
                return MAX_ITERATIONS
            if slow >= PATIENCE:
                return STALLED
            iterations += 1
            trace = linearise_block(plan, work, b)
            if slope(work.J, m, n, work.vectors) <= STATIONARY * math.sqrt(merit * trace):
                return STALLED
            damping = max(0.1 * damping, LEAST_DAMPING)
        elif math.isinf(merit):
            return NOT_FINITE
        else:
            if not failed:
                give_back(plan.saved, block, work.before, q)
            damping *= 10.0
            if damping > MOST_DAMPING:
                evaluate_block(plan, work, b, q)
                return STALLED
        failed = not cholesky(work.H, m, damping * merit + ROUNDING * trace, work.L)
        if failed:
            continue
        minimum_norm(work.J, m, n, work.L, work.vectors, RIGHT, STEP)
        shorten(work.vectors, n, max_step)
        if iterations == 1 and not math.isnan(work.held[0]):
            aside = posture_step(plan, work, block, q, m, n)
            allowed = merit + BENT * aside**4
        take_step(plan, block, work.vectors, work.before, q)


@leaf
def evaluate_block(plan: Plan, work: Work, b: int, q: Array) -> tuple[float, float]:
    """Write a block's rows at q; return the weighted sum of squares and the largest residual."""
    block = plan.blocks[b]
    place_links(
        block[ROOT],
        plan.links,
        block[LINKS],
        block[LINKS + 1],
        plan.tree,
        plan.placement,
        q,
        work.X,
        work.S,
    )
    write_rows(
        plan.elements,
        plan.geometry,
        plan.support,
        plan.coefficient,
        block[ELEMENTS],
        block[ELEMENTS + 1],
        q,
        work.X,
        work.rows,
    )
    merit = worst = 0.0
    for r in range(block[ROWS], block[ROWS + 1]):
        phi = work.rows[r, 0] - work.rows[r, TARGET]
        merit += (work.rows[r, WEIGHT] * phi) ** 2
        worst = max(worst, abs(phi))
    return merit, worst


@leaf
def linearise_block(plan: Plan, work: Work, b: int) -> float:
    """Write J, J J^T and the right side -phi of a block, weighted; return the trace of J J^T."""
    block = plan.blocks[b]
    m, n = block[ROWS + 1] - block[ROWS], block[COLUMNS + 1] - block[COLUMNS]
    for i in range(m):
        r = block[ROWS] + i
        work.vectors[RIGHT, i] = work.rows[r, WEIGHT] * (work.rows[r, TARGET] - work.rows[r, 0])
        for k in range(n):
            work.J[i, k] = 0.0
    write_jacobian(
        plan.elements,
        plan.support,
        plan.coefficient,
        block[ELEMENTS],
        block[ELEMENTS + 1],
        block[ROWS],
        work.rows,
        work.S,
        work.J,
    )
    return row_gram(work.J, m, n, work.H)


@inlined
def slope(J: Array, m: int, n: int, vectors: Array) -> float:
    """Return the length of J^T phi, half the gradient of the squared residual."""
    square = 0.0
    for k in range(n):
        total = 0.0
        for i in range(m):
            total += J[i, k] * vectors[RIGHT, i]
        square += total * total
    return math.sqrt(square)


@inlined
def shorten(vectors: Array, n: int, max_step: float) -> None:
    """Shorten a step as a whole so that no column moves further than max_step."""
    largest = 1e-300
    for k in range(n):
        largest = max(largest, abs(vectors[STEP, k]))
    for k in range(n):
        vectors[STEP, k] *= min(1.0, max_step / largest)
