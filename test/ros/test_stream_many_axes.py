# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Planar, floating and ball joints in the stream: by MoveIt's names, axis angles and poses."""

from __future__ import annotations

import numpy as np
import pytest
from ros.messages import frames
from ros.messages import joint_state
from ros.messages import MultiDOFJointState
from ros.messages import serialize_message
from ros.messages import Transform
from ros.oracle import matrix_of
from ros.oracle import pose
from ros.oracle import read_joints
from ros.oracle import rotation
from ros.recorder import stream_of
from ros.robots import joint
from ros.robots import urdf

from kinematics_node.formats.load import load_model
from kinematics_node.ros.multi_dof import coordinates_of
from kinematics_node.ros.watch import Watch

FLOATING = urdf(joint('base', 'floating', 'world', 'body', xyz='1 2 3', rpy='0.1 0.2 0.3'))
PLANAR = urdf(joint('base', 'planar', 'world', 'body', xyz='1 2 3', axis='0 0 1'))
BALL = urdf(joint('hip', 'ball', 'world', 'leg', xyz='1 2 3', rpy='0.1 0.2 0.3'))
POSE = ('trans_x', 'trans_y', 'trans_z', 'rot_x', 'rot_y', 'rot_z', 'rot_w')
W, X, Y, Z = np.array([0.8, 0.2, -0.4, 0.4])


def taken(stream, positions):
    return frames(stream.take(serialize_message(joint_state(positions))))


def pose_values(factor=1.0, **changes):
    values = dict(zip(POSE, (0.1, 0.2, 0.3, X, Y, Z, W), strict=True))
    for name in ('rot_x', 'rot_y', 'rot_z', 'rot_w'):
        values[name] *= factor
    values.update(changes)
    return {f'base/{name}': value for name, value in values.items()}


@pytest.mark.parametrize('factor', [1.0, -1.0, 3.0, 0.01])
def test_floating_joint_by_moveits_names(factor):
    """The quaternion counts at any length."""
    answer = taken(stream_of(FLOATING), pose_values(factor))
    right = read_joints(FLOATING)['base'].origin @ pose(matrix_of(X, Y, Z, W), [0.1, 0.2, 0.3])
    np.testing.assert_allclose(answer['body'], right, atol=1e-12)


def test_planar_joint_by_moveits_names():
    answer = taken(stream_of(PLANAR), {'base/theta': 0.3, 'base/x': 0.1, 'base/y': 0.2})
    right = read_joints(PLANAR)['base'].origin @ pose(rotation('z', 0.3), [0.1, 0.2, 0.0])
    np.testing.assert_allclose(answer['body'], right, atol=1e-12)


@pytest.mark.parametrize('axis', ['1 0 0', '0 1 0', '0 0 -1', '1 2 3'])
def test_planar_joint_moves_in_the_plane_of_its_normal(axis):
    text = urdf(joint('base', 'planar', 'world', 'body', axis=axis))
    stream = stream_of(text)
    normal = read_joints(text)['base'].axis
    origin = taken(stream, {'base/x': 0.0, 'base/y': 0.0, 'base/theta': 0.3})['body']
    np.testing.assert_allclose(origin, pose(rotation(normal, 0.3), np.zeros(3)), atol=1e-12)
    x = taken(stream, {'base/x': 2.0, 'base/y': 0.0, 'base/theta': 0.3})['body'][:3, 3]
    y = taken(stream, {'base/x': 0.0, 'base/y': 2.0, 'base/theta': 0.3})['body'][:3, 3]
    np.testing.assert_allclose(np.cross(x, y), 4.0 * normal, atol=1e-12)


def test_ball_joint_by_axis_angles():
    """R(x, a1) R(y, a2) R(z, a3)."""
    answer = taken(stream_of(BALL), {'hip/axis3': 0.5, 'hip/axis1': 0.1, 'hip/axis2': -0.3})
    turn = rotation('x', 0.1) @ rotation('y', -0.3) @ rotation('z', 0.5)
    right = read_joints(BALL)['hip'].origin @ pose(turn, np.zeros(3))
    np.testing.assert_allclose(answer['leg'], right, atol=1e-12)


def test_universal_joint_by_its_two_angles():
    text = urdf(joint('cardan', 'universal', 'a', 'b', xyz='1 2 3'))
    answer = taken(stream_of(text), {'cardan/axis2': 0.4, 'cardan/axis1': -0.3})
    axes = load_model(text).joint('cardan').axes
    first, second = (np.array(axis.direction) for axis in axes)
    right = pose(rotation(first, -0.3) @ rotation(second, 0.4), [1, 2, 3])
    np.testing.assert_allclose(answer['b'], right, atol=1e-12)
    assert taken(stream_of(text), {'cardan/axis1': -0.3}) == {}


def test_ball_joint_by_its_quaternion():
    values = {'hip/rot_w': W, 'hip/rot_x': X, 'hip/rot_y': Y, 'hip/rot_z': Z}
    answer = taken(stream_of(BALL), values)
    right = read_joints(BALL)['hip'].origin @ pose(matrix_of(X, Y, Z, W), np.zeros(3))
    np.testing.assert_allclose(answer['leg'], right, atol=1e-12)


def test_part_of_a_quaternion_is_named_and_not_used():
    stream = stream_of(BALL)
    assert taken(stream, {'hip/rot_w': 1.0, 'hip/rot_x': 0.0}) == {}
    assert "'hip' with a part of its quaternion only" in stream.complaints


def test_incomplete_pose_is_not_published():
    """Three numbers of seven are no pose, until another message brings the rest."""
    stream = stream_of(FLOATING)
    shift = {name: value for name, value in pose_values().items() if 'trans' in name}
    turn = {name: value for name, value in pose_values().items() if 'rot' in name}
    assert taken(stream, shift) == {}
    assert stream.everything() is None
    right = read_joints(FLOATING)['base'].origin @ pose(matrix_of(X, Y, Z, W), [0.1, 0.2, 0.3])
    np.testing.assert_allclose(taken(stream, turn)['body'], right, atol=1e-12)
    np.testing.assert_allclose(taken(stream, shift)['body'], right, atol=1e-12)


@pytest.mark.parametrize('wrong', [0.0, 1e-9])
def test_quaternion_without_length_is_named_and_not_used(wrong):
    stream = stream_of(FLOATING)
    none = {f'rot_{c}': wrong for c in 'xyzw'}
    assert taken(stream, pose_values(**none)) == {}
    assert "'base/rot_w'" in stream.complaints
    right = read_joints(FLOATING)['base'].origin @ pose(matrix_of(X, Y, Z, W), [0.1, 0.2, 0.3])
    np.testing.assert_allclose(taken(stream, pose_values())['body'], right, atol=1e-12)
    # The pose stays whole: no new position with an old rotation.
    assert taken(stream, pose_values(trans_x=9.0, **none)) == {}
    np.testing.assert_allclose(frames(stream.everything())['body'], right, atol=1e-12)


@pytest.mark.parametrize('bad', ['trans_y', 'rot_z'])
def test_pose_with_one_number_that_is_not_finite_stays_whole(bad):
    stream = stream_of(FLOATING)
    before = taken(stream, pose_values())['body']
    assert taken(stream, pose_values(trans_x=9.0, **{bad: float('nan')})) == {}
    assert f"'base/{bad}'" in stream.complaints
    np.testing.assert_allclose(frames(stream.everything())['body'], before, atol=1e-12)


@pytest.mark.parametrize(('text', 'name'), [(FLOATING, 'base'), (PLANAR, 'base'), (BALL, 'hip')])
def test_silence_about_a_joint_is_said_and_nothing_published(text, name):
    stream = stream_of(text)
    assert stream.everything() is None
    Watch(stream).complain_of_silence()
    assert f"joint '{name}' is" in stream.complaints
    assert 'nobody gives its state' in stream.complaints


def test_no_silence_where_a_state_is_given():
    stream = stream_of(FLOATING)
    taken(stream, pose_values())
    Watch(stream).complain_of_silence()
    assert stream.complaints.sentences == []


def multi_dof(name, turn=(W, X, Y, Z), shift=(0.1, 0.2, 0.3)):
    transform = Transform()
    r, t = transform.rotation, transform.translation
    r.w, r.x, r.y, r.z = map(float, turn)
    t.x, t.y, t.z = map(float, shift)
    return MultiDOFJointState(joint_names=[name], transforms=[transform])


@pytest.mark.parametrize(
    ('text', 'message', 'right'),
    [
        (FLOATING, multi_dof('base'), pose(matrix_of(X, Y, Z, W), [0.1, 0.2, 0.3])),
        (BALL, multi_dof('hip'), pose(matrix_of(X, Y, Z, W), [0, 0, 0])),
        (
            PLANAR,
            multi_dof('base', (np.cos(0.2), 0, 0, np.sin(0.2))),
            pose(rotation('z', 0.4), [0.1, 0.2, 0]),
        ),
    ],
)
def test_poses_of_a_multi_dof_message(text, message, right):
    stream = stream_of(text)
    names, values, wrong = coordinates_of(stream.model, message)
    assert wrong == []
    ((frame, found),) = frames(stream.take_named(names, values, (1, 0))).items()
    (element,) = read_joints(text).values()
    assert frame == element.child
    np.testing.assert_allclose(found, element.origin @ right, atol=1e-12)


def test_wrong_multi_dof_messages_are_named():
    model = stream_of(
        urdf(joint('base', 'floating', 'o', 'a'), joint('q', 'continuous', 'a', 'b'))
    )
    message = multi_dof('base', (0, 0, 0, 0))
    message.joint_names += ['q', 'nobody', 'late']
    message.transforms += [Transform(), Transform()]
    names, _, wrong = coordinates_of(model.model, message)
    assert names == []
    assert wrong == [
        '3 transforms for 4 names',
        "'base' with a transform that is not a finite pose",
        "'q', which is no ball, planar or floating joint of the model",
        "'nobody', which is no ball, planar or floating joint of the model",
    ]
