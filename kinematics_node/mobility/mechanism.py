# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""A model's loop rows, metres and radians made comparable, and what is prepared once for them."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from itertools import pairwise
from threading import Lock
from typing import NamedTuple

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.constraints.kinds import Kind
from kinematics_node.constraints.reduction import mimic_reduction
from kinematics_node.constraints.reduction import Reduction
from kinematics_node.constraints.system import ConstraintSystem
from kinematics_node.constraints.table import characteristic_length
from kinematics_node.constraints.table import Element
from kinematics_node.constraints.table import pack
from kinematics_node.mobility.idle import bodies_of
from kinematics_node.mobility.report import ElementRows
from kinematics_node.mobility.report import JointRole
from kinematics_node.mobility.report import Role
from kinematics_node.mobility.tables import Tables
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
    model : Model
        The robot.
    motors : tuple of str
        Joints that the description calls actuated.
    system : ConstraintSystem
        The rows of closures and couplings over all velocity coordinates.
    column_names : list of str
        The velocity coordinate of each column.
    joints : list of JointFacts
        What does not change about each joint.
    joint_of : list of str
        The joint of each velocity coordinate.
    rows_by_kind : dict of str to int
        Rows of tree joints, mimics, closures and couplings by kind.
    tree_rows : int
        Sum of those of tree joints and mimics, which are always independent.
    sound : tuple of ElementRows
        The elements where no rows are redundant.
    tables : Tables
        All this in arrays.
    solver : LoopSolver
        One in which nothing is measured, to be used under the lock.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.motors = tuple(j.name for j in model.joints if j.actuated and j.type.nv)
        self.system = ConstraintSystem(model)
        reduction = mimic_reduction(model)
        independent, masters = reduction.independent, reduction.masters
        index = {v: j for j, v in enumerate(independent)}
        self._column_of = [index[masters.get(v, (v, 1.0))[0]] for v in range(model.nv)]
        self.column_names = [model.velocity_names[v] for v in independent]
        self.joints: list[JointFacts] = []
        self.joint_of: list[str] = []
        for joint, v in zip(model.joints, model.tree[1:, 3].tolist(), strict=True):
            own = [index[k] for k in range(v, v + joint.type.nv) if k in index]
            self.joints.append(_facts(model, joint, own))
            self.joint_of += [joint.name] * joint.type.nv
        elements = self.system.elements
        tree_rows = _tree_rows(model)
        self.tree_rows = sum(tree_rows.values())
        self.rows_by_kind = tree_rows | _loop_rows(elements)
        self.sound = tuple(
            ElementRows(e.name, e.kind.name.lower(), len(e.units), 0, False) for e in elements
        )
        self.solver = LoopSolver(model)
        self.tables = self._tables(reduction)
        self.lock = Lock()

    def columns_of(self, rates: Indices) -> Indices:
        """Return the columns of velocity coordinates, each once; a follower has its master's."""
        return _unique(self._column_of[v] for v in rates.tolist())

    def _tables(self, reduction: Reduction) -> Tables:
        model, elements = self.model, self.system.elements
        length = characteristic_length(model)
        all_scale = np.where(lengths_of(model), length, 1.0)
        scale = all_scale[list(reduction.independent)]
        column_of = np.array(self._column_of, np.int64)
        factors = reduction.T[np.arange(model.nv), column_of]
        in_loop = {v for element in elements for v, _, _ in element.support}
        table, bodies = pack(elements), bodies_of(model, elements, length)
        groups = _parts(elements, self._column_of)
        rows = [_rows_of(members, self.system.slices) for members, _ in groups]
        columns = [sorted(held) for _, held in groups]
        row_ends, column_ends = pairwise(_ends(rows)), pairwise(_ends(columns))
        parts = [own + held for own, held in zip(row_ends, column_ends, strict=True)]
        part_of = {e: p for p, (members, _) in enumerate(groups) for e in members}
        joint_columns = [joint.columns for joint in self.joints]
        joint_rates = (self._rates_of(joint) for joint in model.joints if joint.independent)
        return Tables(
            tree=model.tree,
            placement=model.placement,
            elements=table.elements,
            geometry=table.geometry,
            support=table.support,
            coefficient=table.coefficient,
            weight=_weights(elements, length, all_scale),
            column_of=column_of,
            fold=factors * scale[column_of],
            scale=scale,
            all_scale=all_scale,
            parts=np.array(parts, np.int64).reshape(-1, 4),
            part_rows=_flat(rows),
            part_columns=_flat(columns),
            apart=_flat([sorted(set(range(len(scale))).difference(*columns))]),
            element_part=_flat([[part_of[e] for e in range(len(elements))]]),
            origins=bodies.origins,
            links=bodies.links,
            points=bodies.points,
            point_weight=bodies.weight,
            alone=np.array([v not in in_loop for v in reduction.independent], bool),
            joint_ends=_flat([_ends(joint_columns)]),
            joint_columns=_flat(joint_columns),
            settled=_flat(
                [[-1 if j.settled is None else int(j.settled.role) for j in self.joints]]
            ),
            marked=_unique(self._column_of[v] for rates in joint_rates for v in rates),
            plan_columns=column_of[self.solver.plan.arrays.column_v],
        )

    def _rates_of(self, joint: Joint) -> range:
        where = self.model.velocities_of(joint.name)
        return range(where.start, where.stop)


@lru_cache(maxsize=8)
def mechanism_of(model: Model) -> Mechanism:
    """Return what is prepared for a model, made when it is first asked for."""
    return Mechanism(model)


def _parts(
    elements: Sequence[Element], column_of: Sequence[int]
) -> list[tuple[list[int], set[int]]]:
    """Group elements and columns that have to do with each other, directly or through others."""
    parts: list[tuple[list[int], set[int]]] = []
    for e, element in enumerate(elements):
        members, columns = [e], {column_of[v] for v, _, _ in element.support}
        apart = []
        for other in parts:
            if columns & other[1]:
                members, columns = other[0] + members, columns | other[1]
            else:
                apart.append(other)
        parts = [*apart, (sorted(members), columns)]
    return parts


def _rows_of(members: Iterable[int], slices: Sequence[slice]) -> list[int]:
    return [r for e in members for r in range(slices[e].start, slices[e].stop)]


def _ends(lists: Sequence[Sequence[int]]) -> list[int]:
    """Return where each list starts, and the last one ends, once they are put together."""
    return list(accumulate(map(len, lists), initial=0))


def _flat(lists: Iterable[Iterable[int]]) -> Indices:
    return np.array([number for one in lists for number in one], np.int64)


def _unique(numbers: Iterable[int]) -> Indices:
    return np.array(list(dict.fromkeys(numbers)), np.int64)


def _weights(elements: Sequence[Element], length: float, all_scale: Array) -> Array:
    weights: list[float] = []
    for element in elements:
        if element.kind is Kind.COUPLING:
            size = np.linalg.norm([k * all_scale[v] for v, _, k in element.support])
            weights.append(1.0 / float(size))
        else:
            weights += [1.0 / length if u == 'm' else 1.0 for u in element.units]
    return np.array(weights)


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
