# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What the demo plays: slow sines within the limits, from rest at zero or as near as may be."""

from __future__ import annotations

import math

import numpy as np
from transforms3d.axangles import axangle2mat

from kinematics_node.ros.demo.elements import Array
from kinematics_node.ros.demo.elements import DemoJoint
from kinematics_node.ros.demo.elements import DemoRobot
from kinematics_node.ros.demo.elements import FREE

SHARE_OF_RANGE = 0.45
SWING = 0.8  # amplitude where there are no limits [rad]
REACH = 0.1  # amplitude where there are no limits [m]
# Loops need not close far from where they are assembled.
SHARE_IN_LOOPS = 0.2
START = 2.0  # until the whole swing is reached [s]
TILT = 0.5  # largest rotation of joints whose state is a pose [rad]


class Motion:
    """Positions and velocities at any time.

    Attributes
    ----------
    names : tuple of str
        Names for JointState: joints of one axis, and 'joint/axis1', 'joint/axis2' of universal
        joints.
    free : tuple of DemoJoint
        Joints whose state is a pose, for MultiDOFJointState.
    """

    def __init__(self, robot: DemoRobot) -> None:
        names: list[str] = []
        spans: list[tuple[float, float, float]] = []
        for joint in robot.played:
            if joint.kind not in FREE:
                names += joint.coordinates
                in_loop = joint.name in robot.in_loops
                spans += [_span(joint, in_loop)] * len(joint.coordinates)
        self.names = tuple(names)
        self.free = robot.free
        self._starts, self._middles, self._amplitudes = np.array(spans).reshape(-1, 3).T
        count = np.arange(len(names))
        self._rates = 2.0 * math.pi * (0.15 + 0.03 * (count % 7))
        self._phases = 0.7 * count

    def positions(self, times: Array) -> Array:
        """Return positions [rad, m], shape (times, names)."""
        share, _ = _start(times)
        return np.asarray(self._starts + share * self._swing(times))

    def velocities(self, times: Array) -> Array:
        """Return velocities [rad/s, m/s], shape (times, names)."""
        share, rate = _start(times)
        angles = np.multiply.outer(times, self._rates) + self._phases
        swing = self._amplitudes * self._rates * np.cos(angles)
        return np.asarray(share * swing + rate * self._swing(times))

    def _swing(self, times: Array) -> Array:
        """Return how far from the start the sines are."""
        angles = np.multiply.outer(times, self._rates) + self._phases
        return np.asarray(self._middles - self._starts + self._amplitudes * np.sin(angles))

    def pose(self, joint: DemoJoint, time: float) -> Array:
        """Return X_FM of a joint whose state is a pose, as a 4x4 matrix."""
        k = self.free.index(joint)
        sines = [math.sin((0.6 + 0.1 * i) * time + 1.3 * i + 0.7 * k) for i in range(5)]
        X_FM = np.eye(4)
        if joint.kind == 'planar':
            normal = joint.axes[0]
            shift = REACH * np.array(sines[:3])
            X_FM[:3, :3] = axangle2mat(normal, 2.0 * TILT * sines[3], is_normalized=True)
            X_FM[:3, 3] = shift - normal * (normal @ shift)
            return X_FM
        axis = np.array([sines[1], sines[2], 1.0])
        X_FM[:3, :3] = axangle2mat(axis / np.linalg.norm(axis), TILT * sines[3])
        if joint.kind == 'floating':
            X_FM[:3, 3] = REACH * np.array([sines[0], sines[4], sines[2]])
        return X_FM


def _start(times: Array) -> tuple[Array, Array]:
    """Return the share of the swing that has been reached, with its rate, as columns."""
    x = np.clip(times / START, 0.0, 1.0)[:, np.newaxis]
    return x * x * (3.0 - 2.0 * x), 6.0 * x * (1.0 - x) / START


def _span(joint: DemoJoint, in_loop: bool) -> tuple[float, float, float]:
    """Return start, middle and amplitude of a joint's motion."""
    start = min(max(0.0, joint.lower), joint.upper)
    if math.isfinite(joint.lower) and math.isfinite(joint.upper):
        middle = 0.5 * (joint.lower + joint.upper)
        return start, middle, SHARE_OF_RANGE * max(joint.upper - joint.lower, 0.0)
    amplitude = REACH if joint.kind == 'prismatic' else SWING
    return start, start, amplitude * (SHARE_IN_LOOPS if in_loop else 1.0)
