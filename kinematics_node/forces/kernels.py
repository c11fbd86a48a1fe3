# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Compiled steps of the answer: rows and inertia at a state, accelerations, wrenches."""

from __future__ import annotations

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.compiled import Ints
from kinematics_node.compiled import kernel
from kinematics_node.compiled import leaf
from kinematics_node.constraints.kinds import Kind
from kinematics_node.constraints.rows import write_jacobian
from kinematics_node.constraints.rows import write_rates
from kinematics_node.dynamics.inertia import factor
from kinematics_node.dynamics.inertia import solve_plain
from kinematics_node.dynamics.inertia import solve_transposed
from kinematics_node.dynamics.inertia import write_columns
from kinematics_node.dynamics.inertia import write_inertia
from kinematics_node.dynamics.inverse import gather
from kinematics_node.dynamics.inverse import move_links
from kinematics_node.dynamics.inverse import project
from kinematics_node.forces.factors import add_rows
from kinematics_node.forces.factors import orthogonalize
from kinematics_node.forces.factors import padded
from kinematics_node.forces.factors import solve_lower
from kinematics_node.forces.factors import solve_upper
from kinematics_node.forces.factors import subtract_products
from kinematics_node.kinematics.joint_motion import JOINT_RATES
from kinematics_node.kinematics.velocity import load_spatial
from kinematics_node.spatial import add
from kinematics_node.spatial import cross
from kinematics_node.spatial import dot

COUPLING = int(Kind.COUPLING)
NO_MASS = -1
REDUNDANT = -2
UNIQUE = 0


@leaf
def write_efforts(tree: Ints, X: Array, F: Array, S: Array, efforts: Array) -> None:
    """Write S^T F, from wrenches F about Co and twists S about Wo, both on world axes."""
    for i in range(1, tree.shape[0]):
        tau, f = load_spatial(F, i)
        tau = add(tau, cross((X[i, 4], X[i, 5], X[i, 6]), f))
        for n in range(tree[i, 3], tree[i, 3] + JOINT_RATES[tree[i, 1]]):
            w, u = load_spatial(S, n)
            efforts[n] = dot(w, tau) + dot(u, f)


@kernel
def evaluate(
    tree: Ints,
    placement: Array,
    inertia: Array,
    elements: Indices,
    geometry: Array,
    support: Indices,
    coefficient: Array,
    q: Array,
    v: Array,
    vdot: Array,
    gravity: Array,
    external: Array,
    efforts: Array,
    X: Array,
    F: Array,
    records: Array,
    rates: Array,
    J: Array,
    M: Array,
) -> None:
    """Write all that the balance is made of at (q, v, vdot).

    efforts (nv,) = M vdot + h - J^T external without rows; poses X; transmitted wrenches F about
    Co on world axes; records (rows, ROW_WIDTH), rates (rows, 2) and J (rows, nv) as
    constraints/rows.py has them; the inertia M (nv, nv), where it is not empty. J and M come zero,
    records with the rows' weights.
    """
    links = tree.shape[0]
    motions, S = np.empty((2, links, 6)), np.empty((J.shape[1], 6))
    V, A = motions[0], motions[1]
    move_links(tree, placement, inertia, q, v, vdot, gravity, X, V, A, F)
    for i in range(external.shape[0]):
        for k in range(6):
            F[i, k] -= external[i, k]
    gather(tree, X, F)
    write_columns(tree, placement, q, X, S)
    write_efforts(tree, X, F, S, efforts)
    write_rates(elements, geometry, support, coefficient, q, v, vdot, X, V, A, records, rates)
    count = elements.shape[0]
    write_jacobian(elements, support, coefficient, 0, count, 0, records, S, J)
    if M.shape[0] > 0:
        I_C = np.empty((links, 10))
        write_inertia(tree, inertia, X, I_C, S, M)


@kernel
def accelerate(
    ancestor: Ints, M: Array, J: Array, rows_held: Array, multipliers: Array, vdot: Array
) -> int:
    """Solve M vdot = driving + J^T multipliers, J vdot = gamma.

    Multipliers come as gamma and vdot as the driving efforts; rows_held (rows, 2) starts with each
    row's scale. M is overwritten. Returns UNIQUE, or NO_MASS or REDUNDANT, with nothing useful
    written.
    """
    rows, width = J.shape
    B, R = np.zeros((rows + 1, padded(width))), np.empty((rows, rows))
    spans, pivots = np.empty((rows, 2), np.int64), np.empty(width)
    Y, free = B[:rows], B[rows]
    if factor(ancestor, M, pivots) >= 0:
        return NO_MASS
    for n in range(width):
        free[n] = vdot[n]
    for r in range(rows):
        multipliers[r] *= rows_held[r, 0]
        for n in range(width):
            Y[r, n] = J[r, n] * rows_held[r, 0]
    for r in range(rows + 1):
        solve_transposed(ancestor, M, pivots, B, r)
    subtract_products(Y, free, multipliers)
    # With Q the orthonormal rows that become of Y = R^T Q, Y Y^T is R^T R.
    if not orthogonalize(Y, R, spans):
        return REDUNDANT
    solve_lower(R, multipliers)
    add_rows(Y, multipliers, free)
    solve_upper(R, multipliers)
    for r in range(rows):
        multipliers[r] *= rows_held[r, 0]
    solve_plain(ancestor, M, pivots, B, rows)
    for n in range(width):
        vdot[n] = free[n]
    return UNIQUE


@kernel
def add_multipliers(
    tree: Ints,
    placement: Array,
    elements: Indices,
    q: Array,
    records: Array,
    multipliers: Array,
    frame: int,
    efforts: Array,
    total: Array,
    X: Array,
    F: Array,
) -> None:
    """Take what the rows put on links off the transmitted wrenches F; write efforts and total.

    Efforts become S^T F, what all sources along a joint's free axes give together.
    """
    links = tree.shape[0]
    G = np.empty((links, 6))
    for i in range(links):
        for k in range(6):
            G[i, k] = 0.0
    for e in range(elements.shape[0]):
        if elements[e, 0] == COUPLING:
            continue
        for r in range(elements[e, 3], elements[e, 4]):
            f = (records[r, 4], records[r, 5], records[r, 6])
            for side in range(2):
                link = elements[e, 1 + side]
                scale = multipliers[r] if side == 1 else -multipliers[r]
                arm = cross((X[link, 4], X[link, 5], X[link, 6]), f)
                for k in range(3):
                    G[link, k] += scale * (records[r, 1 + k] - arm[k])
                    G[link, 3 + k] += scale * f[k]
    gather(tree, X, G)
    for i in range(links):
        for k in range(6):
            F[i, k] -= G[i, k]
    project(tree, placement, q, X, F, frame, efforts, total)
