# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Model: a finalized robot, immutable, with the flat arrays that compiled kernels take.

Link 0 is the root; joint k (counted from 0) moves link k + 1. Links are in topological order,
depth first, so that the subtree of a link is one contiguous range. Names are looked up: no index
is promised from one model to the next.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinematics_node.compiled import Array
from kinematics_node.compiled import Ints
from kinematics_node.errors import NameLookupError
from kinematics_node.model.elements import Closure
from kinematics_node.model.elements import Coupling
from kinematics_node.model.elements import Frame
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Link
from kinematics_node.model.elements import Mimic
from kinematics_node.model.findings import Finding

if TYPE_CHECKING:
    from kinematics_node.model.builder import ModelBuilder


@dataclass(frozen=True, eq=False)
class Model:
    """A robot as it is, apart from any state it is in.

    Attributes
    ----------
    links, joints : tuple
        The elements; joints[k] moves links[k + 1].
    frames, closures, couplings : tuple
        Further frames on links, joints that close loops, and linear couplings.
    mimics : Mapping of str to Mimic
        For each follower its flattened mimic, whose master follows nobody.
    findings : tuple of Finding
        What was noticed while the description was read and the model finalized.
    tree : int32 array, shape (links, 4)
        Per link: parent, type of its joint, start of the joint's coordinates in q and in v. The
        root's row is (-1, FIXED, 0, 0).
    placement : array, shape (links, 23)
        Per link: X_PF (7), X_MC (7) and three axes in F (9, rows), all unit length or zero.
    mimic_index : int32 array, shape (followers, 2)
        Coordinates in q of follower and master.
    mimic_rate_index : int32 array, shape (followers, 2)
        Coordinates in v of follower and master.
    mimic_ratio : array, shape (followers, 2)
        Multiplier and offset.
    inertia : array, shape (links, 10)
        Mass [kg], p_BoBcm_B [m], inertia about Bcm in B (xx, yy, zz, xy, xz, yz) [kg m^2].
    lower, upper : array, shape (nq,)
        Position limits; infinite where there are none.
    velocity_limit, effort_limit : array, shape (nv,)
        Limits of rates and efforts; infinite where there are none.
    zero : array, shape (nq,)
        The coordinates of the zero pose: zeros, and identity quaternions.
    """

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    frames: tuple[Frame, ...]
    closures: tuple[Closure, ...]
    couplings: tuple[Coupling, ...]
    mimics: Mapping[str, Mimic]
    findings: tuple[Finding, ...]
    tree: Ints
    placement: Array
    mimic_index: Ints
    mimic_rate_index: Ints
    mimic_ratio: Array
    inertia: Array
    lower: Array
    upper: Array
    velocity_limit: Array
    effort_limit: Array
    zero: Array
    coordinate_names: tuple[str, ...]
    velocity_names: tuple[str, ...]
    link_index: Mapping[str, int]
    joint_index: Mapping[str, int]
    coordinate_index: Mapping[str, int]
    velocity_index: Mapping[str, int]

    @property
    def nq(self) -> int:
        """Number of position coordinates."""
        return len(self.coordinate_names)

    @property
    def nv(self) -> int:
        """Number of velocity coordinates."""
        return len(self.velocity_names)

    @property
    def root(self) -> str:
        """Name of the root link, whose frame is W."""
        return self.links[0].name

    def link_id(self, name: str) -> int:
        """Return the index of a link in this model.

        Raises
        ------
        NameLookupError
            There is no link of that name.
        """
        return self._look_up('link', name, self.link_index)

    def joint_id(self, name: str) -> int:
        """Return the index of a joint in this model; it moves link joint_id + 1.

        Raises
        ------
        NameLookupError
            There is no joint of that name.
        """
        return self._look_up('joint', name, self.joint_index)

    def joint(self, name: str) -> Joint:
        """Return a joint by name.

        Raises
        ------
        NameLookupError
            There is no joint of that name.
        """
        return self.joints[self.joint_id(name)]

    def coordinates_of(self, name: str) -> slice:
        """Return where a joint's coordinates are in q.

        Raises
        ------
        NameLookupError
            There is no joint of that name.
        """
        k = self.joint_id(name)
        start = int(self.tree[k + 1, 2])
        return slice(start, start + self.joints[k].type.nq)

    def velocities_of(self, name: str) -> slice:
        """Return where a joint's rates are in v.

        Raises
        ------
        NameLookupError
            There is no joint of that name.
        """
        k = self.joint_id(name)
        start = int(self.tree[k + 1, 3])
        return slice(start, start + self.joints[k].type.nv)

    def edit(self) -> ModelBuilder:
        """Return a builder that holds this model's elements."""
        from kinematics_node.model.builder import ModelBuilder

        return ModelBuilder.from_model(self)

    @staticmethod
    def _look_up(kind: str, name: str, index: Mapping[str, int]) -> int:
        try:
            return index[name]
        except KeyError:
            raise NameLookupError(kind, name, tuple(index)) from None
