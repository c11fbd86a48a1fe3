# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The robot as the demo reads it: by urdf_parser_py alone, on purpose not by this package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
import math

from lxml import etree
import numpy as np
from numpy.typing import NDArray
from transforms3d.euler import euler2mat
from urdf_parser_py.urdf import Joint as UrdfJoint
from urdf_parser_py.urdf import URDF

from kinematics_node.errors import KinematicsError
from kinematics_node.formats.xml import Element
from kinematics_node.formats.xml import name_of
from kinematics_node.formats.xml import parse_xml

Array = NDArray[np.float64]

SINGLE_AXIS = ('revolute', 'continuous', 'prismatic')
FREE = ('planar', 'floating', 'ball')
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


class UncheckableError(KinematicsError):
    """A robot that the demo's own computation does not understand."""


@dataclass(frozen=True)
class DemoJoint:
    """A joint as URDF gives it.

    Attributes
    ----------
    kind : str
        A type of URDF, or 'ball' or 'universal'.
    X_PF : array, shape (4, 4)
        The joint's frame in its parent link.
    axes : array, shape (n, 3)
        Unit axes in the joint's frame; two of a universal joint, none where they mean nothing.
    lower, upper : float
        Range of position [rad, m]; infinite where there is none.
    mimic : tuple of (str, float, float) or None
        Master, multiplier and offset.
    """

    name: str
    kind: str
    parent: str
    child: str
    X_PF: Array
    axes: Array
    lower: float = -math.inf
    upper: float = math.inf
    mimic: tuple[str, float, float] | None = None


@dataclass(frozen=True)
class DemoRobot:
    """Joints by name, in the order of the document."""

    name: str
    joints: Mapping[str, DemoJoint]

    @cached_property
    def followers(self) -> tuple[DemoJoint, ...]:
        """Joints that follow another: both have one axis."""
        return tuple(j for j in self.joints.values() if self._follows(j))

    @cached_property
    def independent(self) -> tuple[DemoJoint, ...]:
        """Joints that move by themselves."""
        following = {joint.name for joint in self.followers}
        return tuple(
            j for j in self.joints.values() if j.kind != 'fixed' and j.name not in following
        )

    @cached_property
    def static(self) -> tuple[DemoJoint, ...]:
        """Fixed joints."""
        return tuple(joint for joint in self.joints.values() if joint.kind == 'fixed')

    @cached_property
    def free(self) -> tuple[DemoJoint, ...]:
        """Joints whose state is a pose: planar, floating and ball."""
        return tuple(joint for joint in self.joints.values() if joint.kind in FREE)

    @cached_property
    def on_axes(self) -> tuple[DemoJoint, ...]:
        """Moving joints whose state is one number an axis."""
        kinds = (*SINGLE_AXIS, 'universal')
        return tuple(joint for joint in self.joints.values() if joint.kind in kinds)

    def _follows(self, joint: DemoJoint) -> bool:
        if joint.mimic is None or joint.kind not in SINGLE_AXIS:
            return False
        master = self.joints.get(joint.mimic[0])
        return master is not None and master.kind in SINGLE_AXIS


def read_robot(text: str) -> DemoRobot:
    """Return the robot that a description gives.

    Raises
    ------
    UncheckableError
        The description holds what the demo's computation does not know.
    """
    root = parse_xml(text)
    kinds = _reduce(root)
    try:
        robot = URDF.from_xml_string(etree.tostring(root))
    except Exception as error:  # urdf_parser_py raises nearly anything.
        raise UncheckableError(f'urdf_parser_py cannot read this description: {error}') from error
    second_axes = _second_axes(text)
    joints = {j.name: _joint(j, kinds[j.name], second_axes.get(j.name)) for j in robot.joints}
    return DemoRobot(robot.name, joints)


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


def _joint(joint: UrdfJoint, kind: str, second: Array | None) -> DemoJoint:
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
