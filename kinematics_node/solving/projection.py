# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The closed configuration nearest to measured coordinates that contradict the loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.solving.difference import difference
from kinematics_node.solving.newton import evaluate_block
from kinematics_node.solving.newton import linearise_block
from kinematics_node.solving.plan import COLUMNS
from kinematics_node.solving.plan import RIGHT
from kinematics_node.solving.plan import ROWS
from kinematics_node.solving.plan import STEP
from kinematics_node.solving.posture import take_step

if TYPE_CHECKING:
    from kinematics_node.solving.solver import LoopSolver

MOST_STEPS = 100
NEGLIGIBLE = 1e-6  # of the largest singular value
AT_REST = 1e-10


def project(free: LoopSolver, target: Array, weights: Array) -> Array:
    """Return the closed configuration with the least weighted squared deviation from a target.

    Parameters
    ----------
    free : LoopSolver
        One in which nothing is measured.
    target : array, shape (nq,)
        Where to start, and what to stay near.
    weights : array, shape (nv,)
        Weight of each velocity coordinate's deviation, in rad or characteristic lengths.

    Each step minimises the deviation subject to the linearised rows (Gauss-Newton on the
    constrained problem); a last solve closes the loops to the tolerance.
    """
    plan, work = free.plan.arrays, free.plan.work
    weights = (free.plan.reduction.T**2).T @ weights  # of masters, their followers' added
    position = {v: j for j, v in enumerate(free.plan.reduction.independent)}
    q: Array = target.copy()
    for _ in range(MOST_STEPS):
        back = difference(free.model, q, target)
        moved = 0.0
        for b, block in enumerate(plan.blocks):
            first, last = block[COLUMNS], block[COLUMNS + 1]
            if first == last:
                continue
            columns = plan.column_v[first:last]
            step = nearer_step(
                free,
                b,
                q,
                back[columns] / plan.scale[first:last],
                np.sqrt(weights[[position[int(v)] for v in columns]]),
            )
            size = float(np.abs(step).max())
            step *= min(1.0, free.options.max_step / max(size, 1e-300))
            work.vectors[STEP, : last - first] = step
            take_step(plan, block, work.vectors, work.before, q)
            moved = max(moved, float(np.abs(step).max()))
        if not moved > AT_REST:
            break
    free.step(q)
    return q


def nearer_step(free: LoopSolver, b: int, q: Array, back: Array, root: Array) -> Array:
    """Return dx = back - W^-1/2 (J W^-1/2)^+ (phi + J back), root being W^1/2."""
    plan, work = free.plan.arrays, free.plan.work
    block = plan.blocks[b]
    m, n = block[ROWS + 1] - block[ROWS], block[COLUMNS + 1] - block[COLUMNS]
    evaluate_block(plan, work, b, q)
    linearise_block(plan, work, b)
    J, missing = work.J[:m, :n], work.vectors[RIGHT, :m].copy()
    if not np.isfinite(missing).all():
        return np.zeros(n)
    across = np.linalg.pinv(J / root, rcond=NEGLIGIBLE)
    step: Array = np.asarray(back - (across @ (J @ back - missing)) / root)
    return step
