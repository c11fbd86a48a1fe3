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
from kinematics_node.constraints.kinds import Kind
from kinematics_node.dynamics.inverse import CHILD
from kinematics_node.dynamics.inverse import move_links
from kinematics_node.dynamics.inverse import PARENT
from kinematics_node.dynamics.passive import angles_of
from kinematics_node.dynamics.passive import DAMPER
from kinematics_node.dynamics.passive import FRICTION
from kinematics_node.dynamics.passive import REST_RATE
from kinematics_node.dynamics.passive import SPRING
from kinematics_node.forces.indeterminacy import unknown_directions
from kinematics_node.forces.joint_wrenches import CONSTRAINT
from kinematics_node.forces.joint_wrenches import POINT
from kinematics_node.forces.joint_wrenches import TOTAL
from kinematics_node.forces.joint_wrenches import WIDTH
from kinematics_node.forces.joint_wrenches import write_joint_wrenches
from kinematics_node.forces.parts import Capacity
from kinematics_node.forces.parts import COMPONENTS
from kinematics_node.forces.parts import JointForce
from kinematics_node.forces.parts import Multiplier
from kinematics_node.forces.parts import Power
from kinematics_node.forces.plan import BRAKE
from kinematics_node.forces.plan import CLOSURE
from kinematics_node.forces.solution import Question
from kinematics_node.forces.solution import Solution
from kinematics_node.forces.wording import row_meaning
from kinematics_node.forces.wrench_maps import closure_anchor
from kinematics_node.model.elements import Axis
from kinematics_node.model.joint_types import JointType
from kinematics_node.spatial import rotation_rows

if TYPE_CHECKING:
    from kinematics_node.forces.report import ForceReport

AT_STOP = 1e-6
NOTHING_UNKNOWN = np.zeros((0, 6))


def efforts_by_source(question: Question, solution: Solution) -> Mapping[str, Array]:
    """Return the efforts along all velocity coordinates, by source; they add up to S^T F."""
    plan = question.plan
    coupling, brake = np.zeros(question.model.nv), np.zeros(question.model.nv)
    for group, rows in zip(plan.groups, plan.slices, strict=True):
        if group == BRAKE:
            brake += solution.multipliers[rows] @ solution.J[rows]
        elif group != CLOSURE:
            coupling += solution.multipliers[rows] @ solution.J[rows]
    extra = slice(plan.row_count, None)
    brake += solution.multipliers[extra] @ solution.J[extra]
    return MappingProxyType(
        {
            'actuator': solution.actuator,
            'spring': solution.passive[SPRING],
            'damper': solution.passive[DAMPER],
            'friction': solution.passive[FRICTION],
            'brake': brake,
            'coupling': coupling,
            'rotor': solution.rotor,
            'unbalanced': solution.unbalanced,
        }
    )


def joint_wrenches(question: Question, solution: Solution) -> Array:
    """Return anchor, total and constraint wrench of every joint, shape (links, WIDTH)."""
    model = question.model
    out = np.zeros((len(model.links), WIDTH))
    write_joint_wrenches(
        model.tree, model.placement, question.q, solution.X, solution.F, question.frame, out
    )
    return out


def load(
    report: ForceReport,
    name: str,
    kind: str,
    links: tuple[int, int],
    numbers: Array,
    change: Array,
    efforts: Mapping[str, Array],
) -> JointForce:
    """Return what a joint or closure carries.

    The numbers are anchor, total and constraint wrench on the axes asked for; change is what is
    not unique, on world axes.
    """
    question, solution = report.parts()
    model = report.model
    body = axes_link(question, links)
    unknown = NOTHING_UNKNOWN
    shared: tuple[str, ...] = ()
    if change.size:
        turned = on_axes(solution.X[body], change)
        unknown = unknown_directions(turned, report.indeterminacy.length)
    if unknown.size:
        groups = [g.members for g in report.shared if name in g.members]
        shared = tuple(other for members in groups for other in members if other != name)
    return JointForce(
        name=name,
        type=kind,
        parent=model.links[links[0]].name,
        child=model.links[links[1]].name,
        frame=model.links[body].name,
        point=numbers[POINT:TOTAL],
        total=numbers[TOTAL:CONSTRAINT],
        constraint=numbers[CONSTRAINT:],
        efforts=efforts,
        determinate=not unknown.size,
        unknown=unknown,
        unknown_components=tuple(
            COMPONENTS[n] for n in range(6) if unknown.size and np.abs(unknown[:, n]).max() > 0.0
        ),
        shared_with=shared,
    )


def axes_link(question: Question, links: tuple[int, int]) -> int:
    """Return the link on whose axes the wrench between a parent and a child link is wanted."""
    return {PARENT: links[0], CHILD: links[1]}.get(question.frame, 0)


def on_axes(X_WE: Array, wrenches: Array) -> Array:
    """Return wrenches (6, k) on world axes as they are on the axes of a frame E."""
    R_WE = np.array(rotation_rows(tuple(X_WE[:4].tolist())))
    return np.concatenate((R_WE.T @ wrenches[:3], R_WE.T @ wrenches[3:]))


def joint_load(report: ForceReport, k: int) -> JointForce:
    """Return what joint k carries."""
    model, link = report.model, k + 1
    joint, row = model.joints[k], model.tree[link]
    where = slice(int(row[3]), int(row[3]) + joint.type.nv)
    return load(
        report,
        joint.name,
        joint.type.name.lower(),
        (int(row[0]), link),
        report.joint_wrenches[link],
        report.indeterminacy.joints[link],
        MappingProxyType({source: e[where] for source, e in report.efforts.items()}),
    )


def closure_load(report: ForceReport, c: int) -> JointForce:
    """Return what closure c carries; all of it is constraint."""
    question, solution = report.parts()
    element, rows = question.plan.elements[c], question.plan.slices[c]
    links = (element.link_A, element.link_B)
    X_WE = solution.X[axes_link(question, links)]
    anchor = closure_anchor(element.X_LB[4:], element.link_B, solution.X)
    wrench = solution.records[rows, 1:7].T @ solution.multipliers[rows]
    wrench[:3] -= np.cross(anchor, wrench[3:])
    arm = np.concatenate((anchor - X_WE[4:7], np.zeros(3)))
    point, six = on_axes(X_WE, np.column_stack((arm, wrench))).T
    return load(
        report,
        element.name,
        report.model.closures[c].type,
        links,
        np.concatenate((point[:3], six, six)),
        report.indeterminacy.closures[c],
        MappingProxyType({}),
    )


def multipliers_of(report: ForceReport) -> tuple[Multiplier, ...]:
    """Return the multipliers of all rows."""
    question, solution = report.parts()
    plan, free = question.plan, report.indeterminacy.rows
    found = []
    for element, group, rows in zip(plan.elements, plan.groups, plan.slices, strict=True):
        for n, r in enumerate(range(rows.start, rows.stop)):
            moment = element.units[n] == 'r'
            found.append(
                Multiplier(
                    element.name,
                    group,
                    row_meaning(element.kind, group, element.name, n),
                    float(solution.multipliers[r]),
                    'N m' if moment else 'N',
                    not free[r],
                )
            )
    r = plan.row_count
    for joint, _, _ in plan.passive.balls:
        for n, axis in enumerate(joint.axes, 1):
            if axis.braked:
                name = f'{joint.name}/axis{n}'
                meaning = row_meaning(Kind.COUPLING, BRAKE, name, 0)
                value = float(solution.multipliers[r])
                found.append(Multiplier(name, BRAKE, meaning, value, 'N m', not free[r]))
                r += 1
    return tuple(found)


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
    V, net = link_motion(question, solution.vdot, question.gravity)
    _, inertial = link_motion(question, solution.vdot, np.zeros(3))
    kinetic = float((inertial * V).sum())
    sources = {source: float(e @ question.v) for source, e in report.efforts.items()}
    sources['gravity'] = kinetic - float((net * V).sum())
    sources['external'] = float((question.external * V[: question.external.shape[0]]).sum())
    held = sum(len(element.units) for element in question.plan.elements[: len(model.closures)])
    sources['closures'] = float(solution.multipliers[:held] @ solution.phi_dot[:held])
    return Power(kinetic, MappingProxyType(sources), kinetic - sum(sources.values()))


def link_motion(question: Question, vdot: Array, gravity: Array) -> tuple[Array, Array]:
    """Return velocities of links and their net wrenches, about their origins on world axes."""
    model, links = question.model, len(question.model.links)
    X, V, A, F = (np.empty((links, width)) for width in (7, 6, 6, 6))
    state = (question.q, question.v, vdot)
    move_links(model.tree, model.placement, question.inertia, *state, gravity, X, V, A, F)
    return V, F
