# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Closed loops: one warm-started solve, against scipy on Pinocchio's residuals, and its growth."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from importlib.util import find_spec
import math
from pathlib import Path
import time
from typing import Any

import numpy as np

from benchmark.report import Column
from benchmark.report import median
from benchmark.report import number
from benchmark.robots import SHARED_ROBOTS
from benchmark.targets import Verdict
from kinematics_node.dof import dof_report
from kinematics_node.formats.load import load_model
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import Closure
from kinematics_node.model.elements import IDENTITY_POSE
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Link
from kinematics_node.model.elements import Pose
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model
from kinematics_node.solve import LoopSolver

ROBOT = 'digit_like'
LOOPS = (1, 2, 4, 8, 16, 32, 64)
PEER_STEPS = 60  # of those that are timed, on scipy: it takes milliseconds for each
LARGEST = 1e-10  # residual that a solution may leave [m, rad]
PEER_LARGEST = 1e-8  # scipy stops sooner, at the tightest tolerances that it takes
SOLVE_MICROSECONDS = 100.0
REPORT_MILLISECONDS = 5.0
TIMES_FASTER = 100.0
AXIS = (0.0, 0.0, 1.0)
COLUMNS = (
    Column('robot', 'robot'),
    Column('loops', 'loops'),
    Column('rows', 'rows'),
    Column('solve us', 'solve_us', number(1)),
    Column('p99 us', 'p99_us', number(1)),
    Column('largest residual', 'residual'),
    Column('DOF report ms', 'report_ms', number(2)),
    Column('scipy us', 'scipy_us', number(0)),
    Column('ratio', 'ratio', number(0)),
    Column('', 'note'),
)


def run(steps: int) -> Iterator[dict[str, Any]]:
    """Yield a row for the robot of the aims, and one for each length of a chain of four-bars."""
    folder = SHARED_ROBOTS / ROBOT
    if folder.exists():
        model = load_model(folder / 'robot.urdf', side_cars=[folder / 'robot.yaml'])
        motors = [joint.name for joint in model.joints if joint.actuated]
        found = {**measured(model, motors, steps), **peer(model, motors, folder / 'robot.urdf')}
        yield {**found, 'robot': ROBOT}
    else:
        yield {'robot': ROBOT, 'note': f'skipped: no shared/robots/{ROBOT}'}
    for loops in LOOPS:
        model = four_bar_chain(loops)
        yield measured(model, [f'crank{n}' for n in range(loops)], steps)


def motion(model: Model, motors: Sequence[str], q: np.ndarray, steps: int) -> np.ndarray:
    """Return positions of the motors at the steps of a motion, 1 kHz apart, from q on."""
    where = [model.coordinates_of(name).start for name in motors]
    phase = np.arange(len(where))
    t = 2.0 * math.pi * 0.7e-3 * np.arange(steps)[:, None]
    return q[where] + 0.05 * (np.sin(t + phase) - np.sin(phase))


def measured(model: Model, motors: Sequence[str], steps: int) -> dict[str, Any]:
    """Return the times of the steps of a motion, and what they leave open."""
    solver = LoopSolver(model, motors)
    q = solver.assemble(model.zero).q.copy()
    where = [model.coordinates_of(name).start for name in motors]
    solver.step(q)
    times = []
    residual = 0.0
    for positions in motion(model, motors, q, steps):
        q[where] = positions
        start = time.perf_counter()
        status = solver.step(q)
        times.append(time.perf_counter() - start)
        if status != 0:
            raise RuntimeError(f'{model.name}: a step of the motion was not solved ({status})')
        residual = max(residual, float(np.abs(solver.plan.work.rows[:, 0]).max()))
    reports = []
    for _ in range(11):
        start = time.perf_counter()
        dof_report(model, q)
        reports.append(time.perf_counter() - start)
    return {
        'robot': model.name,
        'loops': len(model.closures),
        'rows': solver.plan.work.rows.shape[0],
        'solve_us': 1e6 * median(times),
        'p99_us': 1e6 * float(np.percentile(times, 99)),
        'residual': f'{residual:.1e}',
        'report_ms': 1e3 * median(reports[1:]),
    }


def peer(model: Model, motors: Sequence[str], path: Path) -> dict[str, Any]:
    """Return the time of the same solves by scipy on the residuals that Pinocchio computes."""
    missing = [name for name in ('pinocchio', 'scipy') if not find_spec(name)]
    if missing:
        return {'note': f'alone: {missing[0]} is not installed'}
    import pinocchio
    from scipy.optimize import least_squares

    theirs = pinocchio.buildModelFromUrdf(str(path))
    data = theirs.createData()
    pairs = [
        (theirs.getFrameId(closure.link_A), theirs.getFrameId(closure.link_B))
        for closure in model.closures
    ]
    place = [theirs.joints[theirs.getJointId(name)].idx_q for name in model.coordinate_names]
    solver = LoopSolver(model, motors)
    ours = solver.assemble(model.zero).q.copy()
    q = np.zeros(theirs.nq)
    q[place] = ours
    driven = [place[model.coordinates_of(name).start] for name in motors]
    unknown = sorted(set(range(theirs.nq)) - set(driven))

    def residuals(x: np.ndarray) -> np.ndarray:
        q[unknown] = x
        pinocchio.framesForwardKinematics(theirs, data, q)
        return np.concatenate(
            [pinocchio.log6(data.oMf[a].actInv(data.oMf[b])).vector for a, b in pairs]
        )

    times = []
    for positions in motion(model, motors, ours, PEER_STEPS):
        q[driven] = positions
        start = time.perf_counter()
        found = least_squares(residuals, q[unknown], xtol=1e-12, ftol=1e-12, gtol=1e-12)
        times.append(time.perf_counter() - start)
        q[unknown] = found.x
        if np.abs(found.fun).max() > PEER_LARGEST:
            raise RuntimeError('scipy did not solve a step, so that its time says nothing')
    return {'scipy_us': 1e6 * median(times)}


def four_bar_chain(loops: int) -> Model:
    """Return a chain of four-bars, each standing on the coupler of the one before."""
    builder = ModelBuilder('chain of four-bars')
    builder.add_link(Link('base'))
    ground = 'base'
    for n in range(loops):
        for name, parent, place in (
            ('crank', ground, at(0.1)),
            ('coupler', f'crank{n}_link', at(0.0, 0.5)),
            ('rocker', ground, at(1.1)),
        ):
            child = f'{name}{n}_link'
            builder.add_link(Link(child))
            builder.add_joint(
                Joint(f'{name}{n}', JointType.REVOLUTE, parent, child, place, axes=(Axis(AXIS),))
            )
        ends = (f'coupler{n}_link', f'rocker{n}_link', at(0.8), at(0.0, 0.6))
        builder.add_closure(Closure(f'loop{n}', 'revolute', *ends, AXIS, AXIS))
        ground = f'coupler{n}_link'
    return builder.finalize()


def at(x: float, y: float = 0.0) -> Pose:
    """Return a pose shifted in the plane."""
    return (*IDENTITY_POSE[:4], x, y, 0.0)


def summarize(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows with how much slower scipy is."""
    return [
        {**row, 'ratio': row['scipy_us'] / row['solve_us']} if 'scipy_us' in row else row
        for row in rows
    ]


def growth(rows: Sequence[dict[str, Any]]) -> float:
    """Return the exponent with which the time grows with the number of loops, from four on."""
    chain = [row for row in rows if str(row['robot']).startswith('chain') and row['loops'] >= 4]
    loops, times = ([math.log(row[key]) for row in chain] for key in ('loops', 'solve_us'))
    return float(np.polyfit(loops, times, 1)[0])


def verdicts(rows: Sequence[dict[str, Any]]) -> list[Verdict]:
    """Judge the robot of the aims, and the growth."""
    exponent = growth(rows)
    found = [
        Verdict(
            'time grows less than quadratically with loops', f'^{exponent:.2f}', exponent < 2.0
        )
    ]
    row = rows[0]
    if 'solve_us' not in row:
        return found
    solve, report = row['solve_us'], row['report_ms']
    found += [
        Verdict(f'{ROBOT} solved in 100 us', f'{solve:.1f} us', solve < SOLVE_MICROSECONDS),
        Verdict(f'{ROBOT} reported in 5 ms', f'{report:.2f} ms', report < REPORT_MILLISECONDS),
        Verdict('residual below 1e-10', row['residual'], float(row['residual']) < LARGEST),
    ]
    if 'ratio' in row:
        faster = row['ratio']
        aim = f'{ROBOT} 100 times faster than scipy on Pinocchio'
        found.append(Verdict(aim, f'{faster:.0f} times', faster >= TIMES_FASTER))
    return found
