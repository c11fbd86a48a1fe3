# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What the question of forces needs to know of a model, made once for each model."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from kinematics_node.addresses import table_of
from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.compiled import Ints
from kinematics_node.constraints.augmented import mimic_elements
from kinematics_node.constraints.table import characteristic_length
from kinematics_node.constraints.table import coupling_element
from kinematics_node.constraints.table import Element
from kinematics_node.constraints.table import model_elements
from kinematics_node.constraints.table import pack
from kinematics_node.constraints.table import Table
from kinematics_node.dynamics.passive import passive_table
from kinematics_node.dynamics.passive import PassiveTable
from kinematics_node.forces.layout import buffer_size
from kinematics_node.forces.layout import VDOT
from kinematics_node.forces.layout import WIDTH
from kinematics_node.model.elements import Coupling
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model

Mask = NDArray[np.bool_]
RATE_SCALE = 5
CLOSURE, COUPLING, MIMIC, BRAKE = 'closure', 'coupling', 'mimic', 'brake'


@dataclass(frozen=True, eq=False)
class Plan:
    """Rows, scales and tables of a model.

    Attributes
    ----------
    elements, groups, slices : tuple
        What makes rows, in order: closures, couplings, mimics and brakes (as couplings of one
        coordinate); which of these each is; where its rows are.
    table : Table
        The elements, packed.
    passive : PassiveTable
        Springs, dampers, friction, rotors.
    ancestor : int32 array, shape (nv,)
        The velocity coordinate next above each in the tree; -1 for none.
    link_of : int32 array, shape (nv,)
        The link that each velocity coordinate moves.
    last : int32 array, shape (links,)
        The last link of each link's subtree.
    length : float
        Characteristic length [m], which makes moments and forces comparable.
    rate_scale : array, shape (nv,)
        The characteristic length for angles, 1 for lengths: v times it is a speed [m/s].
    row_scale : array, shape (rows,)
        What makes a row's multiplier, divided by it, a force [N].
    coordinates : array, shape (nv, 6)
        Spring, rest, damping, friction, rotor inertia and scale of each velocity coordinate.
    rows_held : array, shape (rows, 2)
        Scale of each row, and 1 for the row of a brake, which holds an axis wherever it is.
    braked : bool array, shape (nv,)
        Coordinates that a brake locks.
    ball_brakes : bool
        Whether a ball joint has a braked axis.
    described : bool
        Whether the model says what is actuated.
    actuated : bool array, shape (nv,)
        The coordinates that the model says are actuated, or those of all single-axis joints; a
        brake takes the place of its motor.
    actuated_from : str
        Where that is known from.
    table_rows : int64 array
        Addresses of the arrays here and of the model that the compiled answer reads.
    answer_size : int
        How many numbers it writes.
    vdot_at, total_at : slice
        Where among them accelerations are, and the wrenches of all links' joints.
    """

    elements: tuple[Element, ...]
    groups: tuple[str, ...]
    slices: tuple[slice, ...]
    table: Table
    passive: PassiveTable
    ancestor: Ints
    link_of: Ints
    last: Ints
    length: float
    rate_scale: Array
    row_scale: Array
    coordinates: Array
    rows_held: Array
    braked: Mask
    ball_brakes: bool
    described: bool
    actuated: Mask
    actuated_from: str
    table_rows: Indices
    answer_size: int
    vdot_at: slice
    total_at: slice

    @property
    def row_count(self) -> int:
        """Number of rows."""
        return self.table.row_count


_plans: WeakKeyDictionary[Model, Plan] = WeakKeyDictionary()


def plan_of(model: Model) -> Plan:
    """Return the plan of a model, made on the first question."""
    plan = _plans.get(model)
    if plan is None:
        plan = _plans[model] = make_plan(model)
    return plan


def make_plan(model: Model) -> Plan:
    """Return what the question of forces needs to know of a model."""
    own = model_elements(model)
    brakes = brake_elements(model)
    mimics = mimic_elements(model)
    elements = own + mimics + brakes
    groups = (CLOSURE,) * len(model.closures) + (COUPLING,) * len(model.couplings)
    groups += (MIMIC,) * len(mimics) + (BRAKE,) * len(brakes)
    table = pack(elements)
    length = characteristic_length(model)
    row_scale = np.array([length if u == 'r' else 1.0 for e in elements for u in e.units])
    holds = [float(g == BRAKE) for e, g in zip(elements, groups, strict=True) for _ in e.units]
    passive, scale = passive_table(model), rate_scale(model, length)
    link_of, ancestor = coordinate_tree(model)
    described, actuated, source = model_actuation(model)
    braked = np.zeros(model.nv, bool)
    braked[[element.support[0][0] for element in brakes]] = True
    actuated &= ~braked
    actuated.setflags(write=False)
    coordinates = np.column_stack((passive.constants, passive.armature, scale))
    rows_held = np.column_stack((row_scale, holds)).reshape(-1, 2)
    return Plan(
        elements=elements,
        groups=groups,
        slices=tuple(slice(int(row[3]), int(row[4])) for row in table.elements),
        table=table,
        passive=passive,
        ancestor=ancestor,
        link_of=link_of,
        last=last_links(model),
        length=length,
        rate_scale=scale,
        row_scale=row_scale,
        coordinates=coordinates,
        rows_held=rows_held,
        braked=braked,
        ball_brakes=any(
            axis.braked
            for joint in model.joints
            if joint.type is JointType.BALL
            for axis in joint.axes
        ),
        described=described,
        actuated=actuated,
        actuated_from=source,
        table_rows=table_of(
            (
                model.tree,
                model.placement,
                table.elements,
                table.geometry,
                table.support,
                table.coefficient,
                passive.position,
                ancestor,
                coordinates,
                rows_held,
            )
        ),
        answer_size=buffer_size(model.nv, table.row_count, len(model.links)),
        vdot_at=slice(VDOT * model.nv, (VDOT + 1) * model.nv),
        total_at=slice(WIDTH * model.nv, WIDTH * model.nv + 6 * len(model.links)),
    )


def brake_elements(model: Model) -> tuple[Element, ...]:
    """Return a coupling of one coordinate for every braked axis, but those of ball joints."""
    elements = []
    for joint in model.joints:
        if joint.type is JointType.BALL:
            continue
        first = joint.type.nq - len(joint.axes)
        for n, axis in enumerate(joint.axes):
            if axis.braked:
                name = joint.name + joint.type.coordinate_suffixes[first + n]
                elements.append(coupling_element(model, Coupling(name, ((name, 1.0),))))
    return tuple(elements)


def coordinate_tree(model: Model) -> tuple[Ints, Ints]:
    """Return the link that each velocity coordinate moves, and the coordinate next above it."""
    link_of = np.zeros(model.nv, np.int32)
    ancestor = np.full(model.nv, -1, np.int32)
    lowest = np.full(len(model.links), -1, np.int32)
    for k, joint in enumerate(model.joints):
        link = k + 1
        above = int(lowest[model.tree[link, 0]])
        start = int(model.tree[link, 3])
        for v in range(start, start + joint.type.nv):
            link_of[v], ancestor[v], above = link, above, v
        lowest[link] = above
    return link_of, ancestor


def last_links(model: Model) -> Ints:
    """Return the last link of each link's subtree; subtrees are contiguous."""
    last = np.arange(len(model.links), dtype=np.int32)
    for link in range(len(model.links) - 1, 0, -1):
        parent = model.tree[link, 0]
        last[parent] = max(last[parent], last[link])
    return last


def rate_scale(model: Model, length: float) -> Array:
    """Return the characteristic length for angles, 1 for lengths."""
    scale = np.full(model.nv, length)
    for joint, row in zip(model.joints, model.tree[1:], strict=True):
        v = int(row[3])
        if joint.type is JointType.PRISMATIC:
            scale[v] = 1.0
        elif joint.type is JointType.PLANAR:
            scale[v : v + 2] = 1.0
        elif joint.type is JointType.FLOATING:
            scale[v + 3 : v + 6] = 1.0
    return scale


def model_actuation(model: Model) -> tuple[bool, Mask, str]:
    """Return whether a model says what is actuated, which coordinates are, and what says so.

    Without a word they are those of all single-axis joints that follow none.
    """
    actuated = np.zeros(model.nv, bool)
    for flag, source in (('actuated', 'the description'), ('independent', 'independent joints')):
        names = [joint.name for joint in model.joints if getattr(joint, flag)]
        if names:
            for name in names:
                actuated[model.velocities_of(name)] = True
            return True, actuated, source
    for joint, row in zip(model.joints, model.tree[1:], strict=True):
        if joint.type.is_single_axis:
            actuated[row[3]] = joint.name not in model.mimics
    return False, actuated, 'the default: all single-axis joints'


def is_angle(model: Model, v: int, plan: Plan) -> bool:
    """Return whether a velocity coordinate is one of an angle: its effort is a moment."""
    joint = model.joints[int(plan.link_of[v]) - 1]
    n = v - int(model.tree[plan.link_of[v], 3])
    if joint.type is JointType.PRISMATIC:
        return False
    if joint.type is JointType.PLANAR:
        return n == 2
    return not (joint.type is JointType.FLOATING and n >= 3)
