# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Distance: one row, a massless rod of given length with ball ends at Ao and Bo."""

from __future__ import annotations

from kinematics_node.compiled import Array
from kinematics_node.compiled import inlined
from kinematics_node.constraints.primitive import write_row
from kinematics_node.constraints.primitive import ZERO
from kinematics_node.spatial import dot
from kinematics_node.spatial import norm
from kinematics_node.spatial import Pose
from kinematics_node.spatial import position
from kinematics_node.spatial import scale
from kinematics_node.spatial import Vector

CLOSEST = 1e-12


@inlined
def distance_row(X_AB: Pose, u: Vector, length: float, rows: Array, r: int) -> None:
    """Write |p_AoBo| - length [m]; where the ends coincide, the rod is taken along A's x."""
    p = position(X_AB)
    reach = norm(p)
    if reach < CLOSEST:
        write_row(rows, r, reach - length, ZERO, (1.0, 0.0, 0.0), 0.0)
        return
    along = scale(1.0 / reach, p)
    rate = dot(along, u)
    write_row(rows, r, reach - length, ZERO, along, (dot(u, u) - rate * rate) / reach)
