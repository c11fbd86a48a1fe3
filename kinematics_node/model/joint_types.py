# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The table of joint types: coordinates, velocities and constraint rows of each."""

from __future__ import annotations

from enum import IntEnum


class JointType(IntEnum):
    """How a child's frame M may move in its parent's frame F.

    The numbers are used by compiled kernels; names are those of descriptions.
    """

    FIXED = 0
    REVOLUTE = 1
    CONTINUOUS = 2
    PRISMATIC = 3
    UNIVERSAL = 4
    BALL = 5
    PLANAR = 6
    FLOATING = 7

    @property
    def nq(self) -> int:
        """Number of position coordinates."""
        return (0, 1, 1, 1, 2, 4, 3, 7)[self]

    @property
    def nv(self) -> int:
        """Number of velocity coordinates."""
        return (0, 1, 1, 1, 2, 3, 3, 6)[self]

    @property
    def constraint_rows(self) -> int:
        """Number of relative motions that the joint prevents, 6 - nv."""
        return 6 - self.nv

    @property
    def axis_count(self) -> int:
        """Number of axes that a description gives for the joint."""
        return (0, 1, 1, 1, 2, 3, 1, 0)[self]

    @property
    def is_single_axis(self) -> bool:
        """Whether one number is the joint's whole position."""
        return self.nq == 1

    @property
    def coordinate_suffixes(self) -> tuple[str, ...]:
        """What follows the joint's name in the names of its position coordinates.

        Multi-axis joints use MoveIt's variable names ("joint/trans_x", "joint/theta"), and
        "joint/axis1" where MoveIt has none.
        """
        return _COORDINATE_SUFFIXES[self]

    @property
    def velocity_suffixes(self) -> tuple[str, ...]:
        """What follows the joint's name in the names of its velocity coordinates."""
        return _VELOCITY_SUFFIXES[self]

    @property
    def quaternion_offset(self) -> int:
        """Where in the joint's coordinates a quaternion starts; -1 where there is none."""
        return 0 if self in (JointType.BALL, JointType.FLOATING) else -1


_ROTATION = ('/rot_w', '/rot_x', '/rot_y', '/rot_z')
_TRANSLATION = ('/trans_x', '/trans_y', '/trans_z')
_COORDINATE_SUFFIXES: tuple[tuple[str, ...], ...] = (
    (),
    ('',),
    ('',),
    ('',),
    ('/axis1', '/axis2'),
    _ROTATION,
    ('/x', '/y', '/theta'),
    _ROTATION + _TRANSLATION,
)
_ANGULAR = ('/w_x', '/w_y', '/w_z')
_VELOCITY_SUFFIXES: tuple[tuple[str, ...], ...] = (
    (),
    ('',),
    ('',),
    ('',),
    ('/axis1', '/axis2'),
    _ANGULAR,
    ('/x', '/y', '/theta'),
    (*_ANGULAR, '/v_x', '/v_y', '/v_z'),
)
