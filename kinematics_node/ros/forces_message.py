# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""A report on forces as a message, whose columns are filled from the report's arrays."""

from __future__ import annotations

from joint_kinematics import msg
import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.forces import ForceReport
from kinematics_node.forces.joint_wrenches import CONSTRAINT
from kinematics_node.forces.joint_wrenches import POINT
from kinematics_node.forces.joint_wrenches import TOTAL
from kinematics_node.forces.joint_wrenches import WIDTH
from kinematics_node.ros.conversions import doubles
from kinematics_node.ros.conversions import seconds_of


def fill_forces(message: msg.ConstraintForces, report: ForceReport, stamp: int) -> None:
    """Write a report on forces into a message."""
    message.header.stamp.sec, message.header.stamp.nanosec = seconds_of(stamp)
    message.header.frame_id = report.model.root
    _fill_loads(message, report)
    if report.indeterminacy.ways:
        _fill_unknown(message, report)
    _fill_efforts(message, report)
    _fill_rows(message, report)
    message.held = report.held
    message.all_determinate = report.determinate
    message.residual = report.residual
    message.power_residual = report.power.residual
    message.summary = report.summary


def _fill_loads(message: msg.ConstraintForces, report: ForceReport) -> None:
    """Write the loads of joints and closures, as those that statics determine."""
    labels, (joints, closures) = report.labels, report.asked
    carriers = [labels.joints[k] for k in joints] + [labels.closures[c] for c in closures]
    frame = report.parts()[0].frame
    message.names = [carrier.name for carrier in carriers]
    message.types = [carrier.type for carrier in carriers]
    message.parents = [carrier.parent for carrier in carriers]
    message.children = [carrier.child for carrier in carriers]
    message.joints = len(joints)
    message.frames = [carrier.frames[frame] for carrier in carriers]
    numbers = _wrenches(report, joints, closures)
    message.anchors = doubles(numbers[:, POINT:TOTAL])
    # Inside, a wrench is (tau, f).
    message.torques = doubles(numbers[:, TOTAL : TOTAL + 3])
    message.forces = doubles(numbers[:, TOTAL + 3 : CONSTRAINT])
    message.constraint_torques = doubles(numbers[:, CONSTRAINT : CONSTRAINT + 3])
    message.constraint_forces = doubles(numbers[:, CONSTRAINT + 3 :])
    message.determinate = [True] * len(carriers)


def _wrenches(report: ForceReport, joints: list[int], closures: list[int]) -> Array:
    """Return the wrenches of joints and then of closures; none is made that nobody asks for."""
    numbers = np.empty((len(joints) + len(closures), WIDTH))
    if joints:
        numbers[: len(joints)] = report.joint_wrenches[1:][joints]
    if closures:
        numbers[len(joints) :] = report.closure_wrenches[closures]
    return numbers


def _fill_unknown(message: msg.ConstraintForces, report: ForceReport) -> None:
    """Mark loads that statics do not determine, and write what is open about them."""
    for n, name in enumerate(message.names):
        load = report.load(name)
        message.determinate[n] = load.determinate
        if not load.determinate:
            unknown = msg.UnknownLoad(name=name)
            unknown.components = list(load.unknown_components)
            unknown.shared_with = list(load.shared_with)
            message.unknown.append(unknown)


def _fill_efforts(message: msg.ConstraintForces, report: ForceReport) -> None:
    """Write accelerations and efforts along all velocity coordinates."""
    message.coordinates = list(report.model.velocity_names)
    message.accelerations = doubles(report.accelerations)
    efforts = report.efforts
    message.actuator_efforts = doubles(efforts['actuator'])
    message.spring_efforts = doubles(efforts['spring'])
    message.damper_efforts = doubles(efforts['damper'])
    message.friction_efforts = doubles(efforts['friction'])
    message.brake_efforts = doubles(efforts['brake'])
    message.coupling_efforts = doubles(efforts['coupling'])
    message.rotor_efforts = doubles(efforts['rotor'])
    message.unbalanced = doubles(report.unbalanced)


def _fill_rows(message: msg.ConstraintForces, report: ForceReport) -> None:
    """Write the multipliers of all rows."""
    rows = report.labels.rows
    message.row_elements = [row.element for row in rows]
    message.row_groups = [row.group for row in rows]
    message.row_meanings = [row.meaning for row in rows]
    message.multipliers = doubles(report.multiplier_values)
    message.row_units = [row.unit for row in rows]
    message.row_determinate = np.logical_not(report.indeterminacy.rows).tolist()
