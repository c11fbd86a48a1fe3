# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The buffer that a compiled answer is written into.

Calling a kernel with many arrays, and making them, would cost more than the arithmetic: all that
an answer writes stands in one buffer.
"""

from __future__ import annotations

from kinematics_node.addresses import matrix_at
from kinematics_node.compiled import Array
from kinematics_node.compiled import kernel
from kinematics_node.constraints.primitive import ROW_WIDTH

# Numbers for each velocity coordinate, in the buffer's first rows.
VDOT, SPRINGS, ACTUATOR, UNBALANCED, ROTOR, ALONG, WIDTH = 0, 1, 4, 5, 6, 7, 8
WORD = 8  # bytes of a number


def buffer_size(nv: int, rows: int, links: int) -> int:
    """Return how many numbers an answer takes."""
    return WIDTH * nv + rows * (3 + ROW_WIDTH + nv) + 19 * links


@kernel
def cut(
    buffer: Array, nv: int, rows: int, links: int
) -> tuple[Array, Array, Array, Array, Array, Array, Array, Array]:
    """Return the arrays that stand in a buffer, in the order in which they stand there."""
    # Cheaper than slices that are reshaped; whoever calls keeps the buffer.
    at = buffer.ctypes.data
    total = at + WORD * WIDTH * nv
    F = total + WORD * 6 * links
    X = F + WORD * 6 * links
    records = X + WORD * 7 * links
    rates = records + WORD * ROW_WIDTH * rows
    J = rates + WORD * 2 * rows
    return (
        matrix_at(at, WIDTH, nv),
        matrix_at(total, links, 6),
        matrix_at(F, links, 6),
        matrix_at(X, links, 7),
        matrix_at(records, rows, ROW_WIDTH),
        matrix_at(rates, rows, 2),
        matrix_at(J, rows, nv),
        buffer[buffer.shape[0] - rows :],
    )
