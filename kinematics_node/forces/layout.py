# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The buffer that a compiled answer is written into.

Calling a kernel with many arrays, and making them, would cost more than the arithmetic: all that
an answer writes stands in one buffer.
"""

from __future__ import annotations

from kinematics_node.compiled import Array
from kinematics_node.compiled import kernel
from kinematics_node.constraints.primitive import ROW_WIDTH

# Numbers for each velocity coordinate, in the buffer's first rows.
VDOT, SPRINGS, ACTUATOR, UNBALANCED, ROTOR, ALONG, WIDTH = 0, 1, 4, 5, 6, 7, 8


def buffer_size(nv: int, rows: int, links: int) -> int:
    """Return how many numbers an answer takes."""
    return WIDTH * nv + rows * (3 + ROW_WIDTH + nv) + 19 * links


@kernel
def cut(
    buffer: Array, nv: int, rows: int, links: int
) -> tuple[Array, Array, Array, Array, Array, Array, Array, Array]:
    """Return the arrays that stand in a buffer, in the order in which they stand there."""
    k = WIDTH * nv
    E = buffer[:k].reshape((WIDTH, nv))
    total = buffer[k : k + 6 * links].reshape((links, 6))
    k += 6 * links
    F = buffer[k : k + 6 * links].reshape((links, 6))
    k += 6 * links
    X = buffer[k : k + 7 * links].reshape((links, 7))
    k += 7 * links
    records = buffer[k : k + ROW_WIDTH * rows].reshape((rows, ROW_WIDTH))
    k += ROW_WIDTH * rows
    rates = buffer[k : k + 2 * rows].reshape((rows, 2))
    k += 2 * rows
    J = buffer[k : k + rows * nv].reshape((rows, nv))
    return E, total, F, X, records, rates, J, buffer[k + rows * nv : k + rows * (nv + 1)]
