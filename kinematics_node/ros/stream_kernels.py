# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What happens at every message, compiled: numbers out of one message, poses into another.

The state is one vector: the model's coordinates q, then three axis angles for each ball joint.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kinematics_node.compiled import Array
from kinematics_node.compiled import Ints
from kinematics_node.compiled import kernel
from kinematics_node.kinematics.joint_motion import AXES
from kinematics_node.kinematics.joint_motion import child_pose
from kinematics_node.spatial import axis_angle
from kinematics_node.spatial import load_quaternion
from kinematics_node.spatial import load_vector
from kinematics_node.spatial import multiply

Words = NDArray[np.uint32]
NO_ANGLES = -1


@kernel
def fits(words: Words, fields: Ints, template: Words, mask: Words) -> bool:
    """Tell whether a message has a plan's names and array lengths.

    Masked bits (padding, the frame's text) do not count. fields is (index of the first position,
    of the first velocity or -1, word where the names' block starts, then word and value of the
    lengths of position and velocity).
    """
    first = fields[2]
    if first + template.shape[0] > words.shape[0]:
        return False
    difference = np.uint32(0)
    for k in range(template.shape[0]):
        difference |= (words[first + k] ^ template[k]) & mask[k]
    return (
        difference == 0
        and words[fields[3]] == np.uint32(fields[4])
        and words[fields[5]] == np.uint32(fields[6])
    )


@kernel
def mark_bad(positions: Array, first: int, inputs: Ints, bad: Ints) -> int:
    """Write 1 into bad[i] for each input that is not finite, else 0; return their number."""
    count = 0
    for i in range(inputs.shape[0]):
        bad[i] = 0 if math.isfinite(positions[first + inputs[i, 0]]) else 1
        count += bad[i]
    return count


@kernel
def take_positions(numbers: Array, first: int, inputs: Ints, ratios: Array, state: Array) -> None:
    """Set state = (number - offset) / multiplier for each input (source, target, rate target)."""
    for i in range(inputs.shape[0]):
        number = numbers[first + inputs[i, 0]]
        state[inputs[i, 1]] = (number - ratios[i, 1]) / ratios[i, 0]


@kernel
def take_rates(numbers: Array, first: int, inputs: Ints, ratios: Array, v: Array) -> None:
    """Set v = number / multiplier; a negative first says that the message has no velocities."""
    for i in range(inputs.shape[0]):
        target = inputs[i, 2]
        if target >= 0:
            v[target] = numbers[first + inputs[i, 0]] / ratios[i, 0] if first >= 0 else math.nan


@kernel
def follow(followers: Ints, ratios: Array, state: Array, v: Array) -> None:
    """Apply mimics given as (follower, master, follower's rate, master's rate)."""
    for i in range(followers.shape[0]):
        state[followers[i, 0]] = ratios[i, 0] * state[followers[i, 1]] + ratios[i, 1]
        v[followers[i, 2]] = ratios[i, 0] * v[followers[i, 3]]


@kernel
def finish_rotations(rotations: Ints, placement: Array, state: Array) -> None:
    """Give unit length to each quaternion (start, angles or NO_ANGLES, link) just written.

    With angles, the quaternion is made from them: R(axis1, a1) R(axis2, a2) R(axis3, a3).
    """
    for i in range(rotations.shape[0]):
        start, angles, link = rotations[i, 0], rotations[i, 1], rotations[i, 2]
        if angles == NO_ANGLES:
            turn = load_quaternion(state, start)
        else:
            row = placement[link]
            turn = multiply(
                multiply(
                    axis_angle(load_vector(row, AXES), state[angles]),
                    axis_angle(load_vector(row, AXES + 3), state[angles + 1]),
                ),
                axis_angle(load_vector(row, AXES + 6), state[angles + 2]),
            )
        size = math.sqrt(turn[0] ** 2 + turn[1] ** 2 + turn[2] ** 2 + turn[3] ** 2)
        for k in range(4):
            if size > 1e-9:
                state[start + k] = turn[k] / size
            else:
                state[start + k] = 1.0 if k == 0 else 0.0


@kernel
def absorb(
    numbers: Array,
    fields: Ints,
    inputs: Ints,
    ratios: Array,
    followers: Ints,
    follower_ratios: Array,
    rotations: Ints,
    placement: Array,
    state: Array,
    v: Array,
    bad: Ints,
) -> int:
    """Take one message into the state, whole or not at all; return the number of bad inputs."""
    count = mark_bad(numbers, fields[0], inputs, bad)
    if count > 0:
        return count
    take_positions(numbers, fields[0], inputs, ratios, state)
    take_rates(numbers, fields[1], inputs, ratios, v)
    follow(followers, follower_ratios, state, v)
    finish_rotations(rotations, placement, state)
    return 0


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
        words[stamp] = np.uint32(seconds)
        words[stamp + 1] = np.uint32(nanoseconds)
        w, x, y, z, px, py, pz = child_pose(tree, placement, moving[i, 0], state)
        numbers[k], numbers[k + 1], numbers[k + 2] = px, py, pz
        numbers[k + 3], numbers[k + 4], numbers[k + 5], numbers[k + 6] = x, y, z, w
