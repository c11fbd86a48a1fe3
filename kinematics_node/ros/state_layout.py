# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The state of a stream: where each name that a message may give has its number."""

from __future__ import annotations

from collections.abc import Collection

from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model


class StateLayout:
    """Names of everything that a message may set: coordinates, and axis angles of ball joints."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.index: dict[str, int] = dict(model.coordinate_index)
        self.rate: dict[int, int] = {}
        self.link: dict[int, int] = {}
        self.angles: dict[int, int] = {}
        self.fixed = {j.name for j in model.joints if j.type is JointType.FIXED}
        size = model.nq
        for i, joint in enumerate(model.joints, start=1):
            start, rate = int(model.tree[i, 2]), int(model.tree[i, 3])
            for k in range(joint.type.nq):
                self.link[start + k] = i
            if joint.type.quaternion_offset < 0:
                self.rate.update({start + k: rate + k for k in range(joint.type.nq)})
            if joint.type is JointType.BALL:
                self.angles[i] = size
                for k in range(3):
                    self.index[f'{joint.name}/axis{k + 1}'] = size + k
                    self.link[size + k] = i
                size += 3
        self.size = size

    def coordinates(self, link: int) -> range:
        """Return the coordinates in q of the joint that moves a link."""
        start = int(self.model.tree[link, 2])
        return range(start, start + self.model.joints[link - 1].type.nq)

    def joint(self, k: int) -> str:
        """Return the name of the joint that a state index belongs to."""
        return self.model.joints[self.link[k] - 1].name

    def siblings(self, names: Collection[str]) -> frozenset[str]:
        """Return the names of all numbers of the joints that some belong to."""
        links = {self.link[self.index[name]] for name in names}
        return frozenset(name for name, k in self.index.items() if self.link[k] in links)

    def given(self, measured: Collection[int], known: Collection[int]) -> set[int]:
        """Return the coordinates in q that measured state indices give, of whole joints only.

        Angles of a ball joint give its quaternion, and a follower gives its master.
        """
        followed = {int(follower): int(master) for follower, master in self.model.mimic_index}
        links = {self.link[k] for k in measured}
        links |= {self.link[followed[k]] for k in measured if k in followed}
        whole = (self.coordinates(link) for link in links)
        return {k for joint in whole if all(k in known for k in joint) for k in joint}
