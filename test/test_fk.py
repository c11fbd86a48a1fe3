# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Poses, velocities and accelerations of frames, against Pinocchio and finite differences."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from pinocchio_oracle import PIN_REFERENCE
from pinocchio_oracle import Twin
import pytest
from random_robots import moving
from random_robots import random_robot

from kinematics_node import fk
from kinematics_node.errors import NameLookupError
from kinematics_node.errors import ValueShapeError
from kinematics_node.fk import Reference
from kinematics_node.formats.load import load_model
from kinematics_node.kinematics.joint_motion import coordinate_rates
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Link
from kinematics_node.model.elements import Z_AXIS
from kinematics_node.model.joint_types import JointType
from kinematics_node.state import State

SEEDS = range(4)


def six(motion):
    """Return a Pinocchio motion as [w; v]."""
    return np.concatenate((motion.angular, motion.linear))


def advanced(model, q, v, dt):
    """Return q after a small time at constant rates."""
    qdot = np.zeros(model.nq)
    coordinate_rates(model.tree, np.array(q), np.array(v), qdot)
    return q + dt * qdot


@pytest.mark.parametrize('seed', SEEDS)
def test_poses_of_every_joint_type_are_pinocchios(seed):
    model, q, _, _ = moving(seed)
    twin = Twin(model)
    pin.framesForwardKinematics(twin.pin, twin.data, twin.positions(q))
    T = fk.pose_matrices(fk.frame_poses(model, q))
    for name, X in zip(fk.frame_names(model), T, strict=True):
        assert pytest.approx(twin.data.oMf[twin.frame(name)].homogeneous, abs=1e-12) == X


@pytest.mark.parametrize('reference', Reference)
@pytest.mark.parametrize('seed', SEEDS)
def test_velocities_and_accelerations_are_pinocchios(seed, reference):
    model, q, v, vdot = moving(seed)
    twin = Twin(model)
    pin.forwardKinematics(
        twin.pin,
        twin.data,
        twin.positions(q),
        twin.rates(q, v),
        twin.accelerations(q, v, vdot),
    )
    pin.updateFramePlacements(twin.pin, twin.data)
    V = fk.frame_velocities(model, q, v, reference=reference)
    A = fk.frame_accelerations(model, q, v, vdot, reference=reference)
    # The derivative of a velocity about Fo on world axes is the classical acceleration.
    classical = reference is Reference.LOCAL_WORLD_ALIGNED
    read = pin.getFrameClassicalAcceleration if classical else pin.getFrameAcceleration
    for k, name in enumerate(fk.frame_names(model)):
        question = (twin.pin, twin.data, twin.frame(name), PIN_REFERENCE[reference])
        assert V[k] == pytest.approx(six(pin.getFrameVelocity(*question)), abs=1e-12)
        assert A[k] == pytest.approx(six(read(*question)), abs=1e-11, rel=1e-12)


@pytest.mark.parametrize('reference', Reference)
def test_accelerations_are_differences_of_velocities(reference):
    model, q, v, vdot = moving(5)
    dt = 1e-6
    A = fk.frame_accelerations(model, q, v, vdot, reference=reference)
    later, before = (
        fk.frame_velocities(model, advanced(model, q, v, t), v + t * vdot, reference=reference)
        for t in (dt, -dt)
    )
    assert (later - before) / (2.0 * dt) == pytest.approx(A, abs=1e-6, rel=1e-6)


def test_velocities_are_differences_of_poses():
    model, q, v, _ = moving(6)
    dt = 1e-6
    later, before = (
        fk.pose_matrices(fk.frame_poses(model, advanced(model, q, v, t))) for t in (dt, -dt)
    )
    rate = (later - before) / (2.0 * dt)
    V = fk.frame_velocities(model, q, v)
    R = fk.pose_matrices(fk.frame_poses(model, q))[:, :3, :3]
    turning = rate[:, :3, :3] @ np.swapaxes(R, 1, 2)
    w = np.stack((turning[:, 2, 1], turning[:, 0, 2], turning[:, 1, 0]), axis=1)
    assert V[:, :3] == pytest.approx(w, abs=1e-7)
    assert V[:, 3:] == pytest.approx(rate[:, :3, 3], abs=1e-7)


@pytest.mark.parametrize('name', ['pr2.urdf', 'h1_2.urdf', 'ur10.urdf', 'panda.urdf'])
def test_poses_of_real_robots_are_pinocchios(shared_robot, name):
    path = shared_robot(name)
    model = load_model(path)
    q = State.random(model, np.random.default_rng(1)).q
    theirs = pin.buildModelFromUrdf(str(path))
    data = theirs.createData()
    q_pin = pin.neutral(theirs)
    for joint in model.joints:
        if joint.type is not JointType.FIXED:
            record = theirs.joints[theirs.getJointId(joint.name)]
            x = q[model.coordinates_of(joint.name)]
            turns = record.nq == 2
            q_pin[record.idx_q : record.idx_q + record.nq] = (
                np.concatenate((np.cos(x), np.sin(x))) if turns else x
            )
    pin.framesForwardKinematics(theirs, data, q_pin)
    T = fk.pose_matrices(fk.frame_poses(model, q))
    for link, X in zip(model.links, T, strict=False):
        frame = theirs.getFrameId(link.name, pin.FrameType.BODY)
        assert pytest.approx(data.oMf[frame].homogeneous, abs=1e-12) == X


def test_followers_move_with_their_masters_as_in_pinocchio(shared_robot):
    path = shared_robot('h1_2.urdf')
    model = load_model(path)
    theirs = pin.buildModelFromUrdf(str(path), mimic=True)
    assert theirs.nq == model.nq - len(model.mimics)
    state = State.random(model, np.random.default_rng(4))
    q_pin = np.zeros(theirs.nq)
    for joint in model.joints:
        if joint.type is not JointType.FIXED and joint.name not in model.mimics:
            q_pin[theirs.joints[theirs.getJointId(joint.name)].idx_q] = state.get(joint.name)
    data = theirs.createData()
    pin.framesForwardKinematics(theirs, data, q_pin)
    T = fk.pose_matrices(fk.frame_poses(model, state.q))
    for link, X in zip(model.links, T, strict=True):
        frame = theirs.getFrameId(link.name, pin.FrameType.BODY)
        assert pytest.approx(data.oMf[frame].homogeneous, abs=1e-12) == X


def test_two_revolute_joints_by_hand():
    builder = ModelBuilder('arm')
    for name in ('base', 'upper', 'lower'):
        builder.add_link(Link(name))
    for name, parent, child in (('shoulder', 'base', 'upper'), ('elbow', 'upper', 'lower')):
        X_PF = (1.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0)
        builder.add_joint(
            Joint(name, JointType.REVOLUTE, parent, child, X_PF=X_PF, axes=(Axis(Z_AXIS),))
        )
    model = builder.finalize()
    X = fk.frame_poses(model, [np.pi / 2, np.pi / 2], 'lower')
    assert pytest.approx([0.0, 0.0, 0.0, 1.0, 0.5, 0.5, 0.0], abs=1e-15) == X
    # The lower link's origin moves on a circle of radius 0.5 at 2 rad/s, so at 1 m/s along -x.
    V = fk.frame_velocities(model, [np.pi / 2, 0.0], [2.0, 0.0], 'lower')
    assert pytest.approx([0.0, 0.0, 2.0, -1.0, 0.0, 0.0], abs=1e-15) == V


def test_limits_do_not_clamp_and_a_continuous_joint_has_none():
    builder = ModelBuilder('wheel')
    builder.add_link(Link('base'))
    builder.add_link(Link('rim'))
    builder.add_joint(Joint('spin', JointType.CONTINUOUS, 'base', 'rim', axes=(Axis(Z_AXIS),)))
    model = builder.finalize()
    assert (model.lower[0], model.upper[0]) == (-np.inf, np.inf)
    X = fk.frame_poses(model, [2.0], 'rim')
    assert X[:4] == pytest.approx([np.cos(1.0), 0.0, 0.0, np.sin(1.0)])


def test_a_batch_is_a_loop():
    model, _, _, _ = moving(2)
    rng = np.random.default_rng(3)
    states = [State.random(model, rng, speed=1.0) for _ in range(5)]
    Q, V = np.array([s.q for s in states]), np.array([s.v for s in states])
    poses = fk.frame_poses(model, Q, ('tool', 'link3'), relative_to='link5')
    velocities = fk.frame_velocities(model, Q, V, 'tool')
    assert poses.shape == (5, 2, 7)
    assert velocities.shape == (5, 6)
    for k, state in enumerate(states):
        one = fk.frame_poses(model, state.q, ('tool', 'link3'), relative_to='link5')
        assert np.array_equal(one, poses[k])
        assert np.array_equal(fk.frame_velocities(model, state.q, state.v, 'tool'), velocities[k])


def test_relative_poses_compose():
    model, q, _, _ = moving(7)
    T = {
        name: fk.pose_matrices(fk.frame_poses(model, q, 'tool', relative_to=name))
        for name in ('link4', 'link0')
    }
    X = fk.pose_matrices(fk.frame_poses(model, q, 'link4'))
    assert X @ T['link4'] == pytest.approx(T['link0'], abs=1e-12)
    itself = fk.frame_poses(model, q, 'tool', relative_to='tool')
    assert itself == pytest.approx([1, 0, 0, 0, 0, 0, 0], abs=1e-12)


def test_a_quaternion_is_used_at_unit_length():
    model = random_robot(1, 2, types=(JointType.BALL,)).finalize()
    half = fk.frame_poses(model, [0.5, 0.0, 0.5, 0.0], 'link1')
    assert half == pytest.approx(fk.frame_poses(model, np.sqrt([0.5, 0, 0.5, 0]), 'link1'))


def test_the_callers_arrays_are_left_alone():
    model = random_robot(1, 2, types=(JointType.BALL,)).finalize()
    q = np.array([[2.0, 0.0, 0.0, 0.0]])
    fk.frame_poses(model, q)
    assert np.array_equal(q, [[2.0, 0.0, 0.0, 0.0]])


def test_a_model_of_one_link_has_one_pose():
    builder = ModelBuilder('stone')
    builder.add_link(Link('stone'))
    model = builder.finalize()
    assert np.array_equal(fk.frame_poses(model, []), [[1, 0, 0, 0, 0, 0, 0]])
    assert np.array_equal(fk.frame_velocities(model, [], []), np.zeros((1, 6)))
    assert fk.frame_jacobian(model, [], 'stone').shape == (6, 0)


@pytest.mark.parametrize(
    ('call', 'error', 'sentence'),
    [
        (lambda m, q, v: fk.frame_poses(m, q, 'nose'), NameLookupError, "no frame 'nose'"),
        (lambda m, q, v: fk.frame_poses(m, q, relative_to='x'), NameLookupError, "no frame 'x'"),
        (lambda m, q, v: fk.frame_poses(m, q[:-1]), ValueShapeError, r'q has shape \(3,\)'),
        (lambda m, q, v: fk.frame_poses(m, [[[0.0]]]), ValueShapeError, r'\(configurations, 4\)'),
        (lambda m, q, v: fk.frame_poses(m, ['a'] * 4), ValueShapeError, 'not made of numbers'),
        (
            lambda m, q, v: fk.frame_poses(m, q * np.nan),
            ValueShapeError,
            "q of 'joint1/rot_w' is nan, which is not finite",
        ),
        (
            lambda m, q, v: fk.frame_poses(m, [q, [0, 0, 0, 0]]),
            ValueShapeError,
            "quaternion of 'joint1' in configuration 1 has no length",
        ),
        (
            lambda m, q, v: fk.frame_velocities(m, np.full(4, np.inf), v),
            ValueShapeError,
            "q of 'joint1/rot_w' is inf",
        ),
        (
            lambda m, q, v: fk.frame_velocities(m, q, np.full(3, np.inf)),
            ValueShapeError,
            "v of 'joint1/w_x' is not finite",
        ),
        (
            lambda m, q, v: fk.frame_velocities(m, [q, q], v),
            ValueShapeError,
            'give as many configurations of each',
        ),
    ],
)
def test_bad_questions_are_refused(call, error, sentence):
    model = random_robot(1, 2, types=(JointType.BALL,)).finalize()
    with pytest.raises(error, match=sentence):
        call(model, np.array([1.0, 0.0, 0.0, 0.0]), np.ones(3))
