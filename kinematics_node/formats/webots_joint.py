# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Webots' joint nodes: HingeJoint, Hinge2Joint, SliderJoint and BallJoint.

Anchor and axes are given in the frame of the closest Pose or Solid above. A ball joint takes axis
1 from jointParameters2 and axis 3 from jointParameters3, but the values of its axis i from
jointParameters i. Source: Webots, docs/reference and src/webots/nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace
import math

from kinematics_node.formats.rotations import axis_angle_quaternion
from kinematics_node.formats.vrml import Node
from kinematics_node.model.axis_checks import mended_axes
from kinematics_node.model.ball_joint import anchored_frames
from kinematics_node.model.ball_joint import ball_axes
from kinematics_node.model.ball_joint import universal_axes
from kinematics_node.model.ball_joint import zero_pose
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Limits
from kinematics_node.model.elements import Motor
from kinematics_node.model.elements import Pose
from kinematics_node.model.elements import Vector
from kinematics_node.model.elements import X_AXIS
from kinematics_node.model.elements import Z_AXIS
from kinematics_node.model.elements import ZERO
from kinematics_node.model.findings import Finding
from kinematics_node.model.findings import Severity
from kinematics_node.model.joint_types import JointType
from kinematics_node.spatial import compose
from kinematics_node.spatial import pose
from kinematics_node.spatial import position
from kinematics_node.spatial import rotation

JOINTS = ('HingeJoint', 'Hinge2Joint', 'SliderJoint', 'BallJoint')
_PARAMETERS = ('jointParameters', 'jointParameters2', 'jointParameters3')
_DEVICES = ('device', 'device2', 'device3')
_DEFAULT_TORQUE = 10.0
_DEFAULT_VELOCITY = 10.0


@dataclass(frozen=True)
class Placement:
    """Where a joint stands: its names, and the Pose above it in the parent link's frame."""

    name: str
    parent: str
    child: str
    X_LP: Pose


def node_pose(node: Node) -> Pose:
    """Return the pose of a node with translation and rotation (axis and angle)."""
    x, y, z = node.numbers('translation', (0.0, 0.0, 0.0))
    *axis, angle = node.numbers('rotation', (0.0, 0.0, 1.0, 0.0))
    return (*axis_angle_quaternion(axis, angle), x, y, z)


def joint_name(node: Node, child: str) -> str:
    """Return a joint's name: its DEF, or else that of the link that it moves."""
    return node.define or f'{child}_joint'


def read_joint(node: Node, at: Placement, endpoint: Pose, findings: list[Finding]) -> Joint:
    """Return the joint of a node whose end point is stored at a pose, in the Pose above.

    Raises
    ------
    DescriptionError
        A number is malformed.
    """
    kind = {
        'HingeJoint': JointType.CONTINUOUS,
        'Hinge2Joint': JointType.UNIVERSAL,
        'SliderJoint': JointType.PRISMATIC,
        'BallJoint': JointType.BALL,
    }[node.type]
    parameters = [node.node(name) for name in _PARAMETERS][: kind.axis_count]
    directions = _directions(node, kind, parameters, at.name, findings)
    axes = tuple(
        _axis(node, n, direction, parameters, findings, at.name)
        for n, direction in enumerate(directions)
    )
    if kind is JointType.BALL:
        axes = _isotropic(axes, parameters)
    if kind is JointType.CONTINUOUS and (axes[0].stops or _is_limited(axes[0].motor)):
        kind = JointType.REVOLUTE
    positions = [p.number('position', 0.0) if p else 0.0 for p in parameters]
    anchor = ZERO
    if kind is JointType.PRISMATIC:
        X_PF, X_MC = _slider_frames(endpoint, directions[0], positions[0])
    else:
        first = parameters[0]
        x, y, z = first.numbers('anchor', ZERO) if first else ZERO
        anchor = (x, y, z)
        X_PF, X_MC = anchored_frames(zero_pose(endpoint, directions, positions, anchor), anchor)
    joint = Joint(
        at.name,
        kind,
        at.parent,
        at.child,
        X_PF=compose(at.X_LP, X_PF),
        X_MC=X_MC,
        axes=axes,
        actuated=any(_motor(node, n) is not None for n in range(len(axes))),
        line=node.line,
    )
    joint = mended_axes(joint, findings)
    _check_positions(joint, positions, findings)
    return replace(joint, axes=tuple(_with_limits(axis, kind) for axis in joint.axes))


def _directions(
    node: Node,
    kind: JointType,
    parameters: list[Node | None],
    name: str,
    findings: list[Finding],
) -> tuple[Vector, ...]:
    """Return the axes in the Pose above, each present node having a default of its own."""

    def axis(which: Node | None, absent: Vector) -> Vector:
        if which is None:
            return absent
        x, y, z = which.numbers('axis', absent)
        if x == y == z == 0.0:
            note('axis-zero', 'has an axis of zero length; 0 0 1 is taken')
            return Z_AXIS
        return (x, y, z)

    def note(code: str, message: str) -> None:
        element = f"joint '{name}'"
        findings.append(Finding(code, Severity.WARNING, element, message, node.line))

    if kind is JointType.BALL:
        outer = [axis(p, Z_AXIS) if p else None for p in parameters[1:]]
        directions, warning = ball_axes(outer[0], outer[1])
    elif kind is JointType.UNIVERSAL:
        directions, warning = universal_axes(  # type: ignore[assignment]
            axis(parameters[0], X_AXIS), axis(parameters[1], Z_AXIS)
        )
    else:
        absent = Z_AXIS if kind is JointType.PRISMATIC else X_AXIS
        return (axis(parameters[0], absent),)
    if warning:
        note('axes-parallel', warning)
    return directions


def _axis(
    node: Node,
    number: int,
    direction: Vector,
    parameters: list[Node | None],
    findings: list[Finding],
    name: str,
) -> Axis:
    axis = Axis(direction)
    values = parameters[number]
    if values is not None:
        lower, upper = values.number('minStop', 0.0), values.number('maxStop', 0.0)
        axis = replace(
            axis,
            spring=values.number('springConstant', 0.0),
            damping=values.number('dampingConstant', 0.0),
            friction=values.number('staticFriction', 0.0),
            stops=None if lower == upper else (lower, upper),
        )
    motor = _motor(node, number)
    if motor is None:
        return axis
    lower, upper = motor.number('minPosition', 0.0), motor.number('maxPosition', 0.0)
    effort = 'maxForce' if motor.type == 'LinearMotor' else 'maxTorque'
    limits = Limits(
        velocity=abs(motor.number('maxVelocity', _DEFAULT_VELOCITY)),
        effort=_positive(motor, effort, name, findings),
    )
    if 'multiplier' in motor.fields:
        message = 'has a motor with a multiplier, which is ignored; write a coupling'
        element = f"joint '{name}'"
        findings.append(
            Finding('multiplier-ignored', Severity.WARNING, element, message, motor.line)
        )
    reach = Motor() if lower == upper == 0.0 else Motor(lower, upper)
    return replace(axis, motor=reach, limits=limits)


def _positive(motor: Node, name: str, joint: str, findings: list[Finding]) -> float:
    value = motor.number(name, _DEFAULT_TORQUE)
    if value >= 0.0:
        return value
    message = f'has {name} {value:g}, below zero; {_DEFAULT_TORQUE:g} is taken'
    element = f"joint '{joint}'"
    findings.append(Finding('constant-negative', Severity.WARNING, element, message, motor.line))
    return _DEFAULT_TORQUE


def _motor(node: Node, number: int) -> Node | None:
    wanted = 'LinearMotor' if node.type == 'SliderJoint' else 'RotationalMotor'
    return next((d for d in node.nodes(_DEVICES[number]) if d.type == wanted), None)


def _isotropic(axes: tuple[Axis, ...], parameters: list[Node | None]) -> tuple[Axis, ...]:
    """Give axes without parameters of their own the spring and damping of the first."""
    return tuple(
        replace(axis, spring=axes[0].spring, damping=axes[0].damping)
        if which is None and parameters[0] is not None
        else axis
        for axis, which in zip(axes, parameters, strict=True)
    )


def _is_limited(motor: Motor | None) -> bool:
    return motor is not None and math.isfinite(motor.lower) and math.isfinite(motor.upper)


def _slider_frames(stored: Pose, axis: Vector, at: float) -> tuple[Pose, Pose]:
    length = math.sqrt(sum(x * x for x in axis))
    x, y, z = (p - at * a / length for p, a in zip(position(stored), axis, strict=True))
    no_turn = (1.0, 0.0, 0.0, 0.0)
    return pose(no_turn, (x, y, z)), pose(rotation(stored), ZERO)


def _check_positions(joint: Joint, positions: list[float], findings: list[Finding]) -> None:
    for axis, at in zip(joint.axes, positions, strict=True):
        if axis.stops is not None and not axis.stops[0] <= at <= axis.stops[1]:
            message = (
                f'is stored at {at:g}, outside its stops {axis.stops[0]:g} to {axis.stops[1]:g}'
            )
            element = f"joint '{joint.name}'"
            findings.append(
                Finding('position-outside-stops', Severity.WARNING, element, message, joint.line)
            )


def _with_limits(axis: Axis, kind: JointType) -> Axis:
    """Take the motor's range as the axis' limits, or else its stops."""
    if kind is JointType.CONTINUOUS:
        return axis
    if axis.motor is not None and _is_limited(axis.motor):
        lower, upper = axis.motor.lower, axis.motor.upper
    elif axis.stops is not None:
        lower, upper = axis.stops
    else:
        return axis
    return replace(axis, limits=replace(axis.limits, lower=lower, upper=upper))
