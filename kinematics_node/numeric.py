# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The checks of numbers at the public boundary: count and finiteness, with a sentence."""

from __future__ import annotations

from collections.abc import Sequence
import math

import numpy as np
from numpy.typing import ArrayLike

from kinematics_node.compiled import Array
from kinematics_node.errors import ValueShapeError


def number_of(value: object, element: str) -> float:
    """Return a value as a finite float.

    Raises
    ------
    ValueShapeError
        It is not one number, or not finite.
    """
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ValueShapeError(f'{element}: {value!r} is not a number; give one') from None
    if not math.isfinite(number):
        raise ValueShapeError(f'{element}: {number} is not finite; leave it out if it is unknown')
    return number


def numbers_of(value: ArrayLike, element: str) -> Array:
    """Return a new C-contiguous float64 array of the values.

    Raises
    ------
    ValueShapeError
        They are not numbers.
    """
    try:
        return np.array(value, dtype=np.float64, order='C')
    except (TypeError, ValueError):
        raise ValueShapeError(f'{element}: {value!r} is not made of numbers') from None


def refuse_not_finite(numbers: Array, names: Sequence[str]) -> None:
    """Refuse NaN and infinity in a vector, naming the first coordinate that has one.

    Raises
    ------
    ValueShapeError
        A number is not finite.
    """
    bad = np.flatnonzero(~np.isfinite(numbers))
    if bad.size:
        raise ValueShapeError(
            f"'{names[bad[0]]}': {numbers[bad[0]]} is not finite; leave it out if it is unknown"
        )


def finite_vector(value: ArrayLike, names: Sequence[str], symbol: str) -> Array:
    """Return a new vector with one finite number for each name.

    Raises
    ------
    ValueShapeError
        A wrong count, or a number that is not finite.
    """
    numbers = numbers_of(value, symbol)
    if numbers.shape != (len(names),):
        raise ValueShapeError(
            f'{symbol} has shape {numbers.shape}; the model takes {len(names)} numbers'
        )
    refuse_not_finite(numbers, names)
    return numbers
