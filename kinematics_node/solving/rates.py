# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Velocities and accelerations of the unknown coordinates from those that are measured.

From J v = 0 and J v' = gamma, with the measured part on the right side: minimum norm, block by
block, refined once so that the damping of redundant rows leaves no trace.
"""

from __future__ import annotations

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import kernel
from kinematics_node.compiled import leaf
from kinematics_node.constraints.primitive import WEIGHT
from kinematics_node.constraints.rows import place_links
from kinematics_node.constraints.rows import write_rates
from kinematics_node.kinematics.velocity import link_accelerations
from kinematics_node.kinematics.velocity import link_velocities
from kinematics_node.solving.linear import cholesky
from kinematics_node.solving.linear import minimum_norm
from kinematics_node.solving.newton import linearise_block
from kinematics_node.solving.newton import ROUNDING
from kinematics_node.solving.plan import COLUMNS
from kinematics_node.solving.plan import Plan
from kinematics_node.solving.plan import RIGHT
from kinematics_node.solving.plan import ROWS
from kinematics_node.solving.plan import STEP
from kinematics_node.solving.plan import Work


@kernel
def solve_rates(plan: Plan, work: Work, q: Array, derivatives: Array, orders: int) -> float:
    """Fill in the unknown velocities, and accelerations if orders is 2.

    Rows of derivatives (2, nv) are velocities and accelerations. Returned is the largest remainder
    of the rows' rates of the last order: zero unless measured rates contradict the loops.
    """
    count = plan.tree.shape[0]
    links = np.arange(count)
    V, A = np.zeros((count, 6)), np.zeros((count, 6))
    rates = np.zeros((work.rows.shape[0], 2))
    v, vdot = derivatives[0], derivatives[1]
    place_links(0, links, 1, count, plan.tree, plan.placement, q, work.X, work.S)
    remainder = 0.0
    for order in range(orders):
        for k in plan.column_v:
            derivatives[order, k] = 0.0
        for n in range(plan.followers.shape[0]):
            derivatives[order, plan.followers[n, 2]] = 0.0
        link_velocities(plan.tree, plan.placement, q, v, work.X, V)
        if order == 1:
            link_accelerations(plan.tree, plan.placement, q, v, vdot, work.X, V, A)
        write_rates(
            plan.elements,
            plan.geometry,
            plan.support,
            plan.coefficient,
            q,
            v,
            vdot,
            work.X,
            V,
            A,
            work.rows,
            rates,
        )
        remainder = 0.0
        for b in range(plan.blocks.shape[0]):
            remainder = max(remainder, fill_block(plan, work, b, rates, derivatives, order))
        for n in range(plan.followers.shape[0]):
            master = derivatives[order, plan.followers[n, 3]]
            derivatives[order, plan.followers[n, 2]] = plan.ratios[n, 0] * master
    return remainder


@leaf
def fill_block(
    plan: Plan, work: Work, b: int, rates: Array, derivatives: Array, order: int
) -> float:
    """Solve one block's rates of an order and return its remainder."""
    block = plan.blocks[b]
    first, column = block[ROWS], block[COLUMNS]
    m, n = block[ROWS + 1] - first, block[COLUMNS + 1] - column
    trace = linearise_block(plan, work, b)
    right = work.vectors
    for i in range(m):
        right[RIGHT, i] = -work.rows[first + i, WEIGHT] * rates[first + i, order]
    if n > 0 and cholesky(work.H, m, ROUNDING * trace, work.L):
        for _ in range(2):
            minimum_norm(work.J, m, n, work.L, right, RIGHT, STEP)
            for k in range(n):
                step = right[STEP, k]
                derivatives[order, plan.column_v[column + k]] += plan.scale[column + k] * step
                for i in range(m):
                    right[RIGHT, i] -= work.J[i, k] * step
    remainder = 0.0
    for i in range(m):
        remainder = max(remainder, abs(right[RIGHT, i]) / work.rows[first + i, WEIGHT])
    return remainder
