# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Inertia: spatial inertia about a point in a frame, simple bodies, scaling, what is possible.

A spatial inertia M is 6 x 6 and acts on [alpha; a] to give [tau; f], both about the same point P
and in the same frame E: with c = p_PBcm_E,

    M = [ I_P      m [c]x ]
        [ -m [c]x  m 1    ]

(Featherstone, Rigid Body Dynamics Algorithms, 2008, eq. 2.63). Its blocks are in kg m^2, kg m, kg.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from dataclasses import replace
import math

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.errors import ModelError
from kinematics_node.model.elements import IDENTITY_POSE
from kinematics_node.model.elements import Inertia
from kinematics_node.model.elements import Pose
from kinematics_node.model.elements import Vector
from kinematics_node.spatial import rotation
from kinematics_node.spatial import rotation_rows
from kinematics_node.spatial import transform_point

RELATIVE_TOLERANCE = 1e-6


@dataclass(frozen=True)
class InertiaFault:
    """Why no rigid body has an inertia: a code, and a sentence with the numbers."""

    code: str
    message: str


def rotational_matrix(inertia: Inertia) -> Array:
    """Return the rotational inertia about Bcm in B as a matrix, shape (3, 3) [kg m^2]."""
    xx, yy, zz, xy, xz, yz = inertia.rotational
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def spatial_inertia(inertia: Inertia, X_EB: Pose = IDENTITY_POSE) -> Array:
    """Return the spatial inertia about Eo in E, shape (6, 6), of a body B that stands at X_EB."""
    R = np.array(rotation_rows(rotation(X_EB)))
    center = np.array(transform_point(X_EB, inertia.center))
    central = R @ rotational_matrix(inertia) @ R.T
    M = np.zeros((6, 6))
    M[:3, :3] = parallel_axis(central, inertia.mass, center)
    M[:3, 3:] = inertia.mass * skew(center)
    M[3:, :3] = M[:3, 3:].T
    M[3:, 3:] = inertia.mass * np.eye(3)
    return M


def parallel_axis(central: Array, mass: float, offset: Array | Vector) -> Array:
    """Return the rotational inertia about P from that about Bcm: I + m (c.c 1 - c c^T).

    Parameters
    ----------
    central : array, shape (3, 3)
        Rotational inertia about the centre of mass [kg m^2].
    mass : float
        Mass [kg].
    offset : array, shape (3,)
        c = p_PBcm (or p_BcmP), in the same frame [m].
    """
    c = np.asarray(offset, float)
    return np.asarray(central + mass * (float(c @ c) * np.eye(3) - np.outer(c, c)))


def shift(M_P: Array, p_PQ: Array | Vector) -> Array:
    """Return a spatial inertia about Q from that about P, in the same frame.

    The velocity of P is that of Q plus w x p_QP; force and velocity shift together, so that the
    kinetic energy stays.
    """
    T = np.eye(6)
    T[3:, :3] = skew(p_PQ)
    return np.asarray(T.T @ M_P @ T)


def re_express(M_E: Array, R_AE: Array) -> Array:
    """Return a spatial inertia about the same point, in A instead of E; R_AE has shape (3, 3)."""
    T = np.zeros((6, 6))
    T[:3, :3] = T[3:, 3:] = R_AE
    return np.asarray(T @ M_E @ T.T)


def skew(c: Array | Vector) -> Array:
    """Return [c]x, for which [c]x d = c x d."""
    return np.array([[0.0, -c[2], c[1]], [c[2], 0.0, -c[0]], [-c[1], c[0], 0.0]])


def inertia_in_frame(inertia: Inertia, X_NB: Pose) -> Inertia:
    """Return a body's inertia as seen from another frame N fixed on it."""
    R = np.array(rotation_rows(rotation(X_NB)))
    return Inertia(
        inertia.mass,
        transform_point(X_NB, inertia.center),
        _six(R @ rotational_matrix(inertia) @ R.T),
    )


def inertia_from_spatial(M: Array) -> Inertia:
    """Return mass, centre and central rotational inertia of a spatial inertia about Eo in E."""
    mass = float(M[3, 3])
    if mass == 0.0:
        return Inertia(0.0, (0.0, 0.0, 0.0), _six(M[:3, :3]))
    c = np.array([M[2, 4], M[0, 5], M[1, 3]]) / mass
    central = M[:3, :3] - mass * (float(c @ c) * np.eye(3) - np.outer(c, c))
    return Inertia(mass, (float(c[0]), float(c[1]), float(c[2])), _six(central))


def combined(inertias: Iterable[Inertia]) -> Inertia:
    """Return the inertia of several bodies in one frame, moving as one."""
    total = np.zeros((6, 6))
    for inertia in inertias:
        total += spatial_inertia(inertia)
    return inertia_from_spatial(total)


def box(mass: float, x: float, y: float, z: float) -> Inertia:
    """Return the inertia of a uniform box with full edge lengths x, y, z, about its centre.

    Raises
    ------
    ModelError
        A size or the mass is not positive.
    """
    _refuse_not_positive('box', mass, x, y, z)
    k = mass / 12.0
    moments = (k * (y * y + z * z), k * (x * x + z * z), k * (x * x + y * y))
    return Inertia(mass, rotational=(*moments, 0.0, 0.0, 0.0))


def cylinder(mass: float, radius: float, length: float) -> Inertia:
    """Return the inertia of a uniform cylinder along z, about its centre.

    Raises
    ------
    ModelError
        A size or the mass is not positive.
    """
    _refuse_not_positive('cylinder', mass, radius, length)
    across = mass * (3.0 * radius * radius + length * length) / 12.0
    return Inertia(mass, rotational=(across, across, 0.5 * mass * radius * radius, 0.0, 0.0, 0.0))


def sphere(mass: float, radius: float) -> Inertia:
    """Return the inertia of a uniform ball about its centre.

    Raises
    ------
    ModelError
        The radius or the mass is not positive.
    """
    _refuse_not_positive('sphere', mass, radius)
    moment = 0.4 * mass * radius * radius
    return Inertia(mass, rotational=(moment, moment, moment, 0.0, 0.0, 0.0))


def scaled_at_density(inertia: Inertia, s: float) -> Inertia:
    """Return the inertia of the body made s times as long of the same material.

    Mass grows by s^3, rotational inertia by s^5: a millimetre drawing read as metres weighs 10^9
    times too much.

    Raises
    ------
    ModelError
        The factor is not positive.
    """
    _refuse_not_positive('scale', s)
    heavier = replace(inertia, mass=inertia.mass * s**3, rotational=_times(inertia, s**3))
    return scaled_at_mass(heavier, s)


def scaled_at_mass(inertia: Inertia, s: float) -> Inertia:
    """Return the inertia of the body made s times as long at the same mass; it grows by s^2.

    Raises
    ------
    ModelError
        The factor is not positive.
    """
    _refuse_not_positive('scale', s)
    x, y, z = inertia.center
    return Inertia(inertia.mass, (s * x, s * y, s * z), _times(inertia, s**2))


def principal_moments(inertia: Inertia) -> Array:
    """Return the principal moments about the centre of mass, ascending, shape (3,) [kg m^2]."""
    return np.asarray(np.linalg.eigvalsh(rotational_matrix(inertia)))


def inertia_faults(
    inertia: Inertia, tolerance: float = RELATIVE_TOLERANCE
) -> tuple[InertiaFault, ...]:
    """Return why no rigid body can have an inertia; nothing where one can.

    A mass is positive (or all is zero: a massless frame). Principal moments are sums of m (y^2 +
    z^2) and the like, so that none is negative and two together reach the third (Wensing, Kim and
    Slotine, Linear Matrix Inequalities for Physically Consistent Inertial Parameter
    Identification, 2018); a flat plate has equality.

    Parameters
    ----------
    inertia : Inertia
        The inertia to judge.
    tolerance : float
        What may be missing, relative to half the sum of the moments.
    """
    if not all(map(math.isfinite, (inertia.mass, *inertia.center, *inertia.rotational))):
        return (InertiaFault('inertia-not-finite', 'mass and inertia must be finite numbers'),)
    if inertia.mass < 0.0:
        sentence = f'mass {inertia.mass:g} kg is negative; give what the body weighs'
        return (InertiaFault('mass-negative', sentence),)
    if inertia.mass == 0.0:
        if not any(inertia.rotational):
            return ()
        sentence = 'mass is 0 but the rotational inertia is not; give both or neither'
        return (InertiaFault('inertia-without-mass', sentence),)
    a, b, c = (float(x) for x in principal_moments(inertia))
    slack = tolerance * 0.5 * (abs(a) + abs(b) + abs(c))
    shown = f'principal moments {a:.6g}, {b:.6g}, {c:.6g} kg m^2'
    if a < -slack:
        sentence = f'{shown}: one is negative; check signs and products of inertia'
        return (InertiaFault('inertia-not-positive', sentence),)
    if a + b < c - slack:
        sentence = (
            f'{shown}: the two smaller sum to {a + b:.6g}, less than the largest, which no body '
            'has; check the units, the point (the centre of mass) and the axes'
        )
        return (InertiaFault('inertia-triangle', sentence),)
    return ()


def _refuse_not_positive(what: str, *numbers: float) -> None:
    if not all(math.isfinite(x) and x > 0.0 for x in numbers):
        shown = ', '.join(f'{x:g}' for x in numbers)
        raise ModelError(f'{what} with {shown}: every number must be positive')


def _times(inertia: Inertia, factor: float) -> tuple[float, float, float, float, float, float]:
    xx, yy, zz, xy, xz, yz = (factor * x for x in inertia.rotational)
    return (xx, yy, zz, xy, xz, yz)


def _six(I: Array) -> tuple[float, float, float, float, float, float]:  # noqa: E741
    return (
        float(I[0, 0]),
        float(I[1, 1]),
        float(I[2, 2]),
        float(I[0, 1]),
        float(I[0, 2]),
        float(I[1, 2]),
    )
