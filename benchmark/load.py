# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Loading: from a description to a model, and how the time grows with the number of links."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from functools import partial
import gc
import time
from typing import Any

from benchmark.report import Column
from benchmark.report import growth_exponent
from benchmark.report import median
from benchmark.report import number
from benchmark.robots import chain
from benchmark.robots import SHARED_ROBOTS
from kinematics_node.formats.load import load_model

SMALL, LARGE = 1_000, 10_000
COLUMNS = (
    Column('robot', 'robot'),
    Column('links', 'links'),
    Column('load s', 'seconds', number(3)),
    Column('growth exponent', 'exponent', number(2)),
    Column('', 'note'),
)


def run(rounds: int, large: bool = True) -> Iterator[dict[str, Any]]:
    """Yield a row for the PR2 and for chains of 1,000 and, unless told not to, 10,000 links."""
    pr2 = SHARED_ROBOTS / 'pr2.urdf'
    load_model(chain(2))  # imports and caches
    if pr2.exists():
        yield timed('pr2', partial(load_model, pr2), rounds)
    else:
        yield {'robot': 'pr2', 'note': 'skipped: no shared/robots/pr2.urdf'}
    rows = []
    for links in (SMALL, LARGE) if large else (SMALL,):
        text = chain(links - 1)
        rows.append(timed('chain', partial(load_model, text), rounds if links < LARGE else 1))
    if large:
        small, big = ((row['links'], row['seconds']) for row in rows)
        rows[-1]['exponent'] = growth_exponent(small, big)
    yield from rows


def timed(robot: str, load: Callable[[], Any], rounds: int) -> dict[str, Any]:
    """Return a row with the median of several loads, the last model's links counted."""
    times = []
    for _ in range(rounds):
        gc.collect()
        start = time.perf_counter()
        model = load()
        times.append(time.perf_counter() - start)
    return {
        'robot': robot,
        'links': len(model.links),
        'seconds': median(times),
        'exponent': float('nan'),
        'samples': times,
        'note': '',
    }
