# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The frames of an SDF model: every <pose> relative to another frame, resolved to the model's."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field

from kinematics_node.formats.rotations import IDENTITY
from kinematics_node.formats.rotations import rpy_quaternion
from kinematics_node.formats.rotations import unit_quaternion
from kinematics_node.formats.xml import child
from kinematics_node.formats.xml import Element
from kinematics_node.formats.xml import numbers_of
from kinematics_node.formats.xml import refuse
from kinematics_node.formats.xml import where
from kinematics_node.model.elements import IDENTITY_POSE
from kinematics_node.model.elements import Pose
from kinematics_node.spatial import compose

MODEL_FRAMES = ('__model__', 'world', '')


@dataclass
class PoseGraph:
    """Poses of named frames, each relative to another one; X_MW is the world's in the model."""

    edges: dict[str, tuple[str, Pose, Element]] = field(default_factory=dict)
    X_MW: Pose = IDENTITY_POSE
    _known: dict[str, Pose] = field(default_factory=dict)

    def add(self, name: str, element: Element, default: str) -> None:
        """Add a frame whose <pose> may name another frame; else it is relative to the default.

        Raises
        ------
        DescriptionError
            The name is taken, or the pose is malformed.
        """
        if name in self.edges:
            raise refuse(element, f"the name '{name}' is used twice; rename one")
        relative_to, X = read_pose(element, default)
        self.edges[name] = (relative_to, X, element)

    def in_model(self, name: str) -> Pose:
        """Return the pose of a frame in the model's frame.

        Raises
        ------
        DescriptionError
            A frame that a pose is relative to does not exist, or poses run in a ring.
        """
        trail: list[str] = []
        current = name
        while current not in MODEL_FRAMES and current not in self._known:
            if current in trail:
                ring = ', '.join(f"'{n}'" for n in trail[trail.index(current) :])
                raise refuse(
                    self.edges[current][2],
                    f'the poses of {ring} are relative to each other in a ring; place one in the '
                    'model',
                )
            if current not in self.edges:
                element = self.edges[trail[-1]][2]
                raise refuse(element, f"there is no frame '{current}' for its pose to relate to")
            trail.append(current)
            current = self.edges[current][0]
        X = self.X_MW if current == 'world' else self._known.get(current, IDENTITY_POSE)
        for link in reversed(trail):
            X = compose(X, self.edges[link][1])
            self._known[link] = X
        return X

    def __contains__(self, name: str) -> bool:
        return name in self.edges or name in MODEL_FRAMES


def read_pose(element: Element, default: str) -> tuple[str, Pose]:
    """Return (name of the frame, pose in it) of an element's <pose>; identity where it has none.

    Raises
    ------
    DescriptionError
        The pose is malformed.
    """
    written = child(element, 'pose')
    if written is None:
        return default, IDENTITY_POSE
    relative_to = (written.get('relative_to') or written.get('frame') or '').strip() or default
    text = (written.text or '').strip()
    if written.get('rotation_format') == 'quat_xyzw':
        x, y, z, qx, qy, qz, qw = numbers_of(written, '<pose>', text, 7)
        if not any((qx, qy, qz, qw)):
            raise refuse(written, f'the quaternion of <pose> in {where(element)} is zero')
        return relative_to, (*unit_quaternion((qw, qx, qy, qz)), x, y, z)
    if not text:
        return relative_to, (*IDENTITY, 0.0, 0.0, 0.0)
    x, y, z, roll, pitch, yaw = numbers_of(written, '<pose>', text, 6)
    if (written.get('degrees') or '').strip().lower() in ('true', '1'):
        turn = 0.017453292519943295
        roll, pitch, yaw = roll * turn, pitch * turn, yaw * turn
    return relative_to, (*rpy_quaternion((roll, pitch, yaw)), x, y, z)
