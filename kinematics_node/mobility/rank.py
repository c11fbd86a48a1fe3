# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The numerical rank of scaled rows, by the singular values of parts that share nothing.

Parts share neither rows nor columns, so that their singular values are those of the whole.
"""

from __future__ import annotations

import math

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.compiled import inlined
from kinematics_node.compiled import kernel
from kinematics_node.compiled import leaf
from kinematics_node.mobility.linear import length_of
from kinematics_node.mobility.linear import make_orthogonal
from kinematics_node.mobility.linear import take_direction
from kinematics_node.mobility.linear import write_identity
from kinematics_node.mobility.linear import write_projector
from kinematics_node.mobility.tables import COLUMNS
from kinematics_node.mobility.tables import Flags
from kinematics_node.mobility.tables import ROWS
from kinematics_node.mobility.tables import Tables

RANK_THRESHOLD = 1e-6  # of the largest singular value, or of one: scaled rows are of that size
CLEAR = 100.0  # factor by which singular values stay off the threshold where a rank is certain
OVERLAP = 1e-6  # of a combination of rows that says nothing new


@inlined
def part_at(tables: Tables, p: int) -> tuple[int, int, int, int]:
    """Return where rows and columns of a part start and end in the parts' lists."""
    parts = tables.parts
    return parts[p, ROWS], parts[p, ROWS + 1], parts[p, COLUMNS], parts[p, COLUMNS + 1]


@leaf
def scale_rows(tables: Tables, J: Array, scaled: Array) -> None:
    """Write rows over columns, metres and radians comparable, from rows over all rates."""
    for r in range(J.shape[0]):
        for c in range(scaled.shape[1]):
            scaled[r, c] = 0.0
        for v in range(J.shape[1]):
            scaled[r, tables.column_of[v]] += tables.weight[r] * J[r, v] * tables.fold[v]


@leaf
def part_rows(tables: Tables, scaled: Array, parted: Array, turned: Array) -> float:
    """Make the rows of each part orthogonal; return what counts as zero among their lengths.

    Rows and columns of parted are those of scaled, in the order of the parts' lists, columns
    counted within a part; turned holds the combinations of rows that they are.
    """
    largest = 1.0
    for p in range(tables.parts.shape[0]):
        first, last, column, end = part_at(tables, p)
        m, n = last - first, end - column
        for i in range(m):
            for k in range(n):
                row, place = tables.part_rows[first + i], tables.part_columns[column + k]
                parted[first + i, k] = scaled[row, place]
        write_identity(turned[first:last], m)
        make_orthogonal(parted[first:last], m, n, turned[first:last], m)
        for i in range(first, last):
            largest = max(largest, length_of(parted, i))
    return RANK_THRESHOLD * largest


@leaf
def count_rank(tables: Tables, parted: Array, threshold: float) -> tuple[int, float, float]:
    """Return the rank, and the singular values next to the threshold (above is inf for none)."""
    rank, above, below = 0, math.inf, 0.0
    for p in range(tables.parts.shape[0]):
        first, last, column, end = part_at(tables, p)
        held, most = 0, 0.0
        for i in range(first, last):
            size = length_of(parted, i)
            if size > threshold:
                held += 1
                above = min(above, size)
            else:
                most = max(most, size)
        # A matrix has no more singular values than columns; the other rows are rounding.
        if held < min(last - first, end - column):
            below = max(below, most)
        rank += held
    return rank, above, below


@leaf
def write_motions(
    tables: Tables, parted: Array, threshold: float, P: Array, direction: Array, motions: Array
) -> None:
    """Write orthonormal directions (columns, mobility) that the rows allow; motions is zero."""
    motion = 0
    for n in range(tables.apart.shape[0]):
        motions[tables.apart[n], motion] = 1.0
        motion += 1
    for p in range(tables.parts.shape[0]):
        first, last, column, end = part_at(tables, p)
        m, n = last - first, end - column
        write_projector(parted[first:last], m, n, threshold, P)
        free = n
        for i in range(first, last):
            free -= length_of(parted, i) > threshold
        for _ in range(free):
            take_direction(P, n, direction)
            for k in range(n):
                motions[tables.part_columns[column + k], motion] = direction[k]
            motion += 1


@leaf
def find_overlaps(
    tables: Tables, parted: Array, turned: Array, threshold: float, overlaps: Flags
) -> None:
    """Tell of each element whether combinations of rows that say nothing new need its rows."""
    for e in range(overlaps.shape[0]):
        overlaps[e] = False
        first, last, _, _ = part_at(tables, tables.element_part[e])
        for i in range(first, last):
            if length_of(parted, i) > threshold:
                continue
            for k in range(last - first):
                row = tables.part_rows[first + k]
                if tables.elements[e, 3] <= row < tables.elements[e, 4]:
                    overlaps[e] |= abs(turned[i, k]) > OVERLAP


@kernel
def count_redundant(tables: Tables, scaled: Array, threshold: float, redundant: Indices) -> None:
    """Count of each element the rows that depend on those of the elements before."""
    told, own = np.empty(scaled.shape), np.empty(scaled.shape)
    for p in range(tables.parts.shape[0]):
        known = 0
        for e in range(redundant.shape[0]):
            if tables.element_part[e] == p:
                new = tell(tables, e, scaled, threshold, told, known, own)
                known += new
                redundant[e] = tables.elements[e, 4] - tables.elements[e, 3] - new


@leaf
def tell(
    tables: Tables, e: int, scaled: Array, threshold: float, told: Array, known: int, own: Array
) -> int:
    """Add to what is told what an element's rows say besides; return how much that is."""
    first, m = tables.elements[e, 3], tables.elements[e, 4] - tables.elements[e, 3]
    _, _, column, end = part_at(tables, tables.element_part[e])
    n = end - column
    for i in range(m):
        for k in range(n):
            own[i, k] = scaled[first + i, tables.part_columns[column + k]]
        for t in range(known):
            along = 0.0
            for k in range(n):
                along += own[i, k] * told[t, k]
            for k in range(n):
                own[i, k] -= along * told[t, k]
    make_orthogonal(own, m, n, own, 0)
    new = 0
    for i in range(m):
        size = 0.0
        for k in range(n):
            size += own[i, k] * own[i, k]
        size = math.sqrt(size)
        if size > threshold:
            for k in range(n):
                told[known + new, k] = own[i, k] / size
            new += 1
    return new
