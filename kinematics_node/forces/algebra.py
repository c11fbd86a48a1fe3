# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Linear algebra of answers that may not be unique: ranks, null spaces, ordered least squares."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinematics_node.compiled import Array

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
