# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The service ~/check_state: whether states are possible, and if not, what is wrong."""

from __future__ import annotations

from joint_kinematics import msg
from joint_kinematics.srv import CheckState
from sensor_msgs.msg import JointState
from sensor_msgs.msg import MultiDOFJointState

from kinematics_node.check import check_state
from kinematics_node.check import CheckResult
from kinematics_node.check import Tolerances
from kinematics_node.errors import ValueShapeError
from kinematics_node.ros.latest import Latest

Poses = dict[str, tuple[float, ...]]


def answer(request: CheckState.Request, latest: Latest, response: CheckState.Response) -> None:
    """Write the answer to a request.

    Raises
    ------
    KinematicsError
        The request cannot be used: lists of unequal lengths, a tolerance below zero.
    """
    tolerances, poses = _tolerances(request.tolerance), _poses(request.poses)
    results = []
    for number, state in enumerate(request.states or [JointState()]):
        given = poses if number == 0 else {}
        results.append(_check(latest, state, given, tolerances))
    response.success, response.valid = True, all(result.valid for result in results)
    response.checks = [_message(result) for result in results]
    first = next((v for result in results for v in result.violations), None)
    count = sum(len(result.violations) for result in results)
    if first is not None:
        response.message = first.message + (f' (and {count - 1} more)' if count > 1 else '')


def _check(latest: Latest, state: JointState, poses: Poses, tolerances: Tolerances) -> CheckResult:
    if not state.name:
        return check_state(latest.model, latest.q, latest.v, poses=poses, tolerances=tolerances)
    lists = {'positions': state.position, 'velocities': state.velocity, 'efforts': state.effort}
    for kind, values in lists.items():
        if len(values) not in (
            (len(state.name),) if kind == 'positions' else (0, len(state.name))
        ):
            raise ValueShapeError(
                f'a state has {len(values)} {kind} for {len(state.name)} names; give as many'
            )
    positions, velocities, efforts = (
        dict(zip(state.name, map(float, values), strict=True)) if len(values) else None
        for values in lists.values()
    )
    return check_state(
        latest.model, positions or {}, velocities, efforts, poses=poses, tolerances=tolerances
    )


def _tolerances(tolerance: float) -> Tolerances:
    if not tolerance >= 0.0:
        raise ValueShapeError(f'the tolerance is {tolerance}; it must be 0 or more')
    if tolerance == 0.0:
        return Tolerances()
    return Tolerances(mimic=tolerance, loop=tolerance, anchor=tolerance)


def _poses(message: MultiDOFJointState) -> Poses:
    if len(message.joint_names) != len(message.transforms):
        raise ValueShapeError(
            f'poses have {len(message.transforms)} transforms for {len(message.joint_names)} names'
        )
    poses: Poses = {}
    for name, transform in zip(message.joint_names, message.transforms, strict=True):
        r, t = transform.rotation, transform.translation
        poses[name] = (r.w, r.x, r.y, r.z, t.x, t.y, t.z)
    return poses


def _message(result: CheckResult) -> msg.StateCheck:
    return msg.StateCheck(
        valid=result.valid,
        violations=[
            msg.Violation(
                kind=int(v.kind),
                element=v.element,
                coordinate=v.coordinate,
                value=v.value,
                bound=v.bound,
                margin=v.margin,
                message=v.message,
            )
            for v in result.violations
        ],
    )
