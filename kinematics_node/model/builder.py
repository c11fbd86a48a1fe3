# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""ModelBuilder: the editable robot, before it is frozen into a Model.

Edits speak of world poses: they are those of the zero pose, in which every joint is at zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Literal
from typing import TypeVar

from kinematics_node.errors import NameLookupError
from kinematics_node.model import editing
from kinematics_node.model import references
from kinematics_node.model.elements import Closure
from kinematics_node.model.elements import Coupling
from kinematics_node.model.elements import Frame
from kinematics_node.model.elements import IDENTITY_POSE
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Link
from kinematics_node.model.elements import Pose
from kinematics_node.model.elements import Vector
from kinematics_node.model.finalize import Elements
from kinematics_node.model.finalize import finalize
from kinematics_node.model.findings import Finding
from kinematics_node.model.findings import Severity
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model

T = TypeVar('T')

# Findings that finalize makes from elements as they are, and so makes again if they still hold.
FOUND_AGAIN = frozenset({'mimic-ignored'})


class ModelBuilder:
    """Links, joints, frames, closures and couplings under stable ids, in the order of addition.

    Ids are never reused, so that what refers to a removed element never finds another one. Where
    an edit takes a link, it takes its id or its name. A refused edit changes nothing.
    """

    def __init__(self, name: str = 'robot') -> None:
        self.name = name
        self.links: dict[int, Link] = {}
        self.joints: dict[int, Joint] = {}
        self.frames: dict[int, Frame] = {}
        self.closures: dict[int, Closure] = {}
        self.couplings: dict[int, Coupling] = {}
        self.findings: list[Finding] = []
        self._ids = count()

    @classmethod
    def from_model(cls, model: Model) -> ModelBuilder:
        """Return a builder that holds a model's elements, and what its reader noticed."""
        builder = cls(model.name)
        builder.findings.extend(f for f in model.findings if f.code not in FOUND_AGAIN)
        for link in model.links:
            builder.add_link(link)
        for joint in model.joints:
            builder.add_joint(joint)
        for frame in model.frames:
            builder.add_frame(frame)
        for closure in model.closures:
            builder.add_closure(closure)
        for coupling in model.couplings:
            builder.add_coupling(coupling)
        return builder

    def add_link(self, link: Link) -> int:
        """Add a link and return its id."""
        return self._add(self.links, link)

    def add_joint(self, joint: Joint) -> int:
        """Add a joint and return its id."""
        return self._add(self.joints, joint)

    def add_frame(self, frame: Frame) -> int:
        """Add a frame on a link and return its id."""
        return self._add(self.frames, frame)

    def add_closure(self, closure: Closure) -> int:
        """Add a closure and return its id."""
        return self._add(self.closures, closure)

    def add_coupling(self, coupling: Coupling) -> int:
        """Add a coupling and return its id."""
        return self._add(self.couplings, coupling)

    def report(
        self,
        code: str,
        severity: Severity,
        element: str,
        message: str,
        line: int | None = None,
    ) -> None:
        """Note something about the description; it goes along into the model's findings."""
        self.findings.append(Finding(code, severity, element, message, line))

    def finalize(self) -> Model:
        """Return the immutable model of what the builder holds; the builder stays usable.

        Raises
        ------
        ModelError
            The elements do not make a robot; the message names the one at fault.
        """
        return finalize(
            Elements(
                name=self.name,
                links=tuple(self.links.values()),
                joints=tuple(self.joints.values()),
                frames=tuple(self.frames.values()),
                closures=tuple(self.closures.values()),
                couplings=tuple(self.couplings.values()),
                findings=tuple(self.findings),
            )
        )

    def link_id(self, name: str) -> int:
        """Return the id of a link.

        Raises
        ------
        NameLookupError
            There is no link of that name.
        """
        return _id_of('link', name, self.links)

    def joint_id(self, name: str) -> int:
        """Return the id of a joint.

        Raises
        ------
        NameLookupError
            There is no joint of that name.
        """
        return _id_of('joint', name, self.joints)

    def zero_pose(self, link: int | str) -> Pose:
        """Return X_WB of a link in the zero pose, W being the link that its chain starts from.

        Raises
        ------
        NameLookupError
            There is no such link.
        ModelError
            The joints above the link form a cycle.
        """
        return references.zero_pose(self, self._link(link))

    def remove(self, identity: int) -> None:
        """Remove an element; with a link goes the joint above it.

        Raises
        ------
        NameLookupError
            There is no element with that id.
        ModelError
            Others still hang on it: child links, frames, closures, mimics or couplings.
        """
        references.remove(self, identity)

    def rename(self, identity: int, name: str) -> None:
        """Give an element another name, everywhere it is referred to.

        Raises
        ------
        NameLookupError
            There is no element with that id.
        ModelError
            The name is empty or taken.
        """
        references.rename(self, identity, name)

    def reparent(
        self, link: int | str, parent: int | str, keep: Literal['world', 'joint'] = 'world'
    ) -> None:
        """Hang a link, with its joint and everything below, on another parent.

        Parameters
        ----------
        link, parent : int or str
            The link to move and its new parent.
        keep : 'world' or 'joint'
            Keep the link's world pose, or the joint's origin in its parent.

        Raises
        ------
        NameLookupError
            There is no such link.
        ModelError
            The parent is the link itself or below it, or the link has no joint.
        """
        editing.reparent(self, self._link(link), self._link(parent), keep)

    def fix(self, link: int | str, X_PC: Pose, parent: int | str | None = None) -> int:
        """Place a link by hand: the joint above it becomes a fixed one with this pose.

        Parameters
        ----------
        link : int or str
            The link to place.
        X_PC : Pose
            Its pose in its parent.
        parent : int or str, optional
            The parent of a link that has no joint yet.

        Returns
        -------
        int
            The id of the fixed joint.

        Raises
        ------
        NameLookupError
            There is no such link.
        ModelError
            The link has no joint and no parent is given, or it has a joint to another parent.
        """
        above = None if parent is None else self._link(parent)
        return editing.fix(self, self._link(link), X_PC, above)

    def insert_axis(
        self,
        link: int | str,
        point_W: Vector,
        direction_W: Vector,
        type: JointType = JointType.REVOLUTE,
    ) -> int:
        """Turn the fixed joint above a link into one that moves about or along an axis.

        The link's frame moves to the point and keeps its orientation; its geometry, inertia,
        frames, closures and child joints are expressed anew, so that nothing moves in the world.

        Parameters
        ----------
        link : int or str
            The link to make movable.
        point_W, direction_W : Vector
            A point on the axis [m] and its direction, in the world at the zero pose.
        type : JointType
            A single-axis type.

        Returns
        -------
        int
            The id of the joint.

        Raises
        ------
        NameLookupError
            There is no such link.
        ModelError
            The joint above is not fixed, or the direction is none, or the type has not one axis.
        """
        return editing.insert_axis(self, self._link(link), point_W, direction_W, type)

    def merge(
        self,
        other: Model | ModelBuilder,
        prefix: str,
        parent: int | str,
        X_PC: Pose = IDENTITY_POSE,
    ) -> int:
        """Add another robot, every name with a prefix, its root fixed to a link of this one.

        Parameters
        ----------
        other : Model or ModelBuilder
            The robot to add; it stays as it is.
        prefix : str
            Goes in front of every name, exactly as given.
        parent : int or str
            The link to hang it on.
        X_PC : Pose
            The pose of the other's root in the parent.

        Returns
        -------
        int
            The id of the fixed joint in between.

        Raises
        ------
        NameLookupError
            There is no such link.
        ModelError
            A prefixed name is taken, or the other has not one root.
        """
        builder = ModelBuilder.from_model(other) if isinstance(other, Model) else other
        return editing.merge(self, builder, prefix, self._link(parent), X_PC)

    def reroot(self, link: int | str) -> None:
        """Make a link the root: the joints between it and the old root are turned round.

        Single-axis joints keep their coordinates, with their axes reversed. Coordinates of a
        turned universal joint change places, the quaternion of a ball joint is conjugated, and
        planar and floating joints count the inverse motion. Relative poses of links stay.

        Raises
        ------
        NameLookupError
            There is no such link.
        """
        editing.reroot(self, self._link(link))

    def _link(self, link: int | str) -> int:
        if isinstance(link, str):
            return self.link_id(link)
        if link not in self.links:
            raise NameLookupError('link', str(link), tuple(str(k) for k in self.links))
        return link

    def _add(self, store: dict[int, T], element: T) -> int:
        identity = next(self._ids)
        store[identity] = element
        return identity


def _id_of(kind: str, name: str, store: Mapping[int, Link] | Mapping[int, Joint]) -> int:
    for identity, element in store.items():
        if element.name == name:
            return identity
    raise NameLookupError(kind, name, tuple(element.name for element in store.values()))
