# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What acts along the free axes of joints by itself: springs, dampers, friction, rotors.

Per axis: spring -k (q - rest), damper -(damping + brake damping) q', friction -f sign(q') while
the axis moves; at rest friction holds up to f, which is an answer's matter, not an effort here. A
rotor of inertia I behind a gear of ratio g adds g^2 I to the axis' own inertia. Sources of the
constants: Webots, docs/reference/jointparameters.md; URDF <dynamics>; Drake's rotor_inertia and
gear_ratio. Ball joints have no axis of their own: theirs act through virtual work of the angles.
"""

from __future__ import annotations

from dataclasses import dataclass
import math

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import Ints
from kinematics_node.compiled import leaf
from kinematics_node.dynamics.ball_angles import ball_angles
from kinematics_node.dynamics.ball_angles import BallAngles
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import Joint
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model

SPRING = 0
DAMPER = 1
FRICTION = 2
REST_RATE = 1e-9
CONSTANTS = ('spring', 'damping', 'brake_damping', 'friction', 'rotor_inertia')


@dataclass(frozen=True, eq=False)
class PassiveTable:
    """What acts by itself on a model's velocity coordinates.

    Attributes
    ----------
    position : int32 array, shape (nv,)
        The position coordinate whose derivative a velocity coordinate is; -1 where there is none.
    constants : array, shape (nv, 4)
        Spring, rest, damping, friction of each coordinate.
    armature : array, shape (nv,)
        g^2 I of the rotors [kg m^2 or kg].
    balls : tuple of (Joint, int, int)
        Ball joints with anything on their axes, where they start in q, and in v.
    acts : bool
        Whether any spring, damper or friction acts on a coordinate of its own.
    is_empty : bool
        Whether nothing at all acts by itself, rotors included.
    """

    position: Ints
    constants: Array
    armature: Array
    balls: tuple[tuple[Joint, int, int], ...]
    acts: bool
    is_empty: bool


def passive_table(model: Model) -> PassiveTable:
    """Return what acts by itself on a model's velocity coordinates."""
    position = np.full(model.nv, -1, np.int32)
    constants = np.zeros((model.nv, 4))
    armature = np.zeros(model.nv)
    balls = []
    for joint, row in zip(model.joints, model.tree[1:], strict=True):
        q, v = int(row[2]), int(row[3])
        if joint.type is JointType.BALL:
            if any(acts_on(axis) for axis in joint.axes):
                balls.append((joint, q, v))
            continue
        if joint.type.nq == joint.type.nv:
            position[v : v + joint.type.nv] = range(q, q + joint.type.nv)
        if joint.type is JointType.PLANAR:
            constants[v, 2], constants[v + 1, 2] = joint.slide_damping
            v += 2
        for n, axis in enumerate(joint.axes):
            damping = axis.damping + axis.brake_damping
            constants[v + n] = (axis.spring, axis.rest, damping, axis.friction)
            armature[v + n] = reflected_inertia(axis)
    acts = bool(constants[:, [0, 2, 3]].any())
    for array in (position, constants, armature):
        array.setflags(write=False)
    is_empty = not (acts or balls or armature.any())
    return PassiveTable(position, constants, armature, tuple(balls), acts, is_empty)


def acts_on(axis: Axis) -> bool:
    """Return whether anything acts on an axis by itself."""
    return axis.braked or any(getattr(axis, name) for name in CONSTANTS)


def reflected_inertia(axis: Axis) -> float:
    """Return g^2 I of the axis' rotor."""
    return axis.gear_ratio * axis.gear_ratio * axis.rotor_inertia


@leaf
def write_passive_efforts(
    position: Ints, constants: Array, q: Array, v: Array, efforts: Array
) -> None:
    """Write efforts (3, nv) of springs, dampers and friction on coordinates of their own."""
    for n in range(v.shape[0]):
        k = position[n]
        if k < 0:
            efforts[0, n] = efforts[1, n] = efforts[2, n] = 0.0
            continue
        efforts[0, n] = -constants[n, 0] * (q[k] - constants[n, 1])
        efforts[1, n] = -constants[n, 2] * v[n]
        if abs(v[n]) > REST_RATE:
            efforts[2, n] = -math.copysign(constants[n, 3], v[n])
        else:
            efforts[2, n] = 0.0


def write_ball_efforts(joint: Joint, at: BallAngles, efforts: Array, n: int) -> None:
    """Write the torques of a ball joint's springs, dampers and friction into efforts[:, n:n+3]."""
    for k, axis in enumerate(joint.axes):
        damping = axis.damping + axis.brake_damping
        angle, rate = float(at.angles[k]), float(at.rates[k])
        along = at.inverse[k]
        efforts[SPRING, n : n + 3] -= axis.spring * (angle - axis.rest) * along
        efforts[DAMPER, n : n + 3] -= damping * rate * along
        if abs(rate) > REST_RATE:
            efforts[FRICTION, n : n + 3] -= math.copysign(axis.friction, rate) * along


def angles_of(joint: Joint, q: Array, v: Array, k: int, n: int) -> BallAngles:
    """Return the angles of a ball joint whose coordinates start at q[k] and v[n]."""
    turn = (float(q[k]), float(q[k + 1]), float(q[k + 2]), float(q[k + 3]))
    return ball_angles(joint.axes, turn, (float(v[n]), float(v[n + 1]), float(v[n + 2])))


def ball_armature(joint: Joint, at: BallAngles) -> tuple[Array, Array]:
    """Return the rotors of a ball joint as (inertia (3, 3), bias (3,)) of its velocities.

    Each rotor turns with its angle, so that the torque of the rotors is
    E^-T D t'' = E^-T D E^-1 (w' - bias), D holding their reflected inertias.
    """
    D = np.diag([reflected_inertia(axis) for axis in joint.axes])
    inertia = at.inverse.T @ D @ at.inverse
    return inertia, -inertia @ at.bias
