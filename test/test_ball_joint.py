# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Ball and universal joints by Webots' rules."""

from __future__ import annotations

from dataclasses import replace
import math

from hypothesis import assume
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from model_compare import link_poses
from model_compare import matrix
import numpy as np
import pytest

from kinematics_node.model.axis_checks import mended_axes
from kinematics_node.model.ball_joint import anchor_gap
from kinematics_node.model.ball_joint import anchored_frames
from kinematics_node.model.ball_joint import angles_to_quaternion
from kinematics_node.model.ball_joint import ball_axes
from kinematics_node.model.ball_joint import move_anchor
from kinematics_node.model.ball_joint import quaternion_to_angles
from kinematics_node.model.ball_joint import universal_axes
from kinematics_node.model.ball_joint import zero_child_pose
from kinematics_node.model.ball_joint import zero_pose
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Link
from kinematics_node.model.elements import Motor
from kinematics_node.model.joint_types import JointType
from kinematics_node.spatial import multiply
from kinematics_node.spatial import rotate

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
ANCHOR = (0.0, 0.15, 0.0)
TARGETS = (1.01, 0.6, -2.45)
components = st.floats(-1.0, 1.0)
vectors = st.tuples(components, components, components)


def ball(axes=(X, Y, Z), child=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), anchor=(0.0, 0.0, 0.0)):
    """Return a ball joint between 'base' and 'tip'."""
    X_PF, X_MC = anchored_frames(child, anchor)
    return Joint('ball', JointType.BALL, 'base', 'tip', X_PF, X_MC, tuple(Axis(a) for a in axes))


def model_of(*joints):
    """Return a model of joints in a chain or tree."""
    builder = ModelBuilder()
    for name in dict.fromkeys([joints[0].parent, *(joint.child for joint in joints)]):
        builder.add_link(Link(name))
    for joint in joints:
        builder.add_joint(joint)
    return builder.finalize()


@pytest.mark.parametrize(
    ('axis1', 'axis3', 'expected'),
    [
        (None, None, (X, Y, Z)),
        (Z, None, (Z, X, Y)),
        (X, None, (X, (0, 0, 1), (0, -1, 0))),
        (None, X, ((0, -1, 0), (0, 0, -1), X)),
        (None, Z, (Y, (-1, 0, 0), Z)),
        ((1, 0, 1), Y, ((1, 0, 1), (math.sqrt(0.5), 0, -math.sqrt(0.5)), Y)),
    ],
)
def test_the_middle_axis_is_axis3_cross_axis1(axis1, axis3, expected):
    axis1 = axis1 and tuple(map(float, axis1))
    axes, warning = ball_axes(axis1, axis3)
    # Without an outer axis it is the cross product of the other with x, or z where parallel.
    np.testing.assert_allclose(axes[0], expected[0], atol=1e-15)
    np.testing.assert_allclose(axes[2], expected[2], atol=1e-15)
    np.testing.assert_allclose(axes[1], expected[1], atol=1e-15)
    assert warning == ''


def test_parallel_axes_fall_back_to_x_and_z():
    axes, warning = ball_axes((0.0, 2.0, 0.0), (0.0, -1.0, 0.0))
    assert axes == (X, Y, Z)
    assert 'axis1 and axis3 are parallel, so x and z are taken' in warning
    axes, warning = universal_axes(Z, None)
    assert axes == (X, Z)
    assert 'axis1 and axis2 are parallel, so x and z are taken' in warning
    assert universal_axes(None, (0.0, 1.0, 0.0)) == ((X, Y), '')


def test_the_published_marker_position_comes_out():
    axes, _ = ball_axes((1.0, 0.0, 1.0), Y)
    model = model_of(
        Joint('place', JointType.FIXED, 'world', 'base', (1.0, 0, 0, 0, 0.15, 0.0, 0.15)),
        ball(axes, (1.0, 0.0, 0.0, 0.0, *ANCHOR), ANCHOR),
        Joint('mark', JointType.FIXED, 'tip', 'marker', (1.0, 0, 0, 0, 0.03, 0.07, 0.0)),
    )
    q = angles_to_quaternion(axes, TARGETS)
    marker = link_poses(model, q)[3, 4:]
    assert marker == pytest.approx([0.129531, 0.155783, 0.223086], abs=1e-3)
    assert marker == pytest.approx([0.129531, 0.156278, 0.223086], abs=1e-6)


def test_a_ball_joint_moves_like_three_hinges():
    axes, _ = ball_axes((1.0, 0.0, 1.0), Y)
    one = model_of(ball(axes, (1.0, 0.0, 0.0, 0.0, 0.1, 0.3, 0.0), ANCHOR))
    names = ('base', 'first', 'second', 'tip')
    X_MC = ((1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),) * 2 + ((1.0, 0.0, 0.0, 0.0, 0.1, 0.15, 0.0),)
    hinges = [
        Joint(f'h{n}', JointType.CONTINUOUS, names[n], names[n + 1], axes=(Axis(axes[n]),))
        for n in range(3)
    ]
    hinges[0] = replace(hinges[0], X_PF=(1.0, 0.0, 0.0, 0.0, *ANCHOR))
    hinges = [replace(h, X_MC=X) for h, X in zip(hinges, X_MC, strict=True)]
    three = model_of(*hinges)
    rng = np.random.default_rng(1)
    for angles in rng.uniform(-3.0, 3.0, (20, 3)):
        ours = link_poses(one, angles_to_quaternion(axes, angles))[1]
        theirs = link_poses(three, angles)[3]
        np.testing.assert_allclose(matrix(ours), matrix(theirs), atol=1e-14)


@settings(max_examples=300, deadline=None)
@given(vectors, vectors, st.tuples(*[st.floats(-3.1, 3.1)] * 3), st.booleans())
def test_angles_and_quaternion_give_each_other(axis1, axis3, angles, left_handed):
    length = np.linalg.norm(axis1) * np.linalg.norm(axis3)
    assume(length > 1e-2)
    assume(np.linalg.norm(np.cross(axis1, axis3)) > 1e-2 * length)
    axes, _ = ball_axes(axis1, axis3)
    if left_handed:
        axes = (axes[0], tuple(-x for x in axes[1]), axes[2])
    q = angles_to_quaternion(axes, angles)
    for near in ((0.0, 0.0, 0.0), angles):
        again = angles_to_quaternion(axes, quaternion_to_angles(axes, q, near))
        assert abs(np.dot(q, again)) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize('middle', [math.pi / 2, -math.pi / 2])
def test_at_the_singularity_the_first_angle_stays(middle):
    axes = (X, Y, Z)
    q = angles_to_quaternion(axes, (0.4, middle, -1.2))
    angles = quaternion_to_angles(axes, q, (0.7, middle, 0.0))
    assert angles[0] == 0.7
    assert angles[1] == pytest.approx(middle)
    again = angles_to_quaternion(axes, angles)
    assert abs(np.dot(q, again)) == pytest.approx(1.0, abs=1e-14)


def test_angles_of_a_moving_joint_do_not_jump():
    axes = (X, Y, Z)
    near = (0.0, 0.0, 0.0)
    for t in np.linspace(0.0, 4.0, 401):
        true = (3.0 * t, 1.2 * math.sin(t), -2.0 * t)
        near = quaternion_to_angles(axes, angles_to_quaternion(axes, true), near)
        assert near == pytest.approx(true, abs=1e-9)


def test_the_zero_pose_undoes_stored_angles():
    axes = (X, Y, Z)
    zero = (*angles_to_quaternion(axes, (0.3, 0.2, 0.1)), 0.1, 0.4, -0.2)
    q = angles_to_quaternion(axes, (1.0, 2.0, 1.0))
    moved = np.array(rotate(q, tuple(np.subtract(zero[4:], ANCHOR)))) + ANCHOR
    stored = (*multiply(q, zero[:4]), *moved)
    back = zero_pose(stored, axes, (1.0, 2.0, 1.0), ANCHOR)
    np.testing.assert_allclose(matrix(back), matrix(zero), atol=1e-15)


@pytest.mark.parametrize('angles', [(0.0, 0.0, 0.0), (2 * math.pi, -2 * math.pi, 4 * math.pi)])
def test_whole_turns_leave_a_stored_pose_as_it_is(angles):
    stored = (0.6, 0.8, 0.0, 0.0, 0.1, 0.2, 0.3)
    assert zero_pose(stored, (X, Y, Z), angles, ANCHOR) is stored


def test_a_moved_anchor_keeps_the_zero_pose_and_moves_the_child_elsewhere():
    joint = ball(child=(0.6, 0.0, 0.8, 0.0, 0.1, 0.2, 0.3), anchor=ANCHOR)
    moved = move_anchor(joint, (0.5, -0.1, 0.2))
    np.testing.assert_allclose(zero_child_pose(moved), zero_child_pose(joint), atol=1e-15)
    q = angles_to_quaternion((X, Y, Z), TARGETS)
    R = matrix((*q, 0.0, 0.0, 0.0))[:3, :3]
    t = link_poses(model_of(moved), q)[1, 4:]
    a = np.array((0.5, -0.1, 0.2))
    np.testing.assert_allclose(t, R @ (np.array((0.1, 0.2, 0.3)) - a) + a, atol=1e-15)
    # The other way, through a rotated frame F.
    turned = replace(joint, X_PF=(0.0, 1.0, 0.0, 0.0, *ANCHOR))
    np.testing.assert_allclose(
        matrix(zero_child_pose(move_anchor(turned, (1.0, 2.0, 3.0)))),
        matrix(zero_child_pose(turned)),
        atol=1e-15,
    )


def test_the_gap_is_the_distance_from_anchor_to_child():
    assert anchor_gap(ball(child=(1.0, 0, 0, 0, 0.3, 0.15, 0.4), anchor=ANCHOR)) == 0.5
    assert anchor_gap(ball(child=(1.0, 0, 0, 0, *ANCHOR), anchor=ANCHOR)) == 0.0


@pytest.mark.parametrize(
    ('axis', 'number', 'code', 'words'),
    [
        (Axis(spring=-2.0), 1, 'constant-negative', 'spring of axis 1 is -2, below zero; 2 is'),
        (Axis(stops=(0.1, 0.2)), 3, 'stops-range', 'stops 0.1 to 0.2 of axis 3 should lie in -pi'),
        (Axis(stops=(-4.0, 1.0)), 1, 'stops-range', 'stops -4 to 1'),
        (Axis(motor=Motor(-2.0, 1.0)), 2, 'motor-range', 'motor of axis 2 reaches -2'),
        (Axis(stops=(-1.0, 1.0), motor=Motor(-2.0, 0.5)), 1, 'motor-outside-stops', 'outside the'),
    ],
)
def test_what_webots_would_mend_is_a_finding(axis, number, code, words):
    findings = []
    axes = [Axis()] * 3
    axes[number - 1] = axis
    joint = mended_axes(replace(ball(), axes=tuple(axes)), findings)
    assert [f.code for f in findings] == [code]
    assert words in findings[0].message
    assert mended_axes(joint, again := []) == joint
    assert code in ('stops-range', 'motor-outside-stops') or not again


def test_constants_stops_and_second_motor_are_mended():
    axes = (
        Axis(damping=-1.0, stops=(0.5, 0.5)),
        Axis(motor=Motor()),
        Axis(motor=Motor(-2.0, 2.0)),
    )
    joint = mended_axes(replace(ball(), axes=axes), [])
    assert (joint.axes[0].damping, joint.axes[0].stops) == (1.0, None)
    assert joint.axes[1].motor == Motor(-math.pi / 2, math.pi / 2)
    assert joint.axes[2].motor == Motor(-2.0, 2.0)
