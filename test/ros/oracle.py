# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Transforms of a URDF by matrices, sharing no code with the package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
ONE_AXIS = ('revolute', 'continuous', 'prismatic')


@dataclass(frozen=True)
class UrdfJoint:
    """What a <joint> says; mimic is (master, multiplier, offset)."""

    name: str
    kind: str
    parent: str
    child: str
    origin: Matrix
    axis: Matrix
    mimic: tuple[str, float, float] | None


def read_joints(text: str) -> dict[str, UrdfJoint]:
    """Return the joints of a description by name."""
    root = ElementTree.fromstring(text.strip().rstrip('\0'))
    robot = root.find('robot') if root.tag == 'urdf' else root
    return {element.attrib['name']: _joint(element) for element in robot.findall('joint')}


def _joint(element: ElementTree.Element) -> UrdfJoint:
    origin, axis, mimic = (element.find(tag) for tag in ('origin', 'axis', 'mimic'))
    direction = _numbers(axis, 'xyz', '1 0 0')
    length = np.linalg.norm(direction)
    turn = _numbers(origin, 'rpy', '0 0 0')
    placed = pose(
        rotation('z', turn[2]) @ rotation('y', turn[1]) @ rotation('x', turn[0]),
        _numbers(origin, 'xyz', '0 0 0'),
    )
    follows = None
    if mimic is not None:
        factors = (float(mimic.get('multiplier', 1)), float(mimic.get('offset', 0)))
        follows = (mimic.attrib['joint'], *factors)
    return UrdfJoint(
        element.attrib['name'],
        element.attrib['type'],
        element.find('parent').attrib['link'],
        element.find('child').attrib['link'],
        placed,
        direction / length if length else direction,
        follows,
    )


def _numbers(element: ElementTree.Element | None, name: str, default: str) -> Matrix:
    text = default if element is None else element.get(name, default)
    return np.array([float(part) for part in text.split()])


def rotation(axis: str | Matrix, angle: float) -> Matrix:
    """Return the matrix of a turn about an axis (Rodrigues)."""
    if isinstance(axis, str):
        axis = np.eye(3)['xyz'.index(axis)]
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], float)
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def pose(turn: Matrix, shift: Matrix) -> Matrix:
    """Return a homogeneous matrix."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = turn, shift
    return T


def matrix_of(x: float, y: float, z: float, w: float) -> Matrix:
    """Return the rotation matrix of a quaternion, which must have unit length."""
    assert abs(x * x + y * y + z * z + w * w - 1.0) < 1e-12
    u = np.array([x, y, z])
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], float)
    return np.eye(3) * (w * w - u @ u) + 2 * np.outer(u, u) + 2 * w * K


def motion(joint: UrdfJoint, q: float) -> Matrix:
    """Return the parent-to-child matrix of a fixed or one-axis joint at q."""
    if joint.kind == 'fixed':
        return joint.origin
    if joint.kind == 'prismatic':
        return joint.origin @ pose(np.eye(3), q * joint.axis)
    assert joint.kind in ONE_AXIS
    return joint.origin @ pose(rotation(joint.axis, q), np.zeros(3))


def value_of(name: str, joints: Mapping[str, UrdfJoint], given: Mapping[str, float]) -> float:
    """Return a joint's position: its own where given, else by its mimic, one after the other."""
    if name in given:
        return given[name]
    follows = joints[name].mimic
    assert follows is not None, f'{name} has no value'
    master, multiplier, offset = follows
    return multiplier * value_of(master, joints, given) + offset
