# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""A model's loop rows, metres and radians made comparable, and what is prepared once for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
import math
from threading import Lock
from typing import NamedTuple

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.constraints.augmented import link_jacobians
from kinematics_node.constraints.evaluate import Work
from kinematics_node.constraints.kinds import Kind
from kinematics_node.constraints.reduction import mimic_reduction
from kinematics_node.constraints.reduction import Reduction
from kinematics_node.constraints.system import ConstraintSystem
from kinematics_node.constraints.table import characteristic_length
from kinematics_node.constraints.table import Element
from kinematics_node.mobility.idle import bodies_of
from kinematics_node.model.model import Model
from kinematics_node.solving.plan import lengths_of
from kinematics_node.solving.solver import LoopSolver

RANK_THRESHOLD = 1e-6  # of the largest singular value, or of one: scaled rows are of that size
CLEAR = 100.0  # factor by which singular values stay off the threshold where a rank is certain


class Part(NamedTuple):
    """Rows and the columns that they hold, apart from all others, and where both are in J."""

    rows: list[int]
    columns: list[int]
    place: tuple[np.ndarray, ...]


class JointFacts(NamedTuple):
    """A joint's name, type, rows c, columns, and the joint it follows if any."""

    name: str
    type: str
    rows: int
    columns: list[int]
    master: str


class Mechanism:
    """The rows of a model over the coordinates that follow nobody.

    Attributes
    ----------
    scale : array, shape (independent,)
        Rate per unit of a column: the characteristic length for lengths, 1 for angles.
    weight : array, shape (rows,)
        1 / length for rows in metres, 1 for radians; couplings have coefficients of unit length.
    in_loop : bool array, shape (nv,)
        Velocity coordinates on the way of a closure or in a coupling.
    parts : list of Part
        Rows and columns that have to do with each other.
    joints : list of JointFacts
        What does not change about each joint.
    joint_of : list of str
        The joint of each velocity coordinate.
    bodies : Bodies
        What idle motions leave alone.
    alone : bool array, shape (independent,)
        Columns outside all loops.
    tree_rows : dict of str to int
        Rows of tree joints and mimics by kind.
    solver : LoopSolver
        One in which nothing is measured, to be used under the lock.
    """

    def __init__(self, model: Model) -> None:
        self.system = ConstraintSystem(model)
        self.reduction = mimic_reduction(model)
        self.length = characteristic_length(model)
        self.all_scale = np.where(lengths_of(model), self.length, 1.0)
        self.scale = self.all_scale[list(self.reduction.independent)]
        self.weight = self._weights()
        self.in_loop = np.zeros(model.nv, bool)
        for element in self.system.elements:
            self.in_loop[[v for v, _, _ in element.support]] = True
        index = {v: j for j, v in enumerate(self.reduction.independent)}
        self.parts = _parts(self.system.elements, self.reduction, self.system.slices)
        self.joints: list[JointFacts] = []
        self.joint_of: list[str] = []
        for joint, row in zip(model.joints, model.tree[1:].tolist(), strict=True):
            own = range(row[3], row[3] + joint.type.nv)
            columns = [index[v] for v in own if v in index]
            master = model.mimics[joint.name].master if joint.name in model.mimics else ''
            kind = joint.type.name.lower()
            self.joints.append(
                JointFacts(joint.name, kind, joint.type.constraint_rows, columns, master)
            )
            self.joint_of += [joint.name] * joint.type.nv
        self.bodies = bodies_of(model, self.system.elements)
        self.alone = ~self.in_loop[list(self.reduction.independent)]
        self.tree_rows = _tree_rows(model)
        self.solver = LoopSolver(model)
        self.lock = Lock()

    def rows(self, work: Work) -> Array:
        """Return the scaled Jacobian, shape (rows, independent), of a configuration."""
        J: Array = self.weight[:, None] * (work.J @ self.reduction.T) * self.scale
        return J

    def link_columns(self, model: Model, work: Work) -> Array:
        """Return the velocities of links for unit columns, shape (links, 6, independent)."""
        J: Array = link_jacobians(model, work.X, work.S) @ (self.reduction.T * self.scale)
        return J

    def _weights(self) -> Array:
        weights: list[float] = []
        for element in self.system.elements:
            if element.kind is Kind.COUPLING:
                size = np.linalg.norm([k * self.all_scale[v] for v, _, k in element.support])
                weights.append(1.0 / float(size))
            else:
                weights += [1.0 / self.length if u == 'm' else 1.0 for u in element.units]
        return np.array(weights)


@lru_cache(maxsize=8)
def mechanism_of(model: Model) -> Mechanism:
    """Return what is prepared for a model, made when it is first asked for."""
    return Mechanism(model)


@dataclass(frozen=True, eq=False)
class Rank:
    """The numerical rank of a set of rows, and how it was told.

    Attributes
    ----------
    rank : int
        Singular values above the threshold.
    threshold : float
        What counts as zero: RANK_THRESHOLD of the largest singular value, or of one.
    above, below : float
        The singular values next to the threshold on both sides; 0 where there is none.
    certain : bool
        Whether both stay off the threshold by a factor of CLEAR.
    motions : array, shape (columns, columns - rank)
        Orthonormal directions that the rows allow.
    conflicts : array, shape (rows, rows - rank)
        Orthonormal combinations of rows that say nothing new.
    """

    rank: int
    threshold: float
    above: float
    below: float
    certain: bool
    motions: Array
    conflicts: Array


def rank_of(J: Array, parts: Sequence[Part]) -> Rank:
    """Return the rank of scaled rows, by the singular values of each part.

    Parts share neither rows nor columns, so that their singular values are those of the whole.
    """
    m, n = J.shape
    split = [np.linalg.svd(J[part.place]) for part in parts]
    largest = max((float(s.max(initial=0.0)) for _, s, _ in split), default=0.0)
    threshold = RANK_THRESHOLD * max(largest, 1.0)
    alone = sorted(set(range(n)).difference(*(part.columns for part in parts)))
    ranks = [int((s > threshold).sum()) for _, s, _ in split]
    rank = sum(ranks)
    motions, conflicts = np.zeros((n, n - rank)), np.zeros((m, m - rank))
    motions[alone, range(len(alone))] = 1.0
    column, row = len(alone), 0
    above, below = math.inf, 0.0
    for part, (U, s, Vt), r in zip(parts, split, ranks, strict=True):
        free, left = len(part.columns) - r, len(part.rows) - r
        motions[part.columns, column : column + free] = Vt[r:].T
        conflicts[part.rows, row : row + left] = U[:, r:]
        column, row = column + free, row + left
        above = min(above, float(s[:r].min(initial=math.inf)))
        below = max(below, float(s[r:].max(initial=0.0)))
    certain = above > CLEAR * threshold and below * CLEAR <= threshold
    above = above if rank else 0.0
    return Rank(rank, threshold, above, below, certain, motions, conflicts)


def _parts(
    elements: Sequence[Element], reduction: Reduction, slices: Sequence[slice]
) -> list[Part]:
    """Group rows and columns that have to do with each other, directly or through others."""
    index = {v: j for j, v in enumerate(reduction.independent)}
    parts: list[tuple[set[int], list[int]]] = []
    for element, rows in zip(elements, slices, strict=True):
        columns = {index[reduction.masters.get(v, (v, 1.0))[0]] for v, _, _ in element.support}
        own = list(range(rows.start, rows.stop))
        apart = []
        for other in parts:
            if columns & other[0]:
                columns |= other[0]
                own = other[1] + own
            else:
                apart.append(other)
        parts = [*apart, (columns, own)]
    found = [(sorted(rows), sorted(columns)) for columns, rows in parts]
    return [Part(rows, columns, np.ix_(rows, columns)) for rows, columns in found]


def _tree_rows(model: Model) -> dict[str, int]:
    rows: dict[str, int] = {}
    for joint in model.joints:
        kind = joint.type.name.lower()
        rows[kind] = rows.get(kind, 0) + joint.type.constraint_rows
    if model.mimics:
        rows['mimic'] = len(model.mimics)
    return rows
