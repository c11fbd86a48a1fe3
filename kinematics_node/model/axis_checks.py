# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What Webots checks and mends on the axes of a joint: constants, stops and motor ranges.

Source: Webots, docs/reference/jointparameters.md, motor.md and WbBallJoint.cpp.
"""

from __future__ import annotations

from dataclasses import replace
import math

from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Motor
from kinematics_node.model.findings import Finding
from kinematics_node.model.findings import Severity
from kinematics_node.model.joint_types import JointType

ROTATIONAL = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.UNIVERSAL, JointType.BALL)
CONSTANTS = ('spring', 'damping', 'friction', 'brake_damping')


def mended_axes(joint: Joint, findings: list[Finding]) -> Joint:
    """Return a joint with axes as Webots would take them, and a finding for each change or doubt.

    Negative constants become positive; equal stops are none; the second motor of a ball joint
    stays within pi/2, where its three angles are unambiguous. Stops and motor ranges are checked.
    """
    axes = []
    for number, axis in enumerate(joint.axes, 1):
        element = f"joint '{joint.name}'"
        place = f'axis {number}' if len(joint.axes) > 1 else 'the axis'
        notes: list[tuple[str, str]] = []
        axis = _positive_constants(axis, place, notes)
        axis = _checked_stops(axis, joint.type, place, notes)
        if joint.type is JointType.BALL and number == 2:
            axis = _second_motor(axis, notes)
        _check_motor(axis, place, notes)
        findings.extend(
            Finding(code, Severity.WARNING, element, message, joint.line)
            for code, message in notes
        )
        axes.append(axis)
    return replace(joint, axes=tuple(axes))


def _positive_constants(axis: Axis, place: str, notes: list[tuple[str, str]]) -> Axis:
    for name in CONSTANTS:
        value = getattr(axis, name)
        if value < 0.0:
            notes.append(
                (
                    'constant-negative',
                    f'{name} of {place} is {value:g}, below zero; {-value:g} is taken',
                )
            )
            axis = replace(axis, **{name: -value})
    return axis


def _checked_stops(axis: Axis, kind: JointType, place: str, notes: list[tuple[str, str]]) -> Axis:
    if axis.stops is None:
        return axis
    lower, upper = axis.stops
    if lower == upper:
        return replace(axis, stops=None)
    in_range = lower <= 0.0 <= upper
    if kind in ROTATIONAL:
        in_range = in_range and lower >= -math.pi and upper <= math.pi
    if not in_range:
        wanted = '-pi to 0 and 0 to pi' if kind in ROTATIONAL else 'up to 0 and from 0 on'
        notes.append(
            ('stops-range', f'stops {lower:g} to {upper:g} of {place} should lie in {wanted}')
        )
    return axis


def _second_motor(axis: Axis, notes: list[tuple[str, str]]) -> Axis:
    if axis.motor is None:
        return axis
    lower, upper = axis.motor.lower, axis.motor.upper
    right = 0.5 * math.pi
    # 1.5708 as descriptions write it is not an attempt to leave the range.
    outside = [x for x in (lower, upper) if math.isfinite(x) and abs(x) > right + 1e-5]
    if outside:
        notes.append(
            (
                'motor-range',
                f'the motor of axis 2 reaches {outside[0]:g}; it is kept within -pi/2 to pi/2',
            )
        )
    return replace(axis, motor=Motor(max(lower, -right), min(upper, right)))


def _check_motor(axis: Axis, place: str, notes: list[tuple[str, str]]) -> None:
    if axis.stops is None or axis.motor is None:
        return
    lower, upper = axis.motor.lower, axis.motor.upper
    if math.isinf(lower) and math.isinf(upper):
        return
    if lower < axis.stops[0] or upper > axis.stops[1]:
        notes.append(
            (
                'motor-outside-stops',
                f'the motor of {place} ranges from {lower:g} to {upper:g}, outside the stops '
                f'{axis.stops[0]:g} to {axis.stops[1]:g}; keep it inside',
            )
        )
