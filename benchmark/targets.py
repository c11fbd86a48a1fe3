# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What the node is meant to reach, and whether a run shows it."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmark.processes import OBVIOUS
from benchmark.processes import RSP
from benchmark.processes import RSP_EVERY
from benchmark.processes import THIS
from benchmark.report import ratio

Row = Mapping[str, Any]
PEER_JOINTS = (30, 60)
PEER_RATES = (500, 1000, 2000)
STARTUP_SECONDS = 2.0
RSS_GROWTH_MB = 1.0


@dataclass(frozen=True)
class Verdict:
    """One aim, the worst figure that was measured, and whether that reaches it."""

    aim: str
    worst: str
    reached: bool

    def __str__(self) -> str:
        """Return the sentence that is printed."""
        return f'{"reached" if self.reached else "MISSED ":7}  {self.aim}: {self.worst}'


def stream_verdicts(rows: Sequence[Row]) -> list[Verdict]:
    """Judge a streaming comparison by the cells in it that aims are about."""
    cells: dict[tuple[int, float], dict[str, Row]] = {}
    for row in rows:
        cells.setdefault((row['joints'], row['hz']), {})[row['key']] = row
    return [
        *peer_verdicts(cells, RSP, 'C++ publisher'),
        *peer_verdicts(cells, RSP_EVERY, 'C++ publisher told to answer every message'),
        *obvious_verdicts(cells),
        *answer_verdicts(rows),
    ]


def peer_verdicts(
    cells: Mapping[tuple[int, float], Mapping[str, Row]], peer: str, name: str
) -> list[Verdict]:
    """Judge latency and CPU time against a C++ publisher at 30 and 60 joints, 500 Hz and up.

    CPU time is that of an answer: what a throttled peer leaves out is not work that it did.
    """
    asked = [
        cell
        for (joints, hz), cell in sorted(cells.items())
        if joints in PEER_JOINTS and hz in PEER_RATES and {THIS, peer} <= cell.keys()
    ]
    verdicts = []
    for title, key in (('p50 latency', 'p50_us'), ('CPU time an answer', 'cpu_answer_us')):
        ratios = [ratio(cell[THIS][key], cell[peer][key]) for cell in asked]
        if ratios:
            worst, shown = max(ratios), ', '.join(f'{value:.2f}' for value in ratios)
            verdicts.append(Verdict(f'{title} at most 1.05 of the {name}', shown, worst <= 1.05))
    return verdicts


def obvious_verdicts(cells: Mapping[tuple[int, float], Mapping[str, Row]]) -> list[Verdict]:
    """Judge CPU time against the obvious node; an answer's, since it may leave messages out."""
    key = 'cpu_answer_us'
    ratios = [
        ratio(cell[OBVIOUS][key], cell[THIS][key])
        for (joints, _), cell in sorted(cells.items())
        if joints == 60 and {THIS, OBVIOUS} <= cell.keys()
    ]
    if not ratios:
        return []
    aim = 'at least 4 times less CPU time an answer than the obvious node, 60 joints'
    return [Verdict(aim, ', '.join(f'{value:.1f}' for value in ratios), min(ratios) >= 4.0)]


def answer_verdicts(rows: Iterable[Row]) -> list[Verdict]:
    """Judge whether this node answered every message."""
    own = [sample for row in rows if row['key'] == THIS for sample in row['samples']]
    if not own:
        return []
    worst = min(own, key=lambda sample: sample['answered'])
    found = f'{worst["answered"]:.4f} ({worst["joints"]} joints, {worst["hz"]:.0f} Hz)'
    return [Verdict('every message answered', found, worst['answered'] == 1.0)]


def startup_verdicts(rows: Iterable[Row]) -> list[Verdict]:
    """Judge the time to the first transforms."""
    return [
        Verdict(
            f'first TF within {STARTUP_SECONDS:.0f} s of the start',
            f'{row["seconds"]:.2f} s',
            row['seconds'] < STARTUP_SECONDS,
        )
        for row in rows
        if row['key'] == THIS
    ]


def soak_verdicts(rows: Sequence[Row]) -> list[Verdict]:
    """Judge a soak by its first and its last row."""
    first, last = rows[0], rows[-1]
    growth = last['rss_mb'] - first['rss_mb']
    return [
        Verdict(
            'every message answered',
            f'{last["lost"]} of {last["sent"]} lost',
            last['lost'] == 0,
        ),
        Verdict('memory flat', f'{growth:+.2f} MB', growth < RSS_GROWTH_MB),
    ]
