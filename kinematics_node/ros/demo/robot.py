# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The robot as the demo reads it: by urdf_parser_py, on purpose not by this package's readers."""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import Any

from lxml import etree
import numpy as np
from transforms3d.euler import euler2mat
from urdf_parser_py.urdf import Joint as UrdfJoint
from urdf_parser_py.urdf import URDF

from kinematics_node.formats.xml import Element
from kinematics_node.formats.xml import name_of
from kinematics_node.formats.xml import parse_xml
from kinematics_node.ros.demo.elements import Array
from kinematics_node.ros.demo.elements import DemoJoint
from kinematics_node.ros.demo.elements import DemoRobot
from kinematics_node.ros.demo.elements import UncheckableError
from kinematics_node.ros.demo.notation import changed_joints
from kinematics_node.ros.demo.notation import closures_of
from kinematics_node.ros.demo.notation import couplings_of

# Spellings of the types that urdf_parser_py does not have.
EXTENDED = {'ball': 'ball', 'spherical': 'ball', 'universal': 'universal'}
PARTS = ('origin', 'parent', 'child', 'axis', 'axis2', 'limit', 'mimic')
ATTRIBUTES = {
    'origin': ('xyz', 'rpy'),
    'parent': ('link',),
    'child': ('link',),
    'axis': ('xyz',),
    'limit': ('lower', 'upper', 'effort', 'velocity'),
    'mimic': ('joint', 'multiplier', 'offset'),
}


def read_robot(text: str, parameters: Mapping[str, Any] | None = None) -> DemoRobot:
    """Return the robot that a description and parameters of our notation give.

    Raises
    ------
    UncheckableError
        They hold what the demo's computation does not know, or loops that no motor moves.
    """
    root = parse_xml(text)
    motors = _motors(root)
    kinds = _reduce(root)
    try:
        robot = URDF.from_xml_string(etree.tostring(root))
    except Exception as error:  # urdf_parser_py raises nearly anything.
        raise UncheckableError(f'urdf_parser_py cannot read this description: {error}') from error
    second_axes = _second_axes(text)
    joints = {
        j.name: _joint(j, kinds[j.name], second_axes.get(j.name), j.name in motors)
        for j in robot.joints
    }
    return _with_constraints(robot.name, joints, parameters or {})


def _with_constraints(
    name: str, joints: Mapping[str, DemoJoint], parameters: Mapping[str, Any]
) -> DemoRobot:
    try:
        changed = changed_joints(joints, parameters)
        closures, couplings = closures_of(changed, parameters), couplings_of(parameters)
    except KeyError as error:
        raise UncheckableError(
            f'the constraints lack {error}, or name it and the robot does not have it'
        ) from error
    robot = DemoRobot(name, {joint.name: joint for joint in changed}, closures, couplings)
    if robot.solved and not any(joint.name in robot.in_loops for joint in robot.played):
        raise UncheckableError(
            'no motor moves the loops of this robot; name motors by <ros2_control>, '
            '<transmission> or joints.<name>.actuated'
        )
    return robot


def _motors(root: Element) -> set[str]:
    """Return the joints that transmissions, ros2_control or URDF+ say are driven."""
    names = {j.get('name') for drive in root.iter('transmission') for j in drive.iter('joint')}
    for control in root.iter('ros2_control'):
        for joint in control.iterchildren('joint'):
            if joint.find('command_interface') is not None:
                names.add(joint.get('name'))
            else:
                names.discard(joint.get('name'))
    names |= {j.get('name') for j in root.iterchildren('joint') if j.get('independent') == 'true'}
    return {name.strip() for name in names if name}


def _reduce(root: Element) -> dict[str, str]:
    """Leave only what urdf_parser_py needs and accepts; return the joints' real types."""
    kinds: dict[str, str] = {}
    root.attrib.pop('version', None)
    root.set('name', root.get('name') or 'robot')
    for element in list(root):
        tag = name_of(element)
        if tag == 'joint':
            kinds[(element.get('name') or '').strip()] = _reduce_joint(element)
        elif tag == 'drake:joint':
            raise UncheckableError("<drake:joint> is not known to the demo's own computation")
        elif tag == 'link':
            _keep_only_name(element)
        else:
            root.remove(element)
    return kinds


def _keep_only_name(link: Element) -> None:
    for name in set(link.attrib) - {'name'}:
        del link.attrib[name]
    for part in list(link):
        link.remove(part)


def _reduce_joint(element: Element) -> str:
    written = (element.get('type') or '').strip()
    kind = EXTENDED.get(written, written)
    if written in EXTENDED:
        element.set('type', 'unknown')
    for name in set(element.attrib) - {'name', 'type'}:
        del element.attrib[name]
    for part in list(element):
        tag = name_of(part)
        if tag not in PARTS or tag == 'axis2' or (tag == 'axis' and kind in ('fixed', 'floating')):
            element.remove(part)
            continue
        for name in set(part.attrib) - set(ATTRIBUTES[tag]):
            del part.attrib[name]
        if tag == 'limit':
            _complete_limit(part)
    return kind


def _complete_limit(limit: Element) -> None:
    """Add what urdf_parser_py insists on; where there is no range, none is meant."""
    for name in ('effort', 'velocity'):
        limit.set(name, limit.get(name) or 'inf')
    if limit.get('lower') is None and limit.get('upper') is None:
        limit.set('lower', '-inf')
        limit.set('upper', 'inf')


def _second_axes(text: str) -> dict[str, Array]:
    """Return the second axes that universal joints name."""
    found: dict[str, Array] = {}
    for joint in parse_xml(text).iter('joint'):
        for part in joint.iterchildren('axis2'):
            found[(joint.get('name') or '').strip()] = np.array(part.get('xyz').split(), float)
    return found


def _joint(joint: UrdfJoint, kind: str, second: Array | None, motor: bool) -> DemoJoint:
    X_PF = np.eye(4)
    if joint.origin is not None:
        X_PF[:3, :3] = euler2mat(*(joint.origin.rpy or (0.0, 0.0, 0.0)), 'sxyz')
        X_PF[:3, 3] = joint.origin.xyz or (0.0, 0.0, 0.0)
    limited = kind in ('revolute', 'prismatic') and joint.limit is not None
    mimic = None
    if joint.mimic is not None:
        multiplier = 1.0 if joint.mimic.multiplier is None else joint.mimic.multiplier
        mimic = (joint.mimic.joint, multiplier, joint.mimic.offset or 0.0)
    return DemoJoint(
        name=joint.name,
        kind=kind,
        parent=joint.parent,
        child=joint.child,
        X_PF=X_PF,
        axes=_axes(joint, kind, second),
        lower=joint.limit.lower if limited else -math.inf,
        upper=joint.limit.upper if limited else math.inf,
        mimic=mimic,
        motor=motor,
    )


def _axes(joint: UrdfJoint, kind: str, second: Array | None) -> Array:
    if kind in ('fixed', 'floating', 'ball'):
        return np.zeros((0, 3))
    if kind == 'universal':
        # Both axes are given, or they are x and y.
        given = joint.axis is not None and second is not None
        axes = np.array([joint.axis, second] if given else np.eye(3)[:2], float)
    else:
        axes = np.array([joint.axis if joint.axis is not None else (1.0, 0.0, 0.0)], float)
    return axes / np.linalg.norm(axes, axis=1, keepdims=True)
