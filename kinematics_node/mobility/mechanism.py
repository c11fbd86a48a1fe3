# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""A model's loop rows, metres and radians made comparable, and what is prepared once for them."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from functools import lru_cache
from threading import Lock
from typing import NamedTuple

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.constraints.evaluate import Work
from kinematics_node.constraints.kinds import Kind
from kinematics_node.constraints.reduction import mimic_reduction
from kinematics_node.constraints.system import ConstraintSystem
from kinematics_node.constraints.table import characteristic_length
from kinematics_node.constraints.table import Element
from kinematics_node.mobility.idle import bodies_of
from kinematics_node.mobility.rank import Part
from kinematics_node.mobility.report import ElementRows
from kinematics_node.mobility.report import JointRole
from kinematics_node.mobility.report import Role
from kinematics_node.model.elements import Joint
from kinematics_node.model.model import Model
from kinematics_node.solving.plan import lengths_of
from kinematics_node.solving.solver import LoopSolver


class JointFacts(NamedTuple):
    """A joint's name, type, rows c and columns; its role where that does not depend on q."""

    name: str
    type: str
    rows: int
    columns: list[int]
    settled: JointRole | None


class Mechanism:
    """The rows of a model over the coordinates that follow nobody.

    Attributes
    ----------
    motors : tuple of str
        Joints that the description calls actuated.
    scale : array, shape (independent,)
        Rate per unit of a column: the characteristic length for lengths, 1 for angles.
    spread : array, shape (nv, independent)
        The rates that a unit of each column stands for, followers among them.
    weight : array, shape (rows,)
        1 / length for rows in metres, 1 for radians; couplings have coefficients of unit length.
    in_loop : bool array, shape (nv,)
        Velocity coordinates on the way of a closure or in a coupling.
    parts : list of Part
        Rows and columns that have to do with each other.
    apart : int64 array
        Columns of no part.
    column_of : int64 array, shape (nv,)
        The column of each velocity coordinate, a follower's being its master's.
    column_names : list of str
        The velocity coordinate of each column.
    marked : int64 array
        Columns of joints that the description calls independent.
    joints : list of JointFacts
        What does not change about each joint.
    belongs : array, shape (joints, independent)
        1 where a column is one of a joint's.
    joint_of : list of str
        The joint of each velocity coordinate.
    bodies : Bodies
        What idle motions leave alone.
    alone : bool array, shape (independent,)
        Columns outside all loops.
    rows_by_kind : dict of str to int
        Rows of tree joints, mimics, closures and couplings by kind.
    tree_rows : int
        Sum of those of tree joints and mimics, which are always independent.
    sound : tuple of ElementRows
        The elements where no rows are redundant.
    solver : LoopSolver
        One in which nothing is measured, to be used under the lock.
    plan_columns : int64 array
        The columns that the solver's plan has.
    """

    def __init__(self, model: Model) -> None:
        self.motors = tuple(j.name for j in model.joints if j.actuated and j.type.nv)
        self.system = ConstraintSystem(model)
        elements = self.system.elements
        self.reduction = mimic_reduction(model)
        independent, masters = self.reduction.independent, self.reduction.masters
        self.length = characteristic_length(model)
        self.all_scale = np.where(lengths_of(model), self.length, 1.0)
        self.scale = self.all_scale[list(independent)]
        self.spread: Array = self.reduction.T * self.scale
        self.weight = self._weights()
        self.in_loop = np.zeros(model.nv, bool)
        for element in elements:
            self.in_loop[[v for v, _, _ in element.support]] = True
        self.alone = ~self.in_loop[list(independent)]
        index = {v: j for j, v in enumerate(independent)}
        columns = [index[masters.get(v, (v, 1.0))[0]] for v in range(model.nv)]
        self.column_of = np.array(columns, np.int64)
        self.column_names = [model.velocity_names[v] for v in independent]
        self.parts = _parts(elements, columns, self.system.slices)
        held = {j for part in self.parts for j in part.columns.tolist()}
        self.apart = _sorted(set(range(len(independent))) - held)
        self.bodies = bodies_of(model, elements, self.length)
        self._prepare_joints(model, index)
        tree_rows = _tree_rows(model)
        self.tree_rows = sum(tree_rows.values())
        self.rows_by_kind = tree_rows | _loop_rows(elements)
        self.sound = tuple(
            ElementRows(e.name, e.kind.name.lower(), len(e.units), 0, False) for e in elements
        )
        self.solver = LoopSolver(model)
        self.plan_columns = self.column_of[self.solver.plan.arrays.column_v]
        self.lock = Lock()

    def rows(self, work: Work) -> Array:
        """Return the scaled Jacobian, shape (rows, independent), of a configuration."""
        J: Array = self.weight[:, None] * (work.J @ self.reduction.T) * self.scale
        return J

    def _prepare_joints(self, model: Model, index: Mapping[int, int]) -> None:
        self.joints: list[JointFacts] = []
        self.joint_of: list[str] = []
        self.belongs = np.zeros((len(model.joints), len(index)))
        marked: list[int] = []
        for n, (joint, v) in enumerate(zip(model.joints, model.tree[1:, 3].tolist(), strict=True)):
            own = [index[k] for k in range(v, v + joint.type.nv) if k in index]
            self.joints.append(_facts(model, joint, own))
            self.joint_of += [joint.name] * joint.type.nv
            self.belongs[n, own] = 1.0
            if joint.independent:
                marked += self.column_of[v : v + joint.type.nv].tolist()
        self.marked = np.array(list(dict.fromkeys(marked)), np.int64)

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


def _parts(
    elements: Sequence[Element], column_of: Sequence[int], slices: Sequence[slice]
) -> list[Part]:
    """Group rows and columns that have to do with each other, directly or through others."""
    parts: list[tuple[set[int], list[int]]] = []
    for element, rows in zip(elements, slices, strict=True):
        columns = {column_of[v] for v, _, _ in element.support}
        own = list(range(rows.start, rows.stop))
        apart = []
        for other in parts:
            if columns & other[0]:
                columns |= other[0]
                own = other[1] + own
            else:
                apart.append(other)
        parts = [*apart, (columns, own)]
    found = [(_sorted(rows), _sorted(columns)) for columns, rows in parts]
    return [Part(rows, columns, (rows[:, None], columns)) for rows, columns in found]


def _sorted(numbers: Iterable[int]) -> Indices:
    return np.array(sorted(numbers), np.int64)


def _facts(model: Model, joint: Joint, columns: list[int]) -> JointFacts:
    kind, rows = joint.type.name.lower(), joint.type.constraint_rows
    settled = None
    if joint.name in model.mimics:
        master = model.mimics[joint.name].master
        settled = JointRole(joint.name, kind, rows, Role.MIMICKING, (master,))
    elif not columns:
        settled = JointRole(joint.name, kind, rows, Role.FIXED)
    return JointFacts(joint.name, kind, rows, columns, settled)


def _tree_rows(model: Model) -> dict[str, int]:
    rows: dict[str, int] = {}
    for joint in model.joints:
        kind = joint.type.name.lower()
        rows[kind] = rows.get(kind, 0) + joint.type.constraint_rows
    if model.mimics:
        rows['mimic'] = len(model.mimics)
    return rows


def _loop_rows(elements: Sequence[Element]) -> dict[str, int]:
    rows: dict[str, int] = {}
    for element in elements:
        kind = element.kind.name.lower()
        kind = kind if kind == 'coupling' else f'{kind} closure'
        rows[kind] = rows.get(kind, 0) + len(element.units)
    return rows
