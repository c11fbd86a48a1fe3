# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics: what every joint transmits so that the links move as they are told.

Recursive Newton-Euler (Luh, Walker and Paul, On-line computational scheme for mechanical
manipulators, 1980; Featherstone, Rigid Body Dynamics Algorithms, 2008, table 5.1). Inside, all is
on world axes about each link's own origin. Gravity enters as the opposite acceleration of the
root, so that A_WC holds accelerations less gravity. F_C = (tau, f) is the wrench that the joint
above a link, with everything beyond it, puts on the link; of the root, what the world puts on it.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import inlined
from kinematics_node.compiled import Ints
from kinematics_node.compiled import kernel
from kinematics_node.compiled import leaf
from kinematics_node.kinematics.joint_motion import child_pose
from kinematics_node.kinematics.joint_motion import FIXED
from kinematics_node.kinematics.joint_motion import has_child_offset
from kinematics_node.kinematics.joint_motion import joint_frame
from kinematics_node.kinematics.joint_motion import joint_rate_motion
from kinematics_node.kinematics.joint_motion import JOINT_RATES
from kinematics_node.kinematics.poses import ROOT_POSE
from kinematics_node.kinematics.velocity import joint_motion
from kinematics_node.kinematics.velocity import load_spatial
from kinematics_node.kinematics.velocity import shift_acceleration
from kinematics_node.kinematics.velocity import shift_velocity
from kinematics_node.kinematics.velocity import store_spatial
from kinematics_node.spatial import add
from kinematics_node.spatial import compose
from kinematics_node.spatial import conjugate
from kinematics_node.spatial import cross
from kinematics_node.spatial import dot
from kinematics_node.spatial import load_pose
from kinematics_node.spatial import Pose
from kinematics_node.spatial import position
from kinematics_node.spatial import rotate
from kinematics_node.spatial import rotation
from kinematics_node.spatial import rotation_rows
from kinematics_node.spatial import scale
from kinematics_node.spatial import store_pose
from kinematics_node.spatial import subtract
from kinematics_node.spatial import Vector

Matrix: TypeAlias = tuple[Vector, Vector, Vector]
NOTHING = (0.0, 0.0, 0.0)
PARENT = 0
CHILD = 1
WORLD = 2


@inlined
def times_inertia(inertia: Array, i: int, x: Vector) -> Vector:
    """Return I x with the rotational inertia of link i about its centre of mass, in its frame."""
    xx, yy, zz = inertia[i, 4], inertia[i, 5], inertia[i, 6]
    xy, xz, yz = inertia[i, 7], inertia[i, 8], inertia[i, 9]
    return (
        xx * x[0] + xy * x[1] + xz * x[2],
        xy * x[0] + yy * x[1] + yz * x[2],
        xz * x[0] + yz * x[1] + zz * x[2],
    )


@inlined
def is_empty(inertia: Array, i: int) -> bool:
    """Return whether link i has neither mass nor inertia, as frames in descriptions often have."""
    return bool(
        inertia[i, 0] == 0.0
        and inertia[i, 4] == 0.0
        and inertia[i, 5] == 0.0
        and inertia[i, 6] == 0.0
    )


@inlined
def to_world(R_WC: Matrix, x_C: Vector) -> Vector:
    """Return R_WC x_C."""
    return dot(R_WC[0], x_C), dot(R_WC[1], x_C), dot(R_WC[2], x_C)


@inlined
def from_world(R_WC: Matrix, x_W: Vector) -> Vector:
    """Return R_WC^T x_W."""
    x, y, z = R_WC
    return add(add(scale(x_W[0], x), scale(x_W[1], y)), scale(x_W[2], z))


@inlined
def link_wrench(
    inertia: Array, i: int, X_WC: Pose, w: Vector, alpha: Vector, a: Vector
) -> tuple[Vector, Vector]:
    """Return the wrench about Co on world axes that gives link i its acceleration."""
    if is_empty(inertia, i):
        return NOTHING, NOTHING
    R_WC = rotation_rows(rotation(X_WC))
    c = to_world(R_WC, (inertia[i, 1], inertia[i, 2], inertia[i, 3]))
    f = scale(inertia[i, 0], shift_acceleration(alpha, w, a, c))
    w_C = from_world(R_WC, w)
    spin = times_inertia(inertia, i, w_C)
    tau_C = add(times_inertia(inertia, i, from_world(R_WC, alpha)), cross(w_C, spin))
    return add(to_world(R_WC, tau_C), cross(c, f)), f


@leaf
def move_links(
    tree: Ints,
    placement: Array,
    inertia: Array,
    q: Array,
    v: Array,
    vdot: Array,
    gravity: Array,
    X: Array,
    V: Array,
    A: Array,
    F: Array,
) -> None:
    """Write poses X (links, 7), velocities V, accelerations A and net wrenches F (links, 6)."""
    store_pose(ROOT_POSE, X, 0)
    rest = (0.0, 0.0, 0.0)
    store_spatial(rest, rest, V, 0)
    up = (-gravity[0], -gravity[1], -gravity[2])
    store_spatial(rest, up, A, 0)
    tau, f = link_wrench(inertia, 0, ROOT_POSE, rest, rest, up)
    store_spatial(tau, f, F, 0)
    for i in range(1, tree.shape[0]):
        parent = tree[i, 0]
        X_WP = load_pose(X, parent, 0)
        X_WC = compose(X_WP, child_pose(tree, placement, i, q))
        store_pose(X_WC, X, i)
        w_P, v_P = load_spatial(V, parent)
        alpha_P, a_P = load_spatial(A, parent)
        if tree[i, 1] == FIXED:
            p = subtract(position(X_WC), position(X_WP))
            w, alpha = w_P, alpha_P
            v_C, a_C = shift_velocity(w, v_P, p), shift_acceleration(alpha, w, a_P, p)
        else:
            X_WM = joint_frame(placement, i, X)
            R_WM = rotation(X_WM)
            w_FM, v_FM, w_dot, u_dot = joint_motion(tree, placement, i, q, v, vdot, R_WM)
            p = subtract(position(X_WM), position(X_WP))
            w = add(w_P, w_FM)
            v_C = add(shift_velocity(w_P, v_P, p), v_FM)
            alpha = add(add(alpha_P, cross(w_P, w_FM)), w_dot)
            a_C = shift_acceleration(alpha_P, w_P, a_P, p)
            coriolis = cross(add(add(w_P, w_P), w_FM), v_FM)
            a_C = add(add(a_C, coriolis), u_dot)
            if has_child_offset(placement, i):
                p = subtract(position(X_WC), position(X_WM))
                v_C = shift_velocity(w, v_C, p)
                a_C = shift_acceleration(alpha, w, a_C, p)
        store_spatial(w, v_C, V, i)
        store_spatial(alpha, a_C, A, i)
        tau, f = link_wrench(inertia, i, X_WC, w, alpha, a_C)
        store_spatial(tau, f, F, i)


@leaf
def gather(tree: Ints, X: Array, F: Array) -> None:
    """Turn the wrenches on links into those that their joints transmit: sums over subtrees."""
    for i in range(tree.shape[0] - 1, 0, -1):
        parent = tree[i, 0]
        p = (X[i, 4] - X[parent, 4], X[i, 5] - X[parent, 5], X[i, 6] - X[parent, 6])
        tau, f = load_spatial(F, i)
        tau = add(tau, cross(p, f))
        F[parent, 0] += tau[0]
        F[parent, 1] += tau[1]
        F[parent, 2] += tau[2]
        F[parent, 3] += f[0]
        F[parent, 4] += f[1]
        F[parent, 5] += f[2]


@leaf
def project(
    tree: Ints,
    placement: Array,
    q: Array,
    X: Array,
    F: Array,
    frame: int,
    efforts: Array,
    total: Array,
) -> None:
    """Write S^T F of every joint, and its wrench about Mo on the axes of a frame (links, 6).

    The frame is PARENT or CHILD, the links that the joint connects, or WORLD. The root's wrench
    is about Wo.
    """
    for i in range(tree.shape[0]):
        kind, n = tree[i, 1], tree[i, 3]
        tau, f = load_spatial(F, i)
        X_WC = load_pose(X, i, 0)
        if i > 0 and (kind != FIXED or has_child_offset(placement, i)):
            X_WM = joint_frame(placement, i, X)
            tau = subtract(tau, cross(subtract(position(X_WM), position(X_WC)), f))
            R_MW = conjugate(rotation(X_WM))
            tau_M, f_M = rotate(R_MW, tau), rotate(R_MW, f)
            for column in range(JOINT_RATES[kind]):
                w, u = joint_rate_motion(kind, placement, i, q, tree[i, 2], column)
                efforts[n + column] = dot(w, tau_M) + dot(u, f_M)
        if frame == WORLD or i == 0:
            store_spatial(tau, f, total, i)
        else:
            body = i if frame == CHILD else tree[i, 0]
            R = conjugate(rotation(load_pose(X, body, 0)))
            store_spatial(rotate(R, tau), rotate(R, f), total, i)


@kernel
def inverse_dynamics(
    tree: Ints,
    placement: Array,
    inertia: Array,
    q: Array,
    v: Array,
    vdot: Array,
    gravity: Array,
    external: Array,
    frame: int,
    efforts: Array,
    total: Array,
    X: Array,
    F: Array,
) -> None:
    """Write efforts (nv,) = M v' + h - J^T external, and all joints' wrenches.

    Gravity is its acceleration on world axes [m/s^2], such as (0, 0, -9.81). External wrenches
    (links, 6), or (0, 6) for none, are (tau, f) about the links' origins on world axes. Written
    are the efforts; total (links, 6), wrenches about Mo on the axes of PARENT, CHILD or WORLD;
    poses X (links, 7); F (links, 6), the wrenches about Co on world axes.
    """
    V = np.empty((tree.shape[0], 6))
    A = np.empty((tree.shape[0], 6))
    move_links(tree, placement, inertia, q, v, vdot, gravity, X, V, A, F)
    for i in range(external.shape[0]):
        for k in range(6):
            F[i, k] -= external[i, k]
    gather(tree, X, F)
    project(tree, placement, q, X, F, frame, efforts, total)
