# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What is asked: state, mode, loads; checked once, refused by one sentence each."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinematics_node.compiled import Array
from kinematics_node.errors import NameLookupError
from kinematics_node.errors import ValueShapeError
from kinematics_node.model.elements import IDENTITY_POSE
from kinematics_node.model.elements import Inertia
from kinematics_node.model.elements import Pose
from kinematics_node.model.elements import ZERO
from kinematics_node.model.inertia import combined
from kinematics_node.model.inertia import inertia_faults
from kinematics_node.model.inertia import inertia_in_frame
from kinematics_node.model.model import Model
from kinematics_node.numeric import finite_vector
from kinematics_node.numeric import number_of
from kinematics_node.numeric import numbers_of
from kinematics_node.numeric import refuse_not_finite
from kinematics_node.spatial import rotation
from kinematics_node.spatial import rotation_rows
from kinematics_node.spatial import transform_point

MODES = ('inverse', 'forward')
FRAMES = ('parent', 'child', 'world')
METHODS = ('reduced', 'augmented')


@dataclass(frozen=True)
class ExternalWrench:
    """A wrench that something outside the robot puts on one of its links.

    Attributes
    ----------
    on : str
        The link, or a frame on it.
    force, torque : tuple of float
        [N] and [N m], on the axes of `frame`.
    point : tuple of float
        Where the force acts [m], and about which the torque is given, in `frame`.
    frame : str or None
        A link or a frame of the model; `on` itself where it is left out.
    """

    on: str
    force: Sequence[float] = ZERO
    torque: Sequence[float] = ZERO
    point: Sequence[float] = ZERO
    frame: str | None = None


@dataclass(frozen=True)
class Payload:
    """A body that is firmly held by a link, without being in the model.

    Attributes
    ----------
    on : str
        The link, or a frame on it.
    mass : float
        [kg].
    center : tuple of float
        Its centre of mass in `on` [m].
    inertia : tuple of float
        (ixx, iyy, izz, ixy, ixz, iyz) about its centre on the axes of `on` [kg m^2].
    """

    on: str
    mass: float
    center: Sequence[float] = ZERO
    inertia: Sequence[float] = (0.0,) * 6


def new_state(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None,
    given: ArrayLike | Mapping[str, float] | None,
    forward: bool,
) -> Array:
    """Return q, v and what else is given one after the other in a new array, zeros for None.

    That is accelerations or, in forward mode, efforts, which may be given by name. Whether numbers
    are finite is checked later, where they are worked on.

    Raises
    ------
    ValueShapeError
        A wrong count, or what is no number.
    """
    rates, nq, nv = model.velocity_names, len(model.coordinate_names), len(model.velocity_names)
    v = np.zeros(nv) if v is None else v
    given = np.zeros(nv) if given is None else given
    try:
        state = np.concatenate((q, v, given), dtype=np.float64)  # type: ignore[arg-type]
        if state.shape == (nq + nv + nv,) and len(q) == nq and len(v) == nv:  # type: ignore[arg-type]
            return state
    except (TypeError, ValueError):
        pass
    if forward and isinstance(given, Mapping):
        return new_state(model, q, v, efforts_by_name(model, given), forward)
    # One of them is not what it should be, and says so when it is taken alone.
    symbol = 'efforts' if forward else 'a'
    parts: tuple[tuple[Any, Sequence[str], str], ...] = (
        (q, model.coordinate_names, 'q'),
        (v, rates, 'v'),
        (given, rates, symbol),
    )
    return np.concatenate([finite_vector(*part) for part in parts])


def efforts_by_name(model: Model, values: Mapping[str, float]) -> Array:
    """Return efforts of all velocity coordinates, given by name of joint."""
    efforts = np.zeros(model.nv)
    for name, value in values.items():
        where = coordinates_named(model, name)
        numbers = numbers_of(value, f"effort of '{name}'").reshape(-1)
        if numbers.size != where.stop - where.start:
            raise ValueShapeError(
                f"'{name}' takes {where.stop - where.start} efforts, not {numbers.size}"
            )
        refuse_not_finite(numbers, [f'effort of {name}'] * numbers.size)
        efforts[where] = numbers
    return efforts


def coordinates_named(model: Model, name: str) -> slice:
    """Return the velocity coordinates of a joint, or the one of that name."""
    if name in model.joint_index:
        return model.velocities_of(name)
    k = model.velocity_index.get(name)
    if k is None:
        raise NameLookupError('joint', name, tuple(model.joint_index))
    return slice(k, k + 1)


def vector_of(values: Sequence[float] | ArrayLike, count: int, element: str) -> Array:
    """Return `count` finite numbers."""
    numbers = numbers_of(values, element)
    if numbers.shape != (count,):
        raise ValueShapeError(f'{element} has shape {numbers.shape}; it takes {count} numbers')
    refuse_not_finite(numbers, [element] * count)
    return numbers


def refuse_unknown_words(mode: str, method: str, frame: str) -> None:
    """Refuse words that say nothing."""
    for symbol, value, allowed in (
        ('mode', mode, MODES),
        ('method', method, METHODS),
        ('frame', frame, FRAMES),
    ):
        if value not in allowed:
            raise ValueShapeError(
                f"{symbol} '{value}' is unknown; it is one of: {', '.join(allowed)}"
            )


def gains_of(baumgarte: Sequence[float]) -> tuple[float, float]:
    """Return Baumgarte's alpha and beta [1/s]."""
    alpha, beta = vector_of(baumgarte, 2, 'baumgarte')
    if alpha < 0.0 or beta < 0.0:
        raise ValueShapeError(
            f'baumgarte gains {alpha:g} and {beta:g} must not be negative; residuals would grow'
        )
    return float(alpha), float(beta)


def place_of(model: Model, name: str) -> tuple[int, Pose]:
    """Return the link that a link or frame is on, and the frame's pose X_CF there."""
    link = model.link_index.get(name)
    if link is not None:
        return link, IDENTITY_POSE
    for frame in model.frames:
        if frame.name == name:
            return model.link_index[frame.link], frame.X_BA
    raise NameLookupError(
        'frame', name, (*model.link_index, *(frame.name for frame in model.frames))
    )


def loaded_inertia(model: Model, payloads: Iterable[Payload]) -> Array:
    """Return the links' inertias (links, 10), payloads included."""
    inertia: Array = model.inertia.copy()
    for payload in payloads:
        link, X_CF = place_of(model, payload.on)
        held = inertia_in_frame(checked_payload(payload), X_CF)
        mass, x, y, z, *rotational = (float(number) for number in inertia[link])
        xx, yy, zz, xy, xz, yz = rotational
        body = combined((Inertia(mass, (x, y, z), (xx, yy, zz, xy, xz, yz)), held))
        inertia[link] = (body.mass, *body.center, *body.rotational)
    inertia.setflags(write=False)
    return inertia


def checked_payload(payload: Payload) -> Inertia:
    """Return the inertia of a payload, in the frame it is on.

    Raises
    ------
    ValueShapeError
        A negative mass, moments that no body has, a wrong count, or a number that is not finite.
    """
    element = f"payload on '{payload.on}'"
    mass = number_of(payload.mass, f'{element}, mass')
    x, y, z = vector_of(payload.center, 3, f'{element}, center').tolist()
    xx, yy, zz, xy, xz, yz = vector_of(payload.inertia, 6, f'{element}, inertia').tolist()
    inertia = Inertia(mass, (x, y, z), (xx, yy, zz, xy, xz, yz))
    for fault in inertia_faults(inertia):
        raise ValueShapeError(f'{element}: {fault.message}')
    return inertia


def external_on_links(model: Model, wrenches: Iterable[ExternalWrench], X: Array) -> Array:
    """Return wrenches (links, 6) on links, about their origins on world axes, at poses X_WC."""
    external = np.zeros((len(model.links), 6))
    for wrench in wrenches:
        element = f"external wrench on '{wrench.on}'"
        link, _ = place_of(model, wrench.on)
        body, X_CF = place_of(model, wrench.on if wrench.frame is None else wrench.frame)
        f = vector_of(wrench.force, 3, f'{element}, force')
        tau = vector_of(wrench.torque, 3, f'{element}, torque')
        x, y, z = (float(c) for c in vector_of(wrench.point, 3, f'{element}, point'))
        R_WB = np.array(rotation_rows(tuple(X[body, :4])))
        R_WF = R_WB @ np.array(rotation_rows(rotation(X_CF)))
        p_W = X[body, 4:7] + R_WB @ np.array(transform_point(X_CF, (x, y, z)))
        external[link, 3:] += R_WF @ f
        external[link, :3] += R_WF @ tau + np.cross(p_W - X[link, 4:7], R_WF @ f)
    return external
