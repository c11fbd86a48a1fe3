# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""One description while it is read: what the readers of its elements share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import field
from functools import cached_property

from kinematics_node.formats.actuation import Drive
from kinematics_node.formats.ignored import Ignored
from kinematics_node.formats.resources import Resources
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Joint


@dataclass
class Reading:
    """A builder that is being filled, and what is left for later."""

    builder: ModelBuilder
    ignored: Ignored = field(default_factory=Ignored)
    resources: Resources | None = None
    joints: list[Joint] = field(default_factory=list)
    drives: dict[str, Drive] = field(default_factory=dict)
    # What can only be read once every joint is known, in the order of the description.
    later: list[Callable[[], None]] = field(default_factory=list)

    @cached_property
    def joint_above(self) -> dict[str, Joint]:
        """The joint that moves each link; to be used in what is left for later."""
        return {joint.child: joint for joint in self.joints}

    def path_from_root(self, link: str) -> list[Joint]:
        """Return the joints from the root to a link; it ends where joints form a ring."""
        path: list[Joint] = []
        seen: set[str] = set()
        while link in self.joint_above and link not in seen:
            seen.add(link)
            joint = self.joint_above[link]
            path.append(joint)
            link = joint.parent
        return path[::-1]
