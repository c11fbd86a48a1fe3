# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""First assembly from far away, and long ways from one solution to another."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.constraints.primitive import TARGET
from kinematics_node.kinematics.poses import apply_mimics
from kinematics_node.model.ranges import drawing_ranges
from kinematics_node.solving.difference import advance
from kinematics_node.solving.difference import difference
from kinematics_node.solving.newton import evaluate_block
from kinematics_node.solving.plan import TURN
from kinematics_node.solving.result import SolveResult

if TYPE_CHECKING:
    from kinematics_node.solving.solver import LoopSolver

CONTINUATION_PARTS = 12
MOST_PARTS = 1000


def assemble_from(solver: LoopSolver, q: Array) -> SolveResult:
    """Return the best of a direct solve, a continuation and random starts."""
    rng = np.random.default_rng(solver.options.seed)
    trials: list[SolveResult] = []
    for attempt in range(2 + solver.options.restarts):
        solution = q.copy()
        if attempt == 1:
            continue_from(solver, solution)
        elif attempt > 1:
            scatter(solver, solution, rng)
        solver.step(solution)
        trials.append(solver.report(solution))
        if trials[-1].converged and not trials[-1].beyond_limits:
            return trials[-1]
        if not np.isfinite(q).all() or not solver.unknowns:
            break
    return min(trials, key=lambda result: _preference(solver, result))


def continue_from(solver: LoopSolver, q: Array) -> None:
    """Close the gaps at q in equal parts: Phi(q) = (1 - t) Phi(q0) with t from 0 to 1."""
    plan, work = solver.plan.arrays, solver.plan.work
    for b in range(len(plan.blocks)):
        evaluate_block(plan, work, b, q)
    opening = work.rows[:, 0].copy()
    for t in np.linspace(0.0, 1.0, CONTINUATION_PARTS + 1)[1:-1]:
        work.rows[:, TARGET] = (1.0 - t) * opening
        solver.step(q)
    work.rows[:, TARGET] = 0.0


def scatter(solver: LoopSolver, q: Array, rng: np.random.Generator) -> None:
    """Draw the unknown coordinates at random, within their limits."""
    model, plan = solver.model, solver.plan.arrays
    lower, upper = drawing_ranges(model)
    drawn = rng.uniform(lower, upper)
    q[plan.saved] = drawn[plan.saved]
    for kind, k, _ in plan.moves.tolist():
        if kind == TURN:
            turn = rng.normal(size=4)
            q[k : k + 4] = turn / np.linalg.norm(turn)
    apply_mimics(model.mimic_index, model.mimic_ratio, q)


def follow(solver: LoopSolver, start: Array, target: Array) -> Array:
    """Walk measured coordinates from a closed configuration to a target, solving on the way."""
    model, plan = solver.model, solver.plan
    way = np.where(plan.measured, difference(model, start, target), 0.0)
    scale = np.where(plan.is_length, plan.length, 1.0)
    parts = math.ceil(float(np.abs(way / scale).max(initial=0.0)) / solver.options.jump)
    parts = min(max(parts, 1), MOST_PARTS)
    solution: Array = start.copy()
    for _ in range(parts - 1):
        solution = advance(model, solution, way / parts)
        solver.step(solution)
    given = np.ones(model.nq, bool)
    given[plan.arrays.saved] = False
    solution[given] = target[given]
    solver.step(solution)
    return solution


def _preference(solver: LoopSolver, result: SolveResult) -> tuple[bool, float, float]:
    """Return what makes one result better than another, smaller being better."""
    model = solver.model
    index = [model.coordinate_index[name] for name in result.beyond_limits]
    below = np.maximum(model.lower[index] - result.q[index], 0.0)
    above = np.maximum(result.q[index] - model.upper[index], 0.0)
    left = max((residual.largest for residual in result.residuals), default=0.0)
    return not result.converged, float((below + above).sum()), left
