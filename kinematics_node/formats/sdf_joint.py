# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The <joint> of SDFormat 1.x: types, axes, limits, dynamics and mimic.

Source: gazebosim/sdformat, sdf/1.12/joint.sdf and mimic.sdf.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace
import math

from kinematics_node.formats.ignored import Ignored
from kinematics_node.formats.sdf_poses import PoseGraph
from kinematics_node.formats.xml import child
from kinematics_node.formats.xml import Element
from kinematics_node.formats.xml import name_of
from kinematics_node.formats.xml import number_of
from kinematics_node.formats.xml import refuse
from kinematics_node.formats.xml import required_child
from kinematics_node.formats.xml import text_attribute
from kinematics_node.formats.xml import vector_of
from kinematics_node.model.ball_joint import DEFAULT_BALL_AXES
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Limits
from kinematics_node.model.elements import Mimic
from kinematics_node.model.elements import Pose
from kinematics_node.model.elements import Vector
from kinematics_node.model.elements import Z_AXIS
from kinematics_node.model.findings import Severity
from kinematics_node.model.joint_types import JointType
from kinematics_node.spatial import compose
from kinematics_node.spatial import conjugate
from kinematics_node.spatial import invert
from kinematics_node.spatial import rotate
from kinematics_node.spatial import rotation

TYPES = {
    'fixed': JointType.FIXED,
    'revolute': JointType.REVOLUTE,
    'continuous': JointType.CONTINUOUS,
    'prismatic': JointType.PRISMATIC,
    'universal': JointType.UNIVERSAL,
    'revolute2': JointType.UNIVERSAL,
    'ball': JointType.BALL,
}
_REMEDIES = {
    'screw': 'write a prismatic and a continuous joint with a massless link between, and a '
    'coupling of the two',
    'gearbox': 'write revolute joints and a coupling',
}
_LARGE = 1e16


@dataclass
class SdfJoint:
    """A joint whose parent and child links are still names of frames."""

    joint: Joint
    element: Element
    parent: str
    child: str


def read_joint(element: Element, graph: PoseGraph, ignored: Ignored) -> SdfJoint:
    """Return a joint with its axes in F, which stands at the joint's own pose.

    Raises
    ------
    DescriptionError
        A part is missing or malformed, or the type is not supported.
    """
    name = text_attribute(element, 'name')
    written = text_attribute(element, 'type')
    if written in _REMEDIES:
        raise refuse(element, f"type '{written}' is not supported; {_REMEDIES[written]}")
    if written not in TYPES:
        raise refuse(element, f"type '{written}' is not known; use one of {', '.join(TYPES)}")
    kind = TYPES[written]
    parent, moved = (_text(required_child(element, role)) for role in ('parent', 'child'))
    if moved == 'world':
        raise refuse(element, "its child is 'world', which cannot move; exchange the two")
    if parent == moved:
        raise refuse(element, f"parent and child are both '{parent}'; name two links")
    tags = ('axis', 'axis2')[: kind.axis_count if kind is not JointType.BALL else 0]
    holders = [child(element, tag) for tag in tags]
    axes = tuple(_axis(holder, name, graph, kind, ignored) for holder in holders)
    if kind is JointType.BALL:
        axes = tuple(Axis(direction) for direction in DEFAULT_BALL_AXES)
    for inside in element:
        _note_other(inside, tags, ignored)
    joint = Joint(
        name,
        kind,
        parent,
        moved,
        axes=axes,
        mimic=_mimic(holders[0], ignored) if holders and holders[0] is not None else None,
        actuated=_actuated(holders),
        line=element.sourceline,
    )
    return SdfJoint(joint, element, parent, moved)


def _note_other(inside: Element, tags: tuple[str, ...], ignored: Ignored) -> None:
    tag = name_of(inside)
    if tag in ('physics', 'sensor'):
        ignored.on_purpose(inside, 'it is for a simulator')
    elif tag not in ('parent', 'child', 'pose', *tags):
        ignored.unknown_element(inside)


def _axis(
    holder: Element | None, joint: str, graph: PoseGraph, kind: JointType, ignored: Ignored
) -> Axis:
    if holder is None:
        return Axis(Z_AXIS)
    direction = _direction(holder, joint, graph)
    limit, dynamics = child(holder, 'limit'), child(holder, 'dynamics')
    for inside in holder:
        if name_of(inside) not in ('xyz', 'limit', 'dynamics', 'mimic', *_OLD_MARKS):
            ignored.unknown_element(inside)
    limits = Limits()
    if limit is not None:
        lower, upper = _bound(limit, 'lower', -math.inf), _bound(limit, 'upper', math.inf)
        if kind is JointType.CONTINUOUS:
            lower, upper = -math.inf, math.inf
        velocity, effort = (_rate_bound(limit, name) for name in ('velocity', 'effort'))
        limits = Limits(lower, upper, velocity, effort)
    values = {} if dynamics is None else {name: _value(dynamics, name, 0.0) for name in _DYNAMICS}
    return Axis(
        direction,
        limits,
        spring=values.get('spring_stiffness', 0.0),
        rest=values.get('spring_reference', 0.0),
        damping=values.get('damping', 0.0),
        friction=values.get('friction', 0.0),
    )


_DYNAMICS = ('damping', 'friction', 'spring_stiffness', 'spring_reference')
_OLD_MARKS = ('use_parent_model_frame', 'initial_position')


def _direction(holder: Element, joint: str, graph: PoseGraph) -> Vector:
    """Return an axis in the joint's frame, from the frame that it is expressed in."""
    xyz = child(holder, 'xyz')
    direction = Z_AXIS if xyz is None else vector_of(xyz, '<xyz>', xyz.text or '')
    frame = (xyz.get('expressed_in') or '').strip() if xyz is not None else ''
    old_mark = child(holder, 'use_parent_model_frame')
    if old_mark is not None and _text(old_mark).lower() in ('1', 'true'):
        frame = '__model__'
    if not frame:
        return direction
    if frame not in graph:
        raise refuse(holder, f"there is no frame '{frame}' to express the axis in")
    R_FM = conjugate(rotation(graph.in_model(joint)))
    return rotate(R_FM, rotate(rotation(graph.in_model(frame)), direction))


def _bound(limit: Element, name: str, absent: float) -> float:
    value = _value(limit, name, absent, infinite=True)
    return math.copysign(math.inf, value) if abs(value) >= _LARGE else value


def _rate_bound(limit: Element, name: str) -> float:
    value = _value(limit, name, math.inf, infinite=True)
    return math.inf if value < 0.0 or value >= _LARGE else value


def _actuated(holders: list[Element | None]) -> bool | None:
    """Return False for an effort limit of zero, which says that nothing drives the joint."""
    limits = [child(holder, 'limit') for holder in holders if holder is not None]
    efforts = [_value(x, 'effort', -1.0, infinite=True) for x in limits if x is not None]
    return False if efforts and all(effort == 0.0 for effort in efforts) else None


def _mimic(holder: Element, ignored: Ignored) -> Mimic | None:
    """Follower = multiplier (leader - reference) + offset."""
    mimic = child(holder, 'mimic')
    if mimic is None:
        return None
    if mimic.get('axis', 'axis') != 'axis':
        reason = "follows a second axis, which is not supported; write a coupling, 'joint/axis2'"
        ignored.note('mimic-ignored', Severity.WARNING, '<mimic>', reason, mimic)
        return None
    multiplier = _value(mimic, 'multiplier', 1.0)
    offset = _value(mimic, 'offset', 0.0) - multiplier * _value(mimic, 'reference', 0.0)
    return Mimic(text_attribute(mimic, 'joint'), multiplier, offset)


def _value(element: Element, name: str, absent: float, *, infinite: bool = False) -> float:
    found = child(element, name)
    if found is None:
        return absent
    return number_of(found, f'<{name}>', found.text or '', infinite=infinite)


def _text(element: Element) -> str:
    text = (element.text or '').strip()
    if not text:
        raise refuse(element, f'<{name_of(element)}> is empty; name a link')
    return text


def placed(joint: Joint, X_WP: Pose, X_WF: Pose, X_WC: Pose) -> Joint:
    """Return a joint with X_PF and X_MC from poses in the model, M standing on F at zero."""
    X_PF = compose(invert(X_WP), X_WF)
    return replace(joint, X_PF=X_PF, X_MC=compose(invert(X_WF), X_WC))
