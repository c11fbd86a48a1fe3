# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Universal: four rows, Bo in Ao and the two axes of the cross at their angle."""

from __future__ import annotations

from kinematics_node.compiled import Array
from kinematics_node.compiled import inlined
from kinematics_node.constraints.point import point_rows
from kinematics_node.constraints.primitive import write_row
from kinematics_node.constraints.primitive import z_of
from kinematics_node.constraints.primitive import ZERO
from kinematics_node.spatial import cross
from kinematics_node.spatial import Pose
from kinematics_node.spatial import Vector


@inlined
def universal_rows(X_AB: Pose, w: Vector, cosine: float, rows: Array, r: int) -> None:
    """Write three rows of position [m] and one of the axes, z_A . z_B = cosine [rad].

    The first axis is A's z, fixed on A's link; the second is B's z, fixed on B's. The cosine of
    the angle between them is 0 in every ordinary cross.
    """
    point_rows(X_AB, rows, r)
    b = z_of(X_AB)
    twice = cross(w, cross(w, b))
    write_row(rows, r + 3, b[2] - cosine, (b[1], -b[0], 0.0), ZERO, twice[2])
