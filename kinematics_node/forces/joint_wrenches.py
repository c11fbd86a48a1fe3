# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Wrenches of joints and closures about their anchors, and the part that does no work."""

from __future__ import annotations

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
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
from kinematics_node.spatial import add
from kinematics_node.spatial import compose
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

# Columns of a joint's or closure's row: the anchor Mo, and (tau, f) about it.
POINT, TOTAL, CONSTRAINT, WIDTH = 0, 3, 9, 15
# Square of the sine of an angle between axes below which they count as one.
ALIGNED = 1e-20
# Where the pose of frame B on link B is in a table's geometry.
X_LB = 7


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


@kernel
def write_closure_wrenches(
    elements: Indices,
    geometry: Array,
    records: Array,
    multipliers: Array,
    X: Array,
    frame: int,
    out: Array,
) -> None:
    """Write anchor and wrench of every closure on the axes asked for; all of it is constraint.

    Closures are the first elements of a table; their rows' records hold, from column 1 on, the
    wrench about Wo on world axes per unit of the multiplier. out is (closures, WIDTH).
    """
    for c in range(out.shape[0]):
        link_A, link_B = elements[c, 1], elements[c, 2]
        tau, f = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for row in range(elements[c, 3], elements[c, 4]):
            per_unit_tau = (records[row, 1], records[row, 2], records[row, 3])
            per_unit_f = (records[row, 4], records[row, 5], records[row, 6])
            tau = add(tau, scale(multipliers[row], per_unit_tau))
            f = add(f, scale(multipliers[row], per_unit_f))
        X_WB = compose(load_pose(X, link_B, 0), load_pose(geometry, c, X_LB))
        tau = subtract(tau, cross(position(X_WB), f))
        X_WE = load_pose(X, 0 if frame == WORLD else (link_B if frame == CHILD else link_A), 0)
        to_E = conjugate(rotation(X_WE))
        store(out, c, POINT, rotate(to_E, subtract(position(X_WB), position(X_WE))))
        for column in (TOTAL, CONSTRAINT):
            store(out, c, column, rotate(to_E, tau))
            store(out, c, column + 3, rotate(to_E, f))


@inlined
def without(u: Vector, along: Vector) -> Vector:
    """Return a vector less its part along another one, which may be zero."""
    square = dot(along, along)
    return u if square <= ALIGNED else subtract(u, scale(dot(u, along) / square, along))


@inlined
def store(out: Array, i: int, k: int, vector: Vector) -> None:
    """Write a vector into a row, from column k on."""
    out[i, k], out[i, k + 1], out[i, k + 2] = vector
