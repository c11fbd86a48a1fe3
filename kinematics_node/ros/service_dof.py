# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The service ~/get_dof_report: how many ways the robot can move, and which."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from joint_kinematics import msg
from joint_kinematics.srv import GetDofReport
from sensor_msgs.msg import JointState

from kinematics_node.compiled import Array
from kinematics_node.dof import dof_report
from kinematics_node.dof import DofReport
from kinematics_node.dof import ElementRows
from kinematics_node.dof import JointRole
from kinematics_node.model.model import Model
from kinematics_node.ros.latest import Latest
from kinematics_node.ros.requests import States

NONE_NEARBY = -1
KEPT = 2048


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
        elements=[_rows_message(element) for element in report.elements],
        independent=list(report.independent),
        joints=[_role_message(joint) for joint in report.joints],
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


# From one answer to the next few rows and roles change. Their messages are kept, and shared by
# answers, which nobody changes once they are made.
@lru_cache(maxsize=KEPT)
def _rows_message(element: ElementRows) -> msg.ConstraintRows:
    return msg.ConstraintRows(
        name=element.name, kind=element.kind, rows=element.rows, redundant=element.redundant
    )


@lru_cache(maxsize=KEPT)
def _role_message(joint: JointRole) -> msg.JointRole:
    return msg.JointRole(
        name=joint.joint,
        type=joint.type,
        rows=joint.rows,
        role=int(joint.role),
        depends_on=list(joint.depends_on),
    )


def state_message(names: Sequence[str], q: Array) -> JointState:
    """Return positions by name as a JointState."""
    return JointState(name=list(names), position=q.tolist())
