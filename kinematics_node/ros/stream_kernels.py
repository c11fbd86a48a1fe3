# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What happens at every message, compiled: numbers out of one message, poses into another.

The state is one vector: the model's coordinates q, then three axis angles for each ball joint.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kinematics_node.addresses import doubles
from kinematics_node.addresses import int_rows
from kinematics_node.addresses import ints
from kinematics_node.addresses import matrix
from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.compiled import inlined
from kinematics_node.compiled import Ints
from kinematics_node.compiled import kernel
from kinematics_node.compiled import leaf
from kinematics_node.kinematics.joint_motion import child_pose
from kinematics_node.kinematics.joint_motion import load_axis
from kinematics_node.ros.rate import SECOND
from kinematics_node.spatial import axis_angle
from kinematics_node.spatial import load_quaternion
from kinematics_node.spatial import multiply

Words = NDArray[np.int32]
NO_ANGLES = -1
NO_INPUT = -1
SHORTEST_QUATERNION = 1e-6
# Finite numbers beyond this are no positions; computing with them could overflow.
LARGEST = 1e100
# What take_message returns where it is not the stamp of the message.
NO_STAMP, OTHER_NAMES, UNUSABLE, NO_TIME = 0, -1, -2, -3
# Entries of a program's head; see plan.program_of.
POSITION, VELOCITY, POSITION_WORD, POSITION_COUNT, VELOCITY_WORD, VELOCITY_COUNT = range(6)
TEXT_WORD, TEXT_SIZE, TEXT, INPUTS, INPUT_COUNT = range(6, 11)
FOLLOWERS, FOLLOWER_COUNT, ROTATIONS, ROTATION_COUNT, HEAD = range(11, 16)


@kernel
def take_bound(table: Indices) -> int:
    """Call take_message with the arrays of a table of addresses."""
    return take_message(
        int_rows(table, 0),
        matrix(table, 1),
        ints(table, 2),
        doubles(table, 3),
        int_rows(table, 4),
        ints(table, 5),
        doubles(table, 6),
        doubles(table, 7),
        doubles(table, 8),
        ints(table, 9),
        doubles(table, 10),
    )


@inlined
def take_message(
    tree: Ints,
    placement: Array,
    program: Ints,
    factors: Array,
    moving: Ints,
    words: Words,
    numbers: Array,
    state: Array,
    v: Array,
    answer_words: Words,
    answer_numbers: Array,
) -> int:
    """Take one message into the state by a plan's program, and write what moves into the answer.

    Return its stamp [ns]; NO_STAMP where that is zero, or NO_TIME; or, with nothing taken,
    OTHER_NAMES where the message is not the plan's, UNUSABLE where positions cannot be used.
    """
    if not has_text(words, program):
        return OTHER_NAMES
    if count_unusable(numbers, program) + count_no_turns(numbers, program) > 0:
        return UNUSABLE
    take_positions(numbers, program, factors, state)
    take_rates(numbers, program, factors, v)
    follow(program, factors, state, v)
    finish_rotations(program, placement, state)
    write_transforms(
        tree, placement, state, moving, words[0], words[1], answer_words, answer_numbers
    )
    seconds, nanoseconds = np.int64(words[0]), np.int64(words[1])
    is_time = seconds >= 0 and 0 <= nanoseconds < SECOND
    return seconds * SECOND + nanoseconds if is_time else NO_TIME


@inlined
def has_text(words: Words, program: Ints) -> bool:
    """Tell whether a message has a plan's names and array lengths.

    The program holds the words of the names and then their masks: bits that are padding, or the
    text of the message's frame, do not count.
    """
    size, text, first = program[TEXT_SIZE], program[TEXT], program[TEXT_WORD]
    if first + size > words.shape[0]:
        return False
    difference = np.int32(0)
    for k in range(size):
        difference |= (words[first + k] ^ program[text + k]) & program[text + size + k]
    return (
        difference == 0
        and words[program[POSITION_WORD]] == program[POSITION_COUNT]
        and words[program[VELOCITY_WORD]] == program[VELOCITY_COUNT]
    )


@inlined
def count_unusable(numbers: Array, program: Ints) -> int:
    """Return how many of the positions that the program takes are not finite, or too large."""
    count = 0
    for i in range(program[INPUT_COUNT]):
        source = program[program[INPUTS] + 3 * i]
        count += 0 if abs(numbers[program[POSITION] + source]) <= LARGEST else 1
    return count


@inlined
def count_no_turns(numbers: Array, program: Ints) -> int:
    """Return how many quaternions that the program takes have no length."""
    count = 0
    for i in range(program[ROTATION_COUNT]):
        row = program[program[ROTATIONS] + 4 * i + 3]
        if row != NO_INPUT:
            square = 0.0
            for k in range(row, row + 4):
                number = numbers[program[POSITION] + program[program[INPUTS] + 3 * k]]
                square += number * number
            count += 1 if square < SHORTEST_QUATERNION**2 else 0
    return count


@inlined
def take_positions(numbers: Array, program: Ints, factors: Array, state: Array) -> None:
    """Set state = (number - offset) / multiplier for each input (source, target, rate)."""
    at = program[INPUTS]
    for i in range(program[INPUT_COUNT]):
        number = numbers[program[POSITION] + program[at + 3 * i]]
        state[program[at + 3 * i + 1]] = (number - factors[2 * i + 1]) / factors[2 * i]


@inlined
def take_rates(numbers: Array, program: Ints, factors: Array, v: Array) -> None:
    """Set v = number / multiplier; NaN where the message has no velocities."""
    at, first = program[INPUTS], program[VELOCITY]
    for i in range(program[INPUT_COUNT]):
        rate = program[at + 3 * i + 2]
        if rate >= 0:
            number = numbers[first + program[at + 3 * i]] if first >= 0 else math.nan
            v[rate] = number / factors[2 * i]


@inlined
def follow(program: Ints, factors: Array, state: Array, v: Array) -> None:
    """Apply mimics (follower, master, follower's rate, master's rate)."""
    at, factor = program[FOLLOWERS], 2 * program[INPUT_COUNT]
    for i in range(program[FOLLOWER_COUNT]):
        k = at + 4 * i
        multiplier, offset = factors[factor + 2 * i], factors[factor + 2 * i + 1]
        state[program[k]] = multiplier * state[program[k + 1]] + offset
        v[program[k + 2]] = multiplier * v[program[k + 3]]


@leaf
def finish_rotations(program: Ints, placement: Array, state: Array) -> None:
    """Give unit length to each quaternion just written.

    A row is (start, angles or NO_ANGLES, link, input of its w or NO_INPUT). With angles, the
    quaternion is made from them: R(axis1, a1) R(axis2, a2) R(axis3, a3).
    """
    for i in range(program[ROTATION_COUNT]):
        at = program[ROTATIONS] + 4 * i
        start, angles, link = program[at], program[at + 1], program[at + 2]
        if angles == NO_ANGLES:
            turn = load_quaternion(state, start)
        else:
            first = axis_angle(load_axis(placement, link, 0), state[angles])
            second = axis_angle(load_axis(placement, link, 1), state[angles + 1])
            third = axis_angle(load_axis(placement, link, 2), state[angles + 2])
            turn = multiply(multiply(first, second), third)
        size = math.sqrt(turn[0] ** 2 + turn[1] ** 2 + turn[2] ** 2 + turn[3] ** 2)
        for k in range(4):
            state[start + k] = turn[k] / size


@kernel
def write_transforms(
    tree: Ints,
    placement: Array,
    state: Array,
    moving: Ints,
    seconds: int,
    nanoseconds: int,
    words: Words,
    numbers: Array,
) -> None:
    """Write stamp and X_PC of each moving link (link, stamp's word, first double) in place."""
    for i in range(moving.shape[0]):
        stamp, k = moving[i, 1], moving[i, 2]
        words[stamp] = np.int32(seconds)
        words[stamp + 1] = np.int32(nanoseconds)
        w, x, y, z, px, py, pz = child_pose(tree, placement, moving[i, 0], state)
        numbers[k], numbers[k + 1], numbers[k + 2] = px, py, pz
        numbers[k + 3], numbers[k + 4], numbers[k + 5], numbers[k + 6] = x, y, z, w
