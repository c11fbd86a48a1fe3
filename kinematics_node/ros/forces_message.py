# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""A report on forces as a message, filled from the report's arrays.

A message of all joints is hundreds of objects, whose making is most of the time that an answer
takes. So nothing is made twice: no parts of the report, from which numbers would be copied, and no
parts of messages but those that a message has made itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from joint_kinematics import msg

from kinematics_node.compiled import Array
from kinematics_node.forces import ForceReport
from kinematics_node.forces.joint_wrenches import CONSTRAINT
from kinematics_node.forces.joint_wrenches import POINT
from kinematics_node.forces.joint_wrenches import TOTAL
from kinematics_node.forces.labels import Carrier
from kinematics_node.forces.loads import SOURCES
from kinematics_node.ros.conversions import seconds_of
from kinematics_node.ros.conversions import set_vector
from kinematics_node.ros.conversions import set_wrench


def forces_message(report: ForceReport, stamp: int) -> msg.ConstraintForces:
    """Return a report on forces as a message."""
    message = msg.ConstraintForces()
    message.header.stamp.sec, message.header.stamp.nanosec = seconds_of(stamp)
    message.header.frame_id = report.model.root
    labels, (joints, closures) = report.labels, report.asked
    if joints:
        message.joints = _loads(report, labels.joints, joints, report.joint_wrenches[1:])
        _add_efforts(report, joints, message.joints)
    if closures:
        message.closures = _loads(report, labels.closures, closures, report.closure_wrenches)
    if report.indeterminacy.ways:
        _set_unknown(report, (*message.joints, *message.closures))
    message.multipliers = _multipliers(report)
    _set_balance(report, message)
    message.summary = report.summary
    return message


def _loads(
    report: ForceReport, carriers: Sequence[Carrier], wanted: list[int], wrenches: Array
) -> list[msg.JointForce]:
    """Return the loads of joints, or of closures, as those that statics determine."""
    frame = report.parts()[0].frame
    return [
        _load(carriers[k], frame, numbers)
        for k, numbers in zip(wanted, wrenches[wanted].tolist(), strict=True)
    ]


def _load(carrier: Carrier, frame: int, numbers: list[float]) -> msg.JointForce:
    message = msg.JointForce()
    message.name, message.type = carrier.name, carrier.type
    message.parent, message.child = carrier.parent, carrier.child
    message.header.frame_id = carrier.frames[frame]
    set_vector(message.anchor, numbers[POINT:TOTAL])
    set_wrench(message.total, numbers[TOTAL:CONSTRAINT])
    set_wrench(message.constraint, numbers[CONSTRAINT:])
    message.determinate = True
    return message


def _add_efforts(report: ForceReport, joints: list[int], loads: list[msg.JointForce]) -> None:
    """Add the efforts along the joints' velocity coordinates that are not zero, by source."""
    by_velocity = {}
    for k, load in zip(joints, loads, strict=True):
        where = report.labels.joints[k].velocities
        by_velocity.update(dict.fromkeys(range(where.start, where.stop), load))
    names, table = report.model.velocity_names, report.efforts_table
    acting = table.nonzero()
    found = (numbers.tolist() for numbers in (*acting, table[acting]))
    for source, v, value in zip(*found, strict=True):
        if v in by_velocity:
            effort = msg.AxisEffort()
            effort.coordinate, effort.source, effort.value = names[v], SOURCES[source], value
            by_velocity[v].efforts.append(effort)


def _set_unknown(report: ForceReport, loads: Sequence[msg.JointForce]) -> None:
    """Write what statics do not determine."""
    for message in loads:
        load = report.load(message.name)
        message.determinate = load.determinate
        message.unknown_components = list(load.unknown_components)
        message.shared_with = list(load.shared_with)


def _multipliers(report: ForceReport) -> list[msg.Multiplier]:
    values, free = report.multiplier_values.tolist(), report.indeterminacy.rows.tolist()
    messages = []
    for row, value, loose in zip(report.labels.rows, values, free, strict=True):
        message = msg.Multiplier()
        message.element, message.group, message.meaning, message.unit = row
        message.value, message.determinate = value, not loose
        messages.append(message)
    return messages


def _set_balance(report: ForceReport, message: msg.ConstraintForces) -> None:
    """Write accelerations and efforts of all coordinates, and what is said of the whole."""
    missing = {name: value for name, value, _ in report.missing}
    message.coordinates = list(report.model.velocity_names)
    message.accelerations = report.accelerations.tolist()
    message.actuator_efforts = report.actuator_efforts.tolist()
    message.unbalanced = [missing.get(name, 0.0) for name in message.coordinates]
    message.held = report.held
    message.determinate = report.determinate
    message.residual = report.residual
    message.power_residual = report.power.residual
