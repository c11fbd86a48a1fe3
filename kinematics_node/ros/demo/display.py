# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What the demo shows: a live table on a terminal, a line a second anywhere else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from rich.console import Console
from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from kinematics_node.ros.demo.check import Check
from kinematics_node.ros.demo.check import Frame
from kinematics_node.ros.demo.check import Value
from kinematics_node.ros.demo.elements import DemoRobot
from kinematics_node.ros.demo.loops import CLOSED
from kinematics_node.ros.demo.loops import Loop

LIVE_PERIOD = 0.2
PLAIN_PERIOD = 1.0
RECENT = 500
FEWEST_ROWS = 4
# Lines that headings, borders and the table of topics take.
FURNITURE = 20


class Display:
    """Shows a check as it goes on."""

    def __init__(self, console: Console, robot: DemoRobot, check: Check) -> None:
        self._console, self._robot, self._check = console, robot, check
        self._live: Live | None = None
        self.period = LIVE_PERIOD if console.is_terminal else PLAIN_PERIOD

    @contextmanager
    def running(self) -> Iterator[None]:
        """Hold the terminal, if there is one."""
        if not self._console.is_terminal:
            yield
            return
        with Live(console=self._console, auto_refresh=False) as self._live:
            yield
        self._live = None

    def show(self, elapsed: float, seconds: float) -> None:
        """Show what has come after so many seconds."""
        if self._live is not None:
            self._live.update(self._tables(elapsed, seconds), refresh=True)
        else:
            self._console.print(self._line(elapsed), soft_wrap=True)

    def _line(self, elapsed: float) -> str:
        check = self._check
        parts = [
            f'{elapsed:4.0f} s  /tf {_arrived(check.moving)} moving frames',
            f'{check.answered / elapsed:.1f} messages/s',
            f'latency {latency(check.latencies[-RECENT:])}',
            f'/tf_static {_arrived(check.static)}',
            f'~/joint_states {_arrived(check.values)}',
        ]
        if check.loops:
            parts.append(closed(check.loops))
        if self._robot.followers:
            name = self._robot.followers[-1].name
            value = check.values[name]
            parts.append(f'{name} {value.last:+.4f} (expected {value.wanted:+.4f})')
        return ', '.join(parts)

    def _tables(self, elapsed: float, seconds: float) -> Group:
        rows = max(self._console.height - FURNITURE, 2 * FEWEST_ROWS)
        followers = min(len(self._robot.followers), rows // 2)
        parts = [
            Text(f"robot '{self._robot.name}'  {elapsed:.0f} of {seconds:.0f} s", style='bold'),
            self._topics(elapsed),
        ]
        if followers:
            parts.append(self._followers(followers))
        parts.append(self._frames(rows - followers))
        return Group(*parts)

    def _topics(self, elapsed: float) -> Table:
        check = self._check
        table = Table('topic', 'arrived', 'messages/s', 'latency', 'largest difference')
        table.add_row(
            '/tf',
            f'{_arrived(check.moving)} moving frames',
            f'{check.answered / elapsed:.1f}',
            latency(check.latencies[-RECENT:]),
            f'{check.worst(check.moving.values()):.1e}',
        )
        table.add_row(
            '/tf_static',
            f'{_arrived(check.static)} static frames',
            'latched',
            '',
            f'{check.worst(check.static.values()):.1e}',
        )
        table.add_row(
            '~/joint_states',
            f'{_arrived(check.values)} positions',
            f'{check.states / elapsed:.1f}',
            '',
            f'{check.worst(check.values.values()):.1e}',
        )
        if check.loops:
            gap = max(loop.gap for loop in check.loops.values())
            table.add_row('loops', f'{_closed(check.loops)} closed', '', '', f'{gap:.1e}')
        return table

    def _followers(self, most: int) -> Table:
        table = Table('follower', 'follows', 'value', 'expected')
        for joint in self._robot.followers[:most]:
            assert joint.mimic is not None
            value = self._check.values[joint.name]
            table.add_row(
                joint.name,
                f'{joint.mimic[1]:+g} {joint.mimic[0]} {joint.mimic[2]:+g}',
                f'{value.last:+.6f}',
                f'{value.wanted:+.6f}',
                style=None if value.last == value.last else 'dim',
            )
        _count_rest(table, len(self._robot.followers) - most)
        return table

    def _frames(self, most: int) -> Table:
        table = Table('moving frame', 'in', 'x, y, z in the root [m]', 'came', 'difference')
        moving = list(self._check.moving.items())
        for name, frame in moving[:most]:
            table.add_row(
                name,
                frame.parent,
                ' '.join(f'{x:+.4f}' for x in self._check.pose_in_root(name)[:3, 3]),
                str(frame.count),
                f'{frame.deviation:.1e}',
                style=None if frame.count else 'dim',
            )
        _count_rest(table, len(moving) - most)
        return table


def latency(latencies: list[float]) -> str:
    """Return median and 99th percentile in words."""
    if not latencies:
        return '-'
    p50, p99 = np.percentile(latencies, (50, 99)) * 1e3
    return f'p50 {p50:.2f} ms, p99 {p99:.2f} ms'


def closed(loops: dict[str, Loop]) -> str:
    """Return how many loops are closed, and the largest gap, in words."""
    worst = max(loops, key=lambda name: loops[name].gap)
    gap = f"largest gap {loops[worst].gap:.1e} m or rad, of '{worst}'"
    return f'{_closed(loops)} loops closed, {gap}'


def _closed(loops: dict[str, Loop]) -> str:
    count = sum(1 for loop in loops.values() if loop.count and loop.gap <= CLOSED)
    return f'{count} of {len(loops)}'


def _arrived(things: dict[str, Frame] | dict[str, Value]) -> str:
    return f'{sum(1 for thing in things.values() if thing.count)} of {len(things)}'


def _count_rest(table: Table, count: int) -> None:
    if count > 0:
        table.add_row(f'and {count} more', style='dim')
