# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The decorators of compiled kernels, with a cache that knows the whole package.

Numba stamps a cached kernel with the time of its own source file only. Kernels here call each
other across files, so a kernel whose callee changed would be served stale from the cache; every
kernel therefore carries the stamp of all sources that kernels are made of.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any
from typing import TypeAlias
from typing import TypeVar

import numba
from numba.extending import register_jitable
import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]
Indices: TypeAlias = NDArray[np.int64]
COMPILES = tuple(
    b'\n@%b\n' % name
    for name in (b'kernel', b'leaf', b'summing_leaf', b'inlined', b'register_jitable')
)
F = TypeVar('F', bound=Callable[..., Any])

# A product may be fused with the sum that follows (one rounding less); nothing is reordered.
FUSED = {'contract'}
# Sums are reordered too, so that several terms are added at a time; only in a summing_leaf.
REORDERED = {'contract', 'reassoc', 'nsz'}


@lru_cache(maxsize=1)
def package_stamp() -> tuple[float, int]:
    """Return (newest modification time, total size) of the sources that kernels are made of.

    Those are the sources that compile something, and the table of joint types, whose numbers are
    constants to them.
    """
    package = Path(__file__).parent
    sources = [package / 'model' / 'joint_types.py']
    for path in package.rglob('*.py'):
        text = path.read_bytes()
        if any(mark in text for mark in COMPILES):
            sources.append(path)
    stats = [path.stat() for path in sources]
    return max(s.st_mtime for s in stats), sum(s.st_size for s in stats)


def kernel(function: F) -> F:
    """Compile a function without the interpreter lock, cached on disk for the next process.

    Kernels trust their arguments: shapes and finiteness are checked by their callers.
    """
    return _compiled(function)


def leaf(function: F) -> F:
    """Compile a kernel that other kernels call in their inner loops; it must not allocate.

    Counting references to its array arguments would cost more than its arithmetic, so that is
    switched off, which is safe exactly because nothing is allocated.
    """
    return _compiled(function, _nrt=False)


def summing_leaf(function: F) -> F:
    """Compile a leaf that adds up long rows, in whatever order the processor is quickest."""
    return _compiled(function, _nrt=False, fastmath=REORDERED)


def inlined(function: F) -> F:
    """Make a small leaf part of each kernel that calls it.

    From Python it stays a plain function, which for tuples is faster than a compiled one.
    """
    return register_jitable(  # type: ignore[no-any-return]
        error_model='numpy', fastmath=FUSED, _nrt=False, forceinline=True
    )(function)


def _compiled(function: F, **options: Any) -> F:
    options.setdefault('fastmath', FUSED)
    dispatcher = numba.njit(cache=True, nogil=True, error_model='numpy', **options)(function)
    cache = getattr(getattr(dispatcher, '_cache', None), '_cache_file', None)
    if cache is not None:
        cache._source_stamp = package_stamp()
    return dispatcher  # type: ignore[no-any-return]
