# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""All numbers of a DOF report, in one kernel."""

from __future__ import annotations

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.compiled import kernel
from kinematics_node.constraints.primitive import ROW_WIDTH
from kinematics_node.constraints.primitive import WEIGHT
from kinematics_node.constraints.rows import place_links
from kinematics_node.constraints.rows import write_jacobian
from kinematics_node.constraints.rows import write_rows
from kinematics_node.mobility.idle import write_idle
from kinematics_node.mobility.idle import write_seen
from kinematics_node.mobility.linear import invert_into
from kinematics_node.mobility.linear import length_of
from kinematics_node.mobility.nearby import look_around
from kinematics_node.mobility.nearby import MOVES
from kinematics_node.mobility.pivots import choose_independent
from kinematics_node.mobility.pivots import take_out_idle
from kinematics_node.mobility.rank import count_rank
from kinematics_node.mobility.rank import count_redundant
from kinematics_node.mobility.rank import find_overlaps
from kinematics_node.mobility.rank import part_rows
from kinematics_node.mobility.rank import scale_rows
from kinematics_node.mobility.rank import write_motions
from kinematics_node.mobility.roles import independent_rank
from kinematics_node.mobility.roles import load_rows
from kinematics_node.mobility.roles import multiply
from kinematics_node.mobility.roles import write_influence
from kinematics_node.mobility.roles import write_modes
from kinematics_node.mobility.roles import write_roles
from kinematics_node.mobility.tables import ABOVE
from kinematics_node.mobility.tables import BELOW
from kinematics_node.mobility.tables import DRIVEN
from kinematics_node.mobility.tables import Flags
from kinematics_node.mobility.tables import Found
from kinematics_node.mobility.tables import IDLE
from kinematics_node.mobility.tables import MOBILITY
from kinematics_node.mobility.tables import NEAR
from kinematics_node.mobility.tables import RANK
from kinematics_node.mobility.tables import Tables
from kinematics_node.mobility.tables import THRESHOLD
from kinematics_node.solving.plan import Plan
from kinematics_node.solving.plan import Work


@kernel
def analyse(
    tables: Tables,
    plan: Plan,
    work: Work,
    steps: Array,
    q: Array,
    most_open: float,
    given: Indices,
    driven: Indices,
    measured: bool,
    found: Found,
) -> bool:
    """Write what a DOF report tells of a configuration; False where loops are open by more.

    Parameters
    ----------
    tables : Tables
        What is known of the model.
    plan, work : Plan, Work
        Its loops where nothing is measured; the memory is overwritten.
    steps : array, shape (neighbours, plan's columns)
        Where to look around.
    q : array, shape (nq,)
        The configuration.
    most_open : float
        Residual up to which it is taken as it is.
    given, driven : int64 arrays
        Columns that are measured, and those of motors.
    measured : bool
        Whether roles are told with respect to given columns; otherwise to the chosen ones.
    found : Found
        Takes the answer, new as new_found() makes it.
    """
    rows = tables.weight.shape[0]
    columns, every = tables.scale.shape[0], np.arange(tables.scale.shape[0])
    X, scaled = np.empty((tables.tree.shape[0], 7)), np.empty((rows, columns))
    if not write_scaled(tables, q, most_open, X, scaled):
        return False
    parted, turned = np.zeros((rows, columns)), np.zeros((rows, rows))
    threshold = part_rows(tables, scaled, parted, turned)
    rank, above, below = count_rank(tables, parted, threshold)
    found.numbers[THRESHOLD], found.numbers[ABOVE], found.numbers[BELOW] = threshold, above, below
    mobility = columns - rank
    motions, square = np.zeros((columns, mobility)), np.empty((columns, columns))
    write_motions(tables, parted, threshold, square, np.empty(columns), motions)
    if rank < rows:
        find_overlaps(tables, parted, turned, threshold, found.overlaps)
        count_redundant(tables, scaled, threshold, found.redundant)
    idle = find_idle(tables, q, motions, given, driven, X)
    rest, chosen, counts = np.empty((columns, mobility)), found.chosen[:mobility], found.counts
    choose_independent(motions, idle, given, driven, tables.marked, every, rest, chosen)
    moves = np.zeros(columns, np.bool_)
    for column in range(columns):
        moves[column] = length_of(motions, column) > MOVES
    counts[NEAR] = look_around(
        plan, work, q, steps, rank, above, tables.plan_columns, moves, found
    )
    counts[RANK], counts[MOBILITY], counts[IDLE] = rank, mobility, idle.shape[1]
    counts[DRIVEN] = independent_rank(motions, driven, np.zeros((driven.shape[0], mobility)))
    known = given if measured else chosen[: mobility - idle.shape[1]]
    tell_roles(tables, motions, idle, known, measured, moves, found)
    find_modes(tables, motions, idle, chosen, rest, found)
    return True


@kernel
def write_scaled(tables: Tables, q: Array, most_open: float, X: Array, scaled: Array) -> bool:
    """Write poses and scaled rows; False where the loops are open by more."""
    links, count = np.arange(X.shape[0]), tables.elements.shape[0]
    S, J = np.empty((tables.fold.shape[0], 6)), np.zeros((scaled.shape[0], tables.fold.shape[0]))
    records = np.zeros((J.shape[0], ROW_WIDTH))
    records[:, WEIGHT] = 1.0
    place_links(0, links, 1, X.shape[0], tables.tree, tables.placement, q, X, S)
    table = (tables.elements, tables.geometry, tables.support, tables.coefficient)
    write_rows(*table, 0, count, q, X, records)
    for r in range(J.shape[0]):
        if abs(records[r, 0]) > most_open:
            return False
    write_jacobian(tables.elements, tables.support, tables.coefficient, 0, count, 0, records, S, J)
    scale_rows(tables, J, scaled)
    return True


@kernel
def find_idle(
    tables: Tables, q: Array, motions: Array, given: Indices, driven: Indices, X: Array
) -> Array:
    """Return orthonormal idle directions, shape (columns, idle), among the motions."""
    columns, mobility = motions.shape
    idle = np.empty((columns, mobility))
    if mobility == 0 or tables.part_columns.shape[0] == 0:
        return idle[:, :0]
    alone = tables.alone.copy()
    for n in range(given.shape[0]):
        alone[given[n]] = True
    for n in range(driven.shape[0]):
        alone[driven[n]] = True
    seen = np.empty((mobility, 3 * (tables.links.shape[0] + tables.origins)))
    write_seen(
        tables, q, motions, np.empty(tables.fold.shape[0]), X, np.empty((X.shape[0], 6)), seen
    )
    gram, turned = np.empty((mobility, mobility)), np.empty((mobility, mobility))
    return idle[:, : write_idle(motions, seen, alone, gram, turned, idle)]


@kernel
def tell_roles(
    tables: Tables,
    motions: Array,
    idle: Array,
    known: Indices,
    measured: bool,
    moves: Flags,
    found: Found,
) -> None:
    """Write the role of every joint, and what it depends on."""
    columns, mobility = motions.shape
    count = known.shape[0]
    inverse, P = np.empty((mobility, count)), np.empty((mobility, mobility))
    write_influence(
        motions, known, np.zeros((count, mobility)), np.empty((count, count)), inverse, P
    )
    effects, unknown = np.empty((columns, count)), np.empty((columns, mobility))
    noticed, is_given = np.empty((columns, mobility)), np.zeros(columns, np.bool_)
    multiply(motions, inverse, effects)
    multiply(motions, P, unknown)
    take_out_idle(unknown, idle, noticed)
    write_roles(
        tables,
        known,
        measured,
        moves,
        unknown,
        noticed,
        effects,
        is_given,
        found.roles,
        found.depends,
    )


@kernel
def find_modes(
    tables: Tables, motions: Array, idle: Array, chosen: Indices, rest: Array, found: Found
) -> None:
    """Write the motions of the chosen columns, one each."""
    mobility = motions.shape[1]
    shown, inverse = np.empty((mobility, mobility)), np.empty((mobility, mobility))
    basis = np.empty_like(motions)
    load_rows(motions, chosen, shown)
    invert_into(shown, mobility, inverse)
    multiply(motions, inverse, basis)
    write_modes(tables, basis, idle, chosen, rest, found.rates, found.idle)
