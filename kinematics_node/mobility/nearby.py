# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Ranks in configurations nearby: what holds there and not, or hardly, here is singular here."""

from __future__ import annotations

import math

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.compiled import kernel
from kinematics_node.compiled import leaf
from kinematics_node.mobility.linear import length_of
from kinematics_node.mobility.linear import make_orthogonal
from kinematics_node.mobility.rank import RANK_THRESHOLD
from kinematics_node.mobility.tables import Flags
from kinematics_node.mobility.tables import Found
from kinematics_node.solving.newton import evaluate_block
from kinematics_node.solving.newton import linearise_block
from kinematics_node.solving.plan import COLUMNS
from kinematics_node.solving.plan import Plan
from kinematics_node.solving.plan import ROWS
from kinematics_node.solving.plan import Work
from kinematics_node.solving.singular import close_around
from kinematics_node.solving.singular import LOST

MOVES = 1e-6  # of a unit motion: a coordinate that moves less does not move


@kernel
def look_around(
    plan: Plan,
    work: Work,
    q: Array,
    steps: Array,
    rank: int,
    weakest: float,
    columns: Indices,
    moves: Flags,
    found: Found,
) -> int:
    """Write ranks nearby, and which columns move there; return in how many configurations.

    They are where steps from q lead once the loops are closed, by a plan in which nothing is
    measured; its memory is overwritten. The first that is like q, which has a rank and a weakest
    singular value, settles it. Columns are those of the plan.
    """
    ranks, above, count = found.near_ranks, found.near_above, 0
    near, freedom = np.empty((1, q.shape[0])), np.empty(columns.shape[0])
    parted = np.zeros((work.rows.shape[0], columns.shape[0]))
    for n in range(steps.shape[0]):
        if close_around(plan, work, q, steps[n : n + 1], near) == 0:
            continue
        ranks[count], above[count] = rank_at(plan, work, near[0], parted, freedom)
        for k in range(columns.shape[0]):
            moves[columns[k]] |= freedom[k] > MOVES
        count += 1
        if ranks[count - 1] == rank and weakest >= LOST * above[count - 1]:
            break
    return count


@leaf
def rank_at(plan: Plan, work: Work, q: Array, parted: Array, freedom: Array) -> tuple[int, float]:
    """Write the freedom of columns at q; return the rank and the weakest value that counts.

    That is the smallest singular value above the threshold, infinite where there is none. Freedom
    is how much of a unit motion of each of the plan's columns the rows allow.
    """
    largest = 1.0
    for b in range(plan.blocks.shape[0]):
        block = plan.blocks[b]
        m, n = block[ROWS + 1] - block[ROWS], block[COLUMNS + 1] - block[COLUMNS]
        evaluate_block(plan, work, b, q)
        linearise_block(plan, work, b)
        make_orthogonal(work.J, m, n, work.J, 0)
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
