# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The rotations of descriptions as quaternions (w, x, y, z), without going through angles.

Plain Python: a few hundred conversions while a file is read are not worth loading a kernel for.
"""

from __future__ import annotations

from collections.abc import Sequence
import math

from kinematics_node.model.elements import Pose
from kinematics_node.model.elements import Vector

Quaternion = tuple[float, float, float, float]
IDENTITY: Quaternion = (1.0, 0.0, 0.0, 0.0)


def rpy_quaternion(rpy: Sequence[float]) -> Quaternion:
    """Return the quaternion of R = Rz(yaw) Ry(pitch) Rx(roll), exact at any pitch [rad]."""
    roll, pitch, yaw = rpy
    if roll == pitch == yaw == 0.0:
        return IDENTITY
    cr, sr = math.cos(0.5 * roll), math.sin(0.5 * roll)
    cp, sp = math.cos(0.5 * pitch), math.sin(0.5 * pitch)
    cy, sy = math.cos(0.5 * yaw), math.sin(0.5 * yaw)
    return (
        cy * cp * cr + sy * sp * sr,
        cy * cp * sr - sy * sp * cr,
        cy * sp * cr + sy * cp * sr,
        sy * cp * cr - cy * sp * sr,
    )


def axis_angle_quaternion(axis: Sequence[float], angle: float) -> Quaternion:
    """Return the quaternion of a turn [rad] about an axis of any length, identity for none."""
    length = math.sqrt(sum(x * x for x in axis))
    if length == 0.0:
        return IDENTITY
    s = math.sin(0.5 * angle) / length
    return (math.cos(0.5 * angle), s * axis[0], s * axis[1], s * axis[2])


def unit_quaternion(q: Sequence[float]) -> Quaternion:
    """Return a quaternion of unit length; unchanged where it is one to the last digits.

    Raises
    ------
    ZeroDivisionError
        All four numbers are zero.
    """
    squared = sum(x * x for x in q)
    if abs(squared - 1.0) < 4e-16:
        return (q[0], q[1], q[2], q[3])
    length = math.sqrt(squared)
    return (q[0] / length, q[1] / length, q[2] / length, q[3] / length)


def make_pose(xyz: Vector, rpy: Vector = (0.0, 0.0, 0.0)) -> Pose:
    """Return the pose of an <origin>."""
    return (*rpy_quaternion(rpy), *xyz)


def quaternion_rpy(q: Quaternion) -> Vector:
    """Return (roll, pitch, yaw) of a unit quaternion; at pitch +-pi/2 roll is taken as zero.

    The pitch comes from an arctangent, which keeps its digits near +-pi/2 where an arcsine loses
    half of them.
    """
    w, x, y, z = q
    # Rows of R: sin(pitch) = -R31; R11, R21 carry cos(pitch) times cosine and sine of yaw.
    r11 = w * w + x * x - y * y - z * z
    r21 = 2.0 * (x * y + w * z)
    r31 = 2.0 * (x * z - w * y)
    cos_pitch = math.hypot(r11, r21)
    pitch = math.atan2(-r31, cos_pitch)
    if cos_pitch < 1e-9:
        return (0.0, pitch, 2.0 * math.atan2(z, w))
    roll = math.atan2(2.0 * (y * z + w * x), w * w - x * x - y * y + z * z)
    return (roll, pitch, math.atan2(r21, r11))
