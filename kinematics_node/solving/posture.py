# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Moving coordinates by a step, back again, and towards a held posture."""

from __future__ import annotations

import math

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.compiled import inlined
from kinematics_node.compiled import leaf
from kinematics_node.solving.linear import minimum_norm
from kinematics_node.solving.plan import COLUMNS
from kinematics_node.solving.plan import FOLLOWERS
from kinematics_node.solving.plan import MOVES
from kinematics_node.solving.plan import Plan
from kinematics_node.solving.plan import POSTURE
from kinematics_node.solving.plan import SAVED
from kinematics_node.solving.plan import SEEN
from kinematics_node.solving.plan import SHIFT
from kinematics_node.solving.plan import STEP
from kinematics_node.solving.plan import TURN
from kinematics_node.solving.plan import VISIBLE
from kinematics_node.solving.plan import Work
from kinematics_node.spatial import add
from kinematics_node.spatial import conjugate
from kinematics_node.spatial import load_quaternion
from kinematics_node.spatial import load_vector
from kinematics_node.spatial import multiply
from kinematics_node.spatial import rotate
from kinematics_node.spatial import subtract
from kinematics_node.spatial import Vector

FURTHEST = 0.01  # rad, or characteristic lengths: how far a solve goes towards a held posture


@leaf
def take_step(plan: Plan, block: Indices, vectors: Array, before: Array, q: Array) -> None:
    """Move a block's coordinates by its step, followers along with their masters."""
    for n in range(block[SAVED], block[SAVED + 1]):
        before[plan.saved[n]] = q[plan.saved[n]]
    for n in range(block[MOVES], block[MOVES + 1]):
        kind, k, column = plan.moves[n, 0], plan.moves[n, 1], plan.moves[n, 2]
        scale = plan.scale[block[COLUMNS] + column]
        if kind == TURN:
            w = (vectors[STEP, column], vectors[STEP, column + 1], vectors[STEP, column + 2])
            turn_quaternion(q, k, w)
        elif kind == SHIFT:
            step = (
                scale * vectors[STEP, column],
                scale * vectors[STEP, column + 1],
                scale * vectors[STEP, column + 2],
            )
            moved = add(load_vector(q, k + 4), rotate(load_quaternion(q, k), step))
            q[k + 4], q[k + 5], q[k + 6] = moved
        else:
            q[k] += scale * vectors[STEP, column]
    for n in range(block[FOLLOWERS], block[FOLLOWERS + 1]):
        master = q[plan.followers[n, 1]]
        q[plan.followers[n, 0]] = plan.ratios[n, 0] * master + plan.ratios[n, 1]


@inlined
def give_back(saved: Indices, block: Indices, before: Array, q: Array) -> None:
    """Undo the last step."""
    for n in range(block[SAVED], block[SAVED + 1]):
        q[saved[n]] = before[saved[n]]


@leaf
def posture_step(plan: Plan, work: Work, block: Indices, q: Array, m: int, n: int) -> float:
    """Add to the step what of the way to the held posture the rows do not see; return its size.

    The factor work.L and the Jacobian are those at q.
    """
    way = work.vectors
    for k in range(block[MOVES], block[MOVES + 1]):
        kind, i, column = plan.moves[k, 0], plan.moves[k, 1], plan.moves[k, 2]
        scale = plan.scale[block[COLUMNS] + column]
        if kind == TURN:
            turn = rotation_between(q, i, work.held)
            way[POSTURE, column], way[POSTURE, column + 1], way[POSTURE, column + 2] = turn
        elif kind == SHIFT:
            shift = subtract(load_vector(work.held, i + 4), load_vector(q, i + 4))
            shift = rotate(conjugate(load_quaternion(q, i)), shift)
            for axis in range(3):
                way[POSTURE, column + axis] = shift[axis] / scale
        else:
            way[POSTURE, column] = (work.held[i] - q[i]) / scale
    for i in range(m):
        seen = 0.0
        for k in range(n):
            seen += work.J[i, k] * way[POSTURE, k]
        way[SEEN, i] = seen
    minimum_norm(work.J, m, n, work.L, way, SEEN, VISIBLE)
    largest = 1e-300
    for k in range(n):
        way[POSTURE, k] -= way[VISIBLE, k]
        largest = max(largest, abs(way[POSTURE, k]))
    shrink = min(1.0, FURTHEST / largest)
    for k in range(n):
        way[STEP, k] += shrink * way[POSTURE, k]
    return shrink * largest


@inlined
def rotation_between(q: Array, k: int, held: Array) -> Vector:
    """Return the rotation vector, in M, that leads from the quaternion q[k] to held[k]."""
    s, x, y, z = multiply(conjugate(load_quaternion(q, k)), load_quaternion(held, k))
    size = math.sqrt(x * x + y * y + z * z)
    ratio = 2.0
    if size > 1e-12:
        ratio = 2.0 * math.atan2(size, abs(s)) / size
    if s < 0.0:
        ratio = -ratio
    return (ratio * x, ratio * y, ratio * z)


@inlined
def turn_quaternion(q: Array, k: int, w: Vector) -> None:
    """Turn the quaternion at q[k] by a rotation vector given in M."""
    angle = math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    half = math.sin(0.5 * angle) / angle if angle > 1e-9 else 0.5
    turn = (math.cos(0.5 * angle), half * w[0], half * w[1], half * w[2])
    s, x, y, z = multiply(load_quaternion(q, k), turn)
    length = math.sqrt(s * s + x * x + y * y + z * z)
    q[k], q[k + 1], q[k + 2], q[k + 3] = s / length, x / length, y / length, z / length
