# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Rotations, rigid transforms and spatial vectors: pure functions on tuples of numbers.

A vector is (x, y, z); a quaternion is (w, x, y, z), scalar first; a pose X_AB is seven numbers,
the quaternion of R_AB and then p_AoBo_A [m]. A spatial velocity is (w, v), a spatial force
(tau, f), each about a named point in a named frame. Tuples live in registers when compiled, so
kernels compose poses without touching memory; load_ and store_ functions read and write arrays.
"""

from __future__ import annotations

import math
from typing import TypeAlias

from kinematics_node.compiled import Array
from kinematics_node.compiled import inlined

Vector: TypeAlias = tuple[float, float, float]
Quaternion: TypeAlias = tuple[float, float, float, float]
Pose: TypeAlias = tuple[float, float, float, float, float, float, float]


@inlined
def load_vector(a: Array, k: int) -> Vector:
    """Return a[k:k+3]."""
    return (a[k], a[k + 1], a[k + 2])


@inlined
def load_quaternion(a: Array, k: int) -> Quaternion:
    """Return a[k:k+4]."""
    return (a[k], a[k + 1], a[k + 2], a[k + 3])


@inlined
def load_pose(a: Array, i: int, k: int) -> Pose:
    """Return the pose a[i, k:k+7]."""
    return (a[i, k], a[i, k + 1], a[i, k + 2], a[i, k + 3], a[i, k + 4], a[i, k + 5], a[i, k + 6])


@inlined
def store_pose(X: Pose, a: Array, i: int) -> None:
    """Write a pose into a[i, 0:7]."""
    a[i, 0], a[i, 1], a[i, 2], a[i, 3], a[i, 4], a[i, 5], a[i, 6] = X


@inlined
def add(a: Vector, b: Vector) -> Vector:
    """Return a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inlined
def subtract(a: Vector, b: Vector) -> Vector:
    """Return a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inlined
def scale(s: float, a: Vector) -> Vector:
    """Return s a."""
    return (s * a[0], s * a[1], s * a[2])


@inlined
def dot(a: Vector, b: Vector) -> float:
    """Return a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def cross(a: Vector, b: Vector) -> Vector:
    """Return a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@inlined
def norm(a: Vector) -> float:
    """Return the length of a."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@inlined
def multiply(p: Quaternion, q: Quaternion) -> Quaternion:
    """Return the quaternion product p q (Hamilton)."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


@inlined
def conjugate(q: Quaternion) -> Quaternion:
    """Return the quaternion of the inverse rotation."""
    return (q[0], -q[1], -q[2], -q[3])


@inlined
def rotate(q: Quaternion, v: Vector) -> Vector:
    """Return R(q) v = v + 2 w (u x v) + 2 u x (u x v), where q = (w, u)."""
    tx = 2.0 * (q[2] * v[2] - q[3] * v[1])
    ty = 2.0 * (q[3] * v[0] - q[1] * v[2])
    tz = 2.0 * (q[1] * v[1] - q[2] * v[0])
    return (
        v[0] + q[0] * tx + q[2] * tz - q[3] * ty,
        v[1] + q[0] * ty + q[3] * tx - q[1] * tz,
        v[2] + q[0] * tz + q[1] * ty - q[2] * tx,
    )


@inlined
def axis_angle(axis: Vector, angle: float) -> Quaternion:
    """Return the quaternion of a turn by angle [rad] about a unit axis."""
    s = math.sin(0.5 * angle)
    return (math.cos(0.5 * angle), s * axis[0], s * axis[1], s * axis[2])


@inlined
def rotation(X: Pose) -> Quaternion:
    """Return the quaternion of R_AB."""
    return (X[0], X[1], X[2], X[3])


@inlined
def position(X: Pose) -> Vector:
    """Return p_AoBo_A."""
    return (X[4], X[5], X[6])


@inlined
def pose(q: Quaternion, p: Vector) -> Pose:
    """Return the pose of a rotation and a position."""
    return (q[0], q[1], q[2], q[3], p[0], p[1], p[2])


@inlined
def compose(X_AB: Pose, X_BC: Pose) -> Pose:
    """Return X_AC = X_AB X_BC."""
    R_AB = rotation(X_AB)
    return pose(
        multiply(R_AB, rotation(X_BC)),
        add(position(X_AB), rotate(R_AB, position(X_BC))),
    )


@inlined
def invert(X_AB: Pose) -> Pose:
    """Return X_BA."""
    R_BA = conjugate(rotation(X_AB))
    return pose(R_BA, scale(-1.0, rotate(R_BA, position(X_AB))))


@inlined
def transform_point(X_AB: Pose, p_BQ: Vector) -> Vector:
    """Return p_AQ_A of a point given as p_BQ_B."""
    return add(position(X_AB), rotate(rotation(X_AB), p_BQ))


@inlined
def rotation_rows(q: Quaternion) -> tuple[Vector, Vector, Vector]:
    """Return the three rows of the rotation matrix of a unit quaternion."""
    w, x, y, z = q
    return (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
    )
