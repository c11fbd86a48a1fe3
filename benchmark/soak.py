# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Soak: many messages without a pause; is every one answered, and does memory stay flat?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmark.player import Pace
from benchmark.processes import Contender
from benchmark.report import Column
from benchmark.report import number
from benchmark.report import percentile
from benchmark.robots import chain
from benchmark.robots import joint_names
from benchmark.stream import started
from benchmark.stream import wait_until_answering

PARTS = 10
WARM_UP = 2.0  # seconds, after which the memory counts
COLUMNS = (
    Column('publisher', 'publisher'),
    Column('sent so far', 'sent'),
    Column('answered', 'answered'),
    Column('lost', 'lost'),
    Column('strays', 'strays'),
    Column('Hz', 'rate', number(0)),
    Column('p50 us', 'p50_us', number(0)),
    Column('p99 us', 'p99_us', number(0)),
    Column('max us', 'max_us', number(0)),
    Column('CPU us/message', 'cpu_us', number(1)),
    Column('RSS MB', 'rss_mb', number(2)),
)


def run(contender: Contender, joints: int, pace: Pace, count: int) -> Iterator[dict[str, Any]]:
    """Play count messages and yield a row of sums after each tenth; the first row is the start."""
    names, urdf = joint_names(joints), chain(joints)
    total = dict.fromkeys(('sent', 'answered', 'strays'), 0)
    with started(contender, names, urdf) as (publisher, driver):
        wait_until_answering(publisher, driver)
        driver.play(pace, round(WARM_UP * pace.rate))
        yield row_of(contender, total, rss_mb=publisher.resident_mb())
        for part in range(PARTS):
            share = count * (part + 1) // PARTS - count * part // PARTS
            before_ns = publisher.cpu_ns()
            trial = driver.play(pace, share)
            cpu_us = (publisher.cpu_ns() - before_ns) * 1e-3
            total['sent'] += trial.sent
            total['answered'] += trial.answered
            total['strays'] += trial.strays
            yield row_of(
                contender,
                total,
                rate=trial.rate,
                p50_us=percentile(trial.latencies_us, 0.50),
                p99_us=percentile(trial.latencies_us, 0.99),
                max_us=percentile(trial.latencies_us, 1.0),
                cpu_us=cpu_us / trial.sent,
                rss_mb=publisher.resident_mb(),
            )


def row_of(contender: Contender, total: dict[str, int], **figures: float) -> dict[str, Any]:
    """Return a row: sums since the start, and figures of the last part."""
    lost = total['sent'] - total['answered']
    return {
        'group': contender.key,
        'publisher': contender.label,
        **total,
        'lost': lost,
        **figures,
    }
