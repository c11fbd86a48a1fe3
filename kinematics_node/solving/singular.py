# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Singular configurations, told by comparison with configurations nearby.

Singular values of a constraint Jacobian differ by orders of magnitude between mechanisms, and
redundant rows make some of them zero everywhere. What counts is whether the configuration has lost
a direction that those around it have.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import leaf
from kinematics_node.model.model import Model
from kinematics_node.solving.newton import CONVERGED
from kinematics_node.solving.newton import evaluate_block
from kinematics_node.solving.newton import linearise_block
from kinematics_node.solving.newton import solve_loops
from kinematics_node.solving.plan import COLUMNS
from kinematics_node.solving.plan import LoopPlan
from kinematics_node.solving.plan import Plan
from kinematics_node.solving.plan import plan_loops
from kinematics_node.solving.plan import ROWS
from kinematics_node.solving.plan import STEP
from kinematics_node.solving.plan import Work
from kinematics_node.solving.posture import take_step

NEIGHBOURS = 4
REACH = 0.05  # rad, or characteristic lengths
SAME_RANK = 1e-6  # of the largest singular value
LOST = 1e-2  # of what it is nearby


def block_singular_values(plan: LoopPlan, q: Array) -> list[Array]:
    """Return the singular values of each block's scaled Jacobian at q, largest first."""
    values: list[Array] = []
    for b, block in enumerate(plan.arrays.blocks):
        m, n = block[ROWS + 1] - block[ROWS], block[COLUMNS + 1] - block[COLUMNS]
        evaluate_block(plan.arrays, plan.work, b, q)
        linearise_block(plan.arrays, plan.work, b)
        values.append(np.linalg.svd(plan.work.J[:m, :n], compute_uv=False).astype(float))
    return values


def closed_neighbours(free: LoopPlan, q: Array, count: int) -> Array:
    """Return configurations near q that close the loops, by a plan in which nothing is measured.

    They are as many as could be closed, at most count, shape (closed, nq); always the same ones.
    """
    found = np.empty((count, q.size))
    steps = steps_around(count, free.arrays.scale.size)
    return found[: close_around(free.arrays, free.work, q, steps, found)]


@lru_cache(maxsize=64)
def steps_around(count: int, columns: int) -> Array:
    """Return steps in random directions, shape (count, columns)."""
    return np.random.default_rng(0).uniform(-REACH, REACH, (count, columns))


@leaf
def close_around(plan: Plan, work: Work, q: Array, steps: Array, found: Array) -> int:
    """Write where steps from q lead once the loops are closed; return how many could be."""
    closed = 0
    for n in range(steps.shape[0]):
        trial = found[closed]
        for k in range(q.shape[0]):
            trial[k] = q[k]
        for b in range(plan.blocks.shape[0]):
            block = plan.blocks[b]
            first, last = block[COLUMNS], block[COLUMNS + 1]
            for column in range(first, last):
                work.vectors[STEP, column - first] = steps[n, column]
            take_step(plan, block, work.vectors, work.before, trial)
        if solve_loops(plan, work, trial, 1e-9, 20, 0.5) == CONVERGED:
            closed += 1
    return closed


class SingularityCheck:
    """Compares the smallest singular value that counts with what it is around a configuration.

    Parameters
    ----------
    model : Model
        The robot.
    plan : LoopPlan
        Whose unknown coordinates are meant.
    q : array, shape (nq,)
        A configuration that closes the loops, around which to look once.
    """

    def __init__(self, model: Model, plan: LoopPlan, q: Array) -> None:
        self.plan = plan
        free = plan_loops(model, np.zeros(model.nv, bool))
        around = [
            block_singular_values(plan, near) for near in closed_neighbours(free, q, NEIGHBOURS)
        ]
        self.ranks: list[int] = []
        self.usual: list[float] = []
        for values in zip(*around, strict=True):
            rank = max(numerical_rank(s, SAME_RANK) for s in values)
            self.ranks.append(rank)
            self.usual.append(float(np.median([s[rank - 1] for s in values])) if rank else 0.0)

    def is_singular(self, q: Array) -> bool:
        """Return whether a block has lost a direction at q; overwrites the plan's memory."""
        rows = self.plan.work.rows.copy()
        here = block_singular_values(self.plan, q)
        self.plan.work.rows[:] = rows
        return any(
            rank > 0 and values[rank - 1] < LOST * usual
            for values, rank, usual in zip(here, self.ranks, self.usual, strict=False)
        )


def numerical_rank(values: Array, threshold: float) -> int:
    """Return how many singular values exceed a threshold, relative to the largest or to one."""
    return int((values > threshold * max(float(values.max(initial=0.0)), 1.0)).sum())
