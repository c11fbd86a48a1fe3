# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Small dense linear algebra for kernels: minimum-norm steps through a Cholesky factor."""

from __future__ import annotations

import math

from kinematics_node.compiled import Array
from kinematics_node.compiled import leaf


@leaf
def row_gram(J: Array, m: int, n: int, H: Array) -> float:
    """Write the lower triangle of J J^T, J being (m, n), into H and return its trace."""
    trace = 0.0
    for i in range(m):
        for j in range(i + 1):
            total = 0.0
            for k in range(n):
                total += J[i, k] * J[j, k]
            H[i, j] = total
        trace += H[i, i]
    return trace


@leaf
def cholesky(H: Array, m: int, mu: float, L: Array) -> bool:
    """Write the factor of H + mu I = L L^T; return whether it is positive definite."""
    for i in range(m):
        for j in range(i + 1):
            total = H[i, j]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            if i != j:
                L[i, j] = total / L[j, j]
                continue
            total += mu
            if not total > 0.0:
                return False
            L[i, i] = math.sqrt(total)
    return True


@leaf
def minimum_norm(J: Array, m: int, n: int, L: Array, vectors: Array, right: int, x: int) -> None:
    """Write vectors[x] = J^T (L L^T)^-1 vectors[right], the shortest solution of J x = right.

    vectors[0] takes the multipliers.
    """
    for i in range(m):
        total = vectors[right, i]
        for k in range(i):
            total -= L[i, k] * vectors[0, k]
        vectors[0, i] = total / L[i, i]
    for i in range(m - 1, -1, -1):
        total = vectors[0, i]
        for k in range(i + 1, m):
            total -= L[k, i] * vectors[0, k]
        vectors[0, i] = total / L[i, i]
    for k in range(n):
        total = 0.0
        for i in range(m):
            total += J[i, k] * vectors[0, i]
        vectors[x, k] = total
