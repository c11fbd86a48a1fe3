# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The answer in one compiled call, where rows are independent and inertias positive."""

from __future__ import annotations

import math

import numpy as np

from kinematics_node.addresses import doubles
from kinematics_node.addresses import flags
from kinematics_node.addresses import index_rows
from kinematics_node.addresses import int_rows
from kinematics_node.addresses import ints
from kinematics_node.addresses import kept
from kinematics_node.addresses import matrix
from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.compiled import Ints
from kinematics_node.compiled import kernel
from kinematics_node.compiled import leaf
from kinematics_node.constraints.primitive import WEIGHT
from kinematics_node.dynamics.inverse import inverse_dynamics
from kinematics_node.dynamics.passive import write_passive_efforts
from kinematics_node.forces.factors import balance
from kinematics_node.forces.kernels import accelerate
from kinematics_node.forces.kernels import add_multipliers
from kinematics_node.forces.kernels import evaluate
from kinematics_node.forces.kernels import REDUNDANT
from kinematics_node.forces.kernels import UNIQUE
from kinematics_node.forces.layout import ACTUATOR
from kinematics_node.forces.layout import ALONG
from kinematics_node.forces.layout import cut
from kinematics_node.forces.layout import ROTOR
from kinematics_node.forces.layout import SPRINGS
from kinematics_node.forces.layout import UNBALANCED
from kinematics_node.forces.layout import VDOT
from kinematics_node.forces.plan import Mask
from kinematics_node.kinematics.poses import accept_positions

INVERSE, FORWARD = 0, 1
REFUSED = -3
ARMATURE = 4


@kernel
def answer_at(
    table: Indices,
    mode: int,
    frame: int,
    alpha: float,
    beta: float,
    state: Array,
    buffer: Array,
) -> int:
    """Call answer() with a Question's state, and the arrays of its Conditions by addresses."""
    nv = table[8, 1]
    nq = state.shape[0] - 2 * nv
    return answer(
        kept(int_rows(table, 0)),
        kept(matrix(table, 1)),
        index_rows(table, 2),
        matrix(table, 3),
        index_rows(table, 4),
        matrix(table, 5),
        kept(ints(table, 6)),
        ints(table, 7),
        matrix(table, 8),
        matrix(table, 9),
        mode,
        frame,
        alpha,
        beta,
        kept(matrix(table, 10)),
        state[:nq],
        state[nq : nq + nv],
        state[nq + nv :],
        doubles(table, 11),
        matrix(table, 12),
        kept(flags(table, 13)),
        buffer,
    )


@kernel
def answer(
    tree: Ints,
    placement: Array,
    elements: Indices,
    geometry: Array,
    support: Indices,
    coefficient: Array,
    position: Ints,
    ancestor: Ints,
    coordinates: Array,
    rows_held: Array,
    mode: int,
    frame: int,
    alpha: float,
    beta: float,
    inertia: Array,
    q: Array,
    v: Array,
    given: Array,
    gravity: Array,
    external: Array,
    actuated: Mask,
    buffer: Array,
) -> int:
    """Answer a question; `given` are accelerations (inverse) or efforts (forward).

    In forward mode what joints transmit is left to transmit(). Returns UNIQUE, or NO_MASS,
    REDUNDANT or REFUSED (a number that is not finite, a quaternion without length), with nothing
    useful written. Quaternions in q are brought to unit length.
    """
    nv, rows, links = v.shape[0], rows_held.shape[0], tree.shape[0]
    if accept_positions(tree, q) >= 0 or not is_finite(v) or not is_finite(given):
        return REFUSED
    E, total, F, X, records, rates, J, multipliers = cut(buffer, nv, rows, links)
    along, vdot = E[ALONG], E[VDOT]
    write_passive_efforts(position, coordinates, q, v, E[SPRINGS:ACTUATOR])
    start(mode, given, rows_held, E, records, J)
    loads = (gravity, external)
    if mode == INVERSE and rows == 0:
        inverse_dynamics(tree, placement, inertia, q, v, vdot, *loads, frame, along, total, X, F)
        write_needed(E, coordinates)
        share_out(E, actuated)
        return UNIQUE
    M = np.zeros((nv, nv) if mode == FORWARD else (0, 0))
    model = (tree, placement, inertia, elements, geometry, support, coefficient)
    evaluate(*model, q, v, vdot, *loads, along, X, F, records, rates, J, M)
    write_needed(E, coordinates)
    if mode == FORWARD:
        return drive(
            alpha, beta, ancestor, coordinates, E, M, records, rates, rows_held, J, multipliers
        )
    status = hold(E, actuated, coordinates, rows_held, J, multipliers)
    if status == UNIQUE:
        add_multipliers(
            tree, placement, elements, q, records, multipliers, frame, along, total, X, F
        )
    return status


@kernel
def transmit(
    tree: Ints,
    placement: Array,
    elements: Indices,
    frame: int,
    inertia: Array,
    q: Array,
    v: Array,
    gravity: Array,
    external: Array,
    rows: int,
    buffer: Array,
) -> None:
    """Write what joints transmit at the accelerations and multipliers that the buffer holds."""
    E, total, F, X, records, _, _, multipliers = cut(buffer, v.shape[0], rows, tree.shape[0])
    inverse_dynamics(
        tree, placement, inertia, q, v, E[VDOT], gravity, external, frame, E[ALONG], total, X, F
    )
    add_multipliers(
        tree, placement, elements, q, records, multipliers, frame, E[ALONG], total, X, F
    )


@kernel
def extremes_in(
    buffer: Array, mode: int, rows_held: Array, nv: int, links: int
) -> tuple[float, float, float, float, float]:
    """Return the Extremes of an answer."""
    rows = rows_held.shape[0]
    E, _, _, _, records, rates, J, _ = cut(buffer, nv, rows, links)
    phi, phi_dot, phi_ddot, along, unbalanced = 0.0, 0.0, 0.0, 0.0, 0.0
    for r in range(rows):
        second = rates[r, 1]
        if mode == FORWARD:
            # It is at no accelerations there.
            for n in range(nv):
                second += J[r, n] * E[VDOT, n]
        if rows_held[r, 1] == 0.0:
            phi = max(phi, abs(records[r, 0]))
        phi_dot = max(phi_dot, abs(rates[r, 0]))
        phi_ddot = max(phi_ddot, abs(second))
    for n in range(nv):
        along = max(along, abs(E[ALONG, n]))
        unbalanced = max(unbalanced, abs(E[UNBALANCED, n]))
    return phi, phi_dot, phi_ddot, along, unbalanced


@leaf
def start(mode: int, given: Array, rows_held: Array, E: Array, records: Array, J: Array) -> None:
    """Write what evaluate() and those after it expect to find."""
    for n in range(E.shape[1]):
        E[VDOT, n] = given[n] if mode == INVERSE else 0.0
        E[ACTUATOR, n] = given[n]
    for r in range(rows_held.shape[0]):
        records[r, WEIGHT] = 1.0
        for n in range(E.shape[1]):
            J[r, n] = 0.0


@kernel
def hold(
    E: Array,
    actuated: Mask,
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
    vdot = E[VDOT]
    for r in range(rows):
        phi = 0.0 if rows_held[r, 1] != 0.0 else records[r, 0]
        multipliers[r] = -rates[r, 1] - 2.0 * alpha * rates[r, 0] - beta * beta * phi
    for n in range(nv):
        vdot[n] = E[ACTUATOR, n] - E[UNBALANCED, n]
        M[n, n] += coordinates[n, ARMATURE]
    status = accelerate(ancestor, M, J, rows_held, multipliers, vdot)
    for n in range(nv):
        E[UNBALANCED, n] = 0.0
        E[ROTOR, n] = -coordinates[n, ARMATURE] * vdot[n]
    return int(status)


@leaf
def write_needed(E: Array, coordinates: Array) -> None:
    """Write into UNBALANCED what passive efforts and rotors leave to be held."""
    for n in range(E.shape[1]):
        E[ROTOR, n] = -coordinates[n, ARMATURE] * E[VDOT, n]
        passive = E[SPRINGS, n] + E[SPRINGS + 1, n] + E[SPRINGS + 2, n]
        E[UNBALANCED, n] = E[ALONG, n] - passive - E[ROTOR, n]


@leaf
def share_out(E: Array, actuated: Mask) -> None:
    """Give the actuators what is to be held where they are, and leave the rest unbalanced."""
    for n in range(E.shape[1]):
        E[ACTUATOR, n] = 0.0
        if actuated[n]:
            E[ACTUATOR, n] = E[UNBALANCED, n]
            E[UNBALANCED, n] = 0.0


@leaf
def is_finite(x: Array) -> bool:
    """Return whether all numbers are finite."""
    finite = True
    for n in range(x.shape[0]):
        finite = finite and math.isfinite(x[n])
    return finite
