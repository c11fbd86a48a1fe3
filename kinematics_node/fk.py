# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Where frames are and how they move: poses, velocities, accelerations, Jacobians.

A frame is a link or a further frame on one, by name. Every function takes one configuration or a
batch of them (rows), and answers in arrays whose frame axis is in the order asked for; without
names it is that of frame_names(model). Positions are used as given: limits do not clamp, mimics
are not applied (a State has them applied), quaternions are brought to unit length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from kinematics_node.compiled import Array
from kinematics_node.compiled import Ints
from kinematics_node.errors import NameLookupError
from kinematics_node.errors import ValueShapeError
from kinematics_node.kinematics import jacobian
from kinematics_node.kinematics import poses
from kinematics_node.kinematics import velocity
from kinematics_node.kinematics.velocity import Reference
from kinematics_node.model.elements import IDENTITY_POSE
from kinematics_node.model.model import Model
from kinematics_node.numeric import numbers_of

MOST_PLANS = 256

Frames = str | Sequence[str] | None

__all__ = [
    'Reference',
    'frame_accelerations',
    'frame_jacobian',
    'frame_jacobian_bias',
    'frame_names',
    'frame_poses',
    'frame_velocities',
    'pose_matrices',
]


@dataclass(frozen=True, eq=False)
class FramePlan:
    """What kernels need to know of the frames asked for; the last row is the frame R.

    Attributes
    ----------
    names : tuple of str
        The frames, in the order of the answer.
    chain : int32 array
        The links to compute, parents first, without the root.
    frames : int32 array, shape (frames + 1, 2)
        The link of each frame, and whether it has an offset.
    offsets : array, shape (frames + 1, 7)
        X_CF on that link.
    """

    names: tuple[str, ...]
    chain: Ints
    frames: Ints
    offsets: Array


_plans: WeakKeyDictionary[Model, dict[tuple[Frames, str | None], FramePlan]] = WeakKeyDictionary()


def frame_names(model: Model) -> tuple[str, ...]:
    """Return all frames of a model: its links, root first, and then its further frames."""
    return _plan(model, None, None).names


def frame_poses(
    model: Model, q: ArrayLike, frames: Frames = None, relative_to: str | None = None
) -> Array:
    """Return the poses of frames.

    Parameters
    ----------
    model : Model
        The robot.
    q : array_like, shape (nq,) or (configurations, nq)
        Positions.
    frames : str or sequence of str, optional
        The frames asked for; all where it is left out.
    relative_to : str, optional
        The frame R to give poses in; the root link where it is left out.

    Returns
    -------
    array, shape ([configurations,] [frames,] 7)
        X_RF as quaternion (w first) of R_RF and position p_RoFo_R [m]. There is no configuration
        axis for a single q, and no frame axis for a single name.

    Raises
    ------
    NameLookupError
        There is no frame of that name.
    ValueShapeError
        A wrong count, a number that is not finite, or a quaternion of no length.
    """
    plan = _plan(model, frames, relative_to)
    rows = _rows(q, model.nq, 'q')
    X_RF = np.empty((rows.shape[0], len(plan.names), 7))
    bad = poses.frame_poses(
        model.tree, model.placement, plan.chain, plan.frames, plan.offsets, rows, X_RF
    )
    if bad >= 0:
        _refuse_position(model, rows, bad)
    return _unwrapped(X_RF, q, frames)


def frame_velocities(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    frames: Frames = None,
    reference: Reference = Reference.LOCAL_WORLD_ALIGNED,
) -> Array:
    """Return the spatial velocities of frames relative to the root link.

    Parameters
    ----------
    model : Model
        The robot.
    q, v : array_like, shape (nq,) and (nv,), or with the same leading axis of configurations
        Positions and velocities.
    frames : str or sequence of str, optional
        The frames asked for; all where it is left out.
    reference : Reference
        WORLD: about Wo on world axes; LOCAL: about Fo on F's axes; LOCAL_WORLD_ALIGNED: about Fo
        on world axes.

    Returns
    -------
    array, shape ([configurations,] [frames,] 6)
        [w; v] in rad/s and m/s.

    Raises
    ------
    NameLookupError
        There is no frame of that name.
    ValueShapeError
        A wrong count, a number that is not finite, or a quaternion of no length.
    """
    plan = _plan(model, frames, None)
    rows, rates = _positions(model, q), _rates(model, v, 'v', q)
    V = np.empty((rows.shape[0], len(plan.names), 6))
    velocity.frame_velocities(
        model.tree, model.placement, plan.frames, plan.offsets, int(reference), rows, rates, V
    )
    return _unwrapped(V, q, frames)


def frame_accelerations(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    frames: Frames = None,
    reference: Reference = Reference.LOCAL_WORLD_ALIGNED,
) -> Array:
    """Return the time derivatives of what frame_velocities returns, J v' + J' v.

    On LOCAL_WORLD_ALIGNED these are the angular acceleration and the acceleration of Fo as a
    stopwatch and a ruler find them; LOCAL differs from them, turned, by w x v (it is the spatial
    acceleration). Gravity is left out.

    Parameters
    ----------
    model : Model
        The robot.
    q, v, vdot : array_like, shape (nq,), (nv,), (nv,), or with a leading axis of configurations
        Positions, velocities and accelerations.
    frames : str or sequence of str, optional
        The frames asked for; all where it is left out.
    reference : Reference
        As of frame_velocities.

    Returns
    -------
    array, shape ([configurations,] [frames,] 6)
        [alpha; a] in rad/s^2 and m/s^2.

    Raises
    ------
    NameLookupError
        There is no frame of that name.
    ValueShapeError
        A wrong count, a number that is not finite, or a quaternion of no length.
    """
    plan = _plan(model, frames, None)
    rows, rates = _positions(model, q), _rates(model, v, 'v', q)
    A = np.empty((rows.shape[0], len(plan.names), 6))
    velocity.frame_accelerations(
        model.tree,
        model.placement,
        plan.frames,
        plan.offsets,
        int(reference),
        rows,
        rates,
        _rates(model, vdot, 'vdot', q),
        A,
    )
    return _unwrapped(A, q, frames)


def frame_jacobian(
    model: Model,
    q: ArrayLike,
    frame: str,
    reference: Reference = Reference.LOCAL_WORLD_ALIGNED,
) -> Array:
    """Return the Jacobian J of one frame: its velocity in the reference is J v.

    Parameters
    ----------
    model : Model
        The robot.
    q : array_like, shape (nq,) or (configurations, nq)
        Positions.
    frame : str
        The frame.
    reference : Reference
        As of frame_velocities.

    Returns
    -------
    array, shape ([configurations,] 6, nv)
        Rows [w; v]; columns in the order of model.velocity_names, followers with columns of their
        own.

    Raises
    ------
    NameLookupError
        There is no frame of that name.
    ValueShapeError
        A wrong count, a number that is not finite, or a quaternion of no length.
    """
    plan = _plan(model, frame, None)
    rows = _positions(model, q)
    J = np.empty((rows.shape[0], 6, model.nv))
    jacobian.frame_jacobians(
        model.tree,
        model.placement,
        plan.chain,
        plan.frames,
        plan.offsets,
        int(reference),
        rows,
        J,
    )
    return J if np.ndim(q) == 2 else J[0]


def frame_jacobian_bias(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    frame: str,
    reference: Reference = Reference.LOCAL_WORLD_ALIGNED,
) -> Array:
    """Return J' v of one frame, shape ([configurations,] 6): its acceleration with v' = 0.

    Parameters, references and errors are those of frame_accelerations.
    """
    return frame_accelerations(model, q, v, np.zeros_like(v, dtype=float), frame, reference)


def pose_matrices(X: Array) -> Array:
    """Return poses (..., 7) as homogeneous matrices, shape (..., 4, 4)."""
    w, x, y, z = (X[..., k] for k in range(4))
    T = np.zeros((*X.shape[:-1], 4, 4))
    T[..., 0, 0], T[..., 0, 1], T[..., 0, 2] = (
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
    )
    T[..., 1, 0], T[..., 1, 1], T[..., 1, 2] = (
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x),
    )
    T[..., 2, 0], T[..., 2, 1], T[..., 2, 2] = (
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    )
    T[..., :3, 3] = X[..., 4:7]
    T[..., 3, 3] = 1.0
    return T


def _plan(model: Model, frames: Frames, relative_to: str | None) -> FramePlan:
    """Return the plan of a question, made once for each model and list of frames."""
    known = _plans.get(model)
    if known is None:
        known = _plans[model] = {}
    if frames is not None and not isinstance(frames, str):
        frames = tuple(frames)
    plan = known.get((frames, relative_to))
    if plan is None:
        if len(known) >= MOST_PLANS:
            known.clear()
        plan = known[frames, relative_to] = _make_plan(model, frames, relative_to)
    return plan


def _make_plan(model: Model, frames: Frames, relative_to: str | None) -> FramePlan:
    placed = {link.name: (i, IDENTITY_POSE) for i, link in enumerate(model.links)}
    for frame in model.frames:
        placed.setdefault(frame.name, (model.link_index[frame.link], frame.X_BA))
    if frames is None:
        names = tuple(placed)
    else:
        names = (frames,) if isinstance(frames, str) else tuple(frames)
    rows: list[tuple[int, tuple[float, ...]]] = []
    for name in (*names, model.root if relative_to is None else relative_to):
        if name not in placed:
            raise NameLookupError('frame', name, tuple(placed))
        rows.append(placed[name])
    needed = np.zeros(len(model.links), bool)
    for link, _ in rows:
        i = link
        while i > 0 and not needed[i]:
            needed[i] = True
            i = int(model.tree[i, 0])
    plan = FramePlan(
        names,
        np.flatnonzero(needed).astype(np.int32),
        np.array([(link, int(X != IDENTITY_POSE)) for link, X in rows], np.int32),
        np.array([X for _, X in rows], float),
    )
    for array in (plan.chain, plan.frames, plan.offsets):
        array.setflags(write=False)
    return plan


def _rows(values: ArrayLike, count: int, symbol: str) -> Array:
    """Return a new array of rows of numbers, of which there must be count in each."""
    numbers = numbers_of(values, symbol)
    rows = numbers.reshape(1, -1) if numbers.ndim == 1 else numbers
    if rows.ndim != 2 or rows.shape[1] != count:
        raise ValueShapeError(
            f'{symbol} has shape {numbers.shape}; the model takes ({count},), '
            f'or (configurations, {count})'
        )
    return rows


def _positions(model: Model, q: ArrayLike) -> Array:
    rows = _rows(q, model.nq, 'q')
    for n in range(rows.shape[0]):
        bad = poses.accept_positions(model.tree, rows[n])
        if bad >= 0:
            _refuse_position(model, rows, n * model.nq + bad)
    return rows


def _rates(model: Model, v: ArrayLike, symbol: str, q: ArrayLike) -> Array:
    rows = _rows(v, model.nv, symbol)
    if np.ndim(v) != np.ndim(q) or (np.ndim(q) == 2 and len(rows) != len(q)):  # type: ignore[arg-type]
        raise ValueShapeError(
            f'{symbol} has shape {np.shape(v)} where q has {np.shape(q)}; '
            'give as many configurations of each'
        )
    if not np.isfinite(rows).all():
        k = int(np.flatnonzero(~np.isfinite(rows))[0]) % model.nv
        raise ValueShapeError(f"{symbol} of '{model.velocity_names[k]}' is not finite")
    return rows


def _refuse_position(model: Model, rows: Array, bad: int) -> None:
    n, k = divmod(bad, model.nq)
    where = f' in configuration {n}' if rows.shape[0] > 1 else ''
    name, number = model.coordinate_names[k], rows[n, k]
    if np.isfinite(number):
        raise ValueShapeError(
            f"the quaternion of '{name.rsplit('/', 1)[0]}'{where} has no length; "
            'give one of unit length, such as 1 0 0 0'
        )
    raise ValueShapeError(f"q of '{name}'{where} is {number}, which is not finite")


def _unwrapped(answer: Array, q: ArrayLike, frames: Frames) -> Array:
    """Drop the axes that a single configuration and a single frame do not have."""
    if isinstance(frames, str):
        answer = answer[:, 0]
    return answer if np.ndim(q) == 2 else answer[0]
