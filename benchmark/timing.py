# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Timing calls in alternation."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
import time

from benchmark.report import median


def seconds_of(calls: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Return the median time of each call [s]; every round makes each call once, in turn.

    A round before the first is not counted: it compiles, and fills caches.
    """
    times: dict[str, list[float]] = {name: [] for name in calls}
    for round_number in range(-1, rounds):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            if round_number >= 0:
                times[name].append(time.perf_counter() - start)
    return {name: median(values) for name, values in times.items()}
