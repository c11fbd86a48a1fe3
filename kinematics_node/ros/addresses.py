# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Arrays that a kernel is told of once, by their addresses.

Numba unpacks each array argument at each call. In a call that comes after a wait, with cold
caches, that takes about a microsecond an array, several times what is then done with the numbers.
A table of addresses is one argument. Whoever makes it keeps the arrays for as long as it is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numba import carray
from numba import types
from numba.extending import intrinsic
from numba.extending import register_jitable
import numpy as np
from numpy.typing import NDArray

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.compiled import Ints


def table_of(arrays: Sequence[NDArray[Any]]) -> Indices:
    """Return a row (address, size of each dimension) for each array, of one or two dimensions.

    Raises
    ------
    ValueError
        An array that is not contiguous, so that an address does not tell where its numbers are.
    """
    for array in arrays:
        if not array.flags.c_contiguous:
            raise ValueError(f'an array of shape {array.shape} is not contiguous')
    rows = [(a.ctypes.data, a.shape[0], a.shape[1] if a.ndim == 2 else 1) for a in arrays]
    return np.array(rows, np.int64)


@intrinsic  # type: ignore[untyped-decorator]
def _to_doubles(typingctx: Any, address: Any) -> Any:
    return _pointer(types.float64)


@intrinsic  # type: ignore[untyped-decorator]
def _to_ints(typingctx: Any, address: Any) -> Any:
    return _pointer(types.int32)


def _pointer(item: Any) -> Any:
    """Return what an intrinsic does that makes a number a pointer."""
    signature = types.CPointer(item)(types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return signature, generate


@register_jitable
def doubles(table: Indices, k: int) -> Array:
    """Return the array of doubles of row k."""
    return carray(_to_doubles(table[k, 0]), (table[k, 1],))


@register_jitable
def matrix(table: Indices, k: int) -> Array:
    """Return the matrix of doubles of row k."""
    return carray(_to_doubles(table[k, 0]), (table[k, 1], table[k, 2]))


@register_jitable
def ints(table: Indices, k: int) -> Ints:
    """Return the array of int32 of row k."""
    return carray(_to_ints(table[k, 0]), (table[k, 1],))


@register_jitable
def int_rows(table: Indices, k: int) -> Ints:
    """Return the matrix of int32 of row k."""
    return carray(_to_ints(table[k, 0]), (table[k, 1], table[k, 2]))
