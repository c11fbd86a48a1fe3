# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Frame Jacobians: a frame's velocity as a linear map of the velocities v.

Column by column along the chain from the frame's link to the root. References are those of
velocity.py; J' v is what frame_accelerations gives with v' = 0.
"""

from __future__ import annotations

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import Ints
from kinematics_node.compiled import kernel
from kinematics_node.compiled import leaf
from kinematics_node.kinematics.joint_motion import joint_frame
from kinematics_node.kinematics.joint_motion import joint_rate_motion
from kinematics_node.kinematics.joint_motion import JOINT_RATES
from kinematics_node.kinematics.poses import forward_kinematics_along
from kinematics_node.kinematics.poses import frame_pose
from kinematics_node.kinematics.velocity import shift_velocity
from kinematics_node.kinematics.velocity import velocity_in_reference
from kinematics_node.spatial import Pose
from kinematics_node.spatial import position
from kinematics_node.spatial import rotate
from kinematics_node.spatial import rotation
from kinematics_node.spatial import subtract


@leaf
def point_jacobian(
    tree: Ints,
    placement: Array,
    q: Array,
    X_WC: Array,
    link: int,
    X_WF: Pose,
    reference: int,
    J: Array,
) -> None:
    """Write J (6, nv) of a frame F on a link, at the poses X_WC of the links above it."""
    J[:, :] = 0.0
    i = link
    while i > 0:
        kind = tree[i, 1]
        X_WM = joint_frame(placement, i, X_WC)
        p_MoFo = subtract(position(X_WF), position(X_WM))
        for column in range(JOINT_RATES[kind]):
            w, v = joint_rate_motion(kind, placement, i, q, tree[i, 2], column)
            w, v = rotate(rotation(X_WM), w), rotate(rotation(X_WM), v)
            w, v = velocity_in_reference(w, shift_velocity(w, v, p_MoFo), X_WF, reference)
            n = tree[i, 3] + column
            J[0, n], J[1, n], J[2, n] = w
            J[3, n], J[4, n], J[5, n] = v
        i = tree[i, 0]


@kernel
def frame_jacobians(
    tree: Ints,
    placement: Array,
    chain: Ints,
    frames: Ints,
    offsets: Array,
    reference: int,
    q: Array,
    J: Array,
) -> None:
    """Write J (configurations, 6, nv) of frame 0 at the rows of q."""
    X_WC = np.empty((tree.shape[0], 7))
    for n in range(q.shape[0]):
        forward_kinematics_along(tree, placement, chain, q[n], X_WC)
        X_WF = frame_pose(frames, offsets, 0, X_WC)
        point_jacobian(tree, placement, q[n], X_WC, frames[0, 0], X_WF, reference, J[n])
