# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Velocities and accelerations of links, from the root outward, and of frames on them.

Inside, everything is on world axes about each link's own origin: V_WC = [w_WC_W; v_WCo_W], and
A_WC = [alpha_WC_W; a_WCo_W] with the acceleration of the origin as a stopwatch and a ruler find it
(not the spatial one). The root link is at rest and gravity is left out.

A reference says about which point and on whose axes a frame F's velocity is given: WORLD about Wo
on world axes, LOCAL about Fo on F's axes, LOCAL_WORLD_ALIGNED about Fo on world axes.
Accelerations are the time derivatives of those numbers: J v' + J' v for the frame's Jacobian J.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import inlined
from kinematics_node.compiled import Ints
from kinematics_node.compiled import kernel
from kinematics_node.compiled import leaf
from kinematics_node.kinematics.joint_motion import CONTINUOUS
from kinematics_node.kinematics.joint_motion import joint_bias
from kinematics_node.kinematics.joint_motion import joint_frame
from kinematics_node.kinematics.joint_motion import joint_velocity
from kinematics_node.kinematics.joint_motion import load_axis
from kinematics_node.kinematics.joint_motion import NO_SHIFT
from kinematics_node.kinematics.joint_motion import PRISMATIC
from kinematics_node.kinematics.joint_motion import REVOLUTE
from kinematics_node.kinematics.poses import forward_kinematics
from kinematics_node.kinematics.poses import frame_pose
from kinematics_node.spatial import add
from kinematics_node.spatial import conjugate
from kinematics_node.spatial import cross
from kinematics_node.spatial import Pose
from kinematics_node.spatial import position
from kinematics_node.spatial import Quaternion
from kinematics_node.spatial import rotate
from kinematics_node.spatial import rotation
from kinematics_node.spatial import scale
from kinematics_node.spatial import subtract
from kinematics_node.spatial import Vector


class Reference(IntEnum):
    """About which point, and on whose axes, a frame's velocity is given."""

    WORLD = 0
    LOCAL = 1
    LOCAL_WORLD_ALIGNED = 2


WORLD = int(Reference.WORLD)
LOCAL = int(Reference.LOCAL)


@inlined
def load_spatial(a: Array, i: int) -> tuple[Vector, Vector]:
    """Return the angular and the linear part of the spatial vector a[i, 0:6]."""
    return (a[i, 0], a[i, 1], a[i, 2]), (a[i, 3], a[i, 4], a[i, 5])


@inlined
def store_spatial(w: Vector, v: Vector, a: Array, i: int) -> None:
    """Write a spatial vector into a[i, 0:6]."""
    a[i, 0], a[i, 1], a[i, 2] = w
    a[i, 3], a[i, 4], a[i, 5] = v


@inlined
def shift_velocity(w: Vector, v: Vector, p: Vector) -> Vector:
    """Return the velocity of the point at p from a body's point that moves at v."""
    return add(v, cross(w, p))


@inlined
def shift_acceleration(alpha: Vector, w: Vector, a: Vector, p: Vector) -> Vector:
    """Return the acceleration of the point at p from a body's point that accelerates at a."""
    return add(add(a, cross(alpha, p)), cross(w, cross(w, p)))


@leaf
def link_velocities(
    tree: Ints, placement: Array, q: Array, v: Array, X_WC: Array, V_WC: Array
) -> None:
    """Write V_WC (links, 6) from the poses X_WC at q, as the module says."""
    V_WC[0, :] = 0.0
    for i in range(1, tree.shape[0]):
        parent = tree[i, 0]
        w_WP, v_WP = load_spatial(V_WC, parent)
        X_WM = joint_frame(placement, i, X_WC)
        p_PoMo = subtract(position(X_WM), (X_WC[parent, 4], X_WC[parent, 5], X_WC[parent, 6]))
        p_MoCo = subtract((X_WC[i, 4], X_WC[i, 5], X_WC[i, 6]), position(X_WM))
        w_M, u_M = joint_velocity(tree[i, 1], placement, i, q, tree[i, 2], v, tree[i, 3])
        w_WC = add(w_WP, rotate(rotation(X_WM), w_M))
        v_WM = add(shift_velocity(w_WP, v_WP, p_PoMo), rotate(rotation(X_WM), u_M))
        store_spatial(w_WC, shift_velocity(w_WC, v_WM, p_MoCo), V_WC, i)


@inlined
def joint_motion(
    tree: Ints, placement: Array, i: int, q: Array, v: Array, vdot: Array, R_WM: Quaternion
) -> tuple[Vector, Vector, Vector, Vector]:
    """Return (w, u) = S v and their derivatives S v' + S' v taken in M, all on world axes."""
    kind, k, n = tree[i, 1], tree[i, 2], tree[i, 3]
    if kind in (REVOLUTE, CONTINUOUS, PRISMATIC):
        axis = rotate(R_WM, load_axis(placement, i, 0))
        rate, change = scale(v[n], axis), scale(vdot[n], axis)
        if kind == PRISMATIC:
            return NO_SHIFT, rate, NO_SHIFT, change
        return rate, NO_SHIFT, change, NO_SHIFT
    w, u = joint_velocity(kind, placement, i, q, k, v, n)
    w_dot, u_dot = joint_velocity(kind, placement, i, q, k, vdot, n)
    w_bias, u_bias = joint_bias(kind, placement, i, q, k, v, n)
    w_dot, u_dot = add(w_dot, w_bias), add(u_dot, u_bias)
    return rotate(R_WM, w), rotate(R_WM, u), rotate(R_WM, w_dot), rotate(R_WM, u_dot)


@leaf
def link_accelerations(
    tree: Ints,
    placement: Array,
    q: Array,
    v: Array,
    vdot: Array,
    X_WC: Array,
    V_WC: Array,
    A_WC: Array,
) -> None:
    """Write A_WC (links, 6) from poses and velocities at (q, v), as the module says."""
    A_WC[0, :] = 0.0
    for i in range(1, tree.shape[0]):
        parent = tree[i, 0]
        w_WP, _ = load_spatial(V_WC, parent)
        w_WC, _ = load_spatial(V_WC, i)
        alpha_WP, a_WP = load_spatial(A_WC, parent)
        X_WM = joint_frame(placement, i, X_WC)
        R_WM = rotation(X_WM)
        p_PoMo = subtract(position(X_WM), (X_WC[parent, 4], X_WC[parent, 5], X_WC[parent, 6]))
        p_MoCo = subtract((X_WC[i, 4], X_WC[i, 5], X_WC[i, 6]), position(X_WM))
        w_FM, v_FM, w_dot, u_dot = joint_motion(tree, placement, i, q, v, vdot, R_WM)
        alpha_WC = add(add(alpha_WP, cross(w_WP, w_FM)), w_dot)
        coriolis = cross(add(add(w_WP, w_WP), w_FM), v_FM)
        a_WM = shift_acceleration(alpha_WP, w_WP, a_WP, p_PoMo)
        a_WM = add(add(a_WM, coriolis), u_dot)
        store_spatial(alpha_WC, shift_acceleration(alpha_WC, w_WC, a_WM, p_MoCo), A_WC, i)


@inlined
def velocity_in_reference(
    w: Vector, v: Vector, X_WF: Pose, reference: int
) -> tuple[Vector, Vector]:
    """Return a velocity about Fo on world axes as seen in a reference."""
    if reference == WORLD:
        return w, subtract(v, cross(w, position(X_WF)))
    if reference == LOCAL:
        R_FW = conjugate(rotation(X_WF))
        return rotate(R_FW, w), rotate(R_FW, v)
    return w, v


@inlined
def acceleration_in_reference(
    alpha: Vector, a: Vector, w: Vector, v: Vector, X_WF: Pose, reference: int
) -> tuple[Vector, Vector]:
    """Return the time derivative of velocity_in_reference(w, v, X_WF, reference)."""
    if reference == WORLD:
        return alpha, subtract(subtract(a, cross(alpha, position(X_WF))), cross(w, v))
    if reference == LOCAL:
        R_FW = conjugate(rotation(X_WF))
        return rotate(R_FW, alpha), rotate(R_FW, subtract(a, cross(w, v)))
    return alpha, a


@kernel
def frame_velocities(
    tree: Ints,
    placement: Array,
    frames: Ints,
    offsets: Array,
    reference: int,
    q: Array,
    v: Array,
    V: Array,
) -> None:
    """Write the velocities V (configurations, frames, 6) of frames at the rows of q and v."""
    X_WC = np.empty((tree.shape[0], 7))
    V_WC = np.empty((tree.shape[0], 6))
    for n in range(q.shape[0]):
        forward_kinematics(tree, placement, q[n], X_WC)
        link_velocities(tree, placement, q[n], v[n], X_WC, V_WC)
        for f in range(V.shape[1]):
            link = frames[f, 0]
            X_WF = frame_pose(frames, offsets, f, X_WC)
            r = subtract(position(X_WF), (X_WC[link, 4], X_WC[link, 5], X_WC[link, 6]))
            w, v_C = load_spatial(V_WC, link)
            w, v_F = velocity_in_reference(w, shift_velocity(w, v_C, r), X_WF, reference)
            store_spatial(w, v_F, V[n], f)


@kernel
def frame_accelerations(
    tree: Ints,
    placement: Array,
    frames: Ints,
    offsets: Array,
    reference: int,
    q: Array,
    v: Array,
    vdot: Array,
    A: Array,
) -> None:
    """Write the derivatives A (configurations, frames, 6) of the frames' velocities."""
    X_WC = np.empty((tree.shape[0], 7))
    V_WC = np.empty((tree.shape[0], 6))
    A_WC = np.empty((tree.shape[0], 6))
    for n in range(q.shape[0]):
        forward_kinematics(tree, placement, q[n], X_WC)
        link_velocities(tree, placement, q[n], v[n], X_WC, V_WC)
        link_accelerations(tree, placement, q[n], v[n], vdot[n], X_WC, V_WC, A_WC)
        for f in range(A.shape[1]):
            link = frames[f, 0]
            X_WF = frame_pose(frames, offsets, f, X_WC)
            r = subtract(position(X_WF), (X_WC[link, 4], X_WC[link, 5], X_WC[link, 6]))
            w, v_C = load_spatial(V_WC, link)
            alpha, a_C = load_spatial(A_WC, link)
            v_F = shift_velocity(w, v_C, r)
            a_F = shift_acceleration(alpha, w, a_C, r)
            alpha, a_F = acceleration_in_reference(alpha, a_F, w, v_F, X_WF, reference)
            store_spatial(alpha, a_F, A[n], f)
