# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Prismatic: five rows, Bo on the axis through Ao and B turned as A is."""

from __future__ import annotations

from kinematics_node.compiled import Array
from kinematics_node.compiled import inlined
from kinematics_node.constraints.primitive import ALONG_X
from kinematics_node.constraints.primitive import ALONG_Y
from kinematics_node.constraints.primitive import orientation
from kinematics_node.constraints.primitive import position_row
from kinematics_node.spatial import Pose
from kinematics_node.spatial import Vector


@inlined
def prismatic_rows(X_AB: Pose, w: Vector, rows: Array, r: int) -> None:
    """Write two rows of position across the axis [m] and three of orientation [rad]."""
    position_row(X_AB, ALONG_X, rows, r)
    position_row(X_AB, ALONG_Y, rows, r + 1)
    orientation(X_AB, w, rows, r + 2)
