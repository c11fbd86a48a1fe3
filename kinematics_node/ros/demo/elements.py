# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""A robot as the demo sees it: joints, closures, couplings, and which joints are played."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from functools import cached_property
import math

import numpy as np
from numpy.typing import NDArray

from kinematics_node.errors import KinematicsError

Array = NDArray[np.float64]

SINGLE_AXIS = ('revolute', 'continuous', 'prismatic')
FREE = ('planar', 'floating', 'ball')
_TURN = ('/rot_w', '/rot_x', '/rot_y', '/rot_z')
# What follows a joint's name in the names of its coordinates.
SUFFIXES = {
    'universal': ('/axis1', '/axis2'),
    'ball': _TURN,
    'floating': (*_TURN, '/trans_x', '/trans_y', '/trans_z'),
    'planar': ('/x', '/y', '/theta'),
}


class UncheckableError(KinematicsError):
    """A robot that the demo's own computation does not understand."""


@dataclass(frozen=True)
class DemoJoint:
    """A joint: X_PC = X_PF X_FM(q) X_MC.

    Attributes
    ----------
    kind : str
        A type of URDF, or 'ball' or 'universal'.
    X_PF : array, shape (4, 4)
        The joint's frame F in its parent link.
    axes : array, shape (n, 3)
        Unit axes in F; two of a universal joint, none where they mean nothing.
    lower, upper : float
        Range of position [rad, m]; infinite where there is none.
    mimic : tuple of (str, float, float) or None
        Master, multiplier and offset.
    motor : bool
        Whether the description says that a motor drives it.
    X_MC : array, shape (4, 4)
        The child link in the joint's moving frame M.
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
    motor: bool = False
    X_MC: Array = field(default_factory=lambda: np.eye(4))

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the joint's coordinates in a complete state."""
        return tuple(self.name + suffix for suffix in SUFFIXES.get(self.kind, ('',)))


@dataclass(frozen=True)
class DemoClosure:
    """Frame A on one link against frame B on another, with unit axes in A and in B."""

    name: str
    kind: str
    link_A: str
    X_LA: Array
    link_B: str
    X_LB: Array
    axis_A: Array
    axis_B: Array
    length: float = 0.0


@dataclass(frozen=True)
class DemoCoupling:
    """The sum of coefficient times coordinate is the offset."""

    name: str
    terms: Mapping[str, float]
    offset: float = 0.0


@dataclass(frozen=True)
class DemoRobot:
    """Joints by name, in the order of the document, and what closes loops."""

    name: str
    joints: Mapping[str, DemoJoint]
    closures: tuple[DemoClosure, ...] = ()
    couplings: tuple[DemoCoupling, ...] = ()

    @cached_property
    def followers(self) -> tuple[DemoJoint, ...]:
        """Joints that follow another: both have one axis."""
        return tuple(j for j in self.joints.values() if self._follows(j))

    @cached_property
    def played(self) -> tuple[DemoJoint, ...]:
        """Joints that are played: in loops the motors alone, elsewhere all but followers."""
        moving = self._moving_alone()
        return tuple(j for j in moving if j.motor or j.name not in self.in_loops)

    @cached_property
    def solved(self) -> tuple[DemoJoint, ...]:
        """Joints in loops that nobody plays: the node finds them."""
        moving = self._moving_alone()
        return tuple(j for j in moving if not j.motor and j.name in self.in_loops)

    @cached_property
    def static(self) -> tuple[DemoJoint, ...]:
        """Fixed joints."""
        return tuple(joint for joint in self.joints.values() if joint.kind == 'fixed')

    @cached_property
    def moving(self) -> tuple[DemoJoint, ...]:
        """All joints but the fixed ones."""
        return tuple(joint for joint in self.joints.values() if joint.kind != 'fixed')

    @cached_property
    def free(self) -> tuple[DemoJoint, ...]:
        """Joints that are played by their pose: planar, floating and ball."""
        return tuple(joint for joint in self.played if joint.kind in FREE)

    @cached_property
    def in_loops(self) -> frozenset[str]:
        """Names of the joints that closures and couplings are about."""
        joint_of = {c: joint.name for joint in self.moving for c in joint.coordinates}
        names = {joint_of[name] for c in self.couplings for name in c.terms if name in joint_of}
        for closure in self.closures:
            A, B = (self.path(link) for link in (closure.link_A, closure.link_B))
            names |= {joint.name for joint in A} ^ {joint.name for joint in B}
        masters = {j.name: j.mimic[0] for j in self.followers if j.mimic is not None}
        while more := {masters[name] for name in names if name in masters} - names:
            names |= more
        return frozenset(names)

    def path(self, link: str) -> list[DemoJoint]:
        """Return the joints from the root to a link."""
        path: list[DemoJoint] = []
        while (joint := self._above.get(link)) is not None:
            path.insert(0, joint)
            link = joint.parent
        return path

    @cached_property
    def _above(self) -> dict[str, DemoJoint]:
        return {joint.child: joint for joint in self.joints.values()}

    def _moving_alone(self) -> list[DemoJoint]:
        following = {joint.name for joint in self.followers}
        return [joint for joint in self.moving if joint.name not in following]

    def _follows(self, joint: DemoJoint) -> bool:
        if joint.mimic is None or joint.kind not in SINGLE_AXIS:
            return False
        master = self.joints.get(joint.mimic[0])
        return master is not None and master.kind in SINGLE_AXIS
