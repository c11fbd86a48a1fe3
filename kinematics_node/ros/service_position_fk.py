# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The service ~/compute_position_fk: MoveIt's GetPositionFK, where moveit_msgs is installed."""

from __future__ import annotations

from collections.abc import Sequence

from geometry_msgs.msg import PoseStamped
from moveit_msgs.msg import MoveItErrorCodes
from moveit_msgs.msg import RobotState
from moveit_msgs.srv import GetPositionFK
from std_msgs.msg import Header

from kinematics_node.errors import KinematicsError
from kinematics_node.errors import NameLookupError
from kinematics_node.errors import ValueShapeError
from kinematics_node.fk import frame_names
from kinematics_node.fk import frame_poses
from kinematics_node.ros.conversions import seconds_of
from kinematics_node.ros.conversions import set_pose
from kinematics_node.ros.latest import Latest
from kinematics_node.ros.multi_dof import coordinates_of
from kinematics_node.ros.requests import Asked
from kinematics_node.ros.requests import States

SOURCE = 'joint_kinematics'


class FrameError(KinematicsError):
    """A frame that poses cannot be brought from or to."""


def answer(
    request: GetPositionFK.Request, latest: Latest, response: GetPositionFK.Response
) -> None:
    """Write the answer to a request; what is wrong with it is told by the error code.

    As from MoveIt, links that are known are answered even where others are not.
    """
    known = frame_names(latest.model)
    names = [name for name in request.fk_link_names if name in known]
    try:
        asked = _asked(request.robot_state, latest)
        response.pose_stamped = _poses(latest, asked, names, request.header.frame_id)
    except FrameError as error:
        response.error_code = _code(MoveItErrorCodes.FRAME_TRANSFORM_FAILURE, str(error))
    except KinematicsError as error:
        response.error_code = _code(MoveItErrorCodes.INVALID_ROBOT_STATE, str(error))
    else:
        response.fk_link_names = names
        response.error_code = _outcome(request.fk_link_names, known, asked)


def refuse(response: GetPositionFK.Response, error: KinematicsError) -> GetPositionFK.Response:
    """Return the answer where there is no robot to ask about."""
    response.error_code = _code(MoveItErrorCodes.FAILURE, str(error))
    return response


def _asked(state: RobotState, latest: Latest) -> Asked:
    """Return the state asked about, loops solved; attached objects move no frame."""
    model, poses = latest.model, state.multi_dof_joint_state
    if poses.joint_names and poses.header.frame_id not in ('', model.root):
        raise FrameError(
            f"multi_dof_joint_state is given in '{poses.header.frame_id}'; give each joint's pose "
            f"in its parent's frame, and '{model.root}' or nothing as frame_id"
        )
    names, values, complaints = coordinates_of(model, poses)
    if complaints:
        raise ValueShapeError(f'multi_dof_joint_state has {complaints[0]}')
    if len(state.joint_state.position) != len(state.joint_state.name):
        raise ValueShapeError(
            f'joint_state has {len(state.joint_state.position)} positions for '
            f'{len(state.joint_state.name)} names'
        )
    return States(latest).of_numbers(
        [*state.joint_state.name, *names],
        [*state.joint_state.position, *values],
        keep_measured=state.is_diff,
    )


def _poses(
    latest: Latest, asked: Asked, names: Sequence[str], reference: str
) -> list[PoseStamped]:
    try:
        poses = frame_poses(latest.model, asked.q, names, reference or latest.model.root)
    except NameLookupError as error:
        raise FrameError(f'{error}; poses are given in frames of the robot alone') from error
    header = Header(frame_id=reference or latest.model.root)
    header.stamp.sec, header.stamp.nanosec = seconds_of(latest.stamp)
    messages = []
    for pose in poses.tolist():
        message = PoseStamped(header=header)
        set_pose(message.pose, pose)
        messages.append(message)
    return messages


def _outcome(names: Sequence[str], known: tuple[str, ...], asked: Asked) -> MoveItErrorCodes:
    if not names:
        return _code(MoveItErrorCodes.INVALID_LINK_NAME, 'no link is asked for')
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        sentence = str(NameLookupError('frame', unknown, known))
        return _code(MoveItErrorCodes.INVALID_LINK_NAME, sentence)
    if asked.worst:
        return _code(
            MoveItErrorCodes.INVALID_ROBOT_STATE,
            f"the loops cannot be closed: '{asked.worst}' stays open by {asked.residual:.3g}; "
            'poses are where the solver stopped',
        )
    return _code(MoveItErrorCodes.SUCCESS)


def _code(value: int, message: str = '') -> MoveItErrorCodes:
    code = MoveItErrorCodes(val=value)
    # Older releases of moveit_msgs have the number alone.
    if hasattr(code, 'message'):
        code.message, code.source = message, SOURCE if message else ''
    return code
