# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Whether loops are closed: frames of closures as TF has them, couplings as the state has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kinematics_node.ros.demo.elements import Array
from kinematics_node.ros.demo.elements import DemoClosure
from kinematics_node.ros.demo.elements import DemoCoupling
from kinematics_node.ros.demo.elements import DemoRobot
from kinematics_node.ros.demo.elements import UncheckableError

# Largest gap [m, rad] that counts as none.
CLOSED = 1e-6
# Share of messages in which a loop may still be assembled.
OPENING = 0.1


@dataclass
class Loop:
    """A closure or coupling: how often it was looked at, and its largest gaps [m] and [rad]."""

    count: int = 0
    metres: float = 0.0
    radians: float = 0.0

    @property
    def gap(self) -> float:
        """The larger of the two gaps."""
        return max(self.metres, self.radians)

    def note(self, metres: Array, radians: Array) -> None:
        """Note gaps, those of one moment in each row; NaN is a gap without end."""
        self.count += len(metres)
        if len(metres):
            self.metres = max(self.metres, _largest(metres))
            self.radians = max(self.radians, _largest(radians))


def pose_between(robot: DemoRobot, closure: DemoClosure, poses: Mapping[str, Array]) -> Array:
    """Return X_AB, shape (times, 4, 4), from X_PC by child link; NaN where one is missing."""
    A, B = robot.path(closure.link_A), robot.path(closure.link_B)
    while A and B and A[0] is B[0]:
        del A[0], B[0]
    missing = np.full((1, 4, 4), np.nan)
    X_A, X_B = np.eye(4)[np.newaxis], np.eye(4)[np.newaxis]
    for joint in A:
        X_A = X_A @ poses.get(joint.child, missing)
    for joint in B:
        X_B = X_B @ poses.get(joint.child, missing)
    return np.asarray(_inverse(X_A @ closure.X_LA) @ X_B @ closure.X_LB)


def gaps(closure: DemoClosure, X_AB: Array) -> tuple[Array, Array]:
    """Return how far frames are from where a closure holds them, in m and in rad, one a row.

    Raises
    ------
    UncheckableError
        The type is none that the demo knows.
    """
    p, R = X_AB[:, :3, 3], X_AB[:, :3, :3]
    a, b = closure.axis_A, R @ closure.axis_B
    apart, along = np.linalg.norm(p, axis=1), p @ a
    lean = np.arctan2(np.linalg.norm(np.cross(a, b), axis=1), b @ a)
    turned = np.linalg.norm(R - np.eye(3), axis=(1, 2)) / np.sqrt(2.0)
    none = np.zeros(len(p))
    across = np.linalg.norm(p - np.multiply.outer(along, a), axis=1)
    table = {
        'ball': (apart, none),
        'fixed': (apart, turned),
        'revolute': (apart, lean),
        'prismatic': (across, turned),
        'universal': (apart, np.abs(np.pi / 2.0 - lean)),
        'planar': (np.abs(along), lean),
        'distance': (np.abs(apart - closure.length), none),
    }
    if closure.kind not in table:
        raise UncheckableError(
            f"closures of type '{closure.kind}' are not known to the demo's own computation"
        )
    return table[closure.kind]


def remainder(coupling: DemoCoupling, values: Mapping[str, float]) -> float:
    """Return by how much a coupling is not satisfied; NaN where a coordinate is missing."""
    total = sum(k * values.get(name, np.nan) for name, k in coupling.terms.items())
    return float(total - coupling.offset)


def open_loops(loops: Mapping[str, Loop], moments: int) -> list[str]:
    """Return in sentences which loops were not seen at nearly all moments, and which are open."""
    found = []
    for name, loop in loops.items():
        if loop.count < (1.0 - OPENING) * moments or not moments:
            found.append(f"loop '{name}' was seen at {loop.count} of {moments} moments only")
        if not loop.gap <= CLOSED:
            found.append(
                f"loop '{name}' is open by up to {loop.metres:.3g} m and {loop.radians:.3g} rad"
            )
    return found


def _inverse(X: Array) -> Array:
    """Invert poses; unlike numpy's general inverse it lets NaN pass."""
    inverse = np.zeros_like(X)
    inverse[:, :3, :3] = np.swapaxes(X[:, :3, :3], 1, 2)
    inverse[:, :3, 3:] = -inverse[:, :3, :3] @ X[:, :3, 3:]
    inverse[:, 3, 3] = 1.0
    return inverse


def _largest(numbers: Array) -> float:
    largest = float(np.abs(numbers).max())
    return largest if np.isfinite(largest) else np.inf
