# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Compiled factors of rows that may turn out to depend on each other.

Rows are orthogonalised by modified Gram-Schmidt (Bjorck, Numerical Methods for Least Squares
Problems, 1996, section 2.4), each over the span of columns that it touches: the rows of a loop
only see the joints of that loop. There is no pivoting; where a row is nearly used up, singular
values decide elsewhere.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kinematics_node.compiled import Array
from kinematics_node.compiled import inlined
from kinematics_node.compiled import kernel
from kinematics_node.compiled import leaf
from kinematics_node.forces.plan import Flags
from kinematics_node.forces.plan import RATE_SCALE

Spans: TypeAlias = NDArray[np.uint64]
CLEARLY = 1e-7
ONE, TWO, THREE, FOUR = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)


@leaf
def orthogonalize(B: Array, R: Array, spans: Spans) -> bool:
    """Replace the rows of B by orthonormal ones: row j was sum over k of R[k, j] B[k].

    R (rows, rows) is upper triangular; spans (rows, 2) takes the columns of each row, from first
    to before last. Returns whether the rows are clearly independent; if not, nothing useful is
    written.
    """
    count = B.shape[0]
    largest = 0.0
    for j in range(count):
        find_span(B, j, spans)
        largest = max(largest, product(B, j, j, spans) ** 0.5)
    for k in range(count):
        size = product(B, k, k, spans) ** 0.5
        if not size > CLEARLY * largest:
            return False
        R[k, k] = size
        first, last = spans[k, 0], spans[k, 1]
        for n in range(first, last):
            B[k, n] /= size
        for j in range(k + 1, count):
            along = product(B, k, j, spans)
            R[k, j] = along
            if along != 0.0:
                for n in range(first, last):
                    B[j, n] -= along * B[k, n]
                spans[j, 0] = min(spans[j, 0], first)
                spans[j, 1] = max(spans[j, 1], last)
    return True


@leaf
def find_span(B: Array, j: int, spans: Spans) -> None:
    """Write from which column to before which column row j is not zero."""
    first, last = B.shape[1], 0
    for n in range(B.shape[1]):
        if B[j, n] != 0.0:
            first = min(first, n)
            last = n + 1
    spans[j, 0], spans[j, 1] = first, last


@inlined
def product(B: Array, k: int, j: int, spans: Spans) -> float:
    """Return the product of two rows; four sums at a time, so that they need not wait.

    Spans are unsigned: a column then is never taken to be counted from the end.
    """
    n, last = max(spans[k, 0], spans[j, 0]), min(spans[k, 1], spans[j, 1])
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    while n + FOUR <= last:
        a += B[k, n] * B[j, n]
        b += B[k, n + ONE] * B[j, n + ONE]
        c += B[k, n + TWO] * B[j, n + TWO]
        d += B[k, n + THREE] * B[j, n + THREE]
        n += FOUR
    while n < last:
        a += B[k, n] * B[j, n]
        n += ONE
    return (a + b) + (c + d)


@leaf
def solve_upper(R: Array, y: Array) -> None:
    """Replace y by x with R x = y."""
    for k in range(y.shape[0] - 1, -1, -1):
        for j in range(k + 1, y.shape[0]):
            y[k] -= R[k, j] * y[j]
        y[k] /= R[k, k]


@leaf
def solve_lower(R: Array, y: Array) -> None:
    """Replace y by x with R^T x = y."""
    for j in range(y.shape[0]):
        for k in range(j):
            y[j] -= R[k, j] * y[k]
        y[j] /= R[j, j]


@kernel
def balance(
    J: Array,
    needed: Array,
    actuated: Flags,
    coordinates: Array,
    rows_held: Array,
    multipliers: Array,
    rest: Array,
) -> bool:
    """Write the multipliers that hold the coordinates that no actuator holds, if they are unique.

    J^T multipliers = needed on those coordinates, in the least squares sense of forces; what no
    row holds is left in `rest`, and what actuators must hold too. coordinates and rows_held are
    those of a Plan. Returns whether they are unique; if not, nothing useful is written.
    """
    rows, width = J.shape
    B, R = np.empty((rows, width)), np.empty((rows, rows))
    spans = np.empty((rows, 2), np.uint64)
    b = np.empty(width)
    for n in range(width):
        share = 0.0 if actuated[n] != 0 else 1.0 / coordinates[n, RATE_SCALE]
        b[n] = share * needed[n]
        for r in range(rows):
            B[r, n] = share * J[r, n] * rows_held[r, 0]
    if not orthogonalize(B, R, spans):
        return False
    for r in range(rows):
        multipliers[r] = 0.0
        for n in range(spans[r, 0], spans[r, 1]):
            multipliers[r] += B[r, n] * b[n]
        for n in range(spans[r, 0], spans[r, 1]):
            b[n] -= multipliers[r] * B[r, n]
    solve_upper(R, multipliers)
    for n in range(width):
        rest[n] = needed[n]
    for r in range(rows):
        multipliers[r] *= rows_held[r, 0]
        for n in range(width):
            rest[n] -= J[r, n] * multipliers[r]
    for n in range(width):
        if actuated[n] == 0:
            rest[n] = b[n] * coordinates[n, RATE_SCALE]
    return True
