# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The motion of each joint type: pose, motion subspace and bias of M in F.

Row i of the packed model's placement is (X_PF, X_MC, axis 1, axis 2, axis 3) of the joint that
moves link i, axes in F. Spatial quantities are [w; v] of M about Mo, relative to F, in M.
"""

from __future__ import annotations

import math

from kinematics_node.compiled import Array
from kinematics_node.compiled import inlined
from kinematics_node.compiled import Ints
from kinematics_node.compiled import leaf
from kinematics_node.model.joint_types import JointType
from kinematics_node.spatial import add
from kinematics_node.spatial import axis_angle
from kinematics_node.spatial import compose
from kinematics_node.spatial import cross
from kinematics_node.spatial import invert
from kinematics_node.spatial import load_pose
from kinematics_node.spatial import load_quaternion
from kinematics_node.spatial import load_vector
from kinematics_node.spatial import multiply
from kinematics_node.spatial import Pose
from kinematics_node.spatial import pose
from kinematics_node.spatial import position
from kinematics_node.spatial import Quaternion
from kinematics_node.spatial import rotate
from kinematics_node.spatial import rotation
from kinematics_node.spatial import scale
from kinematics_node.spatial import Vector

FIXED = int(JointType.FIXED)
REVOLUTE = int(JointType.REVOLUTE)
CONTINUOUS = int(JointType.CONTINUOUS)
PRISMATIC = int(JointType.PRISMATIC)
UNIVERSAL = int(JointType.UNIVERSAL)
BALL = int(JointType.BALL)
PLANAR = int(JointType.PLANAR)
FLOATING = int(JointType.FLOATING)
JOINT_RATES = tuple(kind.nv for kind in JointType)
AXES = 14
NO_TURN = (1.0, 0.0, 0.0, 0.0)
NO_SHIFT = (0.0, 0.0, 0.0)


@leaf
def plane_rotation(normal: Vector) -> Quaternion:
    """Return the smallest rotation that takes z to a planar joint's normal.

    Its x and y axes are those along which the joint's first two coordinates count; for a normal
    opposite to z it is the half turn about x.
    """
    w = 1.0 + normal[2]
    if w < 1e-12:
        return (0.0, 1.0, 0.0, 0.0)
    length = math.sqrt(w * w + normal[0] * normal[0] + normal[1] * normal[1])
    return (w / length, -normal[1] / length, normal[0] / length, 0.0)


@inlined
def load_axis(placement: Array, i: int, n: int) -> Vector:
    """Return axis n (0, 1, 2) in F of the joint that moves link i."""
    k = AXES + 3 * n
    return (placement[i, k], placement[i, k + 1], placement[i, k + 2])


@leaf
def joint_pose(kind: int, placement: Array, i: int, q: Array, k: int) -> Pose:
    """Return X_FM of the joint that moves link i and whose coordinates start at q[k]."""
    first = load_axis(placement, i, 0)
    if kind in (REVOLUTE, CONTINUOUS):
        return pose(axis_angle(first, q[k]), NO_SHIFT)
    if kind == PRISMATIC:
        return pose(NO_TURN, scale(q[k], first))
    if kind == UNIVERSAL:
        second = load_axis(placement, i, 1)
        return pose(multiply(axis_angle(first, q[k]), axis_angle(second, q[k + 1])), NO_SHIFT)
    if kind == BALL:
        return pose(load_quaternion(q, k), NO_SHIFT)
    if kind == PLANAR:
        shift = rotate(plane_rotation(first), (q[k], q[k + 1], 0.0))
        return pose(axis_angle(first, q[k + 2]), shift)
    if kind == FLOATING:
        return pose(load_quaternion(q, k), load_vector(q, k + 4))
    return pose(NO_TURN, NO_SHIFT)


@inlined
def has_child_offset(placement: Array, i: int) -> bool:
    """Return whether the child's frame differs from M; only joints with an anchor have it so."""
    return not (
        placement[i, 7] == 1.0
        and placement[i, 11] == 0.0
        and placement[i, 12] == 0.0
        and placement[i, 13] == 0.0
    )


@inlined
def child_pose(tree: Ints, placement: Array, i: int, q: Array) -> Pose:
    """Return X_PC = X_PF X_FM(q) X_MC of the joint that moves link i."""
    X_PM = load_pose(placement, i, 0)
    kind = tree[i, 1]
    if kind in (REVOLUTE, CONTINUOUS):
        turn = axis_angle(load_axis(placement, i, 0), q[tree[i, 2]])
        X_PM = pose(multiply(rotation(X_PM), turn), position(X_PM))
    elif kind != FIXED:
        X_PM = compose(X_PM, joint_pose(kind, placement, i, q, tree[i, 2]))
    if has_child_offset(placement, i):
        return compose(X_PM, load_pose(placement, i, 7))
    return X_PM


@inlined
def joint_frame(placement: Array, i: int, X_WC: Array) -> Pose:
    """Return X_WM = X_WC X_CM of the joint that moves link i, from the poses of all links."""
    X_WB = load_pose(X_WC, i, 0)
    if has_child_offset(placement, i):
        return compose(X_WB, invert(load_pose(placement, i, 7)))
    return X_WB


@leaf
def joint_rate_motion(
    kind: int, placement: Array, i: int, q: Array, k: int, column: int
) -> tuple[Vector, Vector]:
    """Return column S_FM_M of a joint's motion subspace: (w, v) per unit of one of its rates.

    Rates are q' of single-axis, universal and planar joints, the angular velocity w_FM_M of a ball
    joint, and (w_FM_M, v_FMo_M) of a floating joint. Rates of a planar joint's first two
    coordinates are along the fixed plane axes.
    """
    first = load_axis(placement, i, 0)
    if kind in (REVOLUTE, CONTINUOUS):
        return first, NO_SHIFT
    if kind == PRISMATIC:
        return NO_SHIFT, first
    if kind == UNIVERSAL:
        second = load_axis(placement, i, 1)
        if column == 1:
            return second, NO_SHIFT
        return rotate(axis_angle(second, -q[k + 1]), first), NO_SHIFT
    if kind == PLANAR:
        if column == 2:
            return first, NO_SHIFT
        along = rotate(plane_rotation(first), _unit(column))
        return NO_SHIFT, rotate(axis_angle(first, -q[k + 2]), along)
    if kind == BALL or column < 3:
        return _unit(column), NO_SHIFT
    return NO_SHIFT, _unit(column - 3)


@inlined
def joint_velocity(
    kind: int, placement: Array, i: int, q: Array, k: int, v: Array, n: int
) -> tuple[Vector, Vector]:
    """Return S v = (w_FM_M, v_FMo_M) of the joint that moves link i; its rates start at v[n]."""
    if kind in (REVOLUTE, CONTINUOUS):
        return scale(v[n], load_axis(placement, i, 0)), NO_SHIFT
    if kind == PRISMATIC:
        return NO_SHIFT, scale(v[n], load_axis(placement, i, 0))
    if kind == BALL:
        return load_vector(v, n), NO_SHIFT
    if kind == FLOATING:
        return load_vector(v, n), load_vector(v, n + 3)
    w, u = NO_SHIFT, NO_SHIFT
    if kind in (UNIVERSAL, PLANAR):
        for column in range(JOINT_RATES[kind]):
            w_rate, u_rate = joint_rate_motion(kind, placement, i, q, k, column)
            w = add(w, scale(v[n + column], w_rate))
            u = add(u, scale(v[n + column], u_rate))
    return w, u


@leaf
def joint_bias(
    kind: int, placement: Array, i: int, q: Array, k: int, v: Array, n: int
) -> tuple[Vector, Vector]:
    """Return S'(q, v) v as (w', v'), the derivative taken in M; v starts at v[n].

    Zero but for universal joints, whose first axis turns backwards in M with the second angle, and
    planar joints, whose plane axes turn backwards in M.
    """
    if kind == UNIVERSAL:
        second = load_axis(placement, i, 1)
        first_in_M = rotate(axis_angle(second, -q[k + 1]), load_axis(placement, i, 0))
        return scale(v[n] * v[n + 1], cross(first_in_M, second)), NO_SHIFT
    if kind == PLANAR:
        normal = load_axis(placement, i, 0)
        shift = rotate(plane_rotation(normal), (v[n], v[n + 1], 0.0))
        return NO_SHIFT, scale(
            v[n + 2], cross(rotate(axis_angle(normal, -q[k + 2]), shift), normal)
        )
    return NO_SHIFT, NO_SHIFT


@leaf
def coordinate_rates(tree: Ints, q: Array, v: Array, qdot: Array) -> None:
    """Write q' = N(q) v for every joint; of a quaternion it is q (0, w_FM_M) / 2."""
    for i in range(1, tree.shape[0]):
        kind, k, n = tree[i, 1], tree[i, 2], tree[i, 3]
        if kind in (BALL, FLOATING):
            turn = load_quaternion(q, k)
            rate = multiply(turn, (0.0, 0.5 * v[n], 0.5 * v[n + 1], 0.5 * v[n + 2]))
            qdot[k], qdot[k + 1], qdot[k + 2], qdot[k + 3] = rate
            if kind == FLOATING:
                shift = rotate(turn, load_vector(v, n + 3))
                qdot[k + 4], qdot[k + 5], qdot[k + 6] = shift
        elif kind == PLANAR:
            qdot[k], qdot[k + 1], qdot[k + 2] = v[n], v[n + 1], v[n + 2]
        elif kind == UNIVERSAL:
            qdot[k], qdot[k + 1] = v[n], v[n + 1]
        elif kind != FIXED:
            qdot[k] = v[n]


@inlined
def _unit(k: int) -> Vector:
    if k == 0:
        return (1.0, 0.0, 0.0)
    if k == 1:
        return (0.0, 1.0, 0.0)
    return (0.0, 0.0, 1.0)
