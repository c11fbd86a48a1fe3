# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The stream, fed with serialized messages: every transform against matrices from the URDF."""

from __future__ import annotations

import numpy as np
import pytest
from ros.messages import deserialize_message
from ros.messages import frames
from ros.messages import joint_state
from ros.messages import JointState
from ros.messages import serialize_message
from ros.messages import stamp_of
from ros.messages import TFMessage
from ros.messages import transforms
from ros.oracle import matrix_of
from ros.oracle import motion
from ros.oracle import pose
from ros.oracle import read_joints
from ros.oracle import value_of
from ros.recorder import NOW
from ros.recorder import stream_of
from ros.robots import arm
from ros.robots import joint
from ros.robots import robot_id
from ros.robots import shared_descriptions
from ros.robots import urdf

from kinematics_node.formats.load import load_model
from kinematics_node.model.joint_types import JointType
from kinematics_node.ros.cdr import HEADER
from kinematics_node.ros.cdr import joint_state_layout
from kinematics_node.ros.outputs import CompleteState
from kinematics_node.ros.outputs import static_transforms


def taken(stream, positions, **fields):
    """Return what a stream answers to positions, as matrices by child frame."""
    return frames(stream.take(serialize_message(joint_state(positions, **fields))))


def random_turn(rng):
    turn = rng.normal(size=4)
    return turn / np.linalg.norm(turn)


def random_state(model, joints, rng):
    """Return positions of all that follows nobody, and the motion of each many-axis joint."""
    positions, motions = {}, {}
    for element in model.joints:
        name, suffixes = element.name, element.type.coordinate_suffixes
        if element.type in (JointType.BALL, JointType.FLOATING):
            w, x, y, z = random_turn(rng)
            shift = rng.normal(size=3) if element.type is JointType.FLOATING else np.zeros(3)
            values = [w, x, y, z, *shift][: len(suffixes)]
            motions[name] = pose(matrix_of(x, y, z, w), shift)
            positions.update(zip((name + s for s in suffixes), values, strict=True))
        elif element.type.nq == 1 and (joints[name].mimic is None):
            positions[name] = float(rng.uniform(-2, 2))
        else:
            assert element.type.nq <= 1
    return positions, motions


@pytest.mark.parametrize('path', shared_descriptions(), ids=robot_id)
def test_every_transform_of_every_robot(path):
    model = load_model(path)
    joints = read_joints(path.read_text())
    stream = stream_of(model, prefix='p/')
    rng = np.random.default_rng(7)
    for trial in range(3):
        positions, motions = random_state(model, joints, rng)
        shuffled = list(positions.items())
        rng.shuffle(shuffled)
        answer = stream.take(serialize_message(joint_state(shuffled, stamp=5.0 + trial)))
        message = deserialize_message(answer, TFMessage)
        moving = {j.child: j for j in joints.values() if j.kind != 'fixed'}
        assert sorted(t.child_frame_id for t in message.transforms) == sorted(
            f'p/{child}' for child in moving
        )
        for child, T in frames(answer).items():
            expected = moving[child[2:]]
            stamped = transforms(answer)[child]
            assert stamped.header.frame_id == f'p/{expected.parent}'
            assert stamp_of(stamped) == 5.0 + trial
            if expected.name in motions:
                right = expected.origin @ motions[expected.name]
            else:
                right = motion(expected, value_of(expected.name, joints, positions))
            np.testing.assert_allclose(T, right, atol=1e-12)


@pytest.mark.parametrize('path', shared_descriptions(), ids=robot_id)
def test_static_transforms_of_every_robot(path):
    model = load_model(path)
    fixed = {j.child: j for j in read_joints(path.read_text()).values() if j.kind == 'fixed'}
    message = static_transforms(model, 'p/', NOW)
    found = frames(message)
    assert sorted(found) == sorted(f'p/{child}' for child in fixed)
    for child, stamped in transforms(message).items():
        expected = fixed[child[2:]]
        assert stamped.header.frame_id == f'p/{expected.parent}'
        np.testing.assert_allclose(found[child], expected.origin, atol=1e-12)


def test_several_publishers_with_parts_of_the_robot():
    """Each message moves its own joints, and only them."""
    joints = read_joints(arm(4))
    stream = stream_of(arm(4))
    parts = [{'j1': 0.1, 'j3': 0.3}, {'j2': -0.2}, {'j4': 1.0, 'j1': 0.5}]
    for _ in range(2):
        for part in parts:
            answer = taken(stream, part)
            assert sorted(answer) == sorted(joints[name].child for name in part)
            for name, q in part.items():
                right = motion(joints[name], q)
                np.testing.assert_allclose(answer[joints[name].child], right, atol=1e-12)
    everything = frames(stream.everything())
    assert sorted(everything) == ['link1', 'link2', 'link3', 'link4']
    np.testing.assert_allclose(everything['link1'], motion(joints['j1'], 0.5), atol=1e-12)


def test_padding_and_frame_do_not_make_a_message_another():
    stream = stream_of(arm(3))
    joints = read_joints(arm(3))
    rng = np.random.default_rng(2)
    for trial in range(20):
        q = float(rng.uniform(-3, 3))
        message = joint_state({'j1': q, 'j2': 2 * q, 'j3': 0.0}, frame_id=f'frame{trial % 3}')
        data = bytearray(serialize_message(message))
        for place in joint_state_layout(bytes(data)).padding:
            data[HEADER + place] = rng.integers(256)
        answer = frames(stream.take(bytes(data)))
        np.testing.assert_allclose(answer['link2'], motion(joints['j2'], 2 * q), atol=1e-12)
    assert len(stream._plans) == 1


def test_plans_are_bounded_in_number():
    stream = stream_of(arm(2))
    for k in range(80):
        assert 'link1' in taken(stream, {'j1': 0.1, f'unknown{k}': 0.0})
    assert len(stream._plans) <= 64
    for k in range(80):
        taken(stream, [('j1', 0.5), ('j2', float('nan')), ('x' * k, 0.0)])
    assert len(stream._partial) <= 64
    chain = stream_of(arm(7), interval=1000)
    for k in range(1, 100):
        taken(chain, {f'j{j}': 0.0 for j in range(1, 8) if k >> (j - 1) & 1})
    assert len(chain._gates) <= 64


def test_zero_stamp_counts_as_now_and_is_said():
    stream = stream_of(arm(1))
    answer = stream.take(serialize_message(joint_state({'j1': 0.0}, stamp=0.0)))
    assert stamp_of(transforms(answer)['link1']) == NOW * 1e-9
    assert 'stamp 0 come in; they are taken as of now' in stream.complaints


def test_stamp_is_copied_to_the_nanosecond():
    message = joint_state({'j1': 0.0})
    message.header.stamp.sec, message.header.stamp.nanosec = 2**31 - 1, 999_999_999
    answer = transforms(stream_of(arm(1)).take(serialize_message(message)))
    assert answer['link1'].header.stamp == message.header.stamp


@pytest.mark.parametrize(('seconds', 'nanoseconds'), [(-5, 0), (7, 10**9), (7, 2**32 - 1)])
def test_stamp_that_is_no_time_counts_as_now_and_is_said(seconds, nanoseconds):
    message = joint_state({'j1': 0.0})
    message.header.stamp.sec, message.header.stamp.nanosec = seconds, nanoseconds
    stream = stream_of(arm(1))
    answer = transforms(stream.take(serialize_message(message)))
    assert stamp_of(answer['link1']) == NOW * 1e-9
    assert 'stamp that is no time' in stream.complaints


def test_clock_that_goes_back_is_said():
    stream = stream_of(arm(1))
    told = []
    for stamp in (100.0, 100.1, 100.05, 5.0, 5.1, 5.0, 100.1, 5.2):
        stream.complaints.sentences.clear()
        assert taken(stream, {'j1': 0.1}, stamp=stamp)
        told.append(any('went back' in sentence for sentence in stream.complaints.sentences))
    assert told == [False, False, False, True, False, False, False, True]


def test_rate_is_limited_for_each_set_of_joints_by_itself():
    stream = stream_of(arm(2), interval=100_000_000)
    answered = {'link1': 0, 'link2': 0}
    for k in range(100):
        for name, link in (('j1', 'link1'), ('j2', 'link2')):
            answered[link] += link in taken(stream, {name: 0.1}, stamp=1 + 0.01 * k)
    assert answered == {'link1': 11, 'link2': 11}


def test_order_of_names_does_not_open_a_second_gate():
    stream = stream_of(arm(2), interval=100_000_000)
    count = 0
    for k in range(100):
        pairs = [('j1', 0.1), ('j2', 0.2)][:: 1 if k % 2 else -1]
        count += bool(taken(stream, pairs, stamp=1 + 0.01 * k))
    assert count == 11


def complete(stream):
    data = CompleteState(stream.model, stream.known).serialize(
        stream.state, stream.v, stream.stamp
    )
    return deserialize_message(data, JointState)


def test_complete_state_holds_what_is_known():
    stream = stream_of(arm(3))
    taken(stream, {'j3': 0.3, 'j1': 0.1}, stamp=2.5, velocity=[3.0, 1.0])
    state = complete(stream)
    assert dict(zip(state.name, state.position, strict=True)) == {'j1': 0.1, 'j3': 0.3}
    assert (state.header.stamp.sec, state.header.stamp.nanosec) == (2, 500_000_000)
    # One rate is not known.
    assert len(state.velocity) == 0 or list(state.velocity) == [1.0, 3.0]
    taken(stream, {'j2': 0.2}, stamp=2.6, velocity=[2.0])
    state = complete(stream)
    rates = dict(zip(state.name, state.velocity, strict=True))
    assert rates == {'j1': 1.0, 'j2': 2.0, 'j3': 3.0}


def test_adopted_state_is_by_name_and_type():
    """A new model keeps what is measured of joints that are still the same kind."""
    before = stream_of(arm(3))
    taken(before, {'j1': 0.1, 'j2': 0.2, 'j3': 0.3}, stamp=9.0)
    new = urdf(
        joint('j2', 'continuous', 'x', 'y', axis='1 0 0'),
        joint('j1', 'prismatic', 'y', 'z'),
        joint('other', 'continuous', 'z', 'w'),
    )
    after = stream_of(new)
    after.adopt(before)
    everything = after.everything()
    joints = read_joints(new)
    assert sorted(frames(everything)) == ['y']
    np.testing.assert_allclose(frames(everything)['y'], motion(joints['j2'], 0.2), atol=1e-12)
    # Newer than what TF has, and not newer than what comes next.
    assert stamp_of(transforms(everything)['y']) == pytest.approx(9.0, abs=1e-6)
    assert transforms(everything)['y'].header.stamp.nanosec == 1


@pytest.mark.parametrize(
    ('names', 'right'),
    [
        (('', '/base', 'tool'), ('base', 'tool')),
        (('/', 'base', 'tool'), ('base', 'tool')),
        (('r1/', 'base', 'tool'), ('r1/base', 'r1/tool')),
        (('r1', 'base', 'tool'), ('r1base', 'r1tool')),
        (('/r1/', '/base', 'tool'), ('r1//base', 'r1/tool')),
    ],
)
def test_prefix_is_put_in_front_and_no_frame_starts_with_a_slash(names, right):
    prefix, parent, child = names
    model = load_model(urdf(joint('weld', 'fixed', parent, child)))
    ((frame, stamped),) = transforms(static_transforms(model, prefix, NOW)).items()
    assert (stamped.header.frame_id, frame) == right
