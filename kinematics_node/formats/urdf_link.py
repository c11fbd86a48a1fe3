# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The <link> of URDF, read with lxml alone.

urdf_parser_py knows neither capsules nor the names of shapes, and reading links with it is most of
the time that a large description takes; so it reads joints, and links are read here.
"""

from __future__ import annotations

import numpy as np

from kinematics_node.formats.ignored import Ignored
from kinematics_node.formats.resources import Resources
from kinematics_node.formats.rotations import make_pose
from kinematics_node.formats.rotations import rpy_quaternion
from kinematics_node.formats.urdf_schema import INERTIAL
from kinematics_node.formats.urdf_schema import LINK
from kinematics_node.formats.urdf_schema import ORIGIN
from kinematics_node.formats.urdf_schema import strip_unknown
from kinematics_node.formats.xml import child
from kinematics_node.formats.xml import children
from kinematics_node.formats.xml import Element
from kinematics_node.formats.xml import name_of
from kinematics_node.formats.xml import number_attribute
from kinematics_node.formats.xml import refuse
from kinematics_node.formats.xml import required_child
from kinematics_node.formats.xml import text_attribute
from kinematics_node.formats.xml import vector_attribute
from kinematics_node.model.elements import Geometry
from kinematics_node.model.elements import IDENTITY_POSE
from kinematics_node.model.elements import Inertia
from kinematics_node.model.elements import Link
from kinematics_node.model.elements import Pose
from kinematics_node.model.elements import ZERO
from kinematics_node.model.findings import Severity
from kinematics_node.spatial import rotation_rows

_APPEARANCE = 'colours and textures play no part in kinematics'
MOMENTS = ('ixx', 'iyy', 'izz', 'ixy', 'ixz', 'iyz')
_UNIT_SCALE = (1.0, 1.0, 1.0)


def read_link(element: Element, ignored: Ignored, resources: Resources | None) -> Link:
    """Return a link with its inertia and shapes.

    Raises
    ------
    DescriptionError
        A name is missing, or a number is missing or malformed.
    """
    name = text_attribute(element, 'name')
    inertials = children(element, 'inertial')
    for repeated in inertials[1:]:
        ignored.repeated(repeated)
    inertia = read_inertial(inertials[0], ignored) if inertials else None
    geometry = tuple(
        shape
        for role in ('visual', 'collision')
        for holder in children(element, role)
        if (shape := _read_shape(holder, role, ignored, resources)) is not None
    )
    line = element.sourceline
    strip_unknown(element, LINK, ignored)
    return Link(name, inertia, geometry, line)


def read_inertial(element: Element, ignored: Ignored) -> Inertia:
    """Return the inertia of an <inertial>, turned into the link's frame.

    Raises
    ------
    DescriptionError
        The mass is missing, or a number is missing or malformed.
    """
    if child(element, 'mass') is None:
        raise refuse(element, '<mass> is missing from <inertial>; add it, or remove <inertial>')
    strip_unknown(element, INERTIAL, ignored)
    if child(element, 'inertia') is None:
        reason = 'has no <inertia>; the link is taken as a point mass, add the six moments'
        ignored.note('inertia-missing', Severity.WARNING, '<inertial>', reason, element)
    origin = child(element, 'origin')
    center = rpy = ZERO
    if origin is not None:
        center, rpy = (vector_attribute(origin, name, ZERO) for name in ('xyz', 'rpy'))
    moments = (0.0,) * 6
    inertia = child(element, 'inertia')
    if inertia is not None:
        xx, yy, zz, xy, xz, yz = (number_attribute(inertia, name) for name in MOMENTS)
        moments = (xx, yy, zz, xy, xz, yz)
        if any(rpy):
            moments = turned_inertia(moments, rpy_quaternion(rpy))
    mass = number_attribute(required_child(element, 'mass'), 'value')
    return Inertia(mass, center, moments)


def turned_inertia(
    moments: tuple[float, ...], quaternion: tuple[float, float, float, float]
) -> tuple[float, float, float, float, float, float]:
    """Return R I R^T of (ixx, iyy, izz, ixy, ixz, iyz)."""
    xx, yy, zz, xy, xz, yz = moments
    rows = np.array(rotation_rows(quaternion))
    turned = rows @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ rows.T
    i = turned.tolist()
    return (i[0][0], i[1][1], i[2][2], i[0][1], i[0][2], i[1][2])


def read_origin(element: Element, ignored: Ignored) -> Pose:
    """Return the pose of an element's <origin>; identity where there is none."""
    origin = child(element, 'origin')
    if origin is None:
        return IDENTITY_POSE
    strip_unknown(origin, ORIGIN, ignored)
    return make_pose(vector_attribute(origin, 'xyz', ZERO), vector_attribute(origin, 'rpy', ZERO))


def _read_shape(
    holder: Element, role: str, ignored: Ignored, resources: Resources | None
) -> Geometry | None:
    for other in holder:
        name = name_of(other)
        if name == 'material':
            ignored.on_purpose(other, _APPEARANCE)
        elif name not in ('origin', 'geometry'):
            ignored.unknown_element(other)
    for name in holder.keys():  # noqa: SIM118 (an element iterates over its children)
        if name != 'name':
            ignored.unknown_attribute(holder, name)
    pose = read_origin(holder, ignored)
    geometry = child(holder, 'geometry')
    if geometry is None or len(geometry) == 0:
        reason = 'has no shape in a <geometry> and is ignored; add one, or remove it'
        ignored.note('geometry-empty', Severity.WARNING, f'<{role}>', reason, holder)
        return None
    for extra in geometry[1:]:
        reason = 'is a second shape in one <geometry> and is ignored; write a holder for each'
        what = f'<{name_of(extra)}>'
        ignored.note('element-repeated', Severity.WARNING, what, reason, extra)
    read = _size_and_resource(geometry[0], ignored)
    if read is None:
        return None
    size, resource = read
    if resource and resources is not None and resources.resolve(resource) is None:
        what, reason = f"the file '{resource}'", resources.reason(resource)
        ignored.note('resource-missing', Severity.WARNING, what, reason, holder)
    return Geometry(role, name_of(geometry[0]), pose, size, resource, holder.get('name') or '')


def _size_and_resource(shape: Element, ignored: Ignored) -> tuple[tuple[float, ...], str] | None:
    kind = name_of(shape)
    known = _SHAPE_ATTRIBUTES.get(kind)
    if known is None:
        reason = (
            'is not a shape of URDF and is ignored; use box, cylinder, sphere, capsule or mesh'
        )
        ignored.note('geometry-unknown', Severity.WARNING, f'<{kind}>', reason, shape)
        return None
    for name in shape.keys():  # noqa: SIM118 (an element iterates over its children)
        if name not in known:
            ignored.unknown_attribute(shape, name)
    for inside in shape:
        ignored.unknown_element(inside)
    if kind == 'mesh':
        scale = vector_attribute(shape, 'scale', _UNIT_SCALE)
        return scale, text_attribute(shape, 'filename')
    if kind == 'box':
        return vector_attribute(shape, 'size'), ''
    return tuple(number_attribute(shape, name) for name in known), ''


_SHAPE_ATTRIBUTES = {
    'box': ('size',),
    'cylinder': ('radius', 'length'),
    'capsule': ('radius', 'length'),
    'sphere': ('radius',),
    'mesh': ('filename', 'scale'),
}
