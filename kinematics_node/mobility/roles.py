# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Modes, and the role of every joint, from what the rows allow."""

from __future__ import annotations

import math

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.compiled import leaf
from kinematics_node.mobility.linear import length_of
from kinematics_node.mobility.linear import make_orthogonal
from kinematics_node.mobility.linear import write_identity
from kinematics_node.mobility.linear import write_projector
from kinematics_node.mobility.nearby import MOVES
from kinematics_node.mobility.pivots import take_out_idle
from kinematics_node.mobility.report import Role
from kinematics_node.mobility.tables import Flags
from kinematics_node.mobility.tables import Tables

FREE, MEASURED, DEPENDENT = int(Role.FREE), int(Role.MEASURED), int(Role.DEPENDENT)
IDLE, LOCKED = int(Role.IDLE), int(Role.LOCKED)


@leaf
def load_rows(motions: Array, columns: Indices, shown: Array) -> None:
    """Write the rows of some columns."""
    for n in range(columns.shape[0]):
        for m in range(motions.shape[1]):
            shown[n, m] = motions[columns[n], m]


@leaf
def independent_rank(motions: Array, columns: Indices, shown: Array) -> int:
    """Return how many independent motions a set of columns shows."""
    load_rows(motions, columns, shown)
    make_orthogonal(shown, columns.shape[0], motions.shape[1], shown, 0)
    rank = 0
    for n in range(columns.shape[0]):
        rank += length_of(shown, n) > MOVES
    return rank


@leaf
def write_influence(
    motions: Array, given: Indices, shown: Array, turned: Array, inverse: Array, P: Array
) -> None:
    """Write what rates of given columns do.

    Inverse (mobility, given) are the least motions that given rates lead to, a pseudoinverse; P is
    the projector (mobility, mobility) on motions in which they all rest.
    """
    count, mobility = given.shape[0], motions.shape[1]
    load_rows(motions, given, shown)
    write_identity(turned, count)
    make_orthogonal(shown, count, mobility, turned, count)
    write_projector(shown, count, mobility, MOVES, P)
    for m in range(mobility):
        for n in range(count):
            inverse[m, n] = 0.0
    for k in range(count):
        size = length_of(shown, k)
        if size > MOVES:
            for m in range(mobility):
                along = shown[k, m] / (size * size)
                if along != 0.0:
                    for n in range(count):
                        inverse[m, n] += along * turned[k, n]


@leaf
def multiply(A: Array, B: Array, product: Array) -> None:
    """Write a product; zeros in A cost nothing."""
    for i in range(A.shape[0]):
        for k in range(B.shape[1]):
            product[i, k] = 0.0
        for j in range(A.shape[1]):
            if A[i, j] != 0.0:
                for k in range(B.shape[1]):
                    product[i, k] += A[i, j] * B[j, k]


@leaf
def write_roles(
    tables: Tables,
    given: Indices,
    measured: bool,
    moves: Flags,
    unknown: Array,
    noticed: Array,
    effects: Array,
    is_given: Flags,
    roles: Indices,
    depends: Flags,
) -> None:
    """Write the role of every joint where the rates of some columns are given.

    They are measured, or merely chosen. moves says of each column whether it moves here or in
    configurations nearby: what is at rest here only is not locked. Unknown are the motions in
    which given columns rest, noticed those of them that somebody sees, and effects what the given
    ones do.
    """
    for n in range(given.shape[0]):
        is_given[given[n]] = True
    for joint in range(roles.shape[0]):
        if tables.settled[joint] >= 0:
            roles[joint] = tables.settled[joint]
            continue
        moved, asked, free, idle = False, False, False, False
        first, last = tables.joint_ends[joint], tables.joint_ends[joint + 1]
        for n in range(first, last):
            column = tables.joint_columns[n]
            moved |= moves[column]
            asked |= not is_given[column]
            free |= length_of(noticed, column) > MOVES
            idle |= length_of(unknown, column) > MOVES
        if not moved:
            roles[joint] = LOCKED
        elif not asked:
            roles[joint] = MEASURED if measured else FREE
        elif free:
            roles[joint] = FREE
        else:
            roles[joint] = IDLE if idle else DEPENDENT
            for n in range(first, last):
                for k in range(given.shape[0]):
                    depends[joint, k] |= abs(effects[tables.joint_columns[n], k]) > MOVES


@leaf
def write_modes(
    tables: Tables,
    basis: Array,
    idle: Array,
    chosen: Indices,
    noticed: Array,
    rates: Array,
    is_idle: Flags,
) -> None:
    """Write the rates of each mode, and whether nothing outside notices it.

    The basis (columns, mobility) has a unit motion of each chosen column, the others at rest.
    """
    take_out_idle(basis, idle, noticed)
    for m in range(basis.shape[1]):
        whole, seen = 0.0, 0.0
        for column in range(basis.shape[0]):
            whole += basis[column, m] ** 2
            seen += noticed[column, m] ** 2
        is_idle[m] = math.sqrt(seen) < MOVES * math.sqrt(whole)
        for v in range(rates.shape[1]):
            rate = tables.fold[v] * basis[tables.column_of[v], m] / tables.scale[chosen[m]]
            rates[m, v] = rate if abs(rate) > MOVES * tables.all_scale[v] else 0.0
