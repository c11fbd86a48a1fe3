# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Forward kinematics: the pose of every link, from the root outward."""

from __future__ import annotations

import math

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import inlined
from kinematics_node.compiled import Ints
from kinematics_node.compiled import kernel
from kinematics_node.compiled import leaf
from kinematics_node.kinematics.joint_motion import BALL
from kinematics_node.kinematics.joint_motion import child_pose
from kinematics_node.kinematics.joint_motion import FLOATING
from kinematics_node.spatial import compose
from kinematics_node.spatial import invert
from kinematics_node.spatial import load_pose
from kinematics_node.spatial import Pose
from kinematics_node.spatial import store_pose

ROOT_POSE = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
SHORTEST_QUATERNION = 1e-6


@leaf
def forward_kinematics(tree: Ints, placement: Array, q: Array, X_WC: Array) -> None:
    """Write X_WC (links, 7) at the coordinates q, X_WC = X_WP X_PC."""
    store_pose(ROOT_POSE, X_WC, 0)
    for i in range(1, tree.shape[0]):
        X_WP = load_pose(X_WC, tree[i, 0], 0)
        store_pose(compose(X_WP, child_pose(tree, placement, i, q)), X_WC, i)


@leaf
def forward_kinematics_along(
    tree: Ints, placement: Array, chain: Ints, q: Array, X_WC: Array
) -> None:
    """Write the rows of X_WC (links, 7) of the links in a chain, parents before children."""
    store_pose(ROOT_POSE, X_WC, 0)
    for n in range(chain.shape[0]):
        i = chain[n]
        X_WP = load_pose(X_WC, tree[i, 0], 0)
        store_pose(compose(X_WP, child_pose(tree, placement, i, q)), X_WC, i)


@leaf
def apply_mimics(mimic_index: Ints, mimic_ratio: Array, q: Array) -> None:
    """Set each follower's coordinate to multiplier * master + offset."""
    for k in range(mimic_index.shape[0]):
        q[mimic_index[k, 0]] = mimic_ratio[k, 0] * q[mimic_index[k, 1]] + mimic_ratio[k, 1]


@leaf
def accept_positions(tree: Ints, q: Array) -> int:
    """Give quaternions unit length; return the first coordinate that cannot be used, or -1.

    That is one that is not finite, or the first of a quaternion without length.
    """
    for k in range(q.shape[0]):
        if not math.isfinite(q[k]):
            return k
    for i in range(1, tree.shape[0]):
        if tree[i, 1] == BALL or tree[i, 1] == FLOATING:
            k = tree[i, 2]
            length = math.sqrt(q[k] ** 2 + q[k + 1] ** 2 + q[k + 2] ** 2 + q[k + 3] ** 2)
            if length < SHORTEST_QUATERNION:
                return int(k)
            for n in range(k, k + 4):
                q[n] /= length
    return -1


@inlined
def frame_pose(frames: Ints, offsets: Array, f: int, X_WC: Array) -> Pose:
    """Return X_WF of frame f, given as (link, whether it has an offset) and its offset X_CF."""
    X_WB = load_pose(X_WC, frames[f, 0], 0)
    if frames[f, 1] != 0:
        return compose(X_WB, load_pose(offsets, f, 0))
    return X_WB


@leaf
def are_all_links(frames: Ints, count: int) -> bool:
    """Return whether the frames, but for the last, are the links in their order."""
    matches = frames.shape[0] - 1 == count
    for f in range(min(frames.shape[0] - 1, count)):
        matches = matches and frames[f, 0] == f and frames[f, 1] == 0
    return bool(matches)


@kernel
def frame_poses(
    tree: Ints,
    placement: Array,
    chain: Ints,
    frames: Ints,
    offsets: Array,
    q: Array,
    X_RF: Array,
) -> int:
    """Write X_RF (configurations, frames, 7) at each row of q; the last frame is R.

    Returns where in q, counted through its rows, a number cannot be used; -1 where all can.
    """
    X_WC = np.empty((tree.shape[0], 7))
    last = frames.shape[0] - 1
    relative = frames[last, 0] != 0 or frames[last, 1] != 0
    direct = not relative and are_all_links(frames, tree.shape[0])
    for n in range(q.shape[0]):
        configuration = q[n]
        bad = accept_positions(tree, configuration)
        if bad >= 0:
            return int(n * q.shape[1] + bad)
        if direct:
            forward_kinematics(tree, placement, configuration, X_RF[n])
            continue
        forward_kinematics_along(tree, placement, chain, configuration, X_WC)
        if relative:
            X_RW = invert(frame_pose(frames, offsets, last, X_WC))
            for f in range(last):
                store_pose(compose(X_RW, frame_pose(frames, offsets, f, X_WC)), X_RF[n], f)
        else:
            for f in range(last):
                store_pose(frame_pose(frames, offsets, f, X_WC), X_RF[n], f)
    return -1
