# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The byte layout of JointState and TFMessage, and nothing else of the middleware.

ROS 2 middleware on DDS serializes in CDR: a four-byte header (00 01 00 00 is little endian), then
the fields in order, each aligned to its size as counted from after the header; a string is its
length with the final NUL, then its bytes. Buffers here are allocated so that the first byte after
the header is eight-aligned in memory: doubles and words can then be read and written in place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
import struct

import numpy as np
from numpy.typing import NDArray

REPRESENTATION = b'\x00\x01'  # little endian, the one that this module knows
HEADER = 4
STAMP_SIZE = 8
POSE_DOUBLES = 7


class MalformedMessage(ValueError):
    """Bytes that do not hold the message they should."""


class Buffer:
    """The bytes of one message, with views of its body as words (int32) and as doubles."""

    def __init__(self, size: int) -> None:
        body = -(-(size - HEADER) // 8) * 8
        memory = np.zeros(body + 16, np.uint8)
        start = -(memory.ctypes.data + HEADER) % 8
        self.size = size
        self.bytes = memory[start : start + size]
        self.words: NDArray[np.int32] = memory[start + HEADER :][:body].view(np.int32)
        self.doubles: NDArray[np.float64] = memory[start + HEADER :][:body].view(np.float64)
        self.memory = memoryview(self.bytes)


class Writer:
    """Appends fields in CDR; offsets are counted from after the header, as alignment is."""

    def __init__(self) -> None:
        self.body = bytearray()

    def align(self, size: int) -> None:
        """Pad to a multiple of size."""
        self.body += bytes(-len(self.body) % size)

    def word(self, value: int) -> None:
        """Append an unsigned 32-bit integer."""
        self.align(4)
        self.body += struct.pack('<I', value)

    def string(self, text: str) -> None:
        """Append a string."""
        encoded = text.encode() + b'\x00'
        self.word(len(encoded))
        self.body += encoded

    def doubles(self, values: Sequence[float]) -> None:
        """Append a sequence of doubles with its length; an empty one is only its length."""
        self.word(len(values))
        if len(values):
            self.align(8)
            self.body += struct.pack(f'<{len(values)}d', *values)

    def buffer(self) -> Buffer:
        """Return the message as a buffer."""
        buffer = Buffer(HEADER + len(self.body))
        buffer.memory[:] = REPRESENTATION + bytes(2) + bytes(self.body)
        return buffer


@dataclass(frozen=True)
class TransformBuffer:
    """A serialized TFMessage whose stamps and poses are overwritten in place.

    Attributes
    ----------
    buffer : Buffer
        The message.
    places : int32 array, shape (transforms, 2)
        Per transform the index of its stamp among the words and of its translation's x among the
        doubles; the rotation follows the translation, x first.
    """

    buffer: Buffer
    places: NDArray[np.int32]


def transform_buffer(frames: Sequence[tuple[str, str]]) -> TransformBuffer:
    """Lay out a TFMessage for pairs of (parent frame, child frame), all poses zero."""
    writer = Writer()
    places: list[tuple[int, int]] = []
    writer.word(len(frames))
    for parent, child in frames:
        writer.align(4)
        stamp = len(writer.body) // 4
        writer.body += bytes(STAMP_SIZE)
        writer.string(parent)
        writer.string(child)
        writer.align(8)
        places.append((stamp, len(writer.body) // 8))
        writer.body += bytes(8 * POSE_DOUBLES)
    return TransformBuffer(writer.buffer(), np.array(places, np.int32).reshape(-1, 2))


@dataclass(frozen=True)
class JointStateLayout:
    """Where the fields of one serialized JointState are.

    Attributes
    ----------
    names : tuple of str
        Joint names, in the order of the message.
    text : slice
        The words from the frame's length to the last name: what distinguishes name lists.
    padding : tuple of int
        Bytes of the body that are padding or the frame's text, and may hold anything.
    position, velocity : int
        Indices among the doubles of the first position and velocity.
    position_count, velocity_count : int
        Lengths of the two arrays.
    count_words : tuple of int
        Words that hold the lengths of position and velocity.
    end : int
        Size of a message up to its last velocity, in bytes.
    """

    names: tuple[str, ...]
    text: slice
    padding: tuple[int, ...]
    position: int
    velocity: int
    position_count: int
    velocity_count: int
    count_words: tuple[int, int]
    end: int


class Reader:
    """Reads fields in CDR from a message's body, noting where padding was skipped."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.at = 0
        self.padding: list[int] = []

    def align(self, size: int) -> None:
        """Skip to a multiple of size."""
        skip = -self.at % size
        self.padding += range(self.at, self.at + skip)
        self.at += skip

    def word(self) -> int:
        """Read an unsigned 32-bit integer."""
        self.align(4)
        return int(struct.unpack('<I', self.take(4))[0])

    def string(self) -> str:
        """Read a string."""
        return self.take(self.word())[:-1].decode(errors='replace')

    def take(self, count: int) -> bytes:
        """Read bytes."""
        if self.at + count > len(self.body):
            raise MalformedMessage(f'the message ends at byte {len(self.body)}')
        piece = self.body[self.at : self.at + count]
        self.at += count
        return piece

    def doubles(self) -> tuple[int, int, int]:
        """Skip a sequence of doubles; return (word of its length, length, index of the first)."""
        self.align(4)
        place = self.at // 4
        count = self.word()
        if count:
            self.align(8)
        first = self.at // 8
        self.take(8 * count)
        return place, count, first


def joint_state_layout(message: bytes) -> JointStateLayout:
    """Find the fields of a little-endian JointState.

    Raises
    ------
    MalformedMessage
        The bytes are big endian, or end too early.
    """
    if message[:2] != REPRESENTATION:
        raise MalformedMessage('the message is not little-endian CDR')
    reader = Reader(message[HEADER:])
    reader.take(STAMP_SIZE)
    reader.align(4)
    frame_length = reader.word()
    reader.take(frame_length)
    reader.padding += range(reader.at - frame_length, reader.at)
    names = tuple(reader.string() for _ in range(reader.word()))
    reader.align(4)
    text = slice(STAMP_SIZE // 4, reader.at // 4)
    position_word, position_count, position = reader.doubles()
    velocity_word, velocity_count, velocity = reader.doubles()
    return JointStateLayout(
        names=names,
        text=text,
        padding=tuple(byte for byte in reader.padding if byte < 4 * text.stop),
        position=position,
        velocity=velocity,
        position_count=position_count,
        velocity_count=velocity_count,
        count_words=(position_word, velocity_word),
        end=HEADER + reader.at,
    )


def joint_state_buffer(
    names: Sequence[str],
    position: Sequence[float],
    velocity: Sequence[float] = (),
    stamp: tuple[int, int] = (0, 0),
) -> Buffer:
    """Serialize a JointState; its frame is empty and it has no efforts."""
    writer = Writer()
    writer.body += struct.pack('<iI', *stamp)
    writer.string('')
    writer.word(len(names))
    for name in names:
        writer.string(name)
    writer.doubles(position)
    writer.doubles(velocity)
    writer.doubles(())
    return writer.buffer()
