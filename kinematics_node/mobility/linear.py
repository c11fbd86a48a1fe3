# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Singular values, null spaces and inverses of small matrices, compiled.

One-sided Jacobi (Hestenes 1958) makes the rows of a matrix orthogonal to each other; then their
lengths are its singular values and their directions the right singular vectors. For a few rows
that is done before a library has looked at its arguments.
"""

from __future__ import annotations

import math

from kinematics_node.compiled import Array
from kinematics_node.compiled import leaf
from kinematics_node.compiled import summing_leaf

SWEEPS = 30  # over all pairs; convergence is quadratic, six or seven are usual
ORTHOGONAL = 1e-15  # cosine of two rows
NOTHING = 1e-40  # squared length of a row, far below the rounding of scaled rows


@leaf
def length_of(A: Array, i: int) -> float:
    """Return the length of a row."""
    total = 0.0
    for k in range(A.shape[1]):
        total += A[i, k] * A[i, k]
    return math.sqrt(total)


@summing_leaf
def make_orthogonal(A: Array, m: int, n: int, U: Array, width: int) -> None:
    """Rotate pairs of the first m rows, n wide, until all are orthogonal.

    Rows of U, so many numbers wide, turn with them: from the identity on, U A_before = A.
    """
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
                turn_rows(A, i, j, n, cosine, cosine * t)
                turn_rows(U, i, j, width, cosine, cosine * t)
        if not turned:
            return


@leaf
def turn_rows(A: Array, i: int, j: int, n: int, cosine: float, sine: float) -> None:
    """Rotate two rows, n wide, in the plane that they span."""
    for k in range(n):
        x, y = A[i, k], A[j, k]
        A[i, k], A[j, k] = cosine * x - sine * y, sine * x + cosine * y


@leaf
def write_identity(A: Array, n: int) -> None:
    """Write the identity into the first n rows and columns."""
    for i in range(n):
        for k in range(n):
            A[i, k] = 1.0 if i == k else 0.0


@leaf
def write_projector(A: Array, m: int, n: int, least: float, P: Array) -> None:
    """Write the projector (n, n) on what is orthogonal to all of m orthogonal rows but short ones.

    Rows no longer than least count as nothing.
    """
    write_identity(P, n)
    for i in range(m):
        size = length_of(A, i)
        if size > least:
            for a in range(n):
                along = A[i, a] / (size * size)
                if along != 0.0:
                    for b in range(n):
                        P[a, b] -= along * A[i, b]


@leaf
def take_direction(P: Array, n: int, direction: Array) -> None:
    """Write a unit vector that a projector keeps, and take it out of the projector.

    The largest diagonal entry is at least the n-th part of the dimension that is left, so that
    nothing is lost by dividing by it.
    """
    largest = 0
    for k in range(1, n):
        if P[k, k] > P[largest, largest]:
            largest = k
    size = math.sqrt(P[largest, largest])
    for k in range(n):
        direction[k] = P[largest, k] / size
    for a in range(n):
        if direction[a] != 0.0:
            for b in range(n):
                P[a, b] -= direction[a] * direction[b]


@leaf
def invert_into(A: Array, n: int, inverse: Array) -> None:
    """Write the inverse of a regular matrix (n, n), by Gauss and Jordan; A is lost."""
    write_identity(inverse, n)
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[pivot, k]):
                pivot = i
        for c in range(n):
            A[k, c], A[pivot, c] = A[pivot, c], A[k, c]
            inverse[k, c], inverse[pivot, c] = inverse[pivot, c], inverse[k, c]
        head = A[k, k]
        for c in range(n):
            A[k, c] /= head
            inverse[k, c] /= head
        for i in range(n):
            share = A[i, k]
            if i != k and share != 0.0:
                for c in range(n):
                    A[i, c] -= share * A[k, c]
                    inverse[i, c] -= share * inverse[k, c]
