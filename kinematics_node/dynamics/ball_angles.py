# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The three angles of a ball joint as coordinates of virtual work.

With R_FM = R(axis1, t1) R(axis2, t2) R(axis3, t3) the joint's angular velocity is w_FM_M = E t',
whose columns are the axes as they stand, expressed in M. Efforts u on the angles do the work
u . t' = tau . w, so that their torque is tau = E^-T u; where the outer axes align E is singular
and the torque of least length is taken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.model.ball_joint import quaternion_to_angles
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import Vector
from kinematics_node.spatial import axis_angle
from kinematics_node.spatial import Quaternion
from kinematics_node.spatial import rotate

ALIGNED = 1e-6


@dataclass(frozen=True, eq=False)
class BallAngles:
    """A ball joint's motion, seen through its angles.

    Attributes
    ----------
    angles, rates : array, shape (3,)
        t [rad] and t' [rad/s].
    inverse : array, shape (3, 3)
        E^-1: t' = E^-1 w_FM_M.
    bias : array, shape (3,)
        E' t': w' = E t'' + bias, derivatives taken in M.
    aligned : bool
        Whether the outer axes align, so that two of the angles turn about the same line.
    """

    angles: Array
    rates: Array
    inverse: Array
    bias: Array
    aligned: bool


def ball_angles(axes: tuple[Axis, ...], turn: Quaternion, w: Vector) -> BallAngles:
    """Return the angles, nearest to the springs' rest, of a ball joint at R_FM.

    Parameters
    ----------
    axes : tuple of three Axis
        The joint's axes.
    turn : quaternion
        R_FM, w first.
    w : vector
        w_FM_M [rad/s].
    """
    directions = tuple(axis.direction for axis in axes)
    angles = quaternion_to_angles(directions, turn, tuple(axis.rest for axis in axes))
    first, second, third = directions
    back = axis_angle(third, -angles[2])
    e1 = np.array(rotate(back, rotate(axis_angle(second, -angles[1]), first)))
    e2, e3 = np.array(rotate(back, second)), np.array(third)
    E = np.array((e1, e2, e3)).T
    aligned = bool(np.linalg.svd(E, compute_uv=False)[2] < ALIGNED)
    inverse = np.linalg.pinv(E, rcond=ALIGNED)
    rates = inverse @ np.array(w)
    bias = -rates[0] * (rates[2] * np.cross(e3, e1) + rates[1] * np.cross(e2, e1))
    bias -= rates[1] * rates[2] * np.cross(e3, e2)
    return BallAngles(np.array(angles), rates, inverse, bias, aligned)
