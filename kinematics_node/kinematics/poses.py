# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Forward kinematics: the pose of every link, from the root outward."""

from __future__ import annotations

from kinematics_node.compiled import Array
from kinematics_node.compiled import Ints
from kinematics_node.compiled import kernel
from kinematics_node.kinematics.joint_motion import child_pose
from kinematics_node.spatial import compose
from kinematics_node.spatial import load_pose
from kinematics_node.spatial import store_pose

ROOT_POSE = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel
def forward_kinematics(tree: Ints, placement: Array, q: Array, X_WC: Array) -> None:
    """Write X_WC (links, 7) at the coordinates q, X_WC = X_WP X_PC."""
    store_pose(ROOT_POSE, X_WC, 0)
    for i in range(1, tree.shape[0]):
        X_WP = load_pose(X_WC, tree[i, 0], 0)
        store_pose(compose(X_WP, child_pose(tree, placement, i, q)), X_WC, i)


@kernel
def apply_mimics(mimic_index: Ints, mimic_ratio: Array, q: Array) -> None:
    """Set each follower's coordinate to multiplier * master + offset."""
    for k in range(mimic_index.shape[0]):
        q[mimic_index[k, 0]] = mimic_ratio[k, 0] * q[mimic_index[k, 1]] + mimic_ratio[k, 1]
