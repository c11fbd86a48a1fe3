# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The axes of a joint in our notation: directions by the rules of its type, values per axis.

A value such as 'damping' is one number for all axes or a list with one for each; 'axis1', 'axis2'
and 'axis3' are a direction, or a mapping with 'direction' and values of that axis alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kinematics_node.formats.section import Section
from kinematics_node.model.ball_joint import ball_axes
from kinematics_node.model.ball_joint import universal_axes
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import Limits
from kinematics_node.model.elements import Motor
from kinematics_node.model.elements import Vector
from kinematics_node.model.elements import X_AXIS
from kinematics_node.model.joint_types import JointType
from kinematics_node.spatial import dot
from kinematics_node.spatial import norm

LIMITS = ('lower', 'upper', 'velocity', 'effort')
PLAIN = (
    'spring',
    'rest',
    'damping',
    'friction',
    'brake_damping',
    'rotor_inertia',
    'gear_ratio',
)
PAIRS = ('stops', 'motor')
AXIS_VALUES = (*LIMITS, *PLAIN, *PAIRS, 'brake')
AXIS_KEYS = ('axis', 'axis1', 'axis2', 'axis3')
_PERPENDICULAR = 1e-6


def read_axes(
    section: Section, kind: JointType, old: Sequence[Axis], notes: list[str]
) -> tuple[Axis, ...]:
    """Return the axes of a joint of some kind.

    Parameters
    ----------
    section : Section
        The keys of the joint.
    kind : JointType
        Its type; axes that the joint had before are kept where nothing else is said.
    old : sequence of Axis
        Those axes; empty where the type is new.
    notes : list of str
        Receives warnings about directions.

    Raises
    ------
    DescriptionError
        A value is malformed, or belongs to an axis that the type does not have.
    """
    count = kind.axis_count
    _refuse_surplus(section, kind)
    directions = _directions(section, kind, notes)
    axes = list(old) if len(old) == count else [Axis()] * count
    if directions is not None:
        axes = [replace(a, direction=d) for a, d in zip(axes, directions, strict=True)]
    for name in AXIS_VALUES:
        if name in section:
            axes = _spread(section, name, axes)
    for number in range(count):
        for key in _keys_of_axis(number, count):
            if isinstance(section.values.get(key), Mapping):
                axes[number] = _own_values(section.section(key), axes[number])
    return tuple(_inherited(section, kind, axes))


def _refuse_surplus(section: Section, kind: JointType) -> None:
    count = kind.axis_count
    for key in AXIS_KEYS:
        number = 1 if key == 'axis' else int(key[-1])
        if key in section and number > count:
            raise section.refuse(
                key, f'has no place on a {kind.name.lower()} joint, which has {count} axes'
            )
    if count != 1 and 'axis' in section:
        raise section.refuse('axis', f'is for joints with one axis; give {_outer(kind)}')
    if 'axis' in section and 'axis1' in section:
        raise section.refuse('axis1', "says the same as 'axis'; remove one")


def _outer(kind: JointType) -> str:
    return 'axis1 and axis3' if kind is JointType.BALL else 'axis1 and axis2'


def _keys_of_axis(number: int, count: int) -> tuple[str, ...]:
    return ('axis', 'axis1') if number == 0 and count == 1 else (f'axis{number + 1}',)


def _directions(section: Section, kind: JointType, notes: list[str]) -> Sequence[Vector] | None:
    """Return the directions of all axes, or None where nothing is said about them."""
    given = [_direction(section, key) for key in ('axis1', 'axis2', 'axis3')]
    if kind.axis_count == 1:
        only = _direction(section, 'axis') or given[0]
        return None if only is None else (only,)
    if all(direction is None for direction in given):
        return None
    if kind is JointType.UNIVERSAL:
        pair, warning = universal_axes(given[0], given[1])
        notes.extend([warning] if warning else [])
        return pair
    axes, warning = ball_axes(given[0], given[2])
    notes.extend([warning] if warning else [])
    if given[1] is None:
        return axes
    for other in (axes[0], axes[2]):
        if abs(dot(given[1], other)) > _PERPENDICULAR * norm(given[1]) * norm(other):
            raise section.refuse(
                'axis2', 'is not perpendicular to axis1 and axis3; leave it out (axis3 x axis1)'
            )
    return (axes[0], given[1], axes[2])


def default_axes(kind: JointType) -> tuple[Axis, ...]:
    """Return the axes of a joint about which nothing is said: x, or x and z, or x, y, z."""
    if kind is JointType.UNIVERSAL:
        return tuple(Axis(direction) for direction in universal_axes(None, None)[0])
    if kind is JointType.BALL:
        return tuple(Axis(direction) for direction in ball_axes(None, None)[0])
    return (Axis(X_AXIS),) * kind.axis_count


def _direction(section: Section, key: str) -> Vector | None:
    value: Any = section.values.get(key)
    if isinstance(value, Mapping):
        inner = section.section(key)
        return inner.vector('direction') if 'direction' in inner else None
    return section.vector(key) if key in section else None


def _spread(section: Section, name: str, axes: list[Axis]) -> list[Axis]:
    """Give each axis its value of a key of the joint: one for all, or a list with one for each."""
    if name == 'brake':
        value = section.values['brake']
        flags = value if isinstance(value, list) else [value] * len(axes)
        if len(flags) != len(axes) or not all(isinstance(flag, bool) for flag in flags):
            raise section.refuse(name, f'must be true or false, or {len(axes)} of them')
        return [replace(axis, braked=flag) for axis, flag in zip(axes, flags, strict=True)]
    numbers = section.numbers(name, infinite=name in LIMITS or name == 'motor')
    width = 2 if name in PAIRS else 1
    if len(numbers) == width:
        numbers *= len(axes)
    if len(numbers) != width * len(axes):
        each = 'a pair (lower, upper)' if width == 2 else 'a number'
        raise section.refuse(
            name, f'has {len(numbers)} numbers; give {each}, or one for each of {len(axes)} axes'
        )
    return [
        _with_value(section, name, axis, numbers[width * n : width * (n + 1)])
        for n, axis in enumerate(axes)
    ]


def _own_values(inner: Section, axis: Axis) -> Axis:
    inner.check_keys(('direction', *AXIS_VALUES))
    for name in AXIS_VALUES:
        if name in inner:
            (axis,) = _spread(inner, name, [axis])
    return axis


def _with_value(section: Section, name: str, axis: Axis, numbers: Sequence[float]) -> Axis:
    if name in LIMITS:
        return replace(axis, limits=replace(axis.limits, **{name: numbers[0]}))
    if name in PLAIN:
        changes: dict[str, Any] = {name: numbers[0]}
        return replace(axis, **changes)
    lower, upper = numbers
    if lower > upper:
        raise section.refuse(name, f'runs from {lower:g} to {upper:g}; give the lower one first')
    if name == 'stops':
        return replace(axis, stops=None if lower == upper else (lower, upper))
    # Webots: a motor with both ends zero is unlimited.
    unlimited = lower == upper == 0.0
    return replace(axis, motor=Motor() if unlimited else Motor(lower, upper))


def _inherited(section: Section, kind: JointType, axes: list[Axis]) -> list[Axis]:
    """Give axes 2 and 3 of a ball joint spring and damping of axis 1 where they have none.

    This is Webots' rule for absent jointParameters2 and jointParameters3.
    """
    first = section.values.get('axis1')
    if kind is not JointType.BALL or not isinstance(first, Mapping):
        return axes
    shared = {
        name: getattr(axes[0], name)
        for name in ('spring', 'damping')
        if name in first and name not in section
    }
    return [
        replace(axis, **shared)
        if n > 0 and not isinstance(section.values.get(f'axis{n + 1}'), Mapping)
        else axis
        for n, axis in enumerate(axes)
    ]


def carried_over(axes: Sequence[Axis], kind: JointType) -> tuple[Axis, ...]:
    """Return the axes of a joint that changes its type.

    Between joints with one axis everything stays but a range that has lost its meaning; otherwise
    damping, friction and the bounds of rate and effort of the first axis hold for every axis.
    """
    fresh = default_axes(kind)
    if not axes or not fresh:
        return fresh
    first = axes[0]
    limits = Limits(velocity=first.limits.velocity, effort=first.limits.effort)
    if len(axes) == len(fresh) == 1:
        bounded = kind in (JointType.REVOLUTE, JointType.PRISMATIC)
        return (first if bounded else replace(first, limits=limits),)
    return tuple(
        replace(axis, limits=limits, damping=first.damping, friction=first.friction)
        for axis in fresh
    )
