# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Ranks in several configurations, compiled: singular values by rotating rows until they part.

One-sided Jacobi (Hestenes 1958) makes the rows of a matrix orthogonal to each other; then their
lengths are its singular values and their directions the right singular vectors. For a few rows
that is done before a library has looked at its arguments.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.compiled import leaf
from kinematics_node.compiled import summing_leaf
from kinematics_node.mobility.rank import RANK_THRESHOLD
from kinematics_node.solving.newton import evaluate_block
from kinematics_node.solving.newton import linearise_block
from kinematics_node.solving.plan import COLUMNS
from kinematics_node.solving.plan import LoopPlan
from kinematics_node.solving.plan import Plan
from kinematics_node.solving.plan import ROWS
from kinematics_node.solving.plan import Work

SWEEPS = 30  # over all pairs; convergence is quadratic, six or seven are usual
ORTHOGONAL = 1e-15  # cosine of two rows
NOTHING = 1e-40  # squared length of a row, far below the rounding of scaled rows


class Nearby(NamedTuple):
    """The rows in some configurations.

    Attributes
    ----------
    ranks : int64 array, shape (configurations,)
        Singular values above the threshold.
    above : array, shape (configurations,)
        The smallest of them; infinite where there is none.
    freedom : array, shape (configurations, columns)
        How much of a unit motion of each of the plan's columns the rows allow.
    """

    ranks: Indices
    above: Array
    freedom: Array


def ranks_nearby(plan: LoopPlan, near: Array) -> Nearby:
    """Return what the rows are in configurations (n, nq); overwrites the plan's memory."""
    rows, columns, count = plan.work.rows.shape[0], plan.arrays.scale.size, near.shape[0]
    found = Nearby(np.empty(count, np.int64), np.empty(count), np.empty((count, columns)))
    part_each(plan.arrays, plan.work, near, np.zeros((rows, columns)), *found)
    return found


@leaf
def part_each(
    plan: Plan, work: Work, near: Array, parted: Array, ranks: Indices, above: Array, free: Array
) -> None:
    """Write what the rows are in each configuration."""
    for n in range(near.shape[0]):
        ranks[n], above[n] = part_rows(plan, work, near[n], parted, free[n])


@leaf
def part_rows(
    plan: Plan, work: Work, q: Array, parted: Array, freedom: Array
) -> tuple[int, float]:
    """Write the freedom of columns at q; return the rank and the singular value just above."""
    largest = 1.0
    for b in range(plan.blocks.shape[0]):
        block = plan.blocks[b]
        m, n = block[ROWS + 1] - block[ROWS], block[COLUMNS + 1] - block[COLUMNS]
        evaluate_block(plan, work, b, q)
        linearise_block(plan, work, b)
        make_orthogonal(work.J, m, n)
        for i in range(m):
            for k in range(n):
                parted[block[ROWS] + i, block[COLUMNS] + k] = work.J[i, k]
    for i in range(parted.shape[0]):
        largest = max(largest, length_of(parted, i))
    rank, above = 0, math.inf
    freedom[:] = 1.0
    for i in range(parted.shape[0]):
        size = length_of(parted, i)
        if size > RANK_THRESHOLD * largest:
            rank += 1
            above = min(above, size)
            for k in range(parted.shape[1]):
                freedom[k] -= (parted[i, k] / size) ** 2
    for k in range(parted.shape[1]):
        freedom[k] = math.sqrt(max(freedom[k], 0.0))
    return rank, above


@leaf
def length_of(A: Array, i: int) -> float:
    """Return the length of a row."""
    total = 0.0
    for k in range(A.shape[1]):
        total += A[i, k] * A[i, k]
    return math.sqrt(total)


@summing_leaf
def make_orthogonal(A: Array, m: int, n: int) -> None:
    """Rotate pairs of the first m rows, n wide, until all are orthogonal."""
    for _ in range(SWEEPS):
        turned = False
        for i in range(m - 1):
            for j in range(i + 1, m):
                a = b = c = 0.0
                for k in range(n):
                    a += A[i, k] * A[i, k]
                    b += A[j, k] * A[j, k]
                    c += A[i, k] * A[j, k]
                if a < NOTHING or b < NOTHING or abs(c) <= ORTHOGONAL * math.sqrt(a * b):
                    continue
                turned = True
                z = (b - a) / (2.0 * c)
                t = math.copysign(1.0, z) / (abs(z) + math.sqrt(1.0 + z * z))
                cosine = 1.0 / math.sqrt(1.0 + t * t)
                sine = cosine * t
                for k in range(n):
                    x, y = A[i, k], A[j, k]
                    A[i, k], A[j, k] = cosine * x - sine * y, sine * x + cosine * y
        if not turned:
            return
