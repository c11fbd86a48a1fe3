# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Limits, soft limits and stops: which coordinates of which states are beyond which bound."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from functools import lru_cache
import math

import numpy as np

from kinematics_node.checking.violation import Violation
from kinematics_node.checking.violation import ViolationKind
from kinematics_node.compiled import Array
from kinematics_node.model.ball_joint import quaternion_to_angles
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import SoftLimits
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model

# kind, what the bound is called, and the units of angles and of lengths
WORDS = {
    ViolationKind.POSITION: ('position', 'limit', 'rad', 'm'),
    ViolationKind.VELOCITY: ('velocity', 'limit', 'rad/s', 'm/s'),
    ViolationKind.EFFORT: ('effort', 'limit', 'N m', 'N'),
    ViolationKind.SOFT_POSITION: ('position', 'soft limit', 'rad', 'm'),
    ViolationKind.SOFT_VELOCITY: ('velocity', 'safety bound', 'rad/s', 'm/s'),
    ViolationKind.SOFT_EFFORT: ('effort', 'safety bound', 'N m', 'N'),
    ViolationKind.STOP: ('position', 'stop', 'rad', 'm'),
}


@dataclass(frozen=True, eq=False)
class Place:
    """A coordinate as sentences and violations name it."""

    joint: str
    coordinate: str
    is_length: bool


@dataclass(frozen=True, eq=False)
class Ranges:
    """A kind of bound on some coordinates: values (states, coordinates) within lower and upper."""

    kind: ViolationKind
    places: Sequence[Place]
    values: Array
    lower: Array
    upper: Array


@dataclass
class _Gathered:
    places: list[Place] = field(default_factory=list)
    values: list[Array] = field(default_factory=list)
    lower: list[Array | float] = field(default_factory=list)
    upper: list[Array | float] = field(default_factory=list)

    def add(self, place: Place, values: Array, lower: Array | float, upper: Array | float) -> None:
        self.places.append(place)
        self.values.append(values)
        self.lower.append(lower)
        self.upper.append(upper)

    def ranges(self, kind: ViolationKind) -> Ranges:
        values = np.array(self.values)
        lower, upper = (
            np.array([np.broadcast_to(bound, values.shape[1:]) for bound in bounds])
            for bounds in (self.lower, self.upper)
        )
        return Ranges(kind, self.places, values.T, lower.T, upper.T)


def violations_of(ranges: Ranges, tolerance: float) -> Iterator[tuple[int, Violation]]:
    """Yield (state, violation) for every value that is beyond a bound by more than a tolerance."""
    for values, bounds, sign, where in (
        (ranges.values, ranges.upper, 1.0, 'above'),
        (ranges.values, ranges.lower, -1.0, 'below'),
    ):
        beyond = sign * (values - bounds) > tolerance
        for state, k in np.argwhere(beyond).tolist():
            value = float(values[state, k])
            bound = float(np.broadcast_to(bounds, values.shape)[state, k])
            yield state, _violation(ranges.kind, ranges.places[k], value, bound, sign, where)


def _violation(
    kind: ViolationKind, place: Place, value: float, bound: float, sign: float, where: str
) -> Violation:
    quantity, called, angular, linear = WORDS[kind]
    unit = linear if place.is_length else angular
    message = (
        f"joint '{place.joint}': {quantity} {value:.6g} {unit}"
        f'{_of_axis(place)} is {where} the {called} {bound:.6g} {unit}'
    )
    margin = sign * (bound - value)
    return Violation(kind, place.joint, place.coordinate, value, bound, margin, message)


def _of_axis(place: Place) -> str:
    return '' if place.coordinate == place.joint else f" of '{place.coordinate}'"


def position_ranges(model: Model, q: Array) -> Ranges:
    """Return the limits of positions."""
    places = coordinate_places(model)
    return Ranges(ViolationKind.POSITION, places, q, model.lower, model.upper)


def rate_ranges(model: Model, kind: ViolationKind, values: Array, limit: Array) -> Ranges:
    """Return limits of velocities or efforts, the same both ways."""
    most = known_limits(limit)
    return Ranges(kind, rate_places(model), values, -most, most)


def known_limits(limit: Array) -> Array:
    """Return limits of velocities or efforts; 0 is what descriptions give who know none."""
    return np.where(limit > 0.0, limit, np.inf)


def stop_ranges(model: Model, q: Array) -> Ranges | None:
    """Return the stops and limits of axes that are no coordinates by themselves, and all stops."""
    found = _Gathered()
    for joint, row in zip(model.joints, model.tree[1:].tolist(), strict=True):
        if not any(axis.stops for axis in joint.axes):
            continue
        angles = axis_positions(joint, q[:, row[2] : row[2] + joint.type.nq])
        for n, axis in enumerate(joint.axes):
            if axis.stops is not None and angles is not None:
                found.add(_axis_place(joint, n), angles[:, n], *axis.stops)
    return found.ranges(ViolationKind.STOP) if found.places else None


def ball_axis_ranges(model: Model, q: Array) -> Ranges | None:
    """Return the position limits of the three axes of ball joints."""
    found = _Gathered()
    for joint, row in zip(model.joints, model.tree[1:].tolist(), strict=True):
        if joint.type is not JointType.BALL or not _is_limited(joint):
            continue
        angles = axis_positions(joint, q[:, row[2] : row[2] + 4])
        assert angles is not None
        for n, axis in enumerate(joint.axes):
            found.add(_axis_place(joint, n), angles[:, n], axis.limits.lower, axis.limits.upper)
    return found.ranges(ViolationKind.POSITION) if found.places else None


def soft_ranges(model: Model, q: Array, v: Array | None, effort: Array | None) -> Iterator[Ranges]:
    """Yield the bounds of safety controllers (PR2 safety limits).

    Position lies within soft_lower and soft_upper; velocity within -k_position (q - soft_upper)
    and -k_position (q - soft_lower); effort within -k_velocity (v - those bounds); both clamped to
    the joint's own limits.
    """
    positions, velocities, efforts = _Gathered(), _Gathered(), _Gathered()
    velocity_limit, effort_limit = map(known_limits, (model.velocity_limit, model.effort_limit))
    for joint, row in zip(model.joints, model.tree[1:].tolist(), strict=True):
        soft = joint.soft_limits
        if soft is None or not joint.type.is_single_axis:
            continue
        place = Place(joint.name, joint.name, joint.type is JointType.PRISMATIC)
        x = q[:, row[2]]
        if has_soft_positions(soft):
            positions.add(place, x, soft.lower, soft.upper)
        top = float(velocity_limit[row[3]])
        low, high = np.full(len(x), -top), np.full(len(x), top)
        if has_soft_positions(soft) and soft.k_position > 0.0:
            low = np.clip(-soft.k_position * (x - soft.lower), -top, top)
            high = np.clip(-soft.k_position * (x - soft.upper), -top, top)
            if v is not None:
                velocities.add(place, v[:, row[3]], low, high)
        if v is not None and effort is not None and soft.k_velocity > 0.0:
            most = float(effort_limit[row[3]])
            rate = v[:, row[3]]
            weakest = np.clip(-soft.k_velocity * (rate - low), -most, most)
            strongest = np.clip(-soft.k_velocity * (rate - high), -most, most)
            efforts.add(place, effort[:, row[3]], weakest, strongest)
    for gathered, kind in (
        (positions, ViolationKind.SOFT_POSITION),
        (velocities, ViolationKind.SOFT_VELOCITY),
        (efforts, ViolationKind.SOFT_EFFORT),
    ):
        if gathered.places:
            yield gathered.ranges(kind)


def has_soft_positions(soft: SoftLimits) -> bool:
    """Return whether soft position limits are meant: both zero without a gain are not."""
    return not (soft.lower == soft.upper == 0.0 and soft.k_position == 0.0)


def axis_positions(joint: Joint, q: Array) -> Array | None:
    """Return positions about or along a joint's axes, (states, axes); None where it has none."""
    if joint.type is JointType.BALL:
        axes = [axis.direction for axis in joint.axes]
        return np.array([quaternion_to_angles(axes, _quaternion(row)) for row in q])
    return q if len(joint.axes) == q.shape[1] else None


@lru_cache(maxsize=8)
def coordinate_places(model: Model) -> tuple[Place, ...]:
    """Return how each coordinate of q is named."""
    return tuple(
        Place(joint.name, joint.name + suffix, _is_length(joint.type, suffix))
        for joint in model.joints
        for suffix in joint.type.coordinate_suffixes
    )


@lru_cache(maxsize=8)
def rate_places(model: Model) -> tuple[Place, ...]:
    """Return how each velocity coordinate is named."""
    return tuple(
        Place(joint.name, joint.name + suffix, _is_length(joint.type, suffix))
        for joint in model.joints
        for suffix in joint.type.velocity_suffixes
    )


def _is_length(kind: JointType, suffix: str) -> bool:
    return kind is JointType.PRISMATIC or suffix in (
        *('/x', '/y', '/trans_x', '/trans_y', '/trans_z', '/v_x', '/v_y', '/v_z'),
    )


def _axis_place(joint: Joint, n: int) -> Place:
    name = joint.name if joint.type.is_single_axis else f'{joint.name}/axis{n + 1}'
    return Place(joint.name, name, joint.type is JointType.PRISMATIC)


def _is_limited(joint: Joint) -> bool:
    return any(math.isfinite(x) for a in joint.axes for x in (a.limits.lower, a.limits.upper))


def _quaternion(row: Array) -> tuple[float, float, float, float]:
    return (float(row[0]), float(row[1]), float(row[2]), float(row[3]))
