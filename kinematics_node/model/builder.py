# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""ModelBuilder: the editable robot, before it is frozen into a Model."""

from __future__ import annotations

from itertools import count
from typing import TypeVar

from kinematics_node.model.elements import Closure
from kinematics_node.model.elements import Coupling
from kinematics_node.model.elements import Frame
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Link
from kinematics_node.model.finalize import Elements
from kinematics_node.model.finalize import finalize
from kinematics_node.model.findings import Finding
from kinematics_node.model.findings import Severity
from kinematics_node.model.model import Model

T = TypeVar('T')


class ModelBuilder:
    """Links, joints, frames, closures and couplings under stable ids, in the order of addition.

    Ids are never reused, so that what refers to a removed element never finds another one.
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
        """Return a builder that holds a model's elements."""
        builder = cls(model.name)
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

    def _add(self, store: dict[int, T], element: T) -> int:
        identity = next(self._ids)
        store[identity] = element
        return identity
