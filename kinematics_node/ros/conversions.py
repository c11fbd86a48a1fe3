# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Between messages and arrays: here alone quaternions change from w first to x first."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from geometry_msgs.msg import Pose
from geometry_msgs.msg import Vector3

from kinematics_node.compiled import Array
from kinematics_node.ros.rate import SECOND


def set_pose(message: Pose, X: Sequence[float]) -> None:
    """Write a pose (qw, qx, qy, qz, x, y, z) into a message; making one anew takes longer."""
    place, turn = message.position, message.orientation
    turn.w, turn.x, turn.y, turn.z, place.x, place.y, place.z = X


def vector_message(v: Sequence[float]) -> Vector3:
    """Return three numbers as a Vector3."""
    x, y, z = (float(number) for number in v)
    return Vector3(x=x, y=y, z=z)


def doubles(numbers: Array) -> array[float]:
    """Return numbers row by row, as a message holds them: copied, and not looked at one by one."""
    return array('d', numbers.tobytes())


def seconds_of(stamp: int) -> tuple[int, int]:
    """Return a stamp [ns] as seconds and nanoseconds."""
    return divmod(stamp, SECOND)
