# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Streaming: latency, share answered and CPU time of publishers, compared in one run."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from contextlib import ExitStack
from dataclasses import dataclass
import time
from typing import Any

from benchmark.driver import Driver
from benchmark.player import Pace
from benchmark.player import random_states
from benchmark.processes import Contender
from benchmark.processes import fresh_domain
from benchmark.processes import OBVIOUS
from benchmark.processes import Publisher
from benchmark.processes import RSP
from benchmark.processes import RSP_EVERY
from benchmark.report import Column
from benchmark.report import median
from benchmark.report import number
from benchmark.report import percentile
from benchmark.report import ratio
from benchmark.robots import chain
from benchmark.robots import joint_names

START_PATIENCE = 300.0  # seconds; a first start compiles kernels
WARM_UP = 0.1  # seconds at the rate that is measured next
REFERENCES = (RSP_EVERY, RSP, OBVIOUS)  # what ratios are against: the first that takes part
MEDIANS = ('p50_us', 'p99_us', 'answered', 'cpu_us', 'cpu_answer_us', 'rate')
COLUMNS = (
    Column('publisher', 'publisher'),
    Column('joints', 'joints'),
    Column('Hz', 'hz', number(0)),
    Column('p50 us', 'p50_us', number(0)),
    Column('p99 us', 'p99_us', number(0)),
    Column('answered', 'answered', number(4)),
    Column('CPU us/message', 'cpu_us', number(1)),
    Column('CPU us/answer', 'cpu_answer_us', number(1)),
    Column('p50 ratio', 'p50_ratio', number(2)),
    Column('CPU ratio', 'cpu_ratio', number(2)),
    Column('CPU/answer ratio', 'cpu_answer_ratio', number(2)),
)


@dataclass(frozen=True)
class Sweep:
    """What is measured: every number of joints at every rate, in so many rounds.

    Attributes
    ----------
    seconds : float
        Length of one measurement.
    """

    joints: Sequence[int]
    rates: Sequence[float]
    rounds: int
    seconds: float
    jitter: float
    exact_stamps: bool


@contextmanager
def started(
    contender: Contender, names: Sequence[str], urdf: str
) -> Iterator[tuple[Publisher, Driver]]:
    """Start a publisher and its driver in a domain of their own; end both afterwards."""
    domain = fresh_domain()
    states = random_states(names)
    with (
        Driver(domain, states, len(names)) as driver,
        Publisher(contender, urdf, domain) as publisher,
    ):
        yield publisher, driver


def wait_until_answering(publisher: Publisher, driver: Driver) -> int:
    """Return when the publisher's first answer was heard [ns]; raise if none comes."""
    deadline = time.monotonic() + START_PATIENCE
    while time.monotonic() < deadline:
        heard_ns = driver.first_answer_ns(patience=2.0)
        publisher.check_alive()
        if heard_ns is not None:
            return heard_ns
    raise RuntimeError(
        f'{publisher.contender.label} did not answer within {START_PATIENCE:.0f} s:\n'
        f'{publisher.last_output()}'
    )


def measure(publisher: Publisher, driver: Driver, pace: Pace, seconds: float) -> dict[str, float]:
    """Play joint states for some seconds and return what came of it."""
    driver.play(pace, max(10, round(WARM_UP * pace.rate)))
    before_ns = publisher.cpu_ns()
    trial = driver.play(pace, round(seconds * pace.rate))
    cpu_us = (publisher.cpu_ns() - before_ns) * 1e-3
    return {
        'p50_us': percentile(trial.latencies_us, 0.50),
        'p99_us': percentile(trial.latencies_us, 0.99),
        'answered': trial.answered / trial.sent,
        'strays': trial.strays,
        'cpu_us': cpu_us / trial.sent,
        'cpu_answer_us': ratio(cpu_us, trial.answered),
        'rate': trial.rate,
    }


def run(sweep: Sweep, contenders: Sequence[Contender]) -> Iterator[dict[str, Any]]:
    """Measure every cell once a round and yield each sample as it comes.

    A round starts every publisher anew, and each measures in turn at every rate, beginning with
    another one each time, so that what the machine does besides befalls them alike.
    """
    for round_number in range(sweep.rounds):
        for joints in sweep.joints:
            names, urdf = joint_names(joints), chain(joints)
            with ExitStack() as stack:
                pairs = [stack.enter_context(started(c, names, urdf)) for c in contenders]
                for pair in pairs:
                    wait_until_answering(*pair)
                for k, hz in enumerate(sweep.rates):
                    pace = Pace(hz, sweep.jitter, sweep.exact_stamps)
                    for publisher, driver in rotated(pairs, round_number + k):
                        yield {
                            'round': round_number,
                            'joints': joints,
                            'hz': hz,
                            'key': publisher.contender.key,
                            'publisher': publisher.contender.label,
                            **measure(publisher, driver, pace, sweep.seconds),
                        }


def rotated(items: Sequence[Any], by: int) -> list[Any]:
    """Return the items in the same circle, beginning with another one."""
    by %= len(items)
    return [*items[by:], *items[:by]]


def summarize(samples: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one row a cell and publisher: medians of its rounds, ratios to the reference."""
    cells: dict[tuple[int, float], dict[str, list[dict[str, Any]]]] = {}
    for sample in samples:
        cell = cells.setdefault((sample['joints'], sample['hz']), {})
        cell.setdefault(sample['key'], []).append(sample)
    return [row for key in sorted(cells) for row in cell_rows(key, cells[key])]


def cell_rows(
    cell: tuple[int, float], by_publisher: dict[str, list[dict[str, Any]]]
) -> list[dict[str, Any]]:
    """Return the rows of one number of joints at one rate."""
    rows = {}
    for key, samples in by_publisher.items():
        middle = {name: median(sample[name] for sample in samples) for name in MEDIANS}
        rows[key] = {
            'group': cell,
            'joints': cell[0],
            'hz': cell[1],
            'key': key,
            'publisher': samples[0]['publisher'],
            **middle,
            'samples': samples,
        }
    reference = next((rows[key] for key in REFERENCES if key in rows), {})
    for row in rows.values() if reference else ():
        for name in ('p50', 'cpu', 'cpu_answer'):
            row[f'{name}_ratio'] = ratio(row[f'{name}_us'], reference[f'{name}_us'])
    return [rows[key] for key in sorted(rows)]
