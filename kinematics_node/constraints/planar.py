# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Planar: three rows, Bo in A's plane and the normals along each other."""

from __future__ import annotations

from kinematics_node.compiled import Array
from kinematics_node.compiled import inlined
from kinematics_node.constraints.primitive import alignment
from kinematics_node.constraints.primitive import ALONG_Z
from kinematics_node.constraints.primitive import position_row
from kinematics_node.spatial import Pose
from kinematics_node.spatial import Vector


@inlined
def planar_rows(X_AB: Pose, w: Vector, rows: Array, r: int) -> None:
    """Write one row of position along the normal [m] and two of the normal [rad]."""
    position_row(X_AB, ALONG_Z, rows, r)
    alignment(X_AB, w, rows, r + 1)
