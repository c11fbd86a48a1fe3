# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Compiled factors of rows that may turn out to depend on each other.

Rows are orthogonalised by modified Gram-Schmidt (Bjorck, Numerical Methods for Least Squares
Problems, 1996, section 2.4). There is no pivoting; where a row is nearly used up, singular values
decide elsewhere. Rows are padded with zeros to a width at which no column is left over when
several are worked on at a time.
"""

from __future__ import annotations

import math

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.compiled import inlined
from kinematics_node.compiled import kernel
from kinematics_node.compiled import leaf
from kinematics_node.compiled import summing_leaf
from kinematics_node.forces.plan import Mask
from kinematics_node.forces.plan import RATE_SCALE

CLEARLY = 1e-7
TOGETHER = 16  # columns that a processor's loop takes at a time


@inlined
def padded(width: int) -> int:
    """Return the width that rows are padded to."""
    return (width + TOGETHER - 1) // TOGETHER * TOGETHER


@summing_leaf
def orthogonalize(B: Array, R: Array, spans: Indices) -> bool:
    """Replace the rows of B by orthonormal ones: row j was sum over k of R[k, j] B[k].

    R (rows, rows) is upper triangular; spans (rows, 2) takes from which column to before which
    each row is not zero: the rows of a loop only see the joints of that loop. Returns whether the
    rows are clearly independent; if not, nothing useful is written.
    """
    count, width = B.shape
    largest = 0.0
    for j in range(count):
        find_span(B, j, spans)
        square = 0.0
        for n in range(width):
            square += B[j, n] * B[j, n]
        largest = max(largest, math.sqrt(square))
    for k in range(count):
        square = 0.0
        for n in range(width):
            square += B[k, n] * B[k, n]
        size = math.sqrt(square)
        if not size > CLEARLY * largest:
            return False
        R[k, k] = size
        for n in range(width):
            B[k, n] *= 1.0 / size
        for j in range(k + 1, count):
            along = 0.0
            if spans[j, 0] < spans[k, 1] and spans[k, 0] < spans[j, 1]:
                for n in range(width):
                    along += B[k, n] * B[j, n]
            R[k, j] = along
            if along != 0.0:
                for n in range(width):
                    B[j, n] -= along * B[k, n]
                spans[j, 0] = min(spans[j, 0], spans[k, 0])
                spans[j, 1] = max(spans[j, 1], spans[k, 1])
    return True


@inlined
def find_span(B: Array, j: int, spans: Indices) -> None:
    """Write from which column to before which column row j is not zero."""
    first, last = 0, B.shape[1]
    while first < last and B[j, first] == 0.0:
        first += 1
    while last > first and B[j, last - 1] == 0.0:
        last -= 1
    spans[j, 0], spans[j, 1] = first, last


@summing_leaf
def subtract_products(B: Array, x: Array, y: Array) -> None:
    """Take B x off y."""
    for r in range(B.shape[0]):
        along = 0.0
        for n in range(B.shape[1]):
            along += B[r, n] * x[n]
        y[r] -= along


@summing_leaf
def add_rows(B: Array, y: Array, x: Array) -> None:
    """Add B^T y to x."""
    for r in range(B.shape[0]):
        for n in range(B.shape[1]):
            x[n] += y[r] * B[r, n]


@summing_leaf
def take_out(B: Array, x: Array, y: Array) -> None:
    """Write x's parts along the orthonormal rows of B into y, and leave the rest in x."""
    for r in range(B.shape[0]):
        along = 0.0
        for n in range(B.shape[1]):
            along += B[r, n] * x[n]
        y[r] = along
        for n in range(B.shape[1]):
            x[n] -= along * B[r, n]


@leaf
def solve_upper(R: Array, y: Array) -> None:
    """Replace y by x with R x = y."""
    for k in range(y.shape[0] - 1, -1, -1):
        x = y[k]
        for j in range(k + 1, y.shape[0]):
            x -= R[k, j] * y[j]
        y[k] = x / R[k, k]


@leaf
def solve_lower(R: Array, y: Array) -> None:
    """Replace y by x with R^T x = y."""
    for k in range(y.shape[0]):
        y[k] /= R[k, k]
        for j in range(k + 1, y.shape[0]):
            y[j] -= R[k, j] * y[k]


@kernel
def balance(
    J: Array,
    needed: Array,
    actuated: Mask,
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
    B, R = np.zeros((rows, padded(width))), np.empty((rows, rows))
    spans, share = np.empty((rows, 2), np.int64), np.empty(width)
    b = np.zeros(B.shape[1])
    for n in range(width):
        share[n] = 0.0 if actuated[n] else 1.0 / coordinates[n, RATE_SCALE]
        b[n] = share[n] * needed[n]
        rest[n] = needed[n]
    for r in range(rows):
        for n in range(width):
            B[r, n] = share[n] * J[r, n] * rows_held[r, 0]
    if not orthogonalize(B, R, spans):
        return False
    take_out(B, b, multipliers)
    solve_upper(R, multipliers)
    for r in range(rows):
        multipliers[r] *= rows_held[r, 0]
        for n in range(width):
            rest[n] -= J[r, n] * multipliers[r]
    for n in range(width):
        if not actuated[n]:
            rest[n] = b[n] * coordinates[n, RATE_SCALE]
    return True
