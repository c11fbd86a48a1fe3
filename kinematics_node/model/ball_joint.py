# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Ball and universal joints as Webots has them: axes, angles, zero pose and anchor.

A ball joint's rotation is R(axis1, angle1) R(axis2, angle2) R(axis3, angle3), each axis carried by
those before it; the middle axis is axis3 x axis1. With its anchor a in the parent link's frame the
child stands at t = R (t0 - a) + a. Source: Webots, docs/reference/balljoint.md, WbBallJoint.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
import math

from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Pose
from kinematics_node.model.elements import Vector
from kinematics_node.model.elements import X_AXIS
from kinematics_node.model.elements import Y_AXIS
from kinematics_node.model.elements import Z_AXIS
from kinematics_node.model.elements import ZERO
from kinematics_node.spatial import add
from kinematics_node.spatial import axis_angle
from kinematics_node.spatial import compose
from kinematics_node.spatial import cross
from kinematics_node.spatial import dot
from kinematics_node.spatial import invert
from kinematics_node.spatial import multiply
from kinematics_node.spatial import norm
from kinematics_node.spatial import pose
from kinematics_node.spatial import position
from kinematics_node.spatial import Quaternion
from kinematics_node.spatial import rotate
from kinematics_node.spatial import rotation
from kinematics_node.spatial import scale
from kinematics_node.spatial import subtract

PARALLEL = 1e-9
SINGULAR = 1e-9
WHOLE_TURN = 1e-10
NO_TURN: Quaternion = (1.0, 0.0, 0.0, 0.0)
DEFAULT_BALL_AXES = (X_AXIS, Y_AXIS, Z_AXIS)
DEFAULT_UNIVERSAL_AXES = (X_AXIS, Z_AXIS)


def ball_axes(
    axis1: Vector | None, axis3: Vector | None
) -> tuple[tuple[Vector, Vector, Vector], str]:
    """Return the three axes that follow from the outer two, and a warning or ''.

    With both absent they are x, y, z; with one absent it is made perpendicular to the other, by a
    cross product with x (or z where that is parallel); axis2 = axis3 x axis1, of unit length.
    Parallel axes fall back to x and z.
    """
    if axis1 is None and axis3 is None:
        return DEFAULT_BALL_AXES, ''
    if axis3 is None:
        assert axis1 is not None
        axis3 = _perpendicular(axis1, X_AXIS, Z_AXIS)
    elif axis1 is None:
        axis1 = _perpendicular(axis3, Z_AXIS, X_AXIS)
    middle = _unit(cross(axis3, axis1))
    if middle is None or _parallel(axis1, axis3):
        return DEFAULT_BALL_AXES, (
            'axis1 and axis3 are parallel, so x and z are taken; give two directions that differ'
        )
    return (axis1, middle, axis3), ''


def universal_axes(
    axis1: Vector | None, axis2: Vector | None
) -> tuple[tuple[Vector, Vector], str]:
    """Return the two axes of a universal joint and a warning or ''; by default x and z.

    The axes need not be perpendicular; parallel ones fall back to x and z.
    """
    first = X_AXIS if axis1 is None else axis1
    second = Z_AXIS if axis2 is None else axis2
    if _parallel(first, second):
        return DEFAULT_UNIVERSAL_AXES, (
            'axis1 and axis2 are parallel, so x and z are taken; give two directions that differ'
        )
    return (first, second), ''


def angles_to_quaternion(axes: Sequence[Vector], angles: Sequence[float]) -> Quaternion:
    """Return R(axis1, angle1) R(axis2, angle2) ... of two or three axes of any length [rad]."""
    q = NO_TURN
    for axis, angle in zip(axes, angles, strict=True):
        direction = _unit(axis)
        if direction is not None:
            q = multiply(q, axis_angle(direction, float(angle)))
    return q


def turned_axes(axes: Sequence[Vector], angles: Sequence[float]) -> list[Vector]:
    """Return unit axes as they are once turned: each is carried by the turns about those before.

    Angles are in rad, one for each axis; that of the last one changes nothing.
    """
    turned: list[Vector] = []
    for n, axis in enumerate(axes):
        for before in reversed(range(n)):
            axis = rotate(axis_angle(axes[before], angles[before]), axis)
        turned.append(axis)
    return turned


def quaternion_to_angles(
    axes: Sequence[Vector], q: Quaternion, near: Sequence[float] = ZERO
) -> Vector:
    """Return the three angles [rad] of a rotation about a ball joint's axes.

    Of the two triples that give the rotation, and of all whole turns, the one nearest to `near` is
    returned, so that angles of a moving joint do not jump. Where the middle angle aligns axis 1
    and axis 3 only one combination of the outer angles is determined: angle 1 is then taken from
    `near`.

    With L the angle from axis 1 to axis 3 about axis 2, R R(axis2, L) is a rotation by proper
    Euler angles 1-2-1, whose half angles the quaternion's parts hold (Shuster, A survey of
    attitude representations, 1993, section on Euler angles; Davenport, 1973).
    """
    a1, a2, a3 = (_unit_or_x(axis) for axis in axes)
    a12 = cross(a1, a2)
    lead = math.atan2(dot(cross(a1, a3), a2), dot(a1, a3))
    w, x, y, z = multiply(q, axis_angle(a2, lead))
    u = (x, y, z)
    c1, c2, c3 = dot(u, a1), dot(u, a2), dot(u, a12)
    tilt = 2.0 * math.atan2(math.hypot(c2, c3), math.hypot(w, c1))
    if math.sin(tilt) < SINGULAR:
        return _singular_angles(w, c1, c2, c3, tilt - lead, near)
    half_sum, half_difference = math.atan2(c1, w), math.atan2(c3, c2)
    first, third = half_sum + half_difference, half_sum - half_difference
    candidates = (
        (first, tilt - lead, third),
        (first + math.pi, -tilt - lead, third + math.pi),
    )
    shifted = [
        tuple(_nearest(angle, to) for angle, to in zip(c, near, strict=True)) for c in candidates
    ]
    best = min(shifted, key=lambda c: sum((a - b) ** 2 for a, b in zip(c, near, strict=True)))
    return (best[0], best[1], best[2])


def _singular_angles(
    w: float, c1: float, c2: float, c3: float, middle: float, near: Sequence[float]
) -> Vector:
    first = float(near[0])
    if math.hypot(w, c1) > math.hypot(c2, c3):
        third = 2.0 * math.atan2(c1, w) - first
    else:
        third = first - 2.0 * math.atan2(c3, c2)
    return (first, _nearest(middle, near[1]), _nearest(third, near[2]))


def zero_pose(
    stored: Pose, axes: Sequence[Vector], angles: Sequence[float], anchor: Vector
) -> Pose:
    """Return the child's pose at zero angles, from its pose stored at some angles.

    R0 = Q^-1 R and t0 = Q^-1 (t - a) + a, with Q the rotation of the angles; all angles being
    whole turns the stored pose is the zero pose itself, to the bit.
    """
    if all(_is_whole_turn(angle) for angle in angles):
        return stored
    w, x, y, z = angles_to_quaternion(axes, angles)
    back = (w, -x, -y, -z)
    turned = multiply(back, rotation(stored))
    return pose(turned, add(rotate(back, subtract(position(stored), anchor)), anchor))


def _is_whole_turn(angle: float) -> bool:
    turns = angle / (2.0 * math.pi)
    return abs(turns - math.trunc(turns)) < WHOLE_TURN


def anchored_frames(child: Pose, anchor: Vector, turn: Quaternion = NO_TURN) -> tuple[Pose, Pose]:
    """Return X_PF and X_MC of a joint whose child stands at a pose X_PC at zero.

    F sits at the anchor (in the parent link's frame), turned by `turn` against the parent link.
    """
    X_PF = pose(turn, anchor)
    if turn == NO_TURN:
        # Differences only: keeps the numbers of the description to the bit.
        return X_PF, pose(rotation(child), subtract(position(child), anchor))
    return X_PF, compose(invert(X_PF), child)


def zero_child_pose(joint: Joint) -> Pose:
    """Return X_PC of a joint at its zero pose."""
    return compose(joint.X_PF, joint.X_MC)


def move_anchor(joint: Joint, anchor: Vector) -> Joint:
    """Return the joint with its anchor elsewhere, in the parent link's frame.

    As in Webots the child's zero pose stays as it is; at any other angle the child moves, to
    R (t0 - a) + a of the new anchor. The axes keep their directions.
    """
    X_PF, X_MC = anchored_frames(zero_child_pose(joint), anchor, rotation(joint.X_PF))
    return replace(joint, X_PF=X_PF, X_MC=X_MC)


def anchor_gap(joint: Joint) -> float:
    """Return the distance [m] from a joint's anchor to its child's origin at zero."""
    return float(norm(position(joint.X_MC)))


def _perpendicular(axis: Vector, first: Vector, second: Vector) -> Vector:
    other = second if _parallel(axis, first) else first
    return cross(axis, other)


def _parallel(a: Vector, b: Vector) -> bool:
    return bool(norm(cross(a, b)) <= PARALLEL * norm(a) * norm(b))


def _unit(axis: Vector) -> Vector | None:
    length = norm(axis)
    return scale(1.0 / length, axis) if length > 0.0 else None


def _unit_or_x(axis: Vector) -> Vector:
    return _unit(axis) or X_AXIS


def _nearest(angle: float, to: float) -> float:
    """Return the angle plus the whole turns that bring it next to another."""
    turn = 2.0 * math.pi
    return angle + turn * round((to - angle) / turn)
