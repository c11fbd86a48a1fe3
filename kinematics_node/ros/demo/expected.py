# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Forward kinematics once more, in plain numpy: what the node's answers are compared with.

Nothing here comes from the package's own model or kernels. Times are the first dimension of all
arrays, so that many messages are computed at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence

import numpy as np

from kinematics_node.ros.demo.motion import Motion
from kinematics_node.ros.demo.robot import Array
from kinematics_node.ros.demo.robot import DemoJoint
from kinematics_node.ros.demo.robot import DemoRobot


def joint_values(robot: DemoRobot, names: Sequence[str], played: Array) -> dict[str, Array]:
    """Return values by name: those that are played, and those of all followers.

    Parameters
    ----------
    robot : DemoRobot
        The robot.
    names : sequence of str
        Names of what is played.
    played : array, shape (times, names)
        Positions.
    """
    return _with_followers(robot, names, played, offsets=True)


def joint_rates(robot: DemoRobot, names: Sequence[str], played: Array) -> dict[str, Array]:
    """Return velocities by name, as joint_values returns positions."""
    return _with_followers(robot, names, played, offsets=False)


def _with_followers(
    robot: DemoRobot, names: Sequence[str], played: Array, *, offsets: bool
) -> dict[str, Array]:
    values = {name: played[:, k] for k, name in enumerate(names)}

    def value(joint: DemoJoint) -> Array:
        if joint.name not in values:
            assert joint.mimic is not None
            master, multiplier, offset = joint.mimic
            followed = value(robot.joints[master])
            values[joint.name] = multiplier * followed + (offset if offsets else 0.0)
        return values[joint.name]

    for follower in robot.followers:
        value(follower)
    return values


def axis_poses(robot: DemoRobot, values: dict[str, Array]) -> dict[str, Array]:
    """Return X_PC, shape (times, 4, 4), by child link, of all joints with one number an axis."""
    poses: dict[str, Array] = {}
    for joint in robot.on_axes:
        if joint.kind == 'prismatic':
            X_FM = _shifts(joint.axes[0], values[joint.name])
        elif joint.kind == 'universal':
            first, second = (values[f'{joint.name}/axis{k}'] for k in (1, 2))
            X_FM = _turns(joint.axes[0], first) @ _turns(joint.axes[1], second)
        else:
            X_FM = _turns(joint.axes[0], values[joint.name])
        poses[joint.child] = joint.X_PF @ X_FM
    return poses


def free_poses(motion: Motion, times: Iterable[float]) -> dict[str, Array]:
    """Return X_PC, shape (times, 4, 4), by child link, of the joints whose state is a pose."""
    times = tuple(times)
    return {
        joint.child: joint.X_PF @ np.array([motion.pose(joint, t) for t in times])
        for joint in motion.free
    }


def static_poses(robot: DemoRobot) -> dict[str, Array]:
    """Return X_PC, shape (1, 4, 4), by child link, of all fixed joints."""
    return {joint.child: joint.X_PF[np.newaxis] for joint in robot.static}


def matrices(poses: Array) -> Array:
    """Return 4x4 matrices of poses (x, y, z, then a quaternion x, y, z, w), one a row.

    A quaternion that has not unit length gives no rotation matrix, and so deviates.
    """
    x, y, z, w = poses[:, 3:].T
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    X = np.zeros((len(poses), 4, 4))
    X[:, :3, :3] = np.moveaxis(np.array(rows), 2, 0)
    X[:, :3, 3] = poses[:, :3]
    X[:, 3, 3] = 1.0
    return X


def _turns(axis: Array, angles: Array) -> Array:
    """Rotations about an axis, by Rodrigues' formula R = I + sin(a) K + (1 - cos(a)) K K."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    X = np.tile(np.eye(4), (len(angles), 1, 1))
    X[:, :3, :3] += np.multiply.outer(np.sin(angles), K)
    X[:, :3, :3] += np.multiply.outer(1.0 - np.cos(angles), K @ K)
    return X


def _shifts(axis: Array, distances: Array) -> Array:
    X = np.tile(np.eye(4), (len(distances), 1, 1))
    X[:, :3, 3] = np.multiply.outer(distances, axis)
    return X
