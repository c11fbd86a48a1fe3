# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Limits: missing, reversed, empty, negative, or in degrees and millimetres."""

from __future__ import annotations

from collections.abc import Iterator
import math

from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Limits
from kinematics_node.model.findings import Finding
from kinematics_node.model.findings import Severity
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model

DEGREES_STEP = 5.0
SMALLEST_DEGREES = 15.0
MANY_TURNS = 100.0
LONG_STROKE = 10.0
LIMITED = (JointType.REVOLUTE, JointType.PRISMATIC, JointType.UNIVERSAL)
NEEDS_LIMITS = (JointType.REVOLUTE, JointType.PRISMATIC)


def review_limits(model: Model) -> Iterator[Finding]:
    """Look at the limits of every axis, and at soft limits."""
    for joint in model.joints:
        if joint.type in LIMITED:
            for axis in joint.axes:
                yield from _position_limits(joint, axis.limits)
        for axis in joint.axes:
            yield from _rate_limits(joint, axis.limits)
        yield from _soft_limits(joint)


def _finding(
    joint: Joint, code: str, message: str, severity: Severity = Severity.WARNING
) -> Finding:
    return Finding(code, severity, f"joint '{joint.name}'", message, joint.line)


def _position_limits(joint: Joint, limits: Limits) -> Iterator[Finding]:
    lower, upper = limits.lower, limits.upper
    shown = f'{lower:g} to {upper:g}'
    if math.isinf(lower) and math.isinf(upper):
        if joint.type in NEEDS_LIMITS:
            sentence = f'a {joint.type.name.lower()} joint without position limits; give them'
            if joint.type is JointType.REVOLUTE:
                sentence += ', or make it continuous'
            yield _finding(joint, 'limit-missing', sentence)
    elif lower > upper:
        sentence = f'limits {shown} are reversed, no position is within; exchange them'
        yield _finding(joint, 'limit-reversed', sentence)
    elif lower == upper:
        sentence = f'limits {shown} leave no motion; give a range, or make the joint fixed'
        yield _finding(joint, 'limit-empty', sentence)
    elif lower > 0.0 or upper < 0.0:
        sentence = f'the zero pose is outside the limits {shown}'
        yield _finding(joint, 'zero-outside-limits', sentence, Severity.INFO)
    yield from _units(joint, lower, upper)


def _units(joint: Joint, lower: float, upper: float) -> Iterator[Finding]:
    bounds = [abs(x) for x in (lower, upper) if math.isfinite(x)]
    if joint.type is JointType.PRISMATIC:
        if any(x > LONG_STROKE for x in bounds):
            yield _finding(
                joint,
                'limit-millimetres',
                f'limits {lower:g} to {upper:g} m look like millimetres; give metres',
            )
    elif any(_looks_like_degrees(x) for x in bounds):
        low, high = math.radians(lower), math.radians(upper)
        yield _finding(
            joint,
            'limit-degrees',
            f'limits {lower:g} to {upper:g} rad look like degrees; in radians they are '
            f'{low:.4g} to {high:.4g}',
        )


def _looks_like_degrees(bound: float) -> bool:
    """Return whether a bound is a round number of degrees, or very many turns."""
    is_round = bound % DEGREES_STEP == 0.0 and bound >= SMALLEST_DEGREES
    return is_round or bound > MANY_TURNS


def _rate_limits(joint: Joint, limits: Limits) -> Iterator[Finding]:
    for kind, bound in (('velocity', limits.velocity), ('effort', limits.effort)):
        if bound < 0.0:
            sentence = f'the {kind} limit {bound:g} is negative; give its absolute value'
            yield _finding(joint, f'limit-{kind}-negative', sentence)
        elif math.isnan(bound):
            yield _finding(joint, f'limit-{kind}-nan', f'the {kind} limit is not a number')


def _soft_limits(joint: Joint) -> Iterator[Finding]:
    soft = joint.soft_limits
    if soft is None or not joint.type.is_single_axis or (soft.lower == soft.upper == 0.0):
        return
    limits = joint.axes[0].limits
    if soft.lower > soft.upper:
        sentence = f'soft limits {soft.lower:g} to {soft.upper:g} are reversed; exchange them'
        yield _finding(joint, 'soft-limit-reversed', sentence)
    elif joint.type is not JointType.CONTINUOUS and (
        soft.lower < limits.lower or soft.upper > limits.upper
    ):
        yield _finding(
            joint,
            'soft-limit-outside',
            f'soft limits {soft.lower:g} to {soft.upper:g} reach beyond the limits '
            f'{limits.lower:g} to {limits.upper:g}; keep them inside',
        )
