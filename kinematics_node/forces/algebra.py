# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Linear algebra of answers that may not be unique: ranks, null spaces, ordered least squares."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import Ints
from kinematics_node.compiled import kernel
from kinematics_node.compiled import leaf

RANK_TOLERANCE = 1e-8
NO_INERTIA = 1e-10


def range_and_null_space(A: Array, size: float = 0.0) -> tuple[Array, Array]:
    """Return the pseudo-inverse of A, and an orthonormal basis (columns) of its null space.

    Singular values count as zero against the largest one, or against a size known from elsewhere.
    """
    if min(A.shape) == 0:
        return np.zeros(A.shape[::-1]), np.eye(A.shape[1])
    U, s, Vt = np.linalg.svd(A)
    rank = int(np.count_nonzero(s > RANK_TOLERANCE * max(float(s[0]), size, 1e-300)))
    inverse = (Vt[:rank].T / s[:rank]) @ U[:, :rank].T
    return inverse, Vt[rank:].T


def ordered_least_squares(
    A: Array, b: Array, stages: Sequence[tuple[Array, Array]]
) -> tuple[Array, list[Array]]:
    """Return x that solves A x = b and then makes C x + c small for one (C, c) after the other.

    A later stage only uses the freedom that earlier ones leave (lexicographic least squares by
    null spaces).

    Returns
    -------
    x : array
        The solution; of least norm where even the last stage leaves freedom.
    freedom : list of array
        Bases (columns) of what is free after A x = b, and after each stage.
    """
    inverse, N = range_and_null_space(A)
    x = inverse @ b
    freedom = [N]
    for C, c in stages:
        step, rest = range_and_null_space(C @ N, float(np.linalg.norm(C)))
        x = x - N @ (step @ (C @ x + c))
        N = N @ rest
        freedom.append(N)
    return x, freedom


def constrained_accelerations(
    M: Array, J: Array, driving: Array, gamma: Array
) -> tuple[Array, Array]:
    """Return a with J a = gamma and M a = driving up to forces of the rows, and what is loose.

    Rows may be redundant and M singular: on the null space Z of J the inertia Z^T M Z decides. It
    is measured against the coordinates' own inertias, so that fingers and trunks share one
    threshold.

    Returns
    -------
    a : array
        The accelerations; of no use where anything is loose.
    loose : array
        Basis (columns) of accelerations that no inertia resists.
    """
    inverse, Z = range_and_null_space(J)
    along = inverse @ gamma
    own = np.diag(M) + 1e-12 * max(float(np.diag(M).max(initial=0.0)), 1e-300)
    C = np.linalg.cholesky(Z.T @ (own[:, None] * Z))
    basis = np.linalg.solve(C, Z.T).T
    inertias, directions = np.linalg.eigh(basis.T @ M @ basis)
    basis = basis @ directions
    loose = inertias < NO_INERTIA
    force = basis.T @ (driving - M @ along)
    return along + basis[:, ~loose] @ (force[~loose] / inertias[~loose]), basis[:, loose]


def sparse_basis(N: Array) -> Array:
    """Return a basis of the same space whose columns have few entries, each one's largest 1.

    Reduction by complete pivoting: a pivot row is zero in all other columns.
    """
    B: Array = N.copy()
    for k in range(B.shape[1]):
        rest = np.abs(B[:, k:])
        row, shift = np.unravel_index(int(rest.argmax()), rest.shape)
        B[:, [k, k + int(shift)]] = B[:, [k + int(shift), k]]
        B[:, k] /= B[row, k]
        for other in range(B.shape[1]):
            if other != k:
                B[:, other] -= B[row, other] * B[:, k]
    B[np.abs(B) < RANK_TOLERANCE] = 0.0
    return B


@leaf
def orthogonalize(B: Array, R: Array, order: Ints) -> int:
    """Replace the rows of B by orthonormal ones, row[order[j]] = sum_k R[k, order[j]] B[order[k]].

    Modified Gram-Schmidt, the row with most left taken next (Bjorck, Numerical Methods for Least
    Squares Problems, 1996, section 2.4). Returns the rank; rows beyond it are left as they are.
    """
    count, width = B.shape
    largest = 0.0
    for j in range(count):
        order[j] = j
    for k in range(count):
        best, most = k, -1.0
        for j in range(k, count):
            square = 0.0
            for n in range(width):
                square += B[order[j], n] * B[order[j], n]
            if square > most:
                best, most = j, square
        size = most**0.5
        largest = max(largest, size)
        if not size > RANK_TOLERANCE * largest:
            return k
        order[k], order[best] = order[best], order[k]
        p = order[k]
        R[k, p] = size
        for n in range(width):
            B[p, n] /= size
        for j in range(k + 1, count):
            o = order[j]
            along = 0.0
            for n in range(width):
                along += B[p, n] * B[o, n]
            R[k, o] = along
            for n in range(width):
                B[o, n] -= along * B[p, n]
    return int(count)


@leaf
def solve_upper(R: Array, order: Ints, y: Array, x: Array) -> None:
    """Write x with sum_j R[k, order[j]] x[order[j]] = y[k]."""
    for k in range(y.shape[0] - 1, -1, -1):
        rest = y[k]
        for j in range(k + 1, y.shape[0]):
            rest -= R[k, order[j]] * x[order[j]]
        x[order[k]] = rest / R[k, order[k]]


@leaf
def solve_lower(R: Array, order: Ints, b: Array, y: Array) -> None:
    """Write y with sum_k R[k, order[j]] y[k] = b[order[j]]."""
    for j in range(y.shape[0]):
        rest = b[order[j]]
        for k in range(j):
            rest -= R[k, order[j]] * y[k]
        y[j] = rest / R[j, order[j]]


@kernel
def balance(
    J: Array,
    needed: Array,
    actuated: Ints,
    rate_scale: Array,
    row_scale: Array,
    multipliers: Array,
    rest: Array,
) -> int:
    """Write the multipliers that hold the coordinates that no actuator holds, if they are unique.

    J^T multipliers = needed on those coordinates, in the least squares sense of forces; what no
    row holds is left in `rest`, and what actuators must hold too. Returns the rank of these rows:
    below their number nothing useful is written.
    """
    rows, width = J.shape
    B = np.empty((rows, width))
    R = np.empty((rows, rows))
    order = np.empty(rows, np.int32)
    b = np.empty(width)
    y = np.empty(rows)
    for n in range(width):
        share = 0.0 if actuated[n] != 0 else 1.0 / rate_scale[n]
        b[n] = share * needed[n]
        for r in range(rows):
            B[r, n] = share * J[r, n] * row_scale[r]
    rank = orthogonalize(B, R, order)
    if rank < rows:
        return int(rank)
    for k in range(rows):
        along = 0.0
        for n in range(width):
            along += B[order[k], n] * b[n]
        y[k] = along
        for n in range(width):
            b[n] -= along * B[order[k], n]
    solve_upper(R, order, y, multipliers)
    for r in range(rows):
        multipliers[r] *= row_scale[r]
    for n in range(width):
        if actuated[n] == 0:
            rest[n] = b[n] * rate_scale[n]
        else:
            rest[n] = needed[n]
            for r in range(rows):
                rest[n] -= J[r, n] * multipliers[r]
    return int(rank)
