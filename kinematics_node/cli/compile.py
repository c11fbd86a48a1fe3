# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""kinematics compile: all kernels ahead, so that no first question waits for them."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from collections.abc import Mapping
import time
from typing import Any

import numpy as np
from rich.console import Console

from kinematics_node.check import check_state
from kinematics_node.cli.common import Command
from kinematics_node.cli.common import FINE
from kinematics_node.compiled import Array
from kinematics_node.dof import dof_report
from kinematics_node.fk import frame_accelerations
from kinematics_node.fk import frame_jacobian
from kinematics_node.fk import frame_names
from kinematics_node.fk import frame_poses
from kinematics_node.fk import frame_velocities
from kinematics_node.forces import constraint_forces
from kinematics_node.forces import ExternalWrench
from kinematics_node.forces import ForceReport
from kinematics_node.forces import Payload
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import Closure
from kinematics_node.model.elements import Inertia
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Link
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model
from kinematics_node.solve import LoopSolver
from kinematics_node.solving.kept import kept_solver
from kinematics_node.spatial import Pose

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
BODY = Inertia(1.0, (0.2, 0.0, 0.0), (0.1, 0.1, 0.1, 0.0, 0.0, 0.0))


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the sub-command: none."""


def run(_: argparse.Namespace, console: Console) -> int:
    """Ask everything once, of mechanisms that between them need every kernel."""
    models = (four_bar('distance'), four_bar('revolute'), sprung_ball())
    for what, ask in QUESTIONS.items():
        start = time.monotonic()
        for model in models:
            q = LoopSolver(model).assemble(model.zero).q
            ask(model, q, np.full(model.nv, 0.1))
        console.print(f'{what:<24} {time.monotonic() - start:6.1f} s')
    return FINE


def four_bar(closure: str) -> Model:
    """Return a four-bar, closed by a rod, whose row counts, or a hinge, most of whose do not."""
    builder = ModelBuilder('four_bar')
    for name in ('ground', 'crank', 'coupler', 'rocker'):
        builder.add_link(Link(name, BODY))
    for name, parent, x in (
        ('crank', 'ground', 0.0),
        ('coupler', 'crank', 0.5),
        ('rocker', 'ground', 2.0),
    ):
        axes = (Axis(Z, damping=0.1),)
        builder.add_joint(Joint(name, JointType.REVOLUTE, parent, name, at(x), axes=axes))
    X_LA, X_LB = at(1.8), at(1.2)
    builder.add_closure(
        Closure('tip', closure, 'coupler', 'rocker', X_LA, X_LB, axis_A=Z, axis_B=Z, length=0.1)
    )
    return builder.finalize()


def sprung_ball() -> Model:
    """Return a body on a ball joint with springs."""
    builder = ModelBuilder('sprung_ball')
    for name in ('ground', 'body'):
        builder.add_link(Link(name, BODY))
    axes = tuple(Axis(direction, spring=1.0, damping=0.1) for direction in (X, Y, Z))
    builder.add_joint(Joint('ball', JointType.BALL, 'ground', 'body', axes=axes))
    return builder.finalize()


def at(x: float) -> Pose:
    """Return a pose along x [m]."""
    return (1.0, 0.0, 0.0, 0.0, x, 0.0, 0.0)


def ask_loops(model: Model, q: Array, v: Array) -> None:
    """Close loops, and complete motions."""
    first = model.coordinate_names[model.coordinates_of(model.joints[0].name)]
    with kept_solver(model, frozenset(first)) as solver:
        solver.solve(q)
        solver.velocities(q, v)
        solver.motion(q, v, v)


def ask_frames(model: Model, q: Array, v: Array) -> None:
    """Ask where frames are and how they move, one configuration and many."""
    names = list(frame_names(model))
    for shape in ((), (2,)):
        frame_poses(model, np.broadcast_to(q, (*shape, model.nq)), names, names[-1])
    frame_velocities(model, q, v, names)
    frame_accelerations(model, q, v, v, names)
    frame_jacobian(model, q, names[-1])


def ask_freedom(model: Model, q: Array, _: Array) -> None:
    """Ask what is free, told what is measured and not."""
    dof_report(model, q)
    dof_report(model, q, measured=[model.joints[0].name])


def ask_state(model: Model, q: Array, v: Array) -> None:
    """Ask whether states are possible, whole ones and partial ones."""
    check_state(model, q, v, v)
    first = model.coordinates_of(model.joints[0].name)
    check_state(model, dict(zip(model.coordinate_names[first], q[first].tolist(), strict=True)))


def ask_forces(model: Model, q: Array, v: Array) -> None:
    """Ask what joints carry, both questions by both methods, at rest, in motion and loaded."""
    last = model.links[-1].name
    loads: dict[str, Any] = {
        'payloads': [Payload(last, 1.0)],
        'external': [ExternalWrench(last, force=X)],
    }
    for method in ('reduced', 'augmented'):
        for more in ({}, loads):
            look_at(constraint_forces(model, q, v, a=v, method=method, **more))
            efforts = v if model.nv else None
            look_at(
                constraint_forces(
                    model, q, v, mode='forward', efforts=efforts, method=method, **more
                )
            )


def look_at(report: ForceReport) -> None:
    """Look at what a report works out when it is looked at."""
    _ = (report.joints, report.closures, report.multipliers, report.power, report.summary)


QUESTIONS: Mapping[str, Callable[[Model, Array, Array], None]] = {
    'closed loops': ask_loops,
    'frames': ask_frames,
    'degrees of freedom': ask_freedom,
    'state checks': ask_state,
    'constraint forces': ask_forces,
}
COMMAND = Command(
    name='compile',
    help='compile everything ahead of the first question',
    description='Compiles the kernels of all questions, and keeps them for the command line, the '
    'library and the services of the node. Without it the first question of a kind does that, '
    'and waits for it. Takes minutes the first time, and no time after that.',
    example='kinematics compile',
    configure=configure,
    run=run,
)
