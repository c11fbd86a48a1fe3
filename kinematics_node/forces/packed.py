# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The buffer that a compiled answer is written into, and the solution that is read out of it.

Calling a kernel with many arrays, and making them, would cost more than the arithmetic: all that
an answer writes stands in one buffer, of which views are cut for what is looked at.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

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


class PackedSolution:
    """A Solution whose numbers stand in one buffer, as cut() has it.

    Parameters
    ----------
    buffer : array
        The buffer; poses and all that is said of rows and coordinates are written.
    rows_held : array, shape (rows, 2)
        As of a Plan.
    nv, links : int
        Numbers of velocity coordinates and links.
    transmit : callable, optional
        Writes what joints transmit, where that has not been written yet; called when somebody
        looks at it.
    """

    __slots__ = ('_buffer', '_links', '_nv', '_rows_held', '_transmit')
    braced = 0

    def __init__(
        self,
        buffer: Array,
        rows_held: Array,
        nv: int,
        links: int,
        transmit: Callable[[Array], None] | None = None,
    ) -> None:
        self._buffer, self._rows_held, self._nv, self._links = buffer, rows_held, nv, links
        self._transmit = transmit

    def _coordinates(self, first: int) -> Array:
        return self._buffer[first * self._nv : (first + 1) * self._nv]

    def _links_part(self, first: int, width: int) -> Array:
        start = WIDTH * self._nv + first * self._links
        return self._buffer[start : start + width * self._links].reshape(-1, width)

    def _rows_part(self, first: int, width: int) -> Array:
        rows = len(self._rows_held)
        start = WIDTH * self._nv + 19 * self._links + first * rows
        return self._buffer[start : start + width * rows].reshape(rows, width)

    def _transmitted(self) -> None:
        if self._transmit is not None:
            self._transmit(self._buffer)
            self._transmit = None

    @property
    def vdot(self) -> Array:
        """Accelerations."""
        return self._coordinates(VDOT)

    @property
    def passive(self) -> Array:
        """Efforts of springs, dampers and friction."""
        return self._buffer[SPRINGS * self._nv : ACTUATOR * self._nv].reshape(3, -1)

    @property
    def actuator(self) -> Array:
        """Efforts of actuators."""
        return self._coordinates(ACTUATOR)

    @property
    def unbalanced(self) -> Array:
        """What is missing for balance."""
        return self._coordinates(UNBALANCED)

    @property
    def rotor(self) -> Array:
        """What the rotors' own inertia takes."""
        return self._coordinates(ROTOR)

    @property
    def along(self) -> Array:
        """S^T F."""
        self._transmitted()
        return self._coordinates(ALONG)

    @property
    def total(self) -> Array:
        """Wrenches about Mo on the axes asked for."""
        self._transmitted()
        start = WIDTH * self._nv
        return self._buffer[start : start + 6 * self._links].reshape(-1, 6)

    @property
    def F(self) -> Array:
        """Wrenches about Co on world axes."""
        self._transmitted()
        return self._links_part(6, 6)

    @property
    def X(self) -> Array:
        """Poses."""
        return self._links_part(12, 7)

    @property
    def records(self) -> Array:
        """The rows."""
        return self._rows_part(0, ROW_WIDTH)

    @property
    def phi(self) -> Array:
        """Residuals; a brake has none."""
        return np.where(self._rows_held[:, 1] != 0.0, 0.0, self.records[:, 0])

    @property
    def phi_dot(self) -> Array:
        """Rates of the residuals."""
        return self._rows_part(ROW_WIDTH, 2)[:, 0]

    @property
    def acceleration_residual(self) -> Array:
        """J v' + J' v."""
        return self._rows_part(ROW_WIDTH, 2)[:, 1]

    @property
    def J(self) -> Array:
        """The Jacobian."""
        return self._rows_part(ROW_WIDTH + 2, self._nv)

    @property
    def multipliers(self) -> Array:
        """Of closures, couplings, mimics and brakes."""
        return self._rows_part(ROW_WIDTH + 2 + self._nv, 1)[:, 0]

    @property
    def freedom(self) -> Array:
        """Nothing: the multipliers are unique."""
        return np.zeros((len(self._rows_held), 0))
