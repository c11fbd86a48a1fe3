# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""From the numbers of a solution to the parts of an answer."""

from __future__ import annotations

from collections.abc import Mapping
import math
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.dynamics.passive import angles_of
from kinematics_node.dynamics.passive import REST_RATE
from kinematics_node.forces.indeterminacy import unknown_directions
from kinematics_node.forces.joint_wrenches import CONSTRAINT
from kinematics_node.forces.joint_wrenches import POINT
from kinematics_node.forces.joint_wrenches import TOTAL
from kinematics_node.forces.joint_wrenches import WIDTH
from kinematics_node.forces.joint_wrenches import write_closure_wrenches
from kinematics_node.forces.joint_wrenches import write_joint_wrenches
from kinematics_node.forces.labels import Carrier
from kinematics_node.forces.parts import Capacity
from kinematics_node.forces.parts import COMPONENTS
from kinematics_node.forces.parts import JointForce
from kinematics_node.forces.parts import Multiplier
from kinematics_node.forces.parts import Power
from kinematics_node.forces.plan import BRAKE
from kinematics_node.forces.plan import CLOSURE
from kinematics_node.forces.power import powers_on_links
from kinematics_node.forces.solution import Question
from kinematics_node.forces.solution import Solution
from kinematics_node.model.elements import Axis
from kinematics_node.model.joint_types import JointType
from kinematics_node.spatial import rotation_rows

if TYPE_CHECKING:
    from kinematics_node.forces.report import ForceReport

AT_STOP = 1e-6
SOURCES = (
    'actuator',
    'spring',
    'damper',
    'friction',
    'brake',
    'coupling',
    'rotor',
    'unbalanced',
)
# Rows of a table of efforts, as SOURCES names them; passive are springs, dampers and friction.
ACTUATORS, PASSIVE, BRAKES, COUPLINGS, ROTORS, UNBALANCED = 0, slice(1, 4), 4, 5, 6, 7
NOTHING_UNKNOWN = np.zeros((0, 6))
AT_REST = Power(
    0.0, MappingProxyType(dict.fromkeys((*SOURCES, 'gravity', 'external', 'closures'), 0.0)), 0.0
)
NO_EFFORTS: Mapping[str, Array] = MappingProxyType({})


def efforts_table(question: Question, solution: Solution) -> Array:
    """Return the efforts of all SOURCES along all velocity coordinates; they add up to S^T F."""
    plan, multipliers, J = question.plan, solution.multipliers, solution.J
    table = np.zeros((len(SOURCES), question.model.nv))
    table[ACTUATORS], table[PASSIVE] = solution.actuator, solution.passive
    table[ROTORS], table[UNBALANCED] = solution.rotor, solution.unbalanced
    for group, rows in zip(plan.groups, plan.slices, strict=True):
        if group != CLOSURE:
            table[BRAKES if group == BRAKE else COUPLINGS] += multipliers[rows] @ J[rows]
    if len(multipliers) > plan.row_count:
        extra = slice(plan.row_count, None)
        table[BRAKES] += multipliers[extra] @ J[extra]
    return table


def joint_wrenches(question: Question, solution: Solution) -> Array:
    """Return anchor, total and constraint wrench of every joint, shape (links, WIDTH)."""
    model = question.model
    out = np.zeros((len(model.links), WIDTH))
    write_joint_wrenches(
        model.tree, model.placement, question.q, solution.X, solution.F, question.frame, out
    )
    return out


def closure_wrenches(question: Question, solution: Solution) -> Array:
    """Return anchor, total and constraint wrench of every closure, shape (closures, WIDTH)."""
    table = question.plan.table
    out = np.zeros((len(question.model.closures), WIDTH))
    write_closure_wrenches(
        table.elements,
        table.geometry,
        solution.records,
        solution.multipliers,
        solution.X,
        question.frame,
        out,
    )
    return out


def load(
    report: ForceReport,
    carrier: Carrier,
    numbers: Array,
    change: Array,
    efforts: Mapping[str, Array],
) -> JointForce:
    """Return what a joint or closure carries.

    The numbers are anchor, total and constraint wrench on the axes asked for; change is what is
    not unique, on world axes.
    """
    question, solution = report.parts()
    unknown = NOTHING_UNKNOWN
    components: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    if change.size:
        turned = on_axes(solution.X[carrier.axes[question.frame]], change)
        unknown = unknown_directions(turned, report.indeterminacy.length)
    if unknown.size:
        components = tuple(name for name, k in zip(COMPONENTS, unknown.T, strict=True) if k.any())
        groups = [g.members for g in report.shared if carrier.name in g.members]
        shared = tuple(other for members in groups for other in members if other != carrier.name)
    return JointForce(
        name=carrier.name,
        type=carrier.type,
        parent=carrier.parent,
        child=carrier.child,
        frame=carrier.frames[question.frame],
        point=numbers[POINT:TOTAL],
        total=numbers[TOTAL:CONSTRAINT],
        constraint=numbers[CONSTRAINT:],
        efforts=efforts,
        determinate=not unknown.size,
        unknown=unknown,
        unknown_components=components,
        shared_with=shared,
    )


def on_axes(X_WE: Array, wrenches: Array) -> Array:
    """Return wrenches (6, k) on world axes as they are on the axes of a frame E."""
    R_WE = np.array(rotation_rows(tuple(X_WE[:4].tolist())))
    return np.concatenate((R_WE.T @ wrenches[:3], R_WE.T @ wrenches[3:]))


def joint_load(report: ForceReport, k: int) -> JointForce:
    """Return what joint k carries."""
    carrier = report.labels.joints[k]
    along = report.efforts_table[:, carrier.velocities]
    efforts = MappingProxyType(dict(zip(SOURCES, along, strict=True)))
    change = report.indeterminacy.joints[k + 1]
    return load(report, carrier, report.joint_wrenches[k + 1], change, efforts)


def closure_load(report: ForceReport, c: int) -> JointForce:
    """Return what closure c carries; all of it is constraint."""
    carrier, change = report.labels.closures[c], report.indeterminacy.closures[c]
    return load(report, carrier, report.closure_wrenches[c], change, NO_EFFORTS)


def multipliers_of(report: ForceReport) -> tuple[Multiplier, ...]:
    """Return the multipliers of all rows."""
    values, free = report.multiplier_values.tolist(), report.indeterminacy.rows.tolist()
    return tuple(
        Multiplier(row.element, row.group, row.meaning, value, row.unit, not loose)
        for row, value, loose in zip(report.labels.rows, values, free, strict=True)
    )


def capacities_of(report: ForceReport) -> tuple[Capacity, ...]:
    """Return what static friction at rest, and stops that are touched, could hold."""
    model = report.model
    found: list[Capacity] = []
    for joint, row in zip(model.joints, model.tree[1:], strict=True):
        k, n = int(row[2]), int(row[3])
        suffixes = joint.type.velocity_suffixes
        if joint.type is JointType.BALL:
            if any(axis.friction or axis.stops for axis in joint.axes):
                at = angles_of(joint, report.q, report.v, k, n)
                for a, axis in enumerate(joint.axes):
                    motion = (float(at.angles[a]), float(at.rates[a]))
                    found += axis_capacities(f'{joint.name}/axis{a + 1}', axis, *motion)
            continue
        for a, axis in enumerate(joint.axes, joint.type.nv - len(joint.axes)):
            motion = (float(report.q[k + a]), float(report.v[n + a]))
            found += axis_capacities(joint.name + suffixes[a], axis, *motion)
    return tuple(found)


def axis_capacities(name: str, axis: Axis, q: float, rate: float) -> list[Capacity]:
    """Return what one axis could hold at a position and rate."""
    found = []
    if axis.friction and abs(rate) <= REST_RATE:
        found.append(Capacity(name, 'static friction', -axis.friction, axis.friction))
    lower, upper = axis.limits.lower, axis.limits.upper
    if axis.stops is not None:
        lower, upper = max(lower, axis.stops[0]), min(upper, axis.stops[1])
    if lower > upper or (lower == upper == 0.0):
        return found
    if q <= lower + AT_STOP:
        found.append(Capacity(name, 'lower stop', 0.0, math.inf))
    if q >= upper - AT_STOP:
        found.append(Capacity(name, 'upper stop', -math.inf, 0.0))
    return found


def power_of(report: ForceReport) -> Power:
    """Return the balance of power: bodies against joints, gravity and the outside."""
    question, solution = report.parts()
    model = report.model
    if not question.v.any():
        return AT_REST
    kinetic, gravity, external = powers_on_links(
        model.tree,
        model.placement,
        question.inertia,
        question.q,
        question.v,
        solution.vdot,
        question.gravity,
        question.external,
    )
    powers = report.efforts_table @ question.v
    sources = dict(zip(SOURCES, powers.tolist(), strict=True))
    sources['gravity'], sources['external'] = gravity, external
    closed = slice(sum(row.group == CLOSURE for row in report.labels.rows))
    sources['closures'] = float(solution.multipliers[closed] @ solution.phi_dot[closed])
    return Power(kinetic, MappingProxyType(sources), kinetic - sum(sources.values()))
