# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""State checks: is a state one that the robot can be in, and if not, what is wrong with it?

Everything that is wrong is reported, each with its kind, value, bound and margin; nothing raises
but a wrong count of numbers. Planners read valid, for one state or for many in one call.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
import math
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from kinematics_node.checking.bounds import ball_axis_ranges
from kinematics_node.checking.bounds import coordinate_places
from kinematics_node.checking.bounds import position_ranges
from kinematics_node.checking.bounds import Ranges
from kinematics_node.checking.bounds import rate_places
from kinematics_node.checking.bounds import rate_ranges
from kinematics_node.checking.bounds import soft_ranges
from kinematics_node.checking.bounds import stop_ranges
from kinematics_node.checking.bounds import violations_of
from kinematics_node.checking.relations import loop_violations
from kinematics_node.checking.relations import mimic_violations
from kinematics_node.checking.relations import pose_violations
from kinematics_node.checking.violation import CheckResult
from kinematics_node.checking.violation import Violation
from kinematics_node.checking.violation import ViolationKind
from kinematics_node.compiled import Array
from kinematics_node.errors import ValueShapeError
from kinematics_node.kinematics.poses import apply_mimics
from kinematics_node.mobility.mechanism import mechanism_of
from kinematics_node.model.model import Model
from kinematics_node.numeric import numbers_of
from kinematics_node.solving.kept import kept_solver
from kinematics_node.solving.status import SolveStatus

__all__ = [
    'CheckResult',
    'Tolerances',
    'Violation',
    'ViolationKind',
    'check_state',
    'check_states',
]

Numbers: TypeAlias = ArrayLike | Mapping[str, float]


@dataclass(frozen=True)
class Tolerances:
    """How much is still nothing.

    Attributes
    ----------
    limit : float
        Beyond limits and stops, in the unit of each.
    mimic, loop, anchor : float
        Off mimics, couplings and closures, and measured poses, in m and rad.
    quaternion : float
        Off unit length.
    """

    limit: float = 1e-9
    mimic: float = 1e-6
    loop: float = 1e-6
    anchor: float = 1e-6
    quaternion: float = 1e-6


def check_state(
    model: Model,
    positions: ArrayLike | Mapping[str, float],
    velocities: ArrayLike | Mapping[str, float] | None = None,
    efforts: ArrayLike | Mapping[str, float] | None = None,
    *,
    poses: Mapping[str, Sequence[float]] | None = None,
    tolerances: Tolerances | None = None,
) -> CheckResult:
    """Return everything that is wrong with a state.

    Parameters
    ----------
    model : Model
        The robot.
    positions : array_like, shape (nq,), or mapping of coordinate to value
        By name, coordinates may be left out: followers are then where their masters put them,
        coordinates in loops where the others do, and the rest at zero.
    velocities, efforts : array_like, shape (nv,), or mapping of coordinate to value, optional
        What is left out is not checked.
    poses : mapping of joint to seven numbers, optional
        Measured poses of children in their parents' frames, quaternion (w first) and position.
    tolerances : Tolerances, optional
        How much is still nothing.

    Raises
    ------
    ValueShapeError
        An array of a wrong count. Unknown names and numbers that are not finite are violations.
    """
    allowed = tolerances or Tolerances()
    found: list[Violation] = []
    q = _positions(model, positions, found)
    v, effort = (
        None if numbers is None else _rates(model, numbers, symbol, found)
        for numbers, symbol in ((velocities, 'velocities'), (efforts, 'efforts'))
    )
    batch = check_states(
        model,
        q[None],
        None if v is None else v[None],
        None if effort is None else effort[None],
        tolerances=allowed,
    )
    found += batch[0].violations
    found += pose_violations(model, poses or {}, allowed.anchor)
    return CheckResult(tuple(found))


def check_states(
    model: Model,
    positions: ArrayLike,
    velocities: ArrayLike | None = None,
    efforts: ArrayLike | None = None,
    *,
    tolerances: Tolerances | None = None,
) -> tuple[CheckResult, ...]:
    """Return everything that is wrong with each of many states, such as those of a trajectory.

    Parameters
    ----------
    model : Model
        The robot.
    positions : array_like, shape (states, nq)
        Complete positions.
    velocities, efforts : array_like, shape (states, nv), optional
        NaN where unknown.
    tolerances : Tolerances, optional
        How much is still nothing.

    Raises
    ------
    ValueShapeError
        An array of a wrong shape.
    """
    allowed = tolerances or Tolerances()
    q = _matrix(positions, model.nq, 'positions')
    v = None if velocities is None else _matrix(velocities, model.nv, 'velocities', len(q))
    effort = None if efforts is None else _matrix(efforts, model.nv, 'efforts', len(q))
    found: list[list[Violation]] = [[] for _ in range(len(q))]
    whole = _whole_states(model, q, found, allowed.quaternion)
    good = q[whole]
    for state, violation in (
        *_range_violations(model, good, _at(v, whole), _at(effort, whole), allowed.limit),
        *mimic_violations(model, good, allowed.mimic),
        *loop_violations(mechanism_of(model), good, allowed.loop),
    ):
        found[whole[state]].append(violation)
    return tuple(CheckResult(tuple(violations)) for violations in found)


def _range_violations(
    model: Model, q: Array, v: Array | None, effort: Array | None, tolerance: float
) -> list[tuple[int, Violation]]:
    ranges: list[Ranges | None] = [position_ranges(model, q), ball_axis_ranges(model, q)]
    if v is not None:
        ranges.append(rate_ranges(model, ViolationKind.VELOCITY, v, model.velocity_limit))
    if effort is not None:
        ranges.append(rate_ranges(model, ViolationKind.EFFORT, effort, model.effort_limit))
    ranges += soft_ranges(model, q, v, effort)
    ranges.append(stop_ranges(model, q))
    return [
        pair
        for some in ranges
        if some is not None and some.values.size
        for pair in violations_of(some, tolerance)
    ]


def _whole_states(
    model: Model, q: Array, found: list[list[Violation]], tolerance: float
) -> list[int]:
    """Note numbers that are not finite and quaternions of a wrong length; return good states.

    Quaternions are brought to unit length in place, so that the other checks hold.
    """
    places = coordinate_places(model)
    for state, k in np.argwhere(~np.isfinite(q)).tolist():
        found[state].append(_not_finite(places[k].joint, places[k].coordinate, q[state, k]))
    whole = np.isfinite(q).all(axis=1)
    for joint, row in zip(model.joints, model.tree[1:].tolist(), strict=True):
        if joint.type.quaternion_offset < 0:
            continue
        turns = q[:, row[2] : row[2] + 4]
        lengths = np.sqrt((turns * turns).sum(axis=1))
        for state in np.flatnonzero(whole & (np.abs(lengths - 1.0) > tolerance)).tolist():
            length = float(lengths[state])
            message = f"joint '{joint.name}': its quaternion has length {length:.6g} and not 1"
            kind = ViolationKind.QUATERNION_NORM
            margin = -abs(length - 1.0)
            found[state].append(Violation(kind, joint.name, '', length, 1.0, margin, message))
        whole &= lengths > tolerance
        turns /= np.where(lengths > tolerance, lengths, 1.0)[:, None]
    return np.flatnonzero(whole).tolist()  # type: ignore[no-any-return]


def _positions(model: Model, numbers: Numbers, found: list[Violation]) -> Array:
    if not isinstance(numbers, Mapping):
        return _vector(numbers, model.nq, 'positions')
    q: Array = model.zero.copy()
    given = np.zeros(model.nq, bool)
    for name, value in numbers.items():
        k = model.coordinate_index.get(name)
        if k is None:
            found.append(_unknown(name, 'coordinate'))
        else:
            q[k], given[k] = value, True
    if given.all() or not np.isfinite(q).all():
        return q
    return _completed(model, q, given)


def _completed(model: Model, q: Array, given: np.ndarray) -> Array:
    """Return positions with those that were not given found from those that were."""
    for (f, m), (k, b) in zip(model.mimic_index.tolist(), model.mimic_ratio, strict=True):
        if given[f] and not given[m] and k != 0.0:
            q[m], given[m] = (q[f] - b) / k, True
    complete: Array = q.copy()
    apply_mimics(model.mimic_index, model.mimic_ratio, complete)
    if model.closures or model.couplings:
        whole = np.flatnonzero(_whole_rotations(model, given))
        names = frozenset(model.coordinate_names[k] for k in whole)
        with kept_solver(model, names) as solver:
            start = complete.copy()
            # What assemble() tries first, without its report.
            if solver.step(complete) != SolveStatus.CONVERGED or solver.beyond_limits(complete):
                complete = solver.assemble(start).q.copy()
    complete[given] = q[given]
    return complete


def _whole_rotations(model: Model, given: np.ndarray) -> np.ndarray:
    """Return what is given, parts of rotations and of free positions left out."""
    mask: np.ndarray = given.copy()
    for joint, row in zip(model.joints, model.tree[1:].tolist(), strict=True):
        if joint.type.quaternion_offset == 0:
            for part in (slice(row[2], row[2] + 4), slice(row[2] + 4, row[2] + joint.type.nq)):
                mask[part] = mask[part].all()
    return mask


def _rates(model: Model, numbers: Numbers, symbol: str, found: list[Violation]) -> Array:
    places = rate_places(model)
    if not isinstance(numbers, Mapping):
        whole = _vector(numbers, model.nv, symbol)
        for k in np.flatnonzero(~np.isfinite(whole)).tolist():
            found.append(_not_finite(places[k].joint, places[k].coordinate, whole[k]))
        return whole
    rates: Array = np.full(model.nv, math.nan)
    for name, value in numbers.items():
        k = model.velocity_index.get(name)
        if k is None:
            found.append(_unknown(name, 'velocity coordinate'))
            continue
        if not math.isfinite(value):
            found.append(_not_finite(places[k].joint, places[k].coordinate, value))
        rates[k] = value
    return rates


def _unknown(name: str, what: str) -> Violation:
    message = f"the model has no {what} '{name}'"
    return Violation(ViolationKind.UNKNOWN_NAME, name, name, math.nan, math.nan, math.nan, message)


def _not_finite(joint: str, coordinate: str, value: float) -> Violation:
    message = f"joint '{joint}': '{coordinate}' is {value} and no finite number"
    kind = ViolationKind.NOT_FINITE
    return Violation(kind, joint, coordinate, float(value), math.nan, math.nan, message)


def _vector(numbers: ArrayLike, count: int, symbol: str) -> Array:
    values = numbers_of(numbers, symbol)
    if values.shape != (count,):
        raise ValueShapeError(
            f'{symbol} have shape {values.shape}; the model takes {count} numbers'
        )
    return values


def _matrix(numbers: ArrayLike, count: int, symbol: str, states: int | None = None) -> Array:
    values = numbers_of(numbers, symbol)
    if values.ndim != 2 or values.shape[1] != count or states not in (None, values.shape[0]):
        wanted = f'({"states" if states is None else states}, {count})'
        raise ValueShapeError(f'{symbol} have shape {values.shape}; {wanted} is wanted')
    return values


def _at(values: Array | None, states: list[int]) -> Array | None:
    return None if values is None else values[states]
