# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""How far one configuration is from another, as velocity coordinates, and the way back.

advance(q, difference(q, r)) = r: numbers differ, rotations by their rotation vector in M,
positions of floating joints on the axes of M at q.
"""

from __future__ import annotations

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model
from kinematics_node.solving.posture import rotation_between
from kinematics_node.solving.posture import turn_quaternion
from kinematics_node.spatial import conjugate
from kinematics_node.spatial import load_quaternion
from kinematics_node.spatial import rotate


def difference(model: Model, q_from: Array, q_to: Array) -> Array:
    """Return the displacement, shape (nv,), that leads from one configuration to another."""
    step = np.zeros(model.nv)
    for joint, row in zip(model.joints, model.tree[1:].tolist(), strict=True):
        _, _, k, n = row
        if joint.type.quaternion_offset < 0:
            step[n : n + joint.type.nv] = (
                q_to[k : k + joint.type.nq] - q_from[k : k + joint.type.nq]
            )
            continue
        step[n : n + 3] = rotation_between(q_from, k, q_to)
        if joint.type is JointType.FLOATING:
            shift = q_to[k + 4 : k + 7] - q_from[k + 4 : k + 7]
            back = conjugate(load_quaternion(q_from, k))
            step[n + 3 : n + 6] = rotate(back, (shift[0], shift[1], shift[2]))
    return step


def advance(model: Model, q: Array, step: Array) -> Array:
    """Return the configuration to which a displacement leads."""
    new: Array = q.copy()
    for joint, row in zip(model.joints, model.tree[1:].tolist(), strict=True):
        _, _, k, n = row
        if joint.type.quaternion_offset < 0:
            new[k : k + joint.type.nq] += step[n : n + joint.type.nv]
            continue
        if joint.type is JointType.FLOATING:
            shift = (step[n + 3], step[n + 4], step[n + 5])
            new[k + 4 : k + 7] += rotate(load_quaternion(q, k), shift)
        turn_quaternion(new, k, (step[n], step[n + 1], step[n + 2]))
    return new
