# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Streaming a robot with closed loops beside the same robot without them, by this node."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
import math
from typing import Any

import numpy as np
from sensor_msgs.msg import JointState

from benchmark.driver import Driver
from benchmark.loops import ROBOT
from benchmark.player import Pace
from benchmark.player import STATES
from benchmark.processes import Contender
from benchmark.processes import fresh_domain
from benchmark.processes import Publisher
from benchmark.report import Column
from benchmark.report import median
from benchmark.report import number
from benchmark.report import ratio
from benchmark.robots import SHARED_ROBOTS
from benchmark.stream import measure
from benchmark.stream import rotated
from benchmark.stream import wait_until_answering
from benchmark.targets import Verdict
from kinematics_node.formats.load import load_model
from kinematics_node.model.model import Model
from kinematics_node.ros.constraints_file import constraint_parameters
from kinematics_node.solve import LoopSolver

SWING = 0.05  # amplitude of the motors [rad]
MOST = 2.0  # times the CPU time of the robot without loops
OPEN, WHOLE, CLOSED = 'tree', 'whole-tree', 'loops'
LABELS = {
    OPEN: f'{ROBOT} tree, motors',
    WHOLE: f'{ROBOT} tree, all joints',
    CLOSED: f'{ROBOT} loops, motors',
}
RATIOS = {'ratio': OPEN, 'whole_ratio': WHOLE}
COLUMNS = (
    Column('robot', 'robot'),
    Column('played', 'played'),
    Column('moving', 'moving'),
    Column('Hz', 'hz', number(0)),
    Column('p50 us', 'p50_us', number(0)),
    Column('p99 us', 'p99_us', number(0)),
    Column('answered', 'answered', number(4)),
    Column('CPU us/message', 'cpu_us', number(1)),
    Column('CPU ratio', 'ratio', number(2)),
    Column('to all joints', 'whole_ratio', number(2)),
    Column('', 'note'),
)


def run(node: Contender, pace: Pace, rounds: int, seconds: float) -> Iterator[dict[str, Any]]:
    """Yield samples of the tree by its motors, by all its joints, and of the loops by the motors.

    The tree's motors move six frames. Where all its joints are played it publishes the frames that
    the loops' motors move: what loops cost beside that is the solving.
    """
    folder = SHARED_ROBOTS / ROBOT
    if not folder.exists():
        yield {'robot': ROBOT, 'note': f'skipped: no shared/robots/{ROBOT}'}
        return
    urdf, side_car = (folder / 'robot.urdf').read_text(encoding='utf-8'), folder / 'robot.yaml'
    model = load_model(folder / 'robot.urdf', side_cars=[side_car])
    motors = [joint.name for joint in model.joints if joint.actuated]
    everything = motion(model, motors)
    names = list(model.coordinate_names)
    looped = {**node.parameters, **constraint_parameters(str(side_car), urdf)}
    closed = replace(node, parameters=looped)
    cases = {
        OPEN: (node, states(model, motors, everything), len(motors)),
        WHOLE: (node, states(model, names, everything), len(names)),
        CLOSED: (closed, states(model, motors, everything), len(names)),
    }
    for round_number in range(rounds):
        with ExitStack() as stack:
            pairs = [
                (key, *started(stack, contender, urdf, played, moving))
                for key, (contender, played, moving) in cases.items()
            ]
            for _, publisher, driver in pairs:
                wait_until_answering(publisher, driver)
            for key, publisher, driver in rotated(pairs, round_number):
                yield {
                    'key': key,
                    'robot': LABELS[key],
                    'played': len(cases[key][1][0].name),
                    'moving': cases[key][2],
                    'hz': pace.rate,
                    **measure(publisher, driver, pace, seconds),
                    'note': '',
                }


def started(
    stack: ExitStack, contender: Contender, urdf: str, played: Sequence[JointState], moving: int
) -> tuple[Publisher, Driver]:
    """Start a publisher and its driver in a domain of their own."""
    domain = fresh_domain()
    driver = stack.enter_context(Driver(domain, played, moving))
    return stack.enter_context(Publisher(contender, urdf, domain)), driver


def motion(model: Model, motors: Sequence[str]) -> np.ndarray:
    """Return positions (states, nq) on a closed way of the motors, loops closed."""
    solver = LoopSolver(model, motors)
    q = solver.assemble(model.zero).q.copy()
    where = [model.coordinates_of(name).start for name in motors]
    middle, phase = q[where], np.arange(len(where))
    found = np.empty((STATES, model.nq))
    for k in range(STATES):
        q[where] = middle + SWING * np.sin(2.0 * math.pi * k / STATES + phase)
        if solver.step(q) != 0:
            raise RuntimeError(f'{model.name}: the motors cannot move so far')
        found[k] = q
    return found


def states(model: Model, names: list[str], q: np.ndarray) -> list[JointState]:
    """Return joint states of some coordinates along a motion."""
    where = [model.coordinate_index[name] for name in names]
    zeros = [0.0] * len(names)
    return [
        JointState(name=names, position=row[where].tolist(), velocity=zeros, effort=zeros)
        for row in q
    ]


def summarize(samples: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one row a case, with medians, and the loops' CPU time as ratios to the trees'."""
    if 'key' not in samples[0]:
        return list(samples)
    rows = {}
    for key in (OPEN, WHOLE, CLOSED):
        own = [sample for sample in samples if sample['key'] == key]
        medians = {
            name: median(sample[name] for sample in own)
            for name in ('p50_us', 'p99_us', 'answered', 'cpu_us')
        }
        rows[key] = {**own[0], **medians, 'samples': own}
    for name, key in RATIOS.items():
        rows[CLOSED][name] = ratio(rows[CLOSED]['cpu_us'], rows[key]['cpu_us'])
    return list(rows.values())


def verdicts(rows: Sequence[dict[str, Any]]) -> list[Verdict]:
    """Judge the ratios, and whether all was answered."""
    if 'key' not in rows[0]:
        return []
    worst = min(sample['answered'] for row in rows for sample in row['samples'])
    loops = rows[-1]
    return [
        *(
            Verdict(
                f'at most {MOST:g} times the CPU time of {LABELS[key]}',
                f'{loops[name]:.2f}',
                loops[name] <= MOST,
            )
            for name, key in RATIOS.items()
        ),
        Verdict('every message answered', f'{worst:.4f}', worst == 1.0),
    ]
