# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The service ~/get_dof_report: how many ways the robot can move, and which."""

from __future__ import annotations

from joint_kinematics import msg
from joint_kinematics.srv import GetDofReport
import numpy as np

from kinematics_node.dof import dof_report
from kinematics_node.dof import DofReport
from kinematics_node.model.model import Model
from kinematics_node.ros.conversions import doubles
from kinematics_node.ros.latest import Latest
from kinematics_node.ros.requests import States

NONE_NEARBY = -1


def answer(request: GetDofReport.Request, latest: Latest, response: GetDofReport.Response) -> None:
    """Write the answer to a request.

    Raises
    ------
    KinematicsError
        The request cannot be used.
    """
    asked = States(latest).of_message(request.state)
    report = dof_report(
        latest.model,
        asked.q,
        measured=list(request.measured) or asked.measured,
        actuated=list(request.actuated) or None,
    )
    fill_dof(response.report, latest.model, report)
    response.success, response.message = True, report.message


def fill_dof(message: msg.DofReport, model: Model, report: DofReport) -> None:
    """Write a DOF report into a message."""
    message.bodies = report.bodies
    message.row_kinds = list(report.rows_by_kind)
    message.row_counts = list(report.rows_by_kind.values())
    message.rows = report.rows
    message.gruebler = report.gruebler
    message.rank = report.rank
    message.mobility = report.mobility
    message.redundant = report.redundant
    message.loop_rows = report.loop_rows
    message.loop_rank = report.loop_rank
    message.threshold = report.threshold
    message.singular_value_above = report.above
    message.singular_value_below = report.below
    message.certain = report.certain
    message.singular = report.singular
    message.nearby_rank = NONE_NEARBY if report.nearby_rank is None else report.nearby_rank
    elements = report.mechanism.sound
    message.element_names = [element.name for element in elements]
    message.element_kinds = [element.kind for element in elements]
    message.element_rows = [element.rows for element in elements]
    message.element_redundant = report.redundant_rows.tolist()
    _fill_joints(message, report)
    message.independent = list(report.independent)
    message.coordinates = list(model.velocity_names)
    message.rates = doubles(report.rates)
    message.idle_motions = report.idle_modes.tolist()
    message.idle = report.idle
    message.actuated = list(report.actuated)
    message.actuated_rank = report.actuated_rank
    message.actuation = int(report.actuation)
    message.position_names = list(model.coordinate_names)
    message.positions = doubles(report.q)
    message.closed = report.closed


def _fill_joints(message: msg.DofReport, report: DofReport) -> None:
    """Write the roles of joints, and who depends on whom."""
    joints = report.mechanism.joints
    message.joint_names = [joint.name for joint in joints]
    message.joint_types = [joint.type for joint in joints]
    message.joint_rows = [joint.rows for joint in joints]
    message.joint_roles = report.roles.tolist()
    pairs = [(joints[k].name, report.given[n]) for k, n in np.argwhere(report.depends).tolist()]
    pairs += [
        (joint.name, master)
        for joint in joints
        if joint.settled is not None
        for master in joint.settled.depends_on
    ]
    message.dependents = [dependent for dependent, _ in pairs]
    message.depends_on = [other for _, other in pairs]
