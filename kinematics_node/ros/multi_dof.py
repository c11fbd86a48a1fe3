# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""MultiDOFJointState into coordinates by name: each transform is the pose X_FM of its joint."""

from __future__ import annotations

import math

from geometry_msgs.msg import Transform
import numpy as np
from sensor_msgs.msg import MultiDOFJointState

from kinematics_node.kinematics.joint_motion import plane_rotation
from kinematics_node.model.elements import Joint
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model
from kinematics_node.spatial import conjugate
from kinematics_node.spatial import rotate


def coordinates_of(
    model: Model, message: MultiDOFJointState
) -> tuple[list[str], list[float], list[str]]:
    """Return names and values of the coordinates that a message sets, and what is wrong."""
    names: list[str] = []
    values: list[float] = []
    complaints: list[str] = []
    if len(message.transforms) < len(message.joint_names):
        complaints.append(
            f'{len(message.transforms)} transforms for {len(message.joint_names)} names'
        )
    for name, transform in zip(message.joint_names, message.transforms, strict=False):
        k = model.joint_index.get(name)
        joint = model.joints[k] if k is not None else None
        if joint is None or joint.type not in (
            JointType.BALL,
            JointType.PLANAR,
            JointType.FLOATING,
        ):
            complaints.append(f"'{name}', which is no ball, planar or floating joint of the model")
            continue
        numbers = _coordinates(joint, transform)
        if numbers is None:
            complaints.append(f"'{name}' with a transform that is not a finite pose")
            continue
        names += [name + suffix for suffix in joint.type.coordinate_suffixes]
        values += numbers
    return names, values, complaints


def _coordinates(joint: Joint, transform: Transform) -> list[float] | None:
    """Return the joint's coordinates at X_FM, or None where it is no pose."""
    r, t = transform.rotation, transform.translation
    turn = (float(r.w), float(r.x), float(r.y), float(r.z))
    shift = (float(t.x), float(t.y), float(t.z))
    size = math.sqrt(sum(x * x for x in turn))
    if not (np.isfinite(turn + shift).all() and size > 1e-9):
        return None
    turn = (turn[0] / size, turn[1] / size, turn[2] / size, turn[3] / size)
    if joint.type is JointType.BALL:
        return list(turn)
    if joint.type is JointType.FLOATING:
        return [*turn, *shift]
    normal = joint.axes[0].direction
    in_plane = rotate(conjugate(plane_rotation(normal)), shift)
    about = sum(a * b for a, b in zip(turn[1:], normal, strict=True))
    return [in_plane[0], in_plane[1], 2.0 * math.atan2(about, turn[0])]
