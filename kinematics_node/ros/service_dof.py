# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The service ~/get_dof_report: how many ways the robot can move, and which."""

from __future__ import annotations

from collections.abc import Sequence

from joint_kinematics import msg
from joint_kinematics.srv import GetDofReport
from sensor_msgs.msg import JointState

from kinematics_node.compiled import Array
from kinematics_node.dof import dof_report
from kinematics_node.dof import DofReport
from kinematics_node.model.model import Model
from kinematics_node.ros.latest import Latest
from kinematics_node.ros.requests import States

NONE_NEARBY = -1


def answer(request: GetDofReport.Request, latest: Latest) -> GetDofReport.Response:
    """Answer a request.

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
    message = report_message(latest.model, report)
    return GetDofReport.Response(success=True, message=report.message, report=message)


def report_message(model: Model, report: DofReport) -> msg.DofReport:
    """Return a DOF report as a message."""
    return msg.DofReport(
        bodies=report.bodies,
        row_kinds=list(report.rows_by_kind),
        row_counts=list(report.rows_by_kind.values()),
        rows=report.rows,
        gruebler=report.gruebler,
        rank=report.rank,
        mobility=report.mobility,
        redundant=report.redundant,
        loop_rows=report.loop_rows,
        loop_rank=report.loop_rank,
        threshold=report.threshold,
        singular_value_above=report.above,
        singular_value_below=report.below,
        certain=report.certain,
        singular=report.singular,
        nearby_rank=NONE_NEARBY if report.nearby_rank is None else report.nearby_rank,
        elements=[
            msg.ConstraintRows(name=e.name, kind=e.kind, rows=e.rows, redundant=e.redundant)
            for e in report.elements
        ],
        independent=list(report.independent),
        joints=[
            msg.JointRole(
                name=j.joint,
                type=j.type,
                rows=j.rows,
                role=int(j.role),
                depends_on=list(j.depends_on),
            )
            for j in report.joints
        ],
        modes=[
            msg.MobilityMode(
                coordinate=mode.coordinate,
                coordinates=list(mode.rates),
                rates=list(mode.rates.values()),
                joints=list(mode.joints),
                idle=mode.idle,
            )
            for mode in report.modes
        ],
        idle=report.idle,
        actuated=list(report.actuated),
        actuated_rank=report.actuated_rank,
        actuation=int(report.actuation),
        state=state_message(model.coordinate_names, report.q),
        closed=report.closed,
    )


def state_message(names: Sequence[str], q: Array) -> JointState:
    """Return positions by name as a JointState."""
    return JointState(name=list(names), position=[float(x) for x in q])
