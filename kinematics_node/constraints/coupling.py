# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Coupling: one row, sum(k_i q_i) = offset over coordinates of the tree; gears, differentials."""

from __future__ import annotations

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.compiled import inlined
from kinematics_node.constraints.primitive import write_row
from kinematics_node.constraints.primitive import ZERO


@inlined
def coupling_row(
    offset: float,
    support: Indices,
    coefficient: Array,
    first: int,
    last: int,
    q: Array,
    rows: Array,
    r: int,
) -> None:
    """Write sum(k_i q_i) - offset; its Jacobian is the coefficients, and nothing is quadratic."""
    phi = -offset
    for n in range(first, last):
        phi += coefficient[n, 0] * q[support[n, 1]]
    write_row(rows, r, phi, ZERO, ZERO, 0.0)
