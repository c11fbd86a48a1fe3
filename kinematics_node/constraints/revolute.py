# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Revolute: five rows, Bo in Ao and the axes along each other."""

from __future__ import annotations

from kinematics_node.compiled import Array
from kinematics_node.compiled import inlined
from kinematics_node.constraints.point import point_rows
from kinematics_node.constraints.primitive import alignment
from kinematics_node.spatial import Pose
from kinematics_node.spatial import Vector


@inlined
def revolute_rows(X_AB: Pose, w: Vector, rows: Array, r: int) -> None:
    """Write three rows of position [m] and two of the axis [rad]."""
    point_rows(X_AB, rows, r)
    alignment(X_AB, w, rows, r + 3)
