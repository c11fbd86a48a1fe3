# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The <joint> of URDF, also with the types ball, spherical and universal that Bullet writes.

The joint's frame is the child link's frame at zero: X_PF is the origin, X_MC the identity. The
axes of a ball joint are those of F; a universal joint turns about x and then y, unless it says
otherwise.
"""

from __future__ import annotations

import math

from urdf_parser_py import urdf
from urdf_parser_py.xml_reflection.core import Path

from kinematics_node.formats.ignored import Ignored
from kinematics_node.formats.urdf_link import read_origin
from kinematics_node.formats.urdf_schema import JOINT
from kinematics_node.formats.urdf_schema import strip_unknown
from kinematics_node.formats.xml import child
from kinematics_node.formats.xml import children
from kinematics_node.formats.xml import Element
from kinematics_node.formats.xml import name_of
from kinematics_node.formats.xml import refuse
from kinematics_node.formats.xml import required_child
from kinematics_node.formats.xml import text_attribute
from kinematics_node.formats.xml import vector_attribute
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Limits
from kinematics_node.model.elements import Mimic
from kinematics_node.model.elements import SoftLimits
from kinematics_node.model.elements import Vector
from kinematics_node.model.elements import X_AXIS
from kinematics_node.model.elements import Y_AXIS
from kinematics_node.model.elements import Z_AXIS
from kinematics_node.model.findings import Severity
from kinematics_node.model.joint_types import JointType

TYPES = {
    'fixed': JointType.FIXED,
    'revolute': JointType.REVOLUTE,
    'continuous': JointType.CONTINUOUS,
    'prismatic': JointType.PRISMATIC,
    'planar': JointType.PLANAR,
    'floating': JointType.FLOATING,
    'ball': JointType.BALL,
    'spherical': JointType.BALL,
    'universal': JointType.UNIVERSAL,
}
_UNKNOWN_TO_URDFDOM = ('ball', 'spherical', 'universal')
_BOUNDED = (JointType.REVOLUTE, JointType.PRISMATIC)
DEFAULT_AXES: dict[JointType, tuple[Vector, ...]] = {
    JointType.UNIVERSAL: (X_AXIS, Y_AXIS),
    JointType.BALL: (X_AXIS, Y_AXIS, Z_AXIS),
}


def read_joint(element: Element, ignored: Ignored) -> Joint:
    """Return a joint.

    Raises
    ------
    DescriptionError
        A name, the type, parent or child is missing, the type is unknown, or a number is
        malformed.
    """
    name = text_attribute(element, 'name')
    written = text_attribute(element, 'type')
    if written not in TYPES:
        raise refuse(element, f"type '{written}' is not known; use one of {', '.join(TYPES)}")
    kind = TYPES[written]
    independent = _independent(element)
    for required in ('parent', 'child'):
        text_attribute(required_child(element, required), 'link')
    axes = read_axes(element, kind, ignored)
    slide_damping = _slide_damping(element, kind)
    X_PF = read_origin(element, ignored)
    _take(element, ('origin', 'axis'), ignored)
    if kind is JointType.FIXED:
        _leave_out_motion(element, ignored)
    strip_unknown(element, JOINT, ignored)
    if written in _UNKNOWN_TO_URDFDOM:
        element.set('type', 'unknown')
    limits = _limits(element, kind, ignored)
    parsed = urdf.Joint.from_xml(element, Path('/robot/joint'))
    damping, friction = _dynamics(parsed)
    return Joint(
        name=name,
        type=kind,
        parent=parsed.parent.strip(),
        child=parsed.child.strip(),
        X_PF=X_PF,
        axes=tuple(
            Axis(direction, limits=limits, damping=damping, friction=friction)
            for direction in axes
        ),
        mimic=_mimic(parsed),
        soft_limits=_soft_limits(parsed),
        independent=independent,
        line=element.sourceline,
        slide_damping=slide_damping,
    )


def read_axes(element: Element, kind: JointType, ignored: Ignored) -> tuple[Vector, ...]:
    """Return the directions of a joint's axes in F; none where they have no meaning."""
    if kind in (JointType.FIXED, JointType.FLOATING):
        return ()
    axis, second = child(element, 'axis'), child(element, 'axis2')
    if kind is JointType.UNIVERSAL and axis is not None and second is not None:
        return (vector_attribute(axis, 'xyz'), vector_attribute(second, 'xyz'))
    if second is not None:
        reason = 'is ignored: it belongs to a universal joint, beside <axis>'
        ignored.note('axis-ignored', Severity.WARNING, '<axis2>', reason, second)
    if kind not in DEFAULT_AXES:
        return (vector_attribute(axis, 'xyz') if axis is not None else X_AXIS,)
    if axis is not None:
        spelled = 'x and y' if kind is JointType.UNIVERSAL else 'x, y and z'
        reason = (
            f"is ignored: a {kind.name.lower()} joint's axes are {spelled} of its own frame here; "
            'give axis1 and others in a notation file'
        )
        ignored.note('axis-ignored', Severity.INFO, '<axis>', reason, axis)
    return DEFAULT_AXES[kind]


def _slide_damping(element: Element, kind: JointType) -> tuple[float, float]:
    """Return the first two of a planar joint's damping; Drake writes x, y and theta together."""
    dynamics = child(element, 'dynamics')
    written = dynamics.get('damping', '').split() if dynamics is not None else []
    if kind is not JointType.PLANAR or dynamics is None or len(written) < 2:
        return (0.0, 0.0)
    x, y, _ = vector_attribute(dynamics, 'damping')
    dynamics.set('damping', written[2])
    return (x, y)


def _independent(element: Element) -> bool | None:
    """URDF+: only true and True are true; without the attribute nothing is said."""
    written = element.get('independent')
    return None if written is None else written in ('true', 'True')


def _leave_out_motion(element: Element, ignored: Ignored) -> None:
    for inside in list(element):
        if name_of(inside) in ('limit', 'dynamics', 'safety_controller'):
            ignored.on_purpose(inside, 'a fixed joint does not move')
            element.remove(inside)


def _take(element: Element, names: tuple[str, ...], ignored: Ignored) -> None:
    """Take away children that have been read here, which spares reading them once more."""
    for name in names:
        taken = children(element, name)
        for repeated in taken[1:]:
            ignored.repeated(repeated)
        for each in taken:
            element.remove(each)


def _limits(element: Element, kind: JointType, ignored: Ignored) -> Limits:
    """Return the limits, and complete the element for urdf_parser_py, which wants all of them."""
    limit = child(element, 'limit')
    if limit is None:
        if kind in _BOUNDED:
            reason = 'has no <limit>; it moves without bounds, add one or make it continuous'
            what = f'this {kind.name.lower()} joint'
            ignored.note('limit-missing', Severity.WARNING, what, reason, element)
        return Limits()
    has_range = limit.get('lower') is not None or limit.get('upper') is not None
    for name in ('effort', 'velocity'):
        if limit.get(name) is None:
            reason = f"has no {name}; it is taken as unlimited, add '{name}'"
            ignored.note('limit-incomplete', Severity.INFO, '<limit>', reason, limit)
            limit.set(name, 'inf')
    lower, upper = _range(limit, kind, has_range, ignored)
    return Limits(
        lower, upper, float(limit.get('velocity', 'inf')), float(limit.get('effort', 'inf'))
    )


def _range(
    limit: Element, kind: JointType, has_range: bool, ignored: Ignored
) -> tuple[float, float]:
    if kind in _BOUNDED or kind is JointType.UNIVERSAL:
        if has_range:
            return float(limit.get('lower', '0')), float(limit.get('upper', '0'))
        if kind in _BOUNDED:
            reason = 'has neither lower nor upper; no range is taken, since 0 to 0 would lock it'
            ignored.note('limit-incomplete', Severity.WARNING, '<limit>', reason, limit)
    elif has_range:
        zero = float(limit.get('lower', '0')) == float(limit.get('upper', '0')) == 0.0
        if not (zero and kind is JointType.CONTINUOUS):
            reason = (
                f'of a {kind.name.lower()} joint has no single range; lower and upper are ignored'
            )
            ignored.note('limit-ignored', Severity.WARNING, '<limit>', reason, limit)
    return -math.inf, math.inf


def _dynamics(parsed: urdf.Joint) -> tuple[float, float]:
    if parsed.dynamics is None:
        return 0.0, 0.0
    return parsed.dynamics.damping or 0.0, parsed.dynamics.friction or 0.0


def _mimic(parsed: urdf.Joint) -> Mimic | None:
    mimic = parsed.mimic
    if mimic is None:
        return None
    multiplier = 1.0 if mimic.multiplier is None else mimic.multiplier
    return Mimic(mimic.joint, multiplier, mimic.offset or 0.0)


def _soft_limits(parsed: urdf.Joint) -> SoftLimits | None:
    safety = parsed.safety_controller
    if safety is None:
        return None
    return SoftLimits(
        safety.soft_lower_limit or 0.0,
        safety.soft_upper_limit or 0.0,
        safety.k_position or 0.0,
        safety.k_velocity,
    )
