# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The proposed <constraint> of URDF: a joint that closes a loop.

Source: ros/urdfdom_headers pull request 108 and ros/urdfdom pull request 264 (2026).
"""

from __future__ import annotations

from kinematics_node.formats.ignored import Ignored
from kinematics_node.formats.reading import Reading
from kinematics_node.formats.rotations import make_pose
from kinematics_node.formats.urdf_schema import ORIGIN
from kinematics_node.formats.urdf_schema import strip_unknown
from kinematics_node.formats.xml import child
from kinematics_node.formats.xml import Element
from kinematics_node.formats.xml import name_of
from kinematics_node.formats.xml import refuse
from kinematics_node.formats.xml import required_child
from kinematics_node.formats.xml import text_attribute
from kinematics_node.formats.xml import vector_attribute
from kinematics_node.model.elements import Closure
from kinematics_node.model.elements import IDENTITY_POSE
from kinematics_node.model.elements import Pose
from kinematics_node.model.elements import Vector
from kinematics_node.model.elements import X_AXIS
from kinematics_node.model.elements import ZERO
from kinematics_node.model.findings import Severity

TYPES = {
    'revolute': 'revolute',
    'prismatic': 'prismatic',
    'universal': 'universal',
    'spherical': 'ball',
    'link': 'fixed',
}
_PARTS = ('parent', 'parent_origin', 'parent_axis', 'child', 'child_origin', 'child_axis')


def read_constraint_element(element: Element, reading: Reading) -> bool:
    """Read a <constraint> into the reading; False where it is none.

    Raises
    ------
    DescriptionError
        A part is missing or malformed, or the type is unknown.
    """
    if name_of(element) != 'constraint':
        return False
    name = text_attribute(element, 'name')
    written = text_attribute(element, 'type')
    kind = TYPES.get(written.removesuffix('_joint'))
    if kind is None:
        raise refuse(element, f"type '{written}' is not known; use one of {', '.join(TYPES)}")
    ignored = reading.ignored
    for inside in element:
        if name_of(inside) not in _PARTS:
            ignored.unknown_element(inside)
    axis_A = _axis(element, 'parent_axis')
    axis_B = axis_A
    if kind == 'universal':
        axis_B = _axis(element, 'child_axis')
        if child(element, 'child_axis') is None:
            reason = (
                'of a universal constraint has no <child_axis>; 1 0 0 is taken, as for parents'
            )
            ignored.note('axis-missing', Severity.WARNING, '<constraint>', reason, element)
    reading.builder.add_closure(
        Closure(
            name=name,
            type=kind,
            link_A=text_attribute(required_child(element, 'parent'), 'link'),
            link_B=text_attribute(required_child(element, 'child'), 'link'),
            X_LA=_origin(element, 'parent_origin', ignored),
            X_LB=_origin(element, 'child_origin', ignored),
            axis_A=axis_A,
            axis_B=axis_B,
            line=element.sourceline,
        )
    )
    return True


def _axis(element: Element, name: str) -> Vector:
    axis = child(element, name)
    return X_AXIS if axis is None else vector_attribute(axis, 'xyz')


def _origin(element: Element, name: str, ignored: Ignored) -> Pose:
    origin = child(element, name)
    if origin is None:
        return IDENTITY_POSE
    strip_unknown(origin, ORIGIN, ignored)
    return make_pose(vector_attribute(origin, 'xyz', ZERO), vector_attribute(origin, 'rpy', ZERO))
