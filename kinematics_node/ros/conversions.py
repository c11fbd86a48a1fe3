# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Between messages and arrays: here alone quaternions change from w first to x first."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TypeVar

from geometry_msgs.msg import Point
from geometry_msgs.msg import Quaternion
from geometry_msgs.msg import Vector3

from kinematics_node.compiled import Array
from kinematics_node.ros.rate import SECOND

T = TypeVar('T')


def pose_message(X: Sequence[float], kind: type[T]) -> T:
    """Return a pose (qw, qx, qy, qz, x, y, z) as a message of a kind such as Pose."""
    w, qx, qy, qz, x, y, z = (float(number) for number in X)
    return kind(position=Point(x=x, y=y, z=z), orientation=Quaternion(x=qx, y=qy, z=qz, w=w))


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
