# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""How often messages pass: sources that jitter, clocks that jump, stamps that lie."""

from __future__ import annotations

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
import numpy as np
import pytest

from kinematics_node.ros.rate import Gate
from kinematics_node.ros.rate import SECOND

HZ = SECOND
INTERVAL = 10_000_000
# Of the steady clock, which starts anywhere.
START = 123 * SECOND


def passed(gate: Gate, stamps, arrivals=None) -> list[int]:
    """Return the stamps of the messages that pass; they arrive when they were stamped."""
    arrivals = stamps if arrivals is None else arrivals
    return [
        int(stamp)
        for stamp, arrival in zip(stamps, arrivals, strict=True)
        if gate.passes(int(stamp), START + int(arrival))
    ]


def test_zero_interval_passes_everything():
    gate = Gate(0)
    assert len(passed(gate, [5, 5, 3, 10**20, 1])) == 5


@pytest.mark.parametrize('seed', range(5))
@pytest.mark.parametrize('frequency', [20, 100, 1000, 1500])
def test_source_at_the_chosen_rate_loses_nothing(seed, frequency):
    """Stamps jitter by up to a quarter of an interval either way, arrivals by more."""
    interval = round(HZ / frequency)
    rng = np.random.default_rng(seed)
    stamps = (np.arange(2000) + 10 + rng.uniform(-0.25, 0.25, 2000)) * interval
    arrivals = np.maximum.accumulate(stamps + rng.exponential(0.3 * interval, 2000))
    assert len(passed(Gate(interval), stamps, arrivals)) == 2000


@pytest.mark.parametrize('factor', [1.01, 1.5, 2.0, 3.0, 4.0, 10.0, 33.3])
@pytest.mark.parametrize('jitter', [0.0, 0.5])
def test_faster_source_is_held_to_the_rate(factor, jitter):
    rng = np.random.default_rng(3)
    step = INTERVAL / factor
    stamps = np.sort((np.arange(5000) + 10 + rng.uniform(-jitter, jitter, 5000)) * step)
    count = len(passed(Gate(INTERVAL), stamps))
    duration = (stamps[-1] - stamps[0]) / INTERVAL
    assert count <= duration + 2
    # And as near to it as the source's own steps let it come.
    assert count >= 0.97 * duration


@given(st.lists(st.integers(0, 3 * INTERVAL), min_size=1, max_size=300))
@settings(max_examples=200, deadline=None)
def test_mean_rate_is_bounded_for_any_source(steps):
    stamps = np.cumsum([INTERVAL, *steps])
    went = passed(Gate(INTERVAL), stamps)
    # Over every stretch, not only the whole.
    for i in range(0, len(went), max(1, len(went) // 10)):
        for j in range(i, len(went)):
            assert j - i + 1 <= (went[j] - went[i]) / INTERVAL + 2


def test_slower_source_passes_whole():
    stamps = np.arange(1, 100) * 7 * INTERVAL
    assert len(passed(Gate(INTERVAL), stamps)) == 99


def test_future_stamp_silences_nobody():
    """One message from the year 2100 in a stream: what follows goes on as before."""
    stamps = np.arange(1, 201) * INTERVAL
    stamps[50] += 10**18
    went = passed(Gate(INTERVAL), stamps, np.arange(1, 201) * INTERVAL)
    assert len(went) == 200


def test_source_that_lives_in_the_future():
    arrivals = np.arange(1, 1001) * INTERVAL // 10
    went = passed(Gate(INTERVAL), arrivals + 10**18, arrivals)
    assert 99 <= len(went) <= 101


@pytest.mark.parametrize('stale', [False, True])
def test_clock_that_jumps_back(stale):
    """Publishing goes on at once, at the usual rate, also when an old message comes again."""
    before = SECOND * 100 + np.arange(0, 100) * INTERVAL
    after = SECOND * 5 + np.arange(0, 100) * INTERVAL
    stamps = np.concatenate([before, after[:1], before[-1:] if stale else [], after[1:]])
    arrivals = (
        np.concatenate([np.arange(101), [100.5] if stale else [], np.arange(101, 200)]) * INTERVAL
    )
    went = passed(Gate(INTERVAL), stamps, arrivals)
    assert went[:100] == before.tolist()
    since = [stamp for stamp in went if stamp < SECOND * 50]
    assert since[0] == after[0] or since[0] == after[1]
    assert len(since) >= 98


def test_repeated_stamp_passes_once():
    assert passed(Gate(INTERVAL), [5 * SECOND] * 4, [0, INTERVAL, SECOND, 9 * SECOND]) == [
        5 * SECOND
    ]


def test_simulation_faster_than_time_is_limited_by_its_own_stamps():
    stamps = np.arange(1, 1001) * INTERVAL // 2
    went = passed(Gate(INTERVAL), stamps, stamps // 10)
    assert 499 <= len(went) <= 502
