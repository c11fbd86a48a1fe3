# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Independent coordinates by greedy pivoting: always the one that shows most of what is left."""

from __future__ import annotations

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.compiled import leaf

PIVOT = 1e-3  # of a unit motion: a coordinate that shows less of it is no good choice
MORE = 1.0 + 1e-9  # beyond rounding: of coordinates that show as much the first is taken


@leaf
def choose_independent(
    motions: Array,
    idle: Array,
    given: Indices,
    driven: Indices,
    marked: Indices,
    every: Indices,
    rest: Array,
    chosen: Indices,
) -> None:
    """Write columns whose rates determine all motions.

    They come from the given columns, then the driven and the marked ones, and from all at last.
    Motions that somebody notices come first.
    """
    mobility = motions.shape[1]
    noticed = mobility - idle.shape[1]
    take_out_idle(motions, idle, rest)
    count = take_groups(rest, given, driven, marked, every, chosen, 0, noticed)
    if count < mobility:
        for column in range(motions.shape[0]):
            for m in range(mobility):
                rest[column, m] = motions[column, m]
        for n in range(count):
            take_out(rest, chosen[n])
        take_groups(rest, given, driven, marked, every, chosen, count, mobility)


@leaf
def take_groups(
    rest: Array,
    given: Indices,
    driven: Indices,
    marked: Indices,
    every: Indices,
    chosen: Indices,
    count: int,
    wanted: int,
) -> int:
    """Choose columns from one group after the other; return how many are chosen."""
    count = take_pivots(rest, given, PIVOT, chosen, count, wanted)
    count = take_pivots(rest, driven, PIVOT, chosen, count, wanted)
    count = take_pivots(rest, marked, PIVOT, chosen, count, wanted)
    return int(take_pivots(rest, every, 0.0, chosen, count, wanted))


@leaf
def take_out_idle(motions: Array, idle: Array, rest: Array) -> None:
    """Write motions less their part along the idle directions."""
    for m in range(motions.shape[1]):
        for column in range(motions.shape[0]):
            rest[column, m] = motions[column, m]
        for k in range(idle.shape[1]):
            along = 0.0
            for column in range(motions.shape[0]):
                along += idle[column, k] * motions[column, m]
            for column in range(motions.shape[0]):
                rest[column, m] -= idle[column, k] * along


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
            if size > MORE * most:
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
