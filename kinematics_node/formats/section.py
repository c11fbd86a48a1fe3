# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""One section of our notation: values by key, checked, with their place in the error."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
import math
import re
from typing import Any

from kinematics_node.errors import DescriptionError
from kinematics_node.formats.rotations import IDENTITY
from kinematics_node.formats.rotations import rpy_quaternion
from kinematics_node.formats.rotations import unit_quaternion
from kinematics_node.formats.yaml_text import line_of
from kinematics_node.model.elements import Pose
from kinematics_node.model.elements import Vector
from kinematics_node.model.elements import ZERO

_DECIMAL = re.compile(r'[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?', re.ASCII)
_INFINITE = ('inf', '+inf', '-inf', '.inf', '+.inf', '-.inf')


class Section:
    """The keys under one name, such as those of 'joints.caster'.

    Parameters
    ----------
    element : str
        The element in errors, such as "joint 'caster'".
    values : mapping
        Values by key.
    path : str
        What stands before a key in errors, such as 'limits.'.
    """

    def __init__(self, element: str, values: Mapping[str, Any], path: str = '') -> None:
        self.element = element
        self.values = values
        self._path = path

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def line(self, key: str) -> int | None:
        """Return the line of a key, where it is known."""
        return line_of(self.values, key)

    def refuse(self, key: str, message: str) -> DescriptionError:
        """Return the error of a key: "'lower' <message>"."""
        return DescriptionError(
            f"'{self._path}{key}' {message}", element=self.element, line=self.line(key)
        )

    def check_keys(self, known: Sequence[str]) -> None:
        """Refuse a key that is not known, since it is most likely misspelt.

        Raises
        ------
        DescriptionError
            There is such a key.
        """
        for key in self.values:
            if key not in known:
                raise self.refuse(str(key), f'is not known; use one of {", ".join(known)}')

    def text(self, key: str, choices: Sequence[str] = ()) -> str:
        """Return a text, one of the choices if there are any."""
        value = self.values.get(key)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not value.strip():
            raise self.refuse(key, f'is {_spell(value)}; give a name')
        if choices and value not in choices:
            raise self.refuse(key, f'is {_spell(value)}; use one of {", ".join(choices)}')
        return value.strip()

    def flag(self, key: str) -> bool:
        """Return true or false."""
        value = self.values.get(key)
        if not isinstance(value, bool):
            raise self.refuse(key, f'is {_spell(value)}; write true or false')
        return value

    def number(self, key: str, default: float | None = None, *, infinite: bool = False) -> float:
        """Return one number; infinite only where that is allowed."""
        if key not in self.values and default is not None:
            return default
        return self._number(key, self.values.get(key), infinite)

    def numbers(self, key: str, *, infinite: bool = False) -> tuple[float, ...]:
        """Return one number or a list of them as a tuple; lists inside a list are joined."""
        value = self.values.get(key)
        return tuple(self._number(key, item, infinite) for item in _flat(value))

    def names(self, key: str) -> tuple[str, ...]:
        """Return a list of names."""
        value = self.values.get(key)
        items = [value] if isinstance(value, str) else value
        if not isinstance(items, (list, tuple)) or not all(isinstance(x, str) for x in items):
            raise self.refuse(key, f'is {_spell(value)}; give a list of names')
        return tuple(items)

    def vector(self, key: str, default: Vector | None = None) -> Vector:
        """Return three numbers."""
        if key not in self.values and default is not None:
            return default
        numbers = self.numbers(key)
        if len(numbers) != 3:
            given = _spell(self.values.get(key))
            raise self.refuse(key, f'is {given}; give three numbers, such as [0.0, 0.0, 1.0]')
        return (numbers[0], numbers[1], numbers[2])

    def section(self, key: str) -> Section:
        """Return the keys below a key."""
        value = self.values.get(key)
        if not isinstance(value, Mapping):
            raise self.refuse(key, f'is {_spell(value)}; give the keys that belong to it')
        return Section(self.element, value, f'{self._path}{key}.')

    def pose(self, key: str) -> Pose:
        """Return a pose: {xyz, rpy} or {xyz, quaternion_wxyz}, or a list of 3 or 6 numbers."""
        value = self.values.get(key)
        if not isinstance(value, Mapping):
            numbers = self.numbers(key)
            if len(numbers) not in (3, 6):
                raise self.refuse(
                    key, f'is {_spell(value)}; give [x, y, z] or [x, y, z, roll, pitch, yaw]'
                )
            return (*rpy_quaternion(numbers[3:] or ZERO), *numbers[:3])  # type: ignore[return-value]
        inner = self.section(key)
        inner.check_keys(('xyz', 'rpy', 'quaternion_wxyz'))
        turn = IDENTITY
        if 'quaternion_wxyz' in inner:
            turn = inner._quaternion('quaternion_wxyz')
        elif 'rpy' in inner:
            turn = rpy_quaternion(inner.vector('rpy'))
        return (*turn, *inner.vector('xyz', ZERO))

    def _quaternion(self, key: str) -> tuple[float, float, float, float]:
        numbers = self.numbers(key)
        if len(numbers) != 4 or not any(numbers):
            given = _spell(self.values.get(key))
            raise self.refuse(key, f'is {given}; give [w, x, y, z] of a rotation')
        return unit_quaternion(numbers)

    def _number(self, key: str, value: Any, infinite: bool) -> float:
        number = math.nan
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            number = _as_float(value)
        elif isinstance(value, str):
            word = value.strip()
            if _DECIMAL.fullmatch(word) or word.lower() in _INFINITE:
                number = float(word.replace('.inf', 'inf'))
        if math.isfinite(number) or (infinite and math.isinf(number)):
            return number
        kind = 'a number' if infinite else 'a finite number'
        raise self.refuse(key, f'is {_spell(value)}; give {kind}, such as 0.5')


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.nan


def _flat(value: Any) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        return [value]
    flat: list[Any] = []
    for item in value:
        flat.extend(item if isinstance(item, (list, tuple)) else [item])
    return flat


def _spell(value: Any) -> str:
    if value is None:
        return 'empty'
    text = f"'{value}'" if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:57] + '...'
