# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Fixed (weld): six rows, Bo in Ao and B turned as A is."""

from __future__ import annotations

from kinematics_node.compiled import Array
from kinematics_node.compiled import inlined
from kinematics_node.constraints.point import point_rows
from kinematics_node.constraints.primitive import orientation
from kinematics_node.spatial import Pose
from kinematics_node.spatial import Vector


@inlined
def fixed_rows(X_AB: Pose, w: Vector, rows: Array, r: int) -> None:
    """Write three rows of position [m] and three of orientation [rad]."""
    point_rows(X_AB, rows, r)
    orientation(X_AB, w, rows, r + 3)
