# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The byte layout, against rclpy's own serialization."""

from __future__ import annotations

import struct

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
import numpy as np
import pytest
from ros.messages import deserialize_message
from ros.messages import joint_state
from ros.messages import JointState
from ros.messages import serialize_message
from ros.messages import TFMessage
from ros.messages import TransformStamped
from ros.robots import robot_id
from ros.robots import shared_descriptions

from kinematics_node.formats.load import load_model
from kinematics_node.ros import cdr
from kinematics_node.ros.foreign import in_own_representation
from kinematics_node.ros.frames import frames_of

# DDS strings hold no NUL.
texts = st.text(st.characters(blacklist_categories=['Cs'], blacklist_characters='\0'), max_size=20)
numbers = st.floats(allow_nan=False, width=64)
stamps = st.tuples(st.integers(0, 2**31 - 1), st.integers(0, 10**9 - 1))
quick = settings(max_examples=100, deadline=None)


def message_of(names, position, velocity, effort, stamp=(1, 2), frame=''):
    message = JointState(name=names, position=position, velocity=velocity, effort=effort)
    message.header.stamp.sec, message.header.stamp.nanosec = stamp
    message.header.frame_id = frame
    return message


def at(data: bytes, place: int, count: int) -> list[float]:
    """Return doubles of a message's body."""
    return list(struct.unpack_from(f'<{count}d', data, cdr.HEADER + 8 * place))


def assert_layout_reads(message: JointState, data: bytes) -> None:
    layout = cdr.joint_state_layout(data)
    assert layout.names == tuple(message.name)
    assert layout.position_count == len(message.position)
    assert layout.velocity_count == len(message.velocity)
    assert at(data, layout.position, layout.position_count) == list(message.position)
    assert at(data, layout.velocity, layout.velocity_count) == list(message.velocity)
    counts = [struct.unpack_from('<I', data, cdr.HEADER + 4 * w)[0] for w in layout.count_words]
    assert counts == [len(message.position), len(message.velocity)]
    assert layout.end <= len(data)


@given(
    st.lists(texts, max_size=6),
    st.lists(numbers, max_size=7),
    st.lists(numbers, max_size=7),
    st.lists(numbers, max_size=3),
    stamps,
    texts,
)
@quick
def test_layout_of_any_joint_state(names, position, velocity, effort, stamp, frame):
    message = message_of(names, position, velocity, effort, stamp, frame)
    assert_layout_reads(message, serialize_message(message))


@pytest.mark.parametrize('length', range(20))
def test_frame_ids_of_every_length(length):
    message = message_of(['a', 'bc'], [1.0, 2.0], [3.0, 4.0], [], frame='f' * length)
    assert_layout_reads(message, serialize_message(message))


@given(st.lists(texts, max_size=6), st.lists(numbers, max_size=6), st.lists(numbers, max_size=6))
@quick
def test_written_joint_state_is_what_ros_reads(names, position, velocity):
    data = bytes(cdr.joint_state_buffer(names, position, velocity, (5, 6)).memory)
    read = deserialize_message(data, JointState)
    assert (read.header.stamp.sec, read.header.stamp.nanosec) == (5, 6)
    assert list(read.name) == names
    assert list(read.position) == position
    assert list(read.velocity) == velocity
    assert len(read.effort) == 0


def filled(frames: list[tuple[str, str]], rng: np.random.Generator) -> tuple[bytes, TFMessage]:
    """Return a message written in place, and the same as objects."""
    answer = cdr.transform_buffer(frames)
    message = TFMessage()
    for (parent, child), (stamp, first) in zip(frames, answer.places, strict=True):
        sec, nanosec = int(rng.integers(2**31)), int(rng.integers(10**9))
        values = rng.normal(size=7)
        answer.buffer.words[stamp : stamp + 2] = sec, nanosec
        answer.buffer.doubles[first : first + 7] = values
        transform = TransformStamped(child_frame_id=child)
        transform.header.frame_id = parent
        transform.header.stamp.sec, transform.header.stamp.nanosec = sec, nanosec
        t, r = transform.transform.translation, transform.transform.rotation
        t.x, t.y, t.z, r.x, r.y, r.z, r.w = map(float, values)
        message.transforms.append(transform)
    return answer.buffer.bytes.tobytes(), message


@given(st.lists(st.tuples(texts, texts), max_size=5), st.integers(0, 1000))
@quick
def test_written_transforms_are_what_ros_reads_and_writes(frames, seed):
    data, message = filled(frames, np.random.default_rng(seed))
    assert deserialize_message(data, TFMessage) == message
    # Serialization may leave room behind, and anything in padding; lengths and values are equal.
    written = serialize_message(message)
    assert len(data) <= len(written) < len(data) + 8
    assert deserialize_message(written, TFMessage) == deserialize_message(data, TFMessage)


@pytest.mark.parametrize('path', shared_descriptions(), ids=robot_id)
def test_bytes_of_every_robot(path):
    model = load_model(path)
    rng = np.random.default_rng(1)
    names = list(model.coordinate_names)
    position, velocity = rng.normal(size=(2, len(names))).tolist()
    message = joint_state(
        list(zip(names, position, strict=True)), velocity=velocity, frame_id=model.root
    )
    assert_layout_reads(message, serialize_message(message))
    data = bytes(cdr.joint_state_buffer(names, position, velocity, (1, 0)).memory)
    message.header.frame_id = ''
    assert deserialize_message(data, JointState) == message
    frames = [frames_of(model, link, 'prefix/') for link in range(1, len(model.links))]
    data, transforms = filled(frames, rng)
    assert deserialize_message(data, TFMessage) == transforms


def test_padding_is_where_ros_does_not_look():
    """Whatever stands in the bytes called padding, ROS reads the same message."""
    message = message_of(['a', 'bcd', 'ef'], [1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [])
    data = bytearray(serialize_message(message))
    layout = cdr.joint_state_layout(bytes(data))
    assert layout.padding
    for value in (0x55, 0xFF):
        for place in layout.padding:
            data[cdr.HEADER + place] = value
        read = deserialize_message(bytes(data), JointState)
        assert (read.name, read.position) == (message.name, message.position)
        assert_layout_reads(message, bytes(data))


def test_empty_joint_state():
    layout = cdr.joint_state_layout(serialize_message(JointState()))
    assert layout.names == ()
    assert (layout.position_count, layout.velocity_count) == (0, 0)


@pytest.mark.parametrize(
    ('data', 'match'),
    [
        (b'', 'not little-endian CDR'),
        (b'\x00\x00\x00\x00' + bytes(40), 'not little-endian CDR'),
        (b'\x00\x07\x00\x00' + bytes(40), 'not little-endian CDR'),
        (b'\x00\x01\x00\x00' + bytes(6), 'the message ends at byte 6'),
    ],
)
def test_other_bytes_are_refused(data, match):
    with pytest.raises(cdr.MalformedMessage, match=match):
        cdr.joint_state_layout(data)


def big_endian(message: JointState) -> bytes:
    """Serialize the other way round, by hand."""
    body = bytearray(struct.pack('>iI', message.header.stamp.sec, message.header.stamp.nanosec))

    def align(size):
        body.extend(bytes(-len(body) % size))

    def string(text):
        align(4)
        body.extend(struct.pack('>I', len(text) + 1) + text.encode() + b'\0')

    string(message.header.frame_id)
    align(4)
    body.extend(struct.pack('>I', len(message.name)))
    for name in message.name:
        string(name)
    for values in (message.position, message.velocity, message.effort):
        align(4)
        body.extend(struct.pack('>I', len(values)))
        if values:
            align(8)
            body.extend(struct.pack(f'>{len(values)}d', *values))
    return b'\0\0\0\0' + bytes(body)


def test_messages_of_big_endian_peers_are_put_into_our_own_representation():
    message = message_of(['a', 'bcd'], [1.5, 2.0], [3.0, 4.0], [], frame='base')
    data = big_endian(message)
    with pytest.raises(cdr.MalformedMessage, match='not little-endian'):
        cdr.joint_state_layout(data)
    assert_layout_reads(message, in_own_representation(data))


def test_bytes_in_no_representation_stay_as_they_are():
    assert in_own_representation(b'\x77\x77abc') == b'\x77\x77abc'


def test_every_truncation_is_refused():
    message = message_of(['a', 'bcd'], [1.0, 2.0], [3.0, 4.0], [])
    data = serialize_message(message)
    end = cdr.joint_state_layout(data).end
    for size in range(end):
        with pytest.raises(cdr.MalformedMessage):
            cdr.joint_state_layout(data[:size])


@pytest.mark.parametrize('size', range(4, 40))
def test_body_of_a_buffer_is_aligned(size):
    buffer = cdr.Buffer(size)
    assert buffer.size == len(buffer.bytes) == size
    for view in (buffer.words, buffer.doubles):
        assert (view.ctypes.data) % 8 == 0
        assert view.ctypes.data == buffer.bytes.ctypes.data + cdr.HEADER
