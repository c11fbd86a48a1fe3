# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The rows that closures are made of, written into the one record of rows.

A row is ROW_WIDTH numbers: residual phi, wrench direction (tau, f), quadratic term, and a weight
and a target that belong to whoever solves. Frames A and B are placed so that a closure's axis is
their z axis. With w = w_AB_A, and u the rate of p = p_AoBo_A as seen in A,

    phi' = tau . w + f . u        phi'' = tau . w' + f . u' + quadratic,

so that (tau, f) is also the wrench, at Bo in A, that a unit multiplier puts on B's link.
"""

from __future__ import annotations

import math

from kinematics_node.compiled import Array
from kinematics_node.compiled import inlined
from kinematics_node.spatial import cross
from kinematics_node.spatial import dot
from kinematics_node.spatial import Pose
from kinematics_node.spatial import position
from kinematics_node.spatial import Vector

ROW_WIDTH = 10
WEIGHT, TARGET = 8, 9
ZERO = (0.0, 0.0, 0.0)
ALONG_X = (1.0, 0.0, 0.0)
ALONG_Y = (0.0, 1.0, 0.0)
ALONG_Z = (0.0, 0.0, 1.0)
OPPOSITE = 1e-12


@inlined
def write_row(rows: Array, r: int, phi: float, tau: Vector, f: Vector, quadratic: float) -> None:
    """Write one row into the record."""
    rows[r, 0] = phi
    rows[r, 1], rows[r, 2], rows[r, 3] = tau
    rows[r, 4], rows[r, 5], rows[r, 6] = f
    rows[r, 7] = quadratic


@inlined
def position_row(X_AB: Pose, direction: Vector, rows: Array, r: int) -> None:
    """Hold Bo, along a fixed direction of A, where Ao is; phi in m."""
    write_row(rows, r, dot(direction, position(X_AB)), ZERO, direction, 0.0)


@inlined
def orientation(X_AB: Pose, w: Vector, rows: Array, r: int) -> None:
    """Hold B turned as A is: three rows, twice the vector part of the quaternion of R_AB.

    With q = (s, e) and q' = (0, w) q / 2 the residual 2 e has length 2 sin(angle / 2): it is the
    angle in rad where it is small, and it vanishes at no other orientation. Its rate is
    s w + w x e and its quadratic term -|w|^2 e / 2.
    """
    s, x, y, z = X_AB[0], X_AB[1], X_AB[2], X_AB[3]
    if s < 0.0:
        s, x, y, z = -s, -x, -y, -z
    square = -0.5 * dot(w, w)
    write_row(rows, r, 2.0 * x, (s, z, -y), ZERO, square * x)
    write_row(rows, r + 1, 2.0 * y, (-z, s, x), ZERO, square * y)
    write_row(rows, r + 2, 2.0 * z, (y, -x, s), ZERO, square * z)


@inlined
def z_of(X_AB: Pose) -> Vector:
    """Return B's z axis expressed in A."""
    w, x, y, z = X_AB[0], X_AB[1], X_AB[2], X_AB[3]
    return (2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y))


@inlined
def alignment(X_AB: Pose, w: Vector, rows: Array, r: int) -> None:
    """Hold B's z axis along A's: two rows, g b_x and g b_y with b = R_AB z.

    The textbook's rows b_x = b_y = 0 also hold where the axes are opposite; the factor
    g = sqrt(2 / (1 + b_z)) makes their length 2 sin(angle / 2), which vanishes only where they
    agree and is the angle in rad where it is small. Exactly opposite axes are taken to lean to
    A's x, so that they are as far from a solution as axes can be and know a way out.
    """
    b = z_of(X_AB)
    reach = 1.0 + b[2]
    if reach < OPPOSITE:
        write_row(rows, r, 2.0, (0.0, 1.0, 0.0), ZERO, 0.0)
        write_row(rows, r + 1, 0.0, (-1.0, 0.0, 0.0), ZERO, 0.0)
        return
    g = math.sqrt(2.0 / reach)
    slope = -0.5 * g / reach
    bend = 1.5 * -slope / reach
    rate = cross(w, b)
    twice = cross(w, rate)
    along = bend * rate[2] * rate[2] + slope * twice[2]
    write_row(
        rows,
        r,
        g * b[0],
        (slope * b[0] * b[1], g * b[2] - slope * b[0] * b[0], -g * b[1]),
        ZERO,
        g * twice[0] + 2.0 * slope * rate[2] * rate[0] + along * b[0],
    )
    write_row(
        rows,
        r + 1,
        g * b[1],
        (slope * b[1] * b[1] - g * b[2], -slope * b[1] * b[0], g * b[0]),
        ZERO,
        g * twice[1] + 2.0 * slope * rate[2] * rate[1] + along * b[1],
    )
