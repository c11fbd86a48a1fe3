# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The motion of single joints: closed forms, and subspaces against differences."""

from __future__ import annotations

import numpy as np
import pytest
from random_robots import random_robot

from kinematics_node import fk
from kinematics_node.kinematics.joint_motion import child_pose
from kinematics_node.kinematics.joint_motion import coordinate_rates
from kinematics_node.kinematics.joint_motion import joint_bias
from kinematics_node.kinematics.joint_motion import joint_pose
from kinematics_node.kinematics.joint_motion import joint_rate_motion
from kinematics_node.kinematics.joint_motion import plane_rotation
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Link
from kinematics_node.model.elements import X_AXIS
from kinematics_node.model.joint_types import JointType
from kinematics_node.spatial import rotate
from kinematics_node.state import State

MOVING = tuple(kind for kind in JointType if kind is not JointType.FIXED)


def one_joint(kind, *directions, **more):
    """Return a model with one joint between base and tip."""
    builder = ModelBuilder('one')
    builder.add_link(Link('base'))
    builder.add_link(Link('tip'))
    axes = tuple(Axis(direction) for direction in directions)
    builder.add_joint(Joint('joint', kind, 'base', 'tip', axes=axes, **more))
    return builder.finalize()


def tip(model, q):
    """Return the tip's pose as a matrix."""
    return fk.pose_matrices(fk.frame_poses(model, q, 'tip'))


@pytest.mark.parametrize('sign', [1.0, -1.0])
@pytest.mark.parametrize('axis', range(3))
def test_signed_axes_turn_and_slide(axis, sign):
    direction = [0.0, 0.0, 0.0]
    direction[axis] = sign
    unit = np.array(direction)
    slid = tip(one_joint(JointType.PRISMATIC, tuple(direction)), [0.5])
    assert slid[:3, 3] == pytest.approx(0.5 * unit)
    assert slid[:3, :3] == pytest.approx(np.eye(3))
    turned = tip(one_joint(JointType.REVOLUTE, tuple(direction)), [0.5])
    K = np.cross(unit, np.eye(3)).T
    assert turned[:3, :3] == pytest.approx(
        np.eye(3) + np.sin(0.5) * K + (1.0 - np.cos(0.5)) * K @ K
    )
    assert not turned[:3, 3].any()


def test_the_length_of_an_axis_does_not_scale_the_motion():
    slide = one_joint(JointType.PRISMATIC, (0.0, 0.0, 2.0))
    assert tip(slide, [0.1])[:3, 3] == pytest.approx([0.0, 0.0, 0.1])
    turn = one_joint(JointType.REVOLUTE, (0.0, 3.0, 0.0))
    c, s = np.cos(0.3), np.sin(0.3)
    assert tip(turn, [0.3])[:3, :3] == pytest.approx(np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]))
    assert [finding.code for finding in turn.findings] == ['axis-not-unit']


def test_an_absent_axis_is_x():
    assert one_joint(JointType.REVOLUTE).joints[0].axes[0].direction == X_AXIS


def test_a_universal_joint_turns_about_its_first_axis_last():
    model = one_joint(JointType.UNIVERSAL, (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    R = tip(model, [np.pi / 2, np.pi / 2])[:3, :3]
    # z first: x -> y, then x: y -> z.
    assert pytest.approx([0.0, 0.0, 1.0], abs=1e-15) == R @ [1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ('normal', 'along_x', 'along_y'),
    [
        ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
        ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, -1.0)),
        ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)),
        ((0.0, 0.0, -1.0), (1.0, 0.0, 0.0), (0.0, -1.0, 0.0)),
    ],
)
def test_a_planar_joint_honours_its_axis(normal, along_x, along_y):
    model = one_joint(JointType.PLANAR, normal)
    assert tip(model, [1.0, 0.0, 0.0])[:3, 3] == pytest.approx(along_x, abs=1e-12)
    assert tip(model, [0.0, 1.0, 0.0])[:3, 3] == pytest.approx(along_y, abs=1e-12)
    turned = tip(model, [0.0, 0.0, 0.7])[:3, :3]
    assert turned @ normal == pytest.approx(normal)
    assert np.trace(turned) == pytest.approx(1.0 + 2.0 * np.cos(0.7))


def test_the_plane_frame_is_the_smallest_turn_from_z():
    rng = np.random.default_rng(0)
    for _ in range(50):
        normal = rng.normal(size=3)
        normal /= np.linalg.norm(normal)
        turn = plane_rotation(tuple(normal))
        assert rotate(turn, (0.0, 0.0, 1.0)) == pytest.approx(normal, abs=1e-12)
        assert 2.0 * np.arccos(min(turn[0], 1.0)) == pytest.approx(np.arccos(normal[2]), abs=1e-7)


def test_an_anchor_swings_the_child():
    a, t0 = np.array([0.1, 0.2, 0.3]), np.array([1.0, 0.0, 0.5])
    model = one_joint(
        JointType.BALL,
        X_PF=(1.0, 0.0, 0.0, 0.0, *a.tolist()),
        X_MC=(1.0, 0.0, 0.0, 0.0, *(t0 - a).tolist()),
    )
    turn = np.array([0.5, 0.5, -0.5, 0.5])
    T = tip(model, turn)
    assert T[:3, 3] == pytest.approx(T[:3, :3] @ (t0 - a) + a)
    assert tip(model, [1.0, 0.0, 0.0, 0.0])[:3, 3] == pytest.approx(t0)


def drifted(model, q, v, dt):
    qdot = np.zeros(model.nq)
    coordinate_rates(model.tree, q, v, qdot)
    return q + dt * qdot


@pytest.mark.parametrize('kind', MOVING)
def test_bias_is_the_rate_of_the_subspace(kind):
    model = random_robot(2, 2, types=(kind,)).finalize()
    state = State.random(model, np.random.default_rng(2), speed=1.0)
    q, v, dt = np.array(state.q), np.array(state.v), 1e-6

    def subspace(at):
        columns = [
            np.concatenate(joint_rate_motion(int(kind), model.placement, 1, at, 0, n))
            for n in range(kind.nv)
        ]
        return np.array(columns).T

    ahead, behind = (subspace(drifted(model, q, v, t)) for t in (dt, -dt))
    bias = np.concatenate(joint_bias(int(kind), model.placement, 1, q, 0, v, 0))
    assert (ahead - behind) @ v / (2.0 * dt) == pytest.approx(bias, abs=1e-8)


@pytest.mark.parametrize('kind', list(JointType))
def test_a_child_stands_at_its_joints_pose(kind):
    model = random_robot(4, 2, types=(kind,)).finalize()
    q = np.array(State.random(model, np.random.default_rng(4)).q)
    X_FM = np.array(joint_pose(int(kind), model.placement, 1, q, 0))
    parts = [fk.pose_matrices(x) for x in (model.placement[1, :7], X_FM, model.placement[1, 7:14])]
    mine = fk.pose_matrices(np.array(child_pose(model.tree, model.placement, 1, q)))
    assert mine == pytest.approx(parts[0] @ parts[1] @ parts[2], abs=1e-14)
