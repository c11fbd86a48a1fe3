# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Every joint's wrench about its anchor, and the part of it that does no work."""

from __future__ import annotations

from kinematics_node.compiled import Array
from kinematics_node.compiled import inlined
from kinematics_node.compiled import Ints
from kinematics_node.compiled import kernel
from kinematics_node.dynamics.inverse import CHILD
from kinematics_node.dynamics.inverse import WORLD
from kinematics_node.kinematics.joint_motion import joint_frame
from kinematics_node.kinematics.joint_motion import joint_rate_motion
from kinematics_node.kinematics.joint_motion import JOINT_RATES
from kinematics_node.kinematics.joint_motion import load_axis
from kinematics_node.kinematics.joint_motion import UNIVERSAL
from kinematics_node.kinematics.velocity import load_spatial
from kinematics_node.spatial import conjugate
from kinematics_node.spatial import cross
from kinematics_node.spatial import dot
from kinematics_node.spatial import load_pose
from kinematics_node.spatial import position
from kinematics_node.spatial import rotate
from kinematics_node.spatial import rotation
from kinematics_node.spatial import scale
from kinematics_node.spatial import subtract
from kinematics_node.spatial import Vector

# Columns of a joint's row: the anchor Mo, and (tau, f) about it.
POINT, TOTAL, CONSTRAINT, WIDTH = 0, 3, 9, 15
# Square of the sine of an angle between axes below which they count as one.
ALIGNED = 1e-20


@kernel
def write_joint_wrenches(
    tree: Ints, placement: Array, q: Array, X: Array, F: Array, frame: int, out: Array
) -> None:
    """Write anchor, total and constraint wrench of every joint on the axes asked for.

    F (links, 6) are wrenches about Co on world axes; out is (links, WIDTH), its row 0 unused. The
    constraint wrench is what remains of the total less its part along the free motion S: w - S S^+
    w (the complement of the motion subspace, Featherstone 2008, section 3.2).
    """
    for i in range(1, tree.shape[0]):
        X_WM = joint_frame(placement, i, X)
        tau, f = load_spatial(F, i)
        arm = subtract(position(X_WM), position(load_pose(X, i, 0)))
        tau = subtract(tau, cross(arm, f))
        body = 0 if frame == WORLD else (i if frame == CHILD else tree[i, 0])
        X_WE = load_pose(X, body, 0)
        to_E = conjugate(rotation(X_WE))
        store(out, i, POINT, rotate(to_E, subtract(position(X_WM), position(X_WE))))
        store(out, i, TOTAL, rotate(to_E, tau))
        store(out, i, TOTAL + 3, rotate(to_E, f))
        to_M = conjugate(rotation(X_WM))
        tau, f = rotate(to_M, tau), rotate(to_M, f)
        kind, k = tree[i, 1], tree[i, 2]
        for column in range(JOINT_RATES[kind]):
            w, v = joint_rate_motion(kind, placement, i, q, k, column)
            if kind == UNIVERSAL and column == 0:
                # The other directions of a joint are perpendicular to each other as they are.
                w = without(w, load_axis(placement, i, 1))
            tau, f = without(tau, w), without(f, v)
        store(out, i, CONSTRAINT, rotate(to_E, rotate(rotation(X_WM), tau)))
        store(out, i, CONSTRAINT + 3, rotate(to_E, rotate(rotation(X_WM), f)))


@inlined
def without(u: Vector, along: Vector) -> Vector:
    """Return a vector less its part along another one, which may be zero."""
    square = dot(along, along)
    return u if square <= ALIGNED else subtract(u, scale(dot(u, along) / square, along))


@inlined
def store(out: Array, i: int, k: int, vector: Vector) -> None:
    """Write a vector into a row, from column k on."""
    out[i, k], out[i, k + 1], out[i, k + 2] = vector
