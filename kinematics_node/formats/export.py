# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""A model as plain URDF plus our notation; reading both gives the same model again.

The URDF holds what every URDF parser understands. Joints that URDF cannot say are fixed in it, at
the zero pose; what the URDF leaves open is found by reading it again, and written as notation.
"""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import Any

from lxml import etree
import yaml

from kinematics_node.formats.export_notation import joint_difference
from kinematics_node.formats.export_notation import origin_of
from kinematics_node.formats.rotations import quaternion_rpy
from kinematics_node.formats.urdf import read_urdf
from kinematics_node.formats.xml import Element
from kinematics_node.model.ball_joint import zero_child_pose
from kinematics_node.model.elements import Closure
from kinematics_node.model.elements import Geometry
from kinematics_node.model.elements import IDENTITY_POSE
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Limits
from kinematics_node.model.elements import Link
from kinematics_node.model.elements import Pose
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model

# urdfdom demands efforts, velocities and ranges and reads no 'inf'; the notation restores it.
UNLIMITED = 1e9
_UNSPEAKABLE = (JointType.BALL, JointType.UNIVERSAL)
_SINGLE = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)


def export_model(model: Model) -> tuple[str, str]:
    """Return a model as (URDF text, YAML text of our notation).

    The YAML text is '' where the URDF says everything.
    """
    urdf_text = export_urdf(model)
    notation = export_notation(model, urdf_text)
    if not notation:
        return urdf_text, ''
    text: str = yaml.safe_dump(notation, sort_keys=False, default_flow_style=None, width=99)
    return urdf_text, text


def export_urdf(model: Model) -> str:
    """Return plain URDF: standard tags only, unsupported joints fixed at the zero pose."""
    robot = etree.Element('robot', name=model.name)
    for link in model.links:
        _add_link(robot, link)
    for joint in model.joints:
        _add_joint(robot, joint)
    etree.indent(robot)
    body: str = etree.tostring(robot, encoding='unicode')
    return f'<?xml version="1.0"?>\n{body}\n'


def export_notation(model: Model, urdf_text: str) -> dict[str, Any]:
    """Return, in our notation, what a model has beyond a URDF text that was made of it."""
    said = {joint.name: joint for joint in read_urdf(urdf_text).joints.values()}
    notation: dict[str, Any] = {}
    joints = {joint.name: joint_difference(joint, said[joint.name]) for joint in model.joints}
    _put(notation, 'joints', {name: keys for name, keys in joints.items() if keys})
    frames = {f.name: {'link': f.link, 'origin': origin_of(f.X_BA)} for f in model.frames}
    _put(notation, 'frames', frames)
    links = {link.name: _unspeakable_shapes(link.geometry) for link in model.links}
    _put(notation, 'links', {n: {'shapes': shapes} for n, shapes in links.items() if shapes})
    _put(notation, 'closures', {c.name: _closure(c) for c in model.closures})
    couplings = {
        c.name: {
            'joints': [name for name, _ in c.terms],
            'coefficients': [k for _, k in c.terms],
            'offset': c.offset,
        }
        for c in model.couplings
    }
    _put(notation, 'couplings', couplings)
    return notation


def _put(notation: dict[str, Any], key: str, value: dict[str, Any]) -> None:
    if value:
        notation[key] = value


def _closure(closure: Closure) -> dict[str, Any]:
    keys: dict[str, Any] = {
        'type': closure.type,
        'link_A': closure.link_A,
        'link_B': closure.link_B,
        'origin_A': origin_of(closure.X_LA),
        'origin_B': origin_of(closure.X_LB),
        'axis_A': list(closure.axis_A),
        'axis_B': list(closure.axis_B),
    }
    if closure.length:
        keys['length'] = closure.length
    return keys


def _unspeakable_shapes(geometry: Sequence[Geometry]) -> dict[str, Any]:
    """Return shapes that are left out of plain URDF, by their place among the link's shapes."""
    shapes: dict[str, Any] = {}
    for number, shape in enumerate(geometry):
        if shape.kind == 'capsule':
            shapes[str(number)] = {
                'role': shape.role,
                'kind': shape.kind,
                'origin': origin_of(shape.X_BG),
                'size': list(shape.size),
                **({'name': shape.name} if shape.name else {}),
            }
    return shapes


def _add_link(robot: Element, link: Link) -> None:
    element = etree.SubElement(robot, 'link', name=link.name)
    if link.inertia is not None:
        inertial = etree.SubElement(element, 'inertial')
        _add_origin(inertial, (*IDENTITY_POSE[:4], *link.inertia.center))
        etree.SubElement(inertial, 'mass', value=_spell(link.inertia.mass))
        xx, yy, zz, xy, xz, yz = (_spell(x) for x in link.inertia.rotational)
        etree.SubElement(inertial, 'inertia', ixx=xx, ixy=xy, ixz=xz, iyy=yy, iyz=yz, izz=zz)
    for shape in link.geometry:
        if shape.kind != 'capsule':
            _add_shape(element, shape)


def _add_shape(link: Element, shape: Geometry) -> None:
    holder = etree.SubElement(link, shape.role)
    if shape.name:
        holder.set('name', shape.name)
    _add_origin(holder, shape.X_BG)
    element = etree.SubElement(etree.SubElement(holder, 'geometry'), shape.kind)
    if shape.kind == 'mesh':
        element.set('filename', shape.resource)
        element.set('scale', _spell_all(shape.size))
    elif shape.kind == 'box':
        element.set('size', _spell_all(shape.size))
    else:
        for name, value in zip(('radius', 'length'), shape.size, strict=False):
            element.set(name, _spell(value))


def _add_joint(robot: Element, joint: Joint) -> None:
    """Add a joint; with M apart from the child it is fixed, since URDF has no place for M."""
    plain = joint.type not in _UNSPEAKABLE and joint.X_MC == IDENTITY_POSE
    kind = joint.type.name.lower() if plain else 'fixed'
    element = etree.SubElement(robot, 'joint', name=joint.name, type=kind)
    _add_origin(element, joint.X_PF if plain else zero_child_pose(joint))
    etree.SubElement(element, 'parent', link=joint.parent)
    etree.SubElement(element, 'child', link=joint.child)
    if not plain or not joint.axes:
        return
    axis = joint.axes[0]
    etree.SubElement(element, 'axis', xyz=_spell_all(axis.direction))
    if joint.type in _SINGLE:
        _add_limit(element, axis.limits, joint.type)
    if axis.damping or axis.friction:
        damping, friction = _spell(axis.damping), _spell(axis.friction)
        etree.SubElement(element, 'dynamics', damping=damping, friction=friction)
    if joint.type in _SINGLE and joint.soft_limits is not None:
        soft = joint.soft_limits
        if math.isfinite(soft.lower) and math.isfinite(soft.upper):
            etree.SubElement(
                element,
                'safety_controller',
                k_velocity=_spell(soft.k_velocity),
                k_position=_spell(soft.k_position),
                soft_lower_limit=_spell(soft.lower),
                soft_upper_limit=_spell(soft.upper),
            )
    if joint.mimic is not None:
        multiplier, offset = _spell(joint.mimic.multiplier), _spell(joint.mimic.offset)
        etree.SubElement(
            element, 'mimic', joint=joint.mimic.master, multiplier=multiplier, offset=offset
        )


def _add_limit(element: Element, limits: Limits, kind: JointType) -> None:
    unlimited = limits == Limits()
    if kind is JointType.CONTINUOUS and unlimited:
        return
    limit = etree.SubElement(element, 'limit')
    if kind is not JointType.CONTINUOUS:
        limit.set('lower', _finite(limits.lower))
        limit.set('upper', _finite(limits.upper))
    limit.set('effort', _finite(limits.effort))
    limit.set('velocity', _finite(limits.velocity))


def _finite(value: float) -> str:
    return _spell(value if math.isfinite(value) else math.copysign(UNLIMITED, value))


def _add_origin(element: Element, X: Pose) -> None:
    rpy = quaternion_rpy((X[0], X[1], X[2], X[3]))
    origin = etree.SubElement(element, 'origin', xyz=_spell_all(X[4:]))
    origin.set('rpy', _spell_all(rpy))


def _spell(value: float) -> str:
    """Return the shortest decimal text that reads back as the same number."""
    return repr(float(value) + 0.0)


def _spell_all(values: Sequence[float]) -> str:
    return ' '.join(_spell(value) for value in values)
