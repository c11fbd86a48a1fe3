# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What a joint is beyond another one of its name, in our notation."""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import Any

from kinematics_node.formats.notation_axes import carried_over
from kinematics_node.formats.notation_axes import LIMITS
from kinematics_node.formats.notation_axes import PLAIN
from kinematics_node.model.ball_joint import ball_axes
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import IDENTITY_POSE
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Motor
from kinematics_node.model.elements import Pose
from kinematics_node.model.elements import Vector
from kinematics_node.model.joint_types import JointType

# Angles of an <origin> cost a quaternion its last digit or two.
ROUNDING = 1e-15


def joint_difference(joint: Joint, said: Joint) -> dict[str, Any]:
    """Return the keys of joints.<name> that turn the joint `said` into `joint`."""
    keys: dict[str, Any] = {}
    axes = said.axes
    if joint.type is not said.type:
        keys['type'] = joint.type.name.lower()
        axes = carried_over(said.axes, joint.type)
    if not same_pose(joint.X_PF, said.X_PF):
        keys['origin'] = origin_of(joint.X_PF)
    if not same_pose(joint.X_MC, said.X_MC):
        keys['child_origin'] = origin_of(joint.X_MC)
    keys.update(_axis_keys(joint, axes))
    if joint.slide_damping != said.slide_damping:
        keys['slide_damping'] = list(joint.slide_damping)
    if joint.mimic != said.mimic:
        mimic = joint.mimic
        keys['mimic'] = mimic is not None and {
            'joint': mimic.master,
            'multiplier': mimic.multiplier,
            'offset': mimic.offset,
        }
    if joint.soft_limits != said.soft_limits:
        soft = joint.soft_limits
        keys['soft_limits'] = soft is not None and dict(vars(soft))
    for name in ('actuated', 'independent'):
        value = getattr(joint, name)
        if value != getattr(said, name):
            keys[name] = value
    return keys


def origin_of(X: Pose) -> dict[str, list[float]]:
    """Return a pose as our notation writes it, to the last digit."""
    origin: dict[str, list[float]] = {'xyz': list(X[4:])}
    if X[:4] != IDENTITY_POSE[:4]:
        origin['quaternion_wxyz'] = list(X[:4])
    return origin


def same_pose(X: Pose, Y: Pose) -> bool:
    """Return whether two poses are the same but for rounding; q and -q are one rotation."""
    if X[4:] != Y[4:]:
        return False
    plus = max(abs(a - b) for a, b in zip(X[:4], Y[:4], strict=True))
    minus = max(abs(a + b) for a, b in zip(X[:4], Y[:4], strict=True))
    return min(plus, minus) <= ROUNDING


def _axis_keys(joint: Joint, said: Sequence[Axis]) -> dict[str, Any]:
    """Return directions and values of the axes, where they differ from what is said of them."""
    keys: dict[str, Any] = {}
    axes = joint.axes
    if [a.direction for a in axes] != [a.direction for a in said]:
        keys.update(_direction_keys(joint))
    for name in LIMITS:
        values = [getattr(axis.limits, name) for axis in axes]
        if values != [getattr(axis.limits, name) for axis in said]:
            keys[name] = _short(values)
    for name in PLAIN:
        values = [getattr(axis, name) for axis in axes]
        if values != [getattr(axis, name) for axis in said]:
            keys[name] = _short(values)
    if [a.stops for a in axes] != [a.stops for a in said]:
        keys['stops'] = [end for axis in axes for end in axis.stops or (0.0, 0.0)]
    if any(axis.motor is not None for axis in axes):
        _put_motors(keys, axes)
    if any(axis.braked for axis in axes):
        keys['brake'] = [axis.braked for axis in axes]
    return keys


def _put_motors(keys: dict[str, Any], axes: Sequence[Axis]) -> None:
    """Write motors for all axes at once, or under each axis where some have none."""
    if all(axis.motor is not None for axis in axes):
        keys['motor'] = [end for axis in axes for end in _ends(axis.motor)]
        return
    for number, axis in enumerate(axes, 1):
        own: dict[str, Any] = {'direction': list(axis.direction)}
        if axis.motor is not None:
            own['motor'] = _ends(axis.motor)
        keys[f'axis{number}'] = own


def _ends(motor: Motor | None) -> list[float]:
    return [-math.inf, math.inf] if motor is None else [motor.lower, motor.upper]


def _direction_keys(joint: Joint) -> dict[str, list[float]]:
    directions = [axis.direction for axis in joint.axes]
    if len(directions) == 1:
        return {'axis': list(directions[0])}
    keys = {f'axis{n}': list(direction) for n, direction in enumerate(directions, 1)}
    if joint.type is JointType.BALL and _is_computed(directions):
        del keys['axis2']
    return keys


def _is_computed(directions: Sequence[Vector]) -> bool:
    return ball_axes(directions[0], directions[2])[0][1] == directions[1]


def _short(values: list[float]) -> Any:
    return values[0] if len(set(values)) == 1 else values
