# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Forward kinematics once more, in plain numpy: what the node's answers are compared with.

Nothing here comes from the package's own model or kernels. Times are the first dimension of all
arrays, so that many messages are computed at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence

import numpy as np

from kinematics_node.ros.demo.elements import Array
from kinematics_node.ros.demo.elements import DemoJoint
from kinematics_node.ros.demo.elements import DemoRobot
from kinematics_node.ros.demo.elements import SINGLE_AXIS
from kinematics_node.ros.demo.motion import Motion

Values = Mapping[str, Array]


def joint_values(
    robot: DemoRobot, names: Sequence[str], played: Array, solved: Values | None = None
) -> dict[str, Array]:
    """Return values by name: those that are played, those that are solved, those of followers.

    Parameters
    ----------
    robot : DemoRobot
        The robot.
    names : sequence of str
        Names of what is played.
    played : array, shape (times, names)
        Positions.
    solved : mapping of str to array, shape (times,)
        What the node says of coordinates in loops; followers of what is missing are left out.
    """
    return _with_followers(robot, names, played, solved or {}, offsets=True)


def joint_rates(
    robot: DemoRobot, names: Sequence[str], played: Array, solved: Values | None = None
) -> dict[str, Array]:
    """Return velocities by name, as joint_values returns positions."""
    return _with_followers(robot, names, played, solved or {}, offsets=False)


def _with_followers(
    robot: DemoRobot, names: Sequence[str], played: Array, solved: Values, *, offsets: bool
) -> dict[str, Array]:
    values = {name: played[:, k] for k, name in enumerate(names)} | dict(solved)

    def value(joint: DemoJoint) -> Array | None:
        if joint.name not in values and joint.mimic is not None:
            master, multiplier, offset = joint.mimic
            followed = value(robot.joints[master])
            if followed is not None:
                values[joint.name] = multiplier * followed + (offset if offsets else 0.0)
        return values.get(joint.name)

    for follower in robot.followers:
        value(follower)
    return values


def value_poses(robot: DemoRobot, values: Values) -> dict[str, Array]:
    """Return X_PC, shape (times, 4, 4), by child link, of all joints whose values are there."""
    poses: dict[str, Array] = {}
    for joint in robot.moving:
        if all(name in values for name in joint.coordinates):
            q = [values[name] for name in joint.coordinates]
            poses[joint.child] = joint.X_PF @ _motion(joint, q) @ joint.X_MC
    return poses


def _motion(joint: DemoJoint, q: Sequence[Array]) -> Array:
    """Return X_FM, shape (times, 4, 4), from the coordinates of a joint."""
    if joint.kind == 'prismatic':
        return _shifts(np.multiply.outer(q[0], joint.axes[0]))
    if joint.kind in SINGLE_AXIS:
        return _turns(joint.axes[0], q[0])
    if joint.kind == 'universal':
        return np.asarray(_turns(joint.axes[0], q[0]) @ _turns(joint.axes[1], q[1]))
    if joint.kind == 'planar':
        in_plane = np.array([q[0], q[1], np.zeros_like(q[0])]).T
        shifts = _shifts(in_plane @ _least_turn(joint.axes[0]).T)
        return np.asarray(shifts @ _turns(joint.axes[0], q[2]))
    place = np.array(q[4:] if joint.kind == 'floating' else np.zeros((3, len(q[0]))))
    w, x, y, z = q[:4]
    return matrices(np.concatenate([place, [x, y, z, w]]).T)


def _least_turn(normal: Array) -> Array:
    """Return the smallest rotation that takes z to a unit vector; about x where it turns back."""
    cosine = normal[2]
    if cosine < -1.0 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    x, y, z = np.cross([0.0, 0.0, 1.0], normal)
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + K + K @ K / (1.0 + cosine))


def free_poses(motion: Motion, times: Iterable[float]) -> dict[str, Array]:
    """Return X_PC, shape (times, 4, 4), by child link, of the joints whose state is a pose."""
    times = tuple(times)
    return {
        joint.child: joint.X_PF @ np.array([motion.pose(joint, t) for t in times]) @ joint.X_MC
        for joint in motion.free
    }


def static_poses(robot: DemoRobot) -> dict[str, Array]:
    """Return X_PC, shape (1, 4, 4), by child link, of all fixed joints."""
    return {joint.child: (joint.X_PF @ joint.X_MC)[np.newaxis] for joint in robot.static}


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


def _shifts(shifts: Array) -> Array:
    X = np.tile(np.eye(4), (len(shifts), 1, 1))
    X[:, :3, 3] = shifts
    return X
