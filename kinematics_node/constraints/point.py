# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Ball (point): three rows, Bo in Ao."""

from __future__ import annotations

from kinematics_node.compiled import Array
from kinematics_node.compiled import inlined
from kinematics_node.constraints.primitive import ALONG_X
from kinematics_node.constraints.primitive import ALONG_Y
from kinematics_node.constraints.primitive import ALONG_Z
from kinematics_node.constraints.primitive import position_row
from kinematics_node.spatial import Pose


@inlined
def point_rows(X_AB: Pose, rows: Array, r: int) -> None:
    """Write the three rows p_AoBo_A = 0 [m]."""
    position_row(X_AB, ALONG_X, rows, r)
    position_row(X_AB, ALONG_Y, rows, r + 1)
    position_row(X_AB, ALONG_Z, rows, r + 2)
