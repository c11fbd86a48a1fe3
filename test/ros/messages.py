# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Message objects for the tests."""

from __future__ import annotations

from collections.abc import Sequence

from geometry_msgs.msg import Transform
from geometry_msgs.msg import TransformStamped
import numpy as np
from numpy.typing import NDArray
from rclpy.serialization import deserialize_message
from rclpy.serialization import serialize_message
from ros.oracle import matrix_of
from ros.oracle import pose
from sensor_msgs.msg import JointState
from sensor_msgs.msg import MultiDOFJointState
from tf2_msgs.msg import TFMessage

__all__ = [
    'JointState',
    'MultiDOFJointState',
    'TFMessage',
    'Transform',
    'TransformStamped',
    'deserialize_message',
    'frames',
    'joint_state',
    'serialize_message',
    'stamp_of',
    'transforms',
]


def joint_state(
    positions: dict[str, float] | Sequence[tuple[str, float]],
    stamp: float = 1.0,
    velocity: Sequence[float] = (),
    frame_id: str = '',
) -> JointState:
    """Return a message of (name, position) pairs; the stamp is in seconds."""
    pairs = positions.items() if isinstance(positions, dict) else positions
    message = JointState()
    message.header.stamp.sec, nanoseconds = divmod(round(stamp * 1e9), 10**9)
    message.header.stamp.nanosec = nanoseconds
    message.header.frame_id = frame_id
    message.name = [name for name, _ in pairs]
    message.position = [float(position) for _, position in pairs]
    message.velocity = [float(rate) for rate in velocity]
    return message


def transforms(message: TFMessage | bytes | None) -> dict[str, TransformStamped]:
    """Return a message's transforms by child frame; each child is there once."""
    if message is None:
        return {}
    if isinstance(message, bytes):
        message = deserialize_message(message, TFMessage)
    found = {transform.child_frame_id: transform for transform in message.transforms}
    assert len(found) == len(message.transforms)
    return found


def frames(message: TFMessage | bytes | None) -> dict[str, NDArray[np.float64]]:
    """Return a message's transforms by child frame, as matrices; each must be a rigid motion."""
    return {child: _matrix(transform) for child, transform in transforms(message).items()}


def _matrix(stamped: TransformStamped) -> NDArray[np.float64]:
    t, r = stamped.transform.translation, stamped.transform.rotation
    return pose(matrix_of(r.x, r.y, r.z, r.w), np.array([t.x, t.y, t.z]))


def stamp_of(stamped: TransformStamped) -> float:
    """Return the stamp in seconds."""
    return stamped.header.stamp.sec + 1e-9 * stamped.header.stamp.nanosec
