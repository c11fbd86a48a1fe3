# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What the kernel of the DOF report takes and gives."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.compiled import Ints

Flags = NDArray[np.bool_]

# Columns of a part: where its entries in the lists of rows and of columns start and end.
ROWS, COLUMNS = 0, 2
# Numbers of Found.
THRESHOLD, ABOVE, BELOW = 0, 1, 2
# Counts of Found.
RANK, MOBILITY, IDLE, DRIVEN, NEAR = 0, 1, 2, 3, 4


class Tables(NamedTuple):
    """What of a model does not depend on the configuration.

    Columns are the velocity coordinates that follow nobody.

    Attributes
    ----------
    tree, placement : arrays
        The model's.
    elements, geometry, support, coefficient : arrays
        The table of closures and couplings of constraints/table.py.
    weight : array, shape (rows,)
        1 / length for rows in metres, 1 for radians; couplings have coefficients of unit length.
    column_of : int64 array, shape (nv,)
        The column of each velocity coordinate, a follower's being its master's.
    fold : array, shape (nv,)
        The rate of each velocity coordinate for a unit of its column.
    scale, all_scale : arrays, shapes (columns,) and (nv,)
        The characteristic length for lengths, 1 for angles.
    parts : int64 array, shape (parts, 4)
        Rows and columns that have to do with each other, as ranges of the next two lists.
    part_rows, part_columns : int64 arrays
        Rows and columns, part by part.
    apart : int64 array
        Columns of no part.
    element_part : int64 array, shape (elements,)
        The part of each element.
    origins : int
        How many of the points are origins of bodies, which may not turn either.
    links : int64 array, shape (points,)
        The link of each point that idle motions leave alone.
    points, point_weight : arrays, shapes (points, 3) and (points,)
        Where they are on their links, and what a metre there counts.
    alone : bool array, shape (columns,)
        Columns outside all loops.
    joint_ends : int64 array, shape (joints + 1,)
        Where the columns of each joint start in the next list.
    joint_columns : int64 array
        Columns, joint by joint.
    settled : int64 array, shape (joints,)
        A joint's role where that does not depend on the configuration, else -1.
    marked : int64 array
        Columns of joints that the description calls independent.
    plan_columns : int64 array
        The columns that the plan of loops has.
    """

    tree: Ints
    placement: Array
    elements: Indices
    geometry: Array
    support: Indices
    coefficient: Array
    weight: Array
    column_of: Indices
    fold: Array
    scale: Array
    all_scale: Array
    parts: Indices
    part_rows: Indices
    part_columns: Indices
    apart: Indices
    element_part: Indices
    origins: int
    links: Indices
    points: Array
    point_weight: Array
    alone: Flags
    joint_ends: Indices
    joint_columns: Indices
    settled: Indices
    marked: Indices
    plan_columns: Indices


class Found(NamedTuple):
    """What the kernel writes.

    Attributes
    ----------
    numbers : array, shape (3,)
        What counted as zero among singular values, and those next to it.
    counts : int64 array, shape (5,)
        Rank, mobility, idle motions, independent motions that are driven, configurations nearby.
    near_ranks, near_above : int64 array, array
        Ranks nearby, and the smallest singular value that counts of each.
    chosen : int64 array, shape (columns,)
        The independent columns; ones that somebody notices come first.
    rates : array, shape (columns, nv)
        A row for each of them: the rates of all velocity coordinates, zero for those that rest.
    idle : bool array, shape (columns,)
        Of each of them, whether nothing outside notices the motion.
    redundant : int64 array, shape (elements,)
        Rows that say nothing that those before have not said.
    overlaps : bool array, shape (elements,)
        Whether some rows depend on others, whichever come first.
    roles : int64 array, shape (joints,)
        The role of each joint.
    depends : bool array, shape (joints, columns)
        Which of the given columns move it.
    """

    numbers: Array
    counts: Indices
    near_ranks: Indices
    near_above: Array
    chosen: Indices
    rates: Array
    idle: Flags
    redundant: Indices
    overlaps: Flags
    roles: Indices
    depends: Flags


def new_found(tables: Tables, neighbours: int) -> Found:
    """Return arrays to be written."""
    columns, elements, joints = tables.scale.size, len(tables.elements), tables.settled.size
    return Found(
        numbers=np.empty(3),
        counts=np.zeros(5, np.int64),
        near_ranks=np.zeros(neighbours, np.int64),
        near_above=np.zeros(neighbours),
        chosen=np.zeros(columns, np.int64),
        rates=np.zeros((columns, tables.fold.size)),
        idle=np.zeros(columns, bool),
        redundant=np.zeros(elements, np.int64),
        overlaps=np.zeros(elements, bool),
        roles=np.zeros(joints, np.int64),
        depends=np.zeros((joints, columns), bool),
    )
