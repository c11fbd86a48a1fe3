# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Joint-space inertia M(q) by composite rigid bodies, and its sparse factor.

Composite bodies: Walker and Orin, Efficient dynamic computer simulation of robotic mechanisms,
1982; Featherstone, Rigid Body Dynamics Algorithms, 2008, table 6.2. Factor M = L^T L without
fill-in: the same book, section 6.5. A composite is (mass, first moment, inertia xx yy zz xy xz yz)
about one point for all, on world axes.
"""

from __future__ import annotations

import math

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import inlined
from kinematics_node.compiled import Ints
from kinematics_node.compiled import kernel
from kinematics_node.compiled import leaf
from kinematics_node.dynamics.inverse import is_empty
from kinematics_node.dynamics.inverse import times_inertia
from kinematics_node.dynamics.inverse import to_world
from kinematics_node.kinematics.joint_motion import joint_frame
from kinematics_node.kinematics.joint_motion import joint_rate_motion
from kinematics_node.kinematics.joint_motion import JOINT_RATES
from kinematics_node.kinematics.poses import forward_kinematics
from kinematics_node.spatial import add
from kinematics_node.spatial import cross
from kinematics_node.spatial import dot
from kinematics_node.spatial import load_pose
from kinematics_node.spatial import position
from kinematics_node.spatial import rotate
from kinematics_node.spatial import rotation
from kinematics_node.spatial import rotation_rows
from kinematics_node.spatial import scale
from kinematics_node.spatial import subtract
from kinematics_node.spatial import Vector

SMALLEST_PIVOT = 1e-13


@inlined
def sandwich(row: Vector, other: Vector, inertia: Array, i: int) -> float:
    """Return row . I other, with I the rotational inertia of link i about its centre."""
    return dot(row, times_inertia(inertia, i, other))


@leaf
def write_composites(tree: Ints, inertia: Array, X: Array, P: Vector, I_C: Array) -> None:
    """Write each link's own inertia about the point P, then add up subtrees into I_C."""
    for i in range(tree.shape[0]):
        if is_empty(inertia, i):
            for k in range(10):
                I_C[i, k] = 0.0
            continue
        X_WC = load_pose(X, i, 0)
        m = inertia[i, 0]
        x, y, z = rotation_rows(rotation(X_WC))
        c = to_world((x, y, z), (inertia[i, 1], inertia[i, 2], inertia[i, 3]))
        c = add(c, subtract(position(X_WC), P))
        square = m * dot(c, c)
        I_C[i, 0] = m
        I_C[i, 1], I_C[i, 2], I_C[i, 3] = scale(m, c)
        I_C[i, 4] = sandwich(x, x, inertia, i) + square - m * c[0] * c[0]
        I_C[i, 5] = sandwich(y, y, inertia, i) + square - m * c[1] * c[1]
        I_C[i, 6] = sandwich(z, z, inertia, i) + square - m * c[2] * c[2]
        I_C[i, 7] = sandwich(x, y, inertia, i) - m * c[0] * c[1]
        I_C[i, 8] = sandwich(x, z, inertia, i) - m * c[0] * c[2]
        I_C[i, 9] = sandwich(y, z, inertia, i) - m * c[1] * c[2]
    for i in range(tree.shape[0] - 1, 0, -1):
        for k in range(10):
            I_C[tree[i, 0], k] += I_C[i, k]


@leaf
def write_columns(tree: Ints, placement: Array, q: Array, X: Array, S: Array) -> None:
    """Write S (nv, 6): the twist about Wo on world axes of each coordinate's unit rate."""
    for i in range(1, tree.shape[0]):
        kind = tree[i, 1]
        X_WM = joint_frame(placement, i, X)
        for column in range(JOINT_RATES[kind]):
            w, u = joint_rate_motion(kind, placement, i, q, tree[i, 2], column)
            w = rotate(rotation(X_WM), w)
            u = add(rotate(rotation(X_WM), u), cross(position(X_WM), w))
            n = tree[i, 3] + column
            S[n, 0], S[n, 1], S[n, 2] = w
            S[n, 3], S[n, 4], S[n, 5] = u


@leaf
def write_inertia(tree: Ints, inertia: Array, X: Array, I_C: Array, S: Array, M: Array) -> None:
    """Write M (nv, nv), which comes zero; S (nv, 6), as of write_columns, is changed.

    All is about the origin P of the first moving link on world axes: composites then simply add
    up, and a robot that floats far from Wo keeps its digits.
    """
    if tree.shape[0] < 2:
        return
    P = (X[1, 4], X[1, 5], X[1, 6])
    write_composites(tree, inertia, X, P, I_C)
    for i in range(1, tree.shape[0]):
        h = (I_C[i, 1], I_C[i, 2], I_C[i, 3])
        for n in range(tree[i, 3], tree[i, 3] + JOINT_RATES[tree[i, 1]]):
            w = (S[n, 0], S[n, 1], S[n, 2])
            u = add((S[n, 3], S[n, 4], S[n, 5]), cross(w, P))
            S[n, 3], S[n, 4], S[n, 5] = u
            f = add(scale(I_C[i, 0], u), cross(w, h))
            tau = cross(h, u)
            tau = (
                tau[0] + I_C[i, 4] * w[0] + I_C[i, 7] * w[1] + I_C[i, 8] * w[2],
                tau[1] + I_C[i, 7] * w[0] + I_C[i, 5] * w[1] + I_C[i, 9] * w[2],
                tau[2] + I_C[i, 8] * w[0] + I_C[i, 9] * w[1] + I_C[i, 6] * w[2],
            )
            _write_column(tree, i, n, tau, f, S, M)


@inlined
def _write_column(
    tree: Ints, link: int, column: int, tau: Vector, f: Vector, S: Array, M: Array
) -> None:
    """Write M[column] of the coordinates before it, from link to root."""
    i = link
    while i > 0:
        n = tree[i, 3]
        for k in range(n, min(n + JOINT_RATES[tree[i, 1]], column + 1)):
            w, u = (S[k, 0], S[k, 1], S[k, 2]), (S[k, 3], S[k, 4], S[k, 5])
            M[k, column] = M[column, k] = dot(w, tau) + dot(u, f)
        i = tree[i, 0]


@kernel
def joint_inertia(tree: Ints, placement: Array, inertia: Array, q: Array, M: Array) -> None:
    """Write the joint-space inertia M (nv, nv) at q; rotors are not in it."""
    X = np.empty((tree.shape[0], 7))
    I_C = np.empty((tree.shape[0], 10))
    S = np.empty((M.shape[0], 6))
    for n in range(M.shape[0]):
        for k in range(M.shape[0]):
            M[n, k] = 0.0
    forward_kinematics(tree, placement, q, X)
    write_columns(tree, placement, q, X, S)
    write_inertia(tree, inertia, X, I_C, S, M)


@leaf
def factor(ancestor: Ints, M: Array, pivots: Array) -> int:
    """Overwrite the lower half of M with L, M = L^T L; pivots become 1 / L[k, k].

    ancestor[k] is the velocity coordinate next above k in the tree, -1 for none. Returns the first
    coordinate, from the last backward, that has no inertia of its own left, or -1.
    """
    for k in range(M.shape[0]):
        pivots[k] = M[k, k]
    for k in range(M.shape[0] - 1, -1, -1):
        # What is left of a coordinate's inertia once those below it are free to move.
        if not M[k, k] > SMALLEST_PIVOT * pivots[k]:
            return k
        M[k, k] = math.sqrt(M[k, k])
        pivots[k] = 1.0 / M[k, k]
        i = ancestor[k]
        while i >= 0:
            M[k, i] *= pivots[k]
            i = ancestor[i]
        i = ancestor[k]
        while i >= 0:
            j = i
            while j >= 0:
                M[i, j] -= M[k, i] * M[k, j]
                j = ancestor[j]
            i = ancestor[i]
    return -1


@leaf
def solve_transposed(ancestor: Ints, L: Array, pivots: Array, Y: Array, r: int) -> None:
    """Replace row r of Y by its y with L^T y = row."""
    for k in range(L.shape[0] - 1, -1, -1):
        if Y[r, k] == 0.0:
            continue
        y = Y[r, k] * pivots[k]
        Y[r, k] = y
        i = ancestor[k]
        while i >= 0:
            Y[r, i] -= L[k, i] * y
            i = ancestor[i]


@leaf
def solve_plain(ancestor: Ints, L: Array, pivots: Array, Y: Array, r: int) -> None:
    """Replace row r of Y by its y with L y = row."""
    for k in range(L.shape[0]):
        y = Y[r, k]
        i = ancestor[k]
        while i >= 0:
            y -= L[k, i] * Y[r, i]
            i = ancestor[i]
        Y[r, k] = y * pivots[k]
