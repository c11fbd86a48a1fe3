# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Independent coordinates by greedy pivoting: always the one that shows most of what is left."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.compiled import leaf

PIVOT = 1e-3  # of a unit motion: a coordinate that shows less of it is no good choice


def choose_independent(
    motions: Array, idle: Array, preferred: Sequence[Indices]
) -> tuple[list[int], int]:
    """Return columns whose rates determine all motions, and how many come before idle ones.

    They come from the preferred groups in order, and from all columns at last. Motions that
    somebody notices come first.
    """
    wanted = motions.shape[1]
    noticed = wanted - idle.shape[1]
    groups = [(columns, PIVOT) for columns in preferred if columns.size]
    groups.append((np.arange(motions.shape[0]), 0.0))
    chosen = np.zeros(wanted, np.int64)
    count = _choose(motions - idle @ (idle.T @ motions), groups, chosen, 0, noticed)
    if idle.shape[1]:
        rest = motions.copy()
        for column in chosen[:count]:
            take_out(rest, column)
        count = _choose(rest, groups, chosen, count, wanted)
    return chosen[:count].tolist(), noticed


def _choose(
    rest: Array, groups: Sequence[tuple[Indices, float]], chosen: Indices, count: int, wanted: int
) -> int:
    for columns, least in groups:
        if count < wanted:
            count = take_pivots(rest, columns, least, chosen, count, wanted)
    return count


@leaf
def take_pivots(
    rest: Array, columns: Indices, least: float, chosen: Indices, count: int, wanted: int
) -> int:
    """Choose columns until enough are or none shows more than least; return how many are.

    The rest loses what they show.
    """
    while count < wanted:
        pivot, most = -1, least * least
        for column in columns:
            size = 0.0
            for k in range(rest.shape[1]):
                size += rest[column, k] * rest[column, k]
            if size > most:
                pivot, most = column, size
        if pivot < 0:
            break
        chosen[count] = pivot
        count += 1
        take_out(rest, pivot)
    return count


@leaf
def take_out(motions: Array, column: int) -> None:
    """Take the motions that a coordinate shows out of others, in place."""
    width = motions.shape[1]
    size = 0.0
    for k in range(width):
        size += motions[column, k] * motions[column, k]
    if size <= 0.0:
        return
    for row in range(motions.shape[0]):
        if row == column:
            continue
        shown = 0.0
        for k in range(width):
            shown += motions[row, k] * motions[column, k]
        for k in range(width):
            motions[row, k] -= shown * motions[column, k] / size
    for k in range(width):
        motions[column, k] = 0.0
