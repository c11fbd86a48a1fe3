# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Messages of peers whose machine or middleware writes numbers in another way."""

from __future__ import annotations

from rclpy.serialization import deserialize_message
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState


def in_own_representation(message: bytes) -> bytes:
    """Return a serialized JointState, such as a big-endian one, as this machine serializes it.

    What the middleware cannot read comes back as it is, to be refused with a sentence.
    """
    try:
        return bytes(serialize_message(deserialize_message(message, JointState)))
    except RuntimeError:
        return message
