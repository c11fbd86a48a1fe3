# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Messages that lie: good joints go out, bad ones are named, nothing invalid is published."""

from __future__ import annotations

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
import numpy as np
import pytest
from ros.messages import deserialize_message
from ros.messages import frames
from ros.messages import joint_state
from ros.messages import JointState
from ros.messages import serialize_message
from ros.messages import stamp_of
from ros.messages import transforms
from ros.oracle import motion
from ros.oracle import read_joints
from ros.recorder import stream_of
from ros.robots import arm
from ros.robots import joint
from ros.robots import urdf

from kinematics_node.ros import cdr
from kinematics_node.ros.outputs import CompleteState

ARM = arm(3)
JOINTS = read_joints(ARM)
MIXED = urdf(
    joint('q1', 'continuous', 'a', 'b'),
    joint('q2', 'prismatic', 'b', 'c', mimic='joint="q1" multiplier="-2" offset="0.1"'),
    joint('base', 'floating', 'c', 'd'),
    joint('hip', 'ball', 'd', 'e'),
    joint('slide', 'planar', 'e', 'f'),
)
MIXED_NAMES = [
    'q1',
    'q2',
    *(f'base/{n}' for n in ('rot_w', 'rot_x', 'rot_y', 'rot_z', 'trans_x', 'trans_y', 'trans_z')),
    *(f'hip/{n}' for n in ('rot_w', 'rot_x', 'rot_y', 'rot_z', 'axis1', 'axis2', 'axis3')),
    *(f'slide/{n}' for n in ('x', 'y', 'theta')),
]
quick = settings(max_examples=60, deadline=None)


def take(stream, message):
    return frames(stream.take(serialize_message(message)))


def assert_moves(answer, **positions):
    assert sorted(answer) == sorted(JOINTS[name].child for name in positions)
    for name, q in positions.items():
        right = motion(JOINTS[name], q)
        np.testing.assert_allclose(answer[JOINTS[name].child], right, atol=1e-12)


@pytest.mark.parametrize('bad', [float('nan'), float('inf'), -float('inf'), 1e200])
def test_bad_number_leaves_the_others_published(bad):
    stream = stream_of(ARM)
    given = {'j1': 0.1, 'j2': bad, 'j3': 0.2}
    for _ in range(2):
        assert_moves(take(stream, joint_state(given)), j1=0.1, j3=0.2)
        assert "'j2'" in stream.complaints
        assert "'j1'" not in stream.complaints
    # Once it is good again it is back; and a later fault changes nothing that was good.
    assert_moves(take(stream, joint_state({**given, 'j2': 0.5})), j1=0.1, j2=0.5, j3=0.2)
    assert_moves(take(stream, joint_state(given)), j1=0.1, j3=0.2)
    assert_moves(frames(stream.everything()), j1=0.1, j2=0.5, j3=0.2)


def test_all_numbers_bad_publish_nothing():
    stream = stream_of(ARM)
    assert stream.take(serialize_message(joint_state({'j1': float('nan')}))) is None
    assert stream.everything() is None


def test_bad_master_moves_no_follower():
    stream = stream_of(MIXED)
    assert take(stream, joint_state({'q1': float('nan')})) == {}
    answer = take(stream, joint_state([('q1', float('nan')), ('q2', 0.5)]))
    # The follower is good, and gives its master back.
    assert sorted(answer) == ['b', 'c']


@pytest.mark.parametrize('bad', [float('nan'), float('inf')])
def test_bad_velocity_spoils_no_position(bad):
    stream = stream_of(ARM)
    message = joint_state({'j1': 0.1, 'j2': 0.2}, velocity=[bad, 1.0])
    assert_moves(take(stream, message), j1=0.1, j2=0.2)
    state = deserialize_message(
        CompleteState(stream.model, stream.known).serialize(stream.state, stream.v, stream.stamp),
        JointState,
    )
    assert list(state.position) == [0.1, 0.2]
    assert np.isfinite(state.velocity).all()


def test_unknown_names_are_named():
    stream = stream_of(ARM)
    assert_moves(take(stream, joint_state({'wheel': 1.0, 'j2': 0.3, 'tool': 0.0})), j2=0.3)
    assert "the model does not have: 'wheel'" in stream.complaints
    assert "'tool'" not in stream.complaints


def test_of_a_name_given_twice_the_first_counts():
    stream = stream_of(ARM)
    assert_moves(
        take(stream, joint_state([('j1', 0.1), ('j2', 0.2), ('j1', 0.7)])), j1=0.1, j2=0.2
    )
    assert "named twice, of which the first counts: 'j1'" in stream.complaints


@pytest.mark.parametrize('order', [1, -1])
def test_bad_number_of_a_name_given_twice(order):
    stream = stream_of(ARM)
    pairs = [('j1', 0.1), ('j1', float('nan'))][::order]
    answer = take(stream, joint_state([*pairs, ('j2', 0.2)]))
    # The first counts: where it is bad, the joint is bad.
    assert_moves(answer, j2=0.2, **({'j1': 0.1} if order == 1 else {}))


def test_too_few_positions():
    stream = stream_of(ARM)
    message = joint_state({'j1': 0.1, 'j2': 0.2, 'j3': 0.3})
    message.position = message.position[:2]
    assert_moves(take(stream, message), j1=0.1, j2=0.2)
    assert "without a position in the message: 'j3'" in stream.complaints


def test_too_many_positions():
    stream = stream_of(ARM)
    message = joint_state({'j1': 0.1, 'j2': 0.2})
    message.position = [*message.position, 7.0]
    assert_moves(take(stream, message), j1=0.1, j2=0.2)
    assert '3 positions for 2 names; the surplus is ignored' in stream.complaints


def test_wrong_number_of_velocities():
    stream = stream_of(ARM)
    message = joint_state({'j1': 0.1, 'j2': 0.2}, velocity=[1.0])
    assert_moves(take(stream, message), j1=0.1, j2=0.2)
    assert '1 velocities for 2 names; they are ignored' in stream.complaints
    assert np.isnan(stream.v).all()


@pytest.mark.parametrize('message', [JointState(), joint_state({}, stamp=5.0)])
def test_empty_message_is_no_fault(message):
    stream = stream_of(ARM)
    assert stream.take(serialize_message(message)) is None
    assert not [s for s in stream.complaints.sentences if 'stamp 0' not in s]


def test_velocities_without_positions_move_nothing():
    stream = stream_of(ARM)
    message = JointState(name=['j1'], velocity=[1.0])
    assert stream.take(serialize_message(message)) is None
    assert "without a position in the message: 'j1'" in stream.complaints


def test_messages_of_one_length_with_other_names_are_told_apart():
    stream = stream_of(ARM)
    for name in ('j1', 'j2', 'j3', 'j1', 'j3'):
        assert_moves(take(stream, joint_state({name: 0.4})), **{name: 0.4})


def test_message_longer_than_any_before():
    stream = stream_of(ARM)
    many = [(f'unknown{k}', 0.0) for k in range(2000)]
    assert_moves(take(stream, joint_state([*many, ('j2', 0.2)])), j2=0.2)
    assert_moves(take(stream, joint_state({'j1': 0.1})), j1=0.1)


def assert_valid(answer, stream):
    """Whatever came in, what goes out can be read, is finite, and its rotations are rotations."""
    for frame in frames(answer).values():
        assert np.isfinite(frame).all()
    for stamped in transforms(answer).values():
        assert stamped.header.stamp.nanosec < 10**9
        assert stamp_of(stamped) >= 0.0
    assert np.isfinite(stream.state).all()
    if stream.known:
        state = deserialize_message(
            CompleteState(stream.model, stream.known).serialize(
                stream.state, stream.v, stream.stamp
            ),
            JointState,
        )
        assert np.isfinite(state.position).all()
        assert len(state.position) == len(state.name)
        assert len(state.velocity) in (0, len(state.name))


@given(st.data())
@quick
def test_any_names_and_numbers(data):
    stream = stream_of(MIXED)
    names = st.lists(st.sampled_from([*MIXED_NAMES, 'x', '']), max_size=20)
    numbers = st.lists(st.floats(), max_size=22)
    for _ in range(3):
        message = JointState(
            name=data.draw(names), position=data.draw(numbers), velocity=data.draw(numbers)
        )
        message.header.stamp.sec = data.draw(st.integers(-(2**31), 2**31 - 1))
        message.header.stamp.nanosec = data.draw(st.integers(0, 2**32 - 1))
        assert_valid(stream.take(serialize_message(message)), stream)


VALID = serialize_message(
    joint_state(dict.fromkeys(MIXED_NAMES, 0.5), velocity=[0.1] * len(MIXED_NAMES))
)


@given(
    st.lists(
        st.tuples(
            st.integers(0, len(VALID) - 1),
            st.sampled_from([b'\0', b'\1', b'\xff', b'\xff\xff\xff\xff', b'\0\0\0\x80', b'abc']),
        ),
        max_size=8,
    ),
    st.integers(0, len(VALID)),
    st.binary(max_size=8),
)
@quick
def test_bytes_that_were_damaged(changes, size, tail):
    stream = stream_of(MIXED)
    stream.take(VALID)
    data = bytearray(VALID)
    for place, piece in changes:
        data[place : place + len(piece)] = piece
    for damaged in (bytes(data[:size]) + tail, bytes(data)):
        assert_valid(stream.take(damaged), stream)
    assert sorted(frames(stream.take(VALID))) == ['b', 'c', 'd', 'e', 'f']


@given(st.binary(max_size=300), st.booleans())
@quick
def test_bytes_that_are_anything(data, with_header):
    stream = stream_of(MIXED)
    assert_valid(
        stream.take((cdr.REPRESENTATION + bytes(2) if with_header else b'') + data), stream
    )
