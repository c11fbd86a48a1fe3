# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Between messages and arrays: here alone quaternions change from w first to x first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from geometry_msgs.msg import Point
from geometry_msgs.msg import Quaternion
from geometry_msgs.msg import Vector3
from geometry_msgs.msg import Wrench

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


def set_vector(message: Point | Vector3, three: Sequence[float]) -> None:
    """Write three floats into a message."""
    message.x, message.y, message.z = three


def set_wrench(message: Wrench, six: Sequence[float]) -> None:
    """Write (tau, f), six floats, into a message."""
    torque, force = message.torque, message.force
    torque.x, torque.y, torque.z, force.x, force.y, force.z = six


def seconds_of(stamp: int) -> tuple[int, int]:
    """Return a stamp [ns] as seconds and nanoseconds."""
    return divmod(stamp, SECOND)
