# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Length and pose: origins that look like millimetres, rotations that are none."""

from __future__ import annotations

from collections.abc import Iterator
import math

from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Pose
from kinematics_node.model.findings import Finding
from kinematics_node.model.findings import Severity
from kinematics_node.model.model import Model

FAR = 30.0
UNIT_TOLERANCE = 1e-6


def review_lengths(model: Model) -> Iterator[Finding]:
    """Look at the poses of joints, frames and closures."""
    for joint in model.joints:
        yield from _far_origin(joint)
    for element, pose, line in _poses(model):
        length = math.sqrt(sum(x * x for x in pose[:4]))
        if not abs(length - 1.0) <= UNIT_TOLERANCE:
            yield Finding(
                'rotation-not-unit',
                Severity.ERROR,
                element,
                f'its quaternion has length {length:.6g}, so that it also scales; normalise it',
                line,
            )


def _far_origin(joint: Joint) -> Iterator[Finding]:
    distance = math.sqrt(sum(x * x for x in joint.X_PF[4:]))
    if distance > FAR:
        yield Finding(
            'length-millimetres',
            Severity.WARNING,
            f"joint '{joint.name}'",
            f'its origin is {distance:.6g} m from its parent, which looks like millimetres; '
            'lengths are in metres',
            joint.line,
        )


def _poses(model: Model) -> Iterator[tuple[str, Pose, int | None]]:
    for joint in model.joints:
        yield f"joint '{joint.name}'", joint.X_PF, joint.line
        yield f"joint '{joint.name}'", joint.X_MC, joint.line
    for frame in model.frames:
        yield f"frame '{frame.name}'", frame.X_BA, frame.line
    for closure in model.closures:
        yield f"closure '{closure.name}'", closure.X_LA, closure.line
        yield f"closure '{closure.name}'", closure.X_LB, closure.line
