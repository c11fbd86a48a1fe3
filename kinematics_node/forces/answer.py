# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The answer in one compiled call, where rows are independent and inertias positive.

All that it writes stands in one buffer, of which PackedSolution cuts what is looked at: calling
with many arrays, and making them, would cost more than the arithmetic.
"""

from __future__ import annotations

import math

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.compiled import Ints
from kinematics_node.compiled import kernel
from kinematics_node.compiled import leaf
from kinematics_node.constraints.primitive import ROW_WIDTH
from kinematics_node.constraints.primitive import WEIGHT
from kinematics_node.dynamics.inverse import inverse_dynamics
from kinematics_node.dynamics.passive import write_passive_efforts
from kinematics_node.forces.factors import balance
from kinematics_node.forces.kernels import accelerate
from kinematics_node.forces.kernels import add_multipliers
from kinematics_node.forces.kernels import evaluate
from kinematics_node.forces.kernels import REDUNDANT
from kinematics_node.forces.kernels import UNIQUE
from kinematics_node.forces.plan import Flags
from kinematics_node.kinematics.poses import accept_positions

INVERSE, FORWARD = 0, 1
REFUSED = -3
ARMATURE = 4
VDOT, SPRINGS, ACTUATOR, UNBALANCED, ROTOR, ALONG, WIDTH = 0, 1, 4, 5, 6, 7, 8


def buffer_size(nv: int, rows: int, links: int) -> int:
    """Return how many numbers an answer takes."""
    return WIDTH * nv + rows * (3 + ROW_WIDTH + nv) + 19 * links


@kernel
def answer(
    mode: int,
    frame: int,
    alpha: float,
    beta: float,
    tree: Ints,
    placement: Array,
    inertia: Array,
    elements: Indices,
    geometry: Array,
    support: Indices,
    coefficient: Array,
    position: Ints,
    ancestor: Ints,
    coordinates: Array,
    rows_held: Array,
    q: Array,
    v: Array,
    given: Array,
    gravity: Array,
    external: Array,
    actuated: Flags,
    buffer: Array,
) -> int:
    """Answer a question; `given` are accelerations (inverse) or efforts (forward).

    Returns UNIQUE, or NO_MASS, REDUNDANT or REFUSED (a number that is not finite, a quaternion
    without length), with nothing useful written. Quaternions in q are brought to unit length.
    """
    nv, rows, links = v.shape[0], rows_held.shape[0], tree.shape[0]
    if accept_positions(tree, q) >= 0 or not is_finite(v) or not is_finite(given):
        return REFUSED
    E, total, F, X, records, rates, J, multipliers = cut(buffer, nv, rows, links)
    along, vdot = E[ALONG], E[VDOT]
    write_passive_efforts(position, coordinates, q, v, E[SPRINGS:ACTUATOR])
    start(mode, given, rows_held, E, records, J)
    status, is_plain = UNIQUE, mode == INVERSE and rows == 0
    if not is_plain:
        M = np.empty((nv, nv) if mode == FORWARD else (0, 0))
        fill(M, 0.0)
        model = (tree, placement, inertia, elements, geometry, support, coefficient)
        where = (*model, q, v, vdot, gravity, external, along)
        evaluate(*where, X, F, records, rates, J, M)
        write_needed(E, coordinates)
        rows_there = (rows_held, J, multipliers)
        if mode == INVERSE:
            status = hold(E, actuated, coordinates, *rows_there)
        else:
            status = drive(alpha, beta, ancestor, coordinates, E, M, records, rates, *rows_there)
    if status == UNIQUE and (is_plain or mode == FORWARD):
        inverse_dynamics(
            tree, placement, inertia, q, v, vdot, gravity, external, frame, along, total, X, F
        )
    if is_plain:
        write_needed(E, coordinates)
        share_out(E, actuated)
    elif status == UNIQUE:
        add_multipliers(
            tree, placement, elements, q, records, multipliers, frame, along, total, X, F
        )
    return status


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


@leaf
def start(mode: int, given: Array, rows_held: Array, E: Array, records: Array, J: Array) -> None:
    """Write what evaluate() and those after it expect to find."""
    for n in range(E.shape[1]):
        E[VDOT, n] = given[n] if mode == INVERSE else 0.0
        E[ACTUATOR, n] = given[n]
    fill(J, 0.0)
    for r in range(rows_held.shape[0]):
        records[r, WEIGHT] = 1.0


@kernel
def hold(
    E: Array,
    actuated: Flags,
    coordinates: Array,
    rows_held: Array,
    J: Array,
    multipliers: Array,
) -> int:
    """Write the multipliers and efforts that hold what is needed; REDUNDANT if not unique."""
    rest = np.empty(E.shape[1])
    if not balance(J, E[UNBALANCED], actuated, coordinates, rows_held, multipliers, rest):
        return REDUNDANT
    for n in range(rest.shape[0]):
        E[UNBALANCED, n] = rest[n]
    share_out(E, actuated)
    return UNIQUE


@kernel
def drive(
    alpha: float,
    beta: float,
    ancestor: Ints,
    coordinates: Array,
    E: Array,
    M: Array,
    records: Array,
    rates: Array,
    rows_held: Array,
    J: Array,
    multipliers: Array,
) -> int:
    """Write the accelerations and multipliers that given efforts lead to."""
    rows, nv = J.shape
    gamma, driving = np.empty(rows), np.empty(nv)
    for r in range(rows):
        phi = 0.0 if rows_held[r, 1] != 0.0 else records[r, 0]
        gamma[r] = -rates[r, 1] - 2.0 * alpha * rates[r, 0] - beta * beta * phi
    for n in range(nv):
        driving[n] = E[ACTUATOR, n] - E[UNBALANCED, n]
        M[n, n] += coordinates[n, ARMATURE]
    vdot = E[VDOT]
    status = accelerate(ancestor, M, J, driving, gamma, rows_held, multipliers, vdot)
    for n in range(nv):
        E[UNBALANCED, n] = 0.0
        E[ROTOR, n] = -coordinates[n, ARMATURE] * vdot[n]
        for r in range(rows):
            rates[r, 1] += J[r, n] * vdot[n]
    return int(status)


@leaf
def write_needed(E: Array, coordinates: Array) -> None:
    """Write into UNBALANCED what passive efforts and rotors leave to be held."""
    for n in range(E.shape[1]):
        E[ROTOR, n] = -coordinates[n, ARMATURE] * E[VDOT, n]
        passive = E[SPRINGS, n] + E[SPRINGS + 1, n] + E[SPRINGS + 2, n]
        E[UNBALANCED, n] = E[ALONG, n] - passive - E[ROTOR, n]


@leaf
def share_out(E: Array, actuated: Flags) -> None:
    """Give the actuators what is to be held where they are, and leave the rest unbalanced."""
    for n in range(E.shape[1]):
        E[ACTUATOR, n] = 0.0
        if actuated[n] != 0:
            E[ACTUATOR, n] = E[UNBALANCED, n]
            E[UNBALANCED, n] = 0.0


@leaf
def is_finite(x: Array) -> bool:
    """Return whether all numbers are finite."""
    finite = True
    for n in range(x.shape[0]):
        finite = finite and math.isfinite(x[n])
    return finite


@leaf
def fill(A: Array, x: float) -> None:
    """Write x all over a matrix."""
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            A[i, j] = x


class PackedSolution:
    """A Solution whose numbers stand in one buffer, as answer() writes it."""

    braced = 0

    def __init__(self, buffer: Array, rows_held: Array, nv: int, links: int) -> None:
        self._buffer, self._rows_held, self._nv, self._links = buffer, rows_held, nv, links
        self._rows = rows_held.shape[0]

    def _coordinates(self, first: int) -> Array:
        return self._buffer[first * self._nv : (first + 1) * self._nv]

    def _links_part(self, first: int, width: int) -> Array:
        start = WIDTH * self._nv + first * self._links
        return self._buffer[start : start + width * self._links].reshape(-1, width)

    def _rows_part(self, first: int, width: int) -> Array:
        start = WIDTH * self._nv + 19 * self._links + first * self._rows
        return self._buffer[start : start + width * self._rows].reshape(self._rows, width)

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
        return self._coordinates(ALONG)

    @property
    def total(self) -> Array:
        """Wrenches about Mo on the axes asked for."""
        return self._links_part(0, 6)

    @property
    def F(self) -> Array:
        """Wrenches about Co on world axes."""
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
        return np.zeros((self._rows, 0))
