# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The service ~/compute_fk: frames at one state or along a trajectory."""

from __future__ import annotations

from geometry_msgs.msg import Accel
from geometry_msgs.msg import Twist
from joint_kinematics.msg import FrameState
from joint_kinematics.msg import FrameStates
from joint_kinematics.srv import ComputeFk
import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.fk import frame_accelerations
from kinematics_node.fk import frame_jacobian
from kinematics_node.fk import frame_poses
from kinematics_node.fk import frame_velocities
from kinematics_node.fk import pose_matrices
from kinematics_node.ros.conversions import seconds_of
from kinematics_node.ros.conversions import set_pose
from kinematics_node.ros.conversions import vector_message
from kinematics_node.ros.latest import Latest
from kinematics_node.ros.latest import RequestError
from kinematics_node.ros.requests import Asked
from kinematics_node.ros.requests import States


def answer(request: ComputeFk.Request, latest: Latest, response: ComputeFk.Response) -> None:
    """Write the answer to a request.

    Raises
    ------
    KinematicsError
        The request cannot be used.
    """
    states = _asked(request, States(latest))
    response.success = True
    response.states = [_frame_states(request, latest, asked) for asked in states]
    opened = sum(1 for asked in response.states if not asked.loops_closed)
    if opened:
        response.message = (
            f'the loops cannot be closed at {opened} of {len(states)} states; '
            'their frames are where the solver stopped'
        )


def _asked(request: ComputeFk.Request, states: States) -> list[Asked]:
    trajectory = request.trajectory
    if not trajectory.points:
        return [states.of_message(request.state)]
    if request.state.name:
        raise RequestError('give a state or a trajectory, not both')
    return [
        states.of_numbers(
            trajectory.joint_names, point.positions, point.velocities, point.accelerations
        )
        for point in trajectory.points
    ]


def _frame_states(request: ComputeFk.Request, latest: Latest, asked: Asked) -> FrameStates:
    model = latest.model
    names = list(request.frames) or [link.name for link in model.links]
    reference = request.reference_frame or model.root
    poses = frame_poses(model, asked.q, names, reference)
    R_RW = pose_matrices(frame_poses(model, asked.q, model.root, reference))[:3, :3]
    message = FrameStates()
    message.header.frame_id = reference
    message.header.stamp.sec, message.header.stamp.nanosec = seconds_of(latest.stamp)
    for name, pose in zip(names, poses.tolist(), strict=True):
        frame = FrameState()
        frame.frame = name
        set_pose(frame.pose, pose)
        message.frames.append(frame)
    if request.velocities:
        rates = frame_velocities(model, asked.q, asked.v, names)
        for frame, six in zip(message.frames, _turned(R_RW, rates), strict=True):
            frame.velocity = _twist(Twist, six)
    if request.accelerations:
        rates = frame_accelerations(model, asked.q, asked.v, asked.a, names)
        for frame, six in zip(message.frames, _turned(R_RW, rates), strict=True):
            frame.acceleration = _twist(Accel, six)
    if request.jacobians:
        message.jacobian_columns = list(model.velocity_names)
        for frame in message.frames:
            columns = frame_jacobian(model, asked.q, frame.frame).T
            frame.jacobian = _turned(R_RW, columns).T.ravel().tolist()
    message.loops_closed = not asked.worst
    message.loop_residual = asked.residual
    return message


def _turned(R_RW: Array, sixes: Array) -> Array:
    """Express rows of [w; v] on other axes."""
    return np.concatenate((sixes[:, :3] @ R_RW.T, sixes[:, 3:] @ R_RW.T), axis=1)


def _twist(kind: type, six: Array) -> Twist | Accel:
    return kind(angular=vector_message(six[:3]), linear=vector_message(six[3:]))
