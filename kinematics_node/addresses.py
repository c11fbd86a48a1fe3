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
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic
from numba.extending import register_jitable
import numpy as np
from numpy.typing import NDArray

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.compiled import Ints

Flags = NDArray[np.bool_]


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


def _pointer_to(item: Any) -> Any:
    """Return an intrinsic that makes a pointer of an address."""

    def type_and_code(typingctx: Any, address: Any) -> Any:
        signature = types.CPointer(item)(types.intp)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

        return signature, generate

    return intrinsic(type_and_code)


_to_doubles = _pointer_to(types.float64)
_to_ints = _pointer_to(types.int32)
_to_indices = _pointer_to(types.int64)
_to_flags = _pointer_to(types.boolean)


@intrinsic  # type: ignore[untyped-decorator]
def kept(typingctx: Any, array: Any) -> Any:
    """Return an array as one that cannot be written, as models have theirs.

    A kernel that is called from Python with such an array need not be compiled a second time.
    """
    signature = array.copy(readonly=True)(array)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return impl_ret_borrowed(context, builder, signature.return_type, arguments[0])

    return signature, generate


@register_jitable
def doubles(table: Indices, k: int) -> Array:
    """Return the array of doubles of row k."""
    array: Array = carray(_to_doubles(table[k, 0]), (table[k, 1],))
    return array


@register_jitable
def matrix(table: Indices, k: int) -> Array:
    """Return the matrix of doubles of row k."""
    array: Array = matrix_at(table[k, 0], table[k, 1], table[k, 2])
    return array


@register_jitable
def matrix_at(address: int, rows: int, columns: int) -> Array:
    """Return the matrix of doubles at an address."""
    array: Array = carray(_to_doubles(address), (rows, columns))
    return array


@register_jitable
def ints(table: Indices, k: int) -> Ints:
    """Return the array of int32 of row k."""
    array: Ints = carray(_to_ints(table[k, 0]), (table[k, 1],))
    return array


@register_jitable
def int_rows(table: Indices, k: int) -> Ints:
    """Return the matrix of int32 of row k."""
    array: Ints = carray(_to_ints(table[k, 0]), (table[k, 1], table[k, 2]))
    return array


@register_jitable
def index_rows(table: Indices, k: int) -> Indices:
    """Return the matrix of int64 of row k."""
    array: Indices = carray(_to_indices(table[k, 0]), (table[k, 1], table[k, 2]))
    return array


@register_jitable
def flags(table: Indices, k: int) -> Flags:
    """Return the array of truth values of row k."""
    array: Flags = carray(_to_flags(table[k, 0]), (table[k, 1],))
    return array
