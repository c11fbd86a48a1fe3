# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What is said of joints, closures and rows whatever they carry, made once for each model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

from kinematics_node.constraints.kinds import Kind
from kinematics_node.forces.plan import BRAKE
from kinematics_node.forces.plan import Plan
from kinematics_node.forces.plan import plan_of
from kinematics_node.forces.wording import row_meaning
from kinematics_node.model.model import Model


class Carrier(NamedTuple):
    """A joint or closure, which carries load from a parent link to a child link.

    Attributes
    ----------
    name, type : str
        Its own.
    parent, child : str
        The links; a closure's link A and link B.
    axes : tuple of int
        The links on whose axes its load may be wanted: of frame 0 parent, 1 child, 2 world.
    frames : tuple of str
        Their names.
    velocities : slice
        Where its velocity coordinates are; a closure has none.
    """

    name: str
    type: str
    parent: str
    child: str
    axes: tuple[int, int, int]
    frames: tuple[str, str, str]
    velocities: slice


class Row(NamedTuple):
    """A row, whose multiplier has the attributes of a Multiplier."""

    element: str
    group: str
    meaning: str
    unit: str


@dataclass(frozen=True, eq=False)
class Labels:
    """All of a model's joints, closures and rows, in the order of their numbers.

    joint_of tells the joint of each coordinate of q.
    """

    joints: tuple[Carrier, ...]
    closures: tuple[Carrier, ...]
    closure_index: Mapping[str, int]
    rows: tuple[Row, ...]
    joint_of: Mapping[str, str]


_labels: WeakKeyDictionary[Model, Labels] = WeakKeyDictionary()


def labels_of(model: Model) -> Labels:
    """Return the labels of a model, made on the first question."""
    labels = _labels.get(model)
    if labels is None:
        labels = _labels[model] = make_labels(model, plan_of(model))
    return labels


def make_labels(model: Model, plan: Plan) -> Labels:
    """Return what is said of a model's joints, closures and rows."""
    joints = []
    for link, joint in enumerate(model.joints, 1):
        parent, v = int(model.tree[link, 0]), int(model.tree[link, 3])
        where = slice(v, v + joint.type.nv)
        joints.append(_carrier(model, joint.name, joint.type.name.lower(), parent, link, where))
    closures = [
        _carrier(model, c.name, c.type, element.link_A, element.link_B, slice(0, 0))
        for c, element in zip(model.closures, plan.elements[: len(model.closures)], strict=True)
    ]
    closure_index = {closure.name: c for c, closure in enumerate(closures)}
    joint_of = {
        coordinate: joint.name
        for joint in model.joints
        for coordinate in model.coordinate_names[model.coordinates_of(joint.name)]
    }
    return Labels(tuple(joints), tuple(closures), closure_index, _rows(plan), joint_of)


def _carrier(model: Model, name: str, kind: str, parent: int, child: int, where: slice) -> Carrier:
    names = (model.links[parent].name, model.links[child].name)
    axes, frames = (parent, child, 0), (*names, model.root)
    return Carrier(name, kind, *names, axes, frames, where)


def _rows(plan: Plan) -> tuple[Row, ...]:
    """Return the rows of elements, then those of brakes on ball joints."""
    rows = [
        Row(
            element.name,
            group,
            row_meaning(element.kind, group, element.name, n),
            'N m' if unit == 'r' else 'N',
        )
        for element, group in zip(plan.elements, plan.groups, strict=True)
        for n, unit in enumerate(element.units)
    ]
    for joint, _, _ in plan.passive.balls:
        for n, axis in enumerate(joint.axes, 1):
            if axis.braked:
                name = f'{joint.name}/axis{n}'
                meaning = row_meaning(Kind.COUPLING, BRAKE, name, 0)
                rows.append(Row(name, BRAKE, meaning, 'N m'))
    return tuple(rows)
