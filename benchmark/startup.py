# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Start-up: from the start of a publisher's process to its first transforms heard."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from typing import Any

from benchmark.processes import Contender
from benchmark.report import Column
from benchmark.report import median
from benchmark.report import number
from benchmark.robots import chain
from benchmark.robots import joint_names
from benchmark.stream import rotated
from benchmark.stream import started
from benchmark.stream import wait_until_answering

COLUMNS = (
    Column('publisher', 'publisher'),
    Column('joints', 'joints'),
    Column('first TF after s', 'seconds', number(2)),
    Column('fastest', 'fastest', number(2)),
    Column('slowest', 'slowest', number(2)),
)


def run(joints: int, rounds: int, contenders: Sequence[Contender]) -> Iterator[dict[str, Any]]:
    """Start each publisher once a round and yield how long it took.

    A round before the first fills caches, those of compiled kernels among them, and is not
    counted.
    """
    names, urdf = joint_names(joints), chain(joints)
    for round_number in range(-1, rounds):
        for contender in rotated(contenders, round_number):
            with started(contender, names, urdf) as (publisher, driver):
                heard_ns = wait_until_answering(publisher, driver)
                seconds = (heard_ns - publisher.started_ns) * 1e-9
            if round_number >= 0:
                yield {
                    'round': round_number,
                    'joints': joints,
                    'key': contender.key,
                    'publisher': contender.label,
                    'seconds': seconds,
                }


def summarize(samples: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one row a publisher."""
    rows = []
    for key in sorted({sample['key'] for sample in samples}):
        own = [sample for sample in samples if sample['key'] == key]
        times = [sample['seconds'] for sample in own]
        rows.append(
            {
                **own[0],
                'seconds': median(times),
                'fastest': min(times),
                'slowest': max(times),
                'samples': times,
            }
        )
    return rows
