# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The kinds of constraint rows: how a closure holds frame B in frame A."""

from __future__ import annotations

from enum import IntEnum

from kinematics_node.errors import ModelError
from kinematics_node.model.elements import Closure
from kinematics_node.model.joint_types import JointType


class Kind(IntEnum):
    """What a set of rows holds; the numbers are used by compiled kernels."""

    FIXED = 0
    REVOLUTE = 1
    PRISMATIC = 2
    UNIVERSAL = 3
    BALL = 4
    PLANAR = 5
    DISTANCE = 6
    COUPLING = 7

    @property
    def row_count(self) -> int:
        """Number of rows, c in the joint table."""
        return len(self.units)

    @property
    def units(self) -> str:
        """Unit of each row's residual: 'm' for metres, 'r' for radians.

        The row of a coupling has the unit of its coordinates, which the kind does not know.
        """
        return ('mmmrrr', 'mmmrr', 'mmrrr', 'mmmr', 'mmm', 'mrr', 'm', 'r')[self]


_NAMES = {
    'fixed': Kind.FIXED,
    'weld': Kind.FIXED,
    'revolute': Kind.REVOLUTE,
    'continuous': Kind.REVOLUTE,
    'prismatic': Kind.PRISMATIC,
    'universal': Kind.UNIVERSAL,
    'ball': Kind.BALL,
    'point': Kind.BALL,
    'spherical': Kind.BALL,
    'planar': Kind.PLANAR,
    'distance': Kind.DISTANCE,
    'rod': Kind.DISTANCE,
}

KIND_OF_JOINT = {
    JointType.FIXED: Kind.FIXED,
    JointType.REVOLUTE: Kind.REVOLUTE,
    JointType.CONTINUOUS: Kind.REVOLUTE,
    JointType.PRISMATIC: Kind.PRISMATIC,
    JointType.UNIVERSAL: Kind.UNIVERSAL,
    JointType.BALL: Kind.BALL,
    JointType.PLANAR: Kind.PLANAR,
}


def kind_of(closure: Closure) -> Kind:
    """Return the kind of a closure.

    Raises
    ------
    ModelError
        The closure's type is none of those that have rows.
    """
    try:
        return _NAMES[closure.type.lower()]
    except KeyError:
        known = ', '.join(sorted(_NAMES))
        raise ModelError(
            f"type '{closure.type}' cannot close a loop; known are: {known}",
            element=f"closure '{closure.name}'",
        ) from None
