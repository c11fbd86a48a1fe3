# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""kinematics forces: what every joint carries, and whether that is certain."""

from __future__ import annotations

import argparse
from typing import Any

from rich.console import Console
from rich.table import Table

from kinematics_node.cli.common import add_model_arguments
from kinematics_node.cli.common import add_state_arguments
from kinematics_node.cli.common import Command
from kinematics_node.cli.common import FINE
from kinematics_node.cli.common import FOUND
from kinematics_node.cli.common import given_names
from kinematics_node.cli.common import model_of
from kinematics_node.cli.common import numbers
from kinematics_node.cli.common import print_json
from kinematics_node.cli.common import say
from kinematics_node.cli.common import state_of
from kinematics_node.cli.common import UsageError
from kinematics_node.cli.loads import add_load_arguments
from kinematics_node.cli.loads import assembled
from kinematics_node.cli.loads import loads_of
from kinematics_node.cli.loads import open_loops
from kinematics_node.forces import constraint_forces
from kinematics_node.forces import ForceReport
from kinematics_node.forces import JointForce
from kinematics_node.solving.measured import measured_joints


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the sub-command."""
    add_model_arguments(parser)
    add_state_arguments(parser)
    add_load_arguments(parser)
    parser.add_argument('--joint', action='append', help='a joint or closure; all where left out')
    parser.add_argument('--frame', choices=('parent', 'child', 'world'), default='parent')
    parser.add_argument('--method', choices=('reduced', 'augmented'), default='reduced')


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print what joints carry at rest; status 1 where the pose cannot be held."""
    model = model_of(arguments)
    given = given_names(arguments, model)
    result = assembled(model, state_of(arguments, model).q, given)
    if sentence := open_loops(result):
        raise UsageError(sentence)
    report = constraint_forces(
        model,
        result.q,
        measured=measured_joints(model, given) or None,
        frame=arguments.frame,
        joints=arguments.joint,
        method=arguments.method,
        **loads_of(arguments),
    )
    if arguments.json:
        print_json(console, document(report))
    else:
        _print(console, report)
    return FINE if report.held else FOUND


def document(report: ForceReport) -> dict[str, Any]:
    """Return a report as JSON has it."""
    return {
        'held': report.held,
        'determinate': report.determinate,
        'actuator_efforts': dict(
            zip(report.model.velocity_names, report.actuator_efforts.tolist(), strict=True)
        ),
        'missing': [{'coordinate': n, 'effort': x, 'unit': u} for n, x, u in report.missing],
        'joints': [_record(force) for force in report.joints],
        'closures': [_record(force) for force in report.closures],
        'summary': report.summary,
    }


def _record(force: JointForce) -> dict[str, Any]:
    return {
        'name': force.name,
        'type': force.type,
        'frame': force.frame,
        'anchor': force.point.tolist(),
        'torque': force.total[:3].tolist(),
        'force': force.total[3:].tolist(),
        'constraint_torque': force.constraint[:3].tolist(),
        'constraint_force': force.constraint[3:].tolist(),
        'efforts': {source: values.tolist() for source, values in force.efforts.items()},
        'determinate': force.determinate,
        'unknown_components': list(force.unknown_components),
        'shared_with': list(force.shared_with),
    }


def _print(console: Console, report: ForceReport) -> None:
    table = Table('joint', 'axes of', 'force [N]', 'torque [N m]', 'certain', box=None)
    for force in (*report.joints, *report.closures):
        unknown = ', '.join(force.unknown_components)
        certain = 'yes' if force.determinate else f'not {unknown}'
        table.add_row(
            force.name,
            force.frame,
            numbers(force.total[3:], 3),
            numbers(force.total[:3], 3),
            certain,
        )
    console.print(table, markup=False)
    for line in report.summary.splitlines():
        say(console, line)


COMMAND = Command(
    name='forces',
    help='what every joint carries, and whether that is certain',
    description='Prints the wrench of the parent on the child at each joint and closure, at rest.',
    example='kinematics forces examples/delta/delta.urdf --constraints examples/delta/delta.yaml',
    configure=configure,
    run=run,
)
