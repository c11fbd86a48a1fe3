# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""kinematics dof: how many ways a mechanism can move, and which."""

from __future__ import annotations

import argparse
from typing import Any

from rich.console import Console
from rich.table import Table

from kinematics_node.cli.common import add_model_arguments
from kinematics_node.cli.common import add_state_arguments
from kinematics_node.cli.common import Command
from kinematics_node.cli.common import FINE
from kinematics_node.cli.common import given_names
from kinematics_node.cli.common import model_of
from kinematics_node.cli.common import print_json
from kinematics_node.cli.common import say
from kinematics_node.cli.common import state_of
from kinematics_node.dof import dof_report
from kinematics_node.dof import DofReport


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the sub-command."""
    add_model_arguments(parser)
    add_state_arguments(parser)
    parser.add_argument(
        '--measured', metavar='JOINTS', help='joints that are measured, separated by commas'
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print the report."""
    model = model_of(arguments)
    state = state_of(arguments, model)
    measured = arguments.measured.split(',') if arguments.measured else None
    given = given_names(arguments, model)
    report = dof_report(model, state.q if given else None, measured=measured or given or None)
    if arguments.json:
        print_json(console, document(report))
    else:
        _print(console, report)
    return FINE


def document(report: DofReport) -> dict[str, Any]:
    """Return a report as JSON has it."""
    return {
        'bodies': report.bodies,
        'rows_by_kind': dict(report.rows_by_kind),
        'rows': report.rows,
        'gruebler': report.gruebler,
        'rank': report.rank,
        'mobility': report.mobility,
        'redundant': report.redundant,
        'loop_rows': report.loop_rows,
        'loop_rank': report.loop_rank,
        'threshold': report.threshold,
        'singular_values': {'above': report.above, 'below': report.below},
        'certain': report.certain,
        'singular': report.singular,
        'closed': report.closed,
        'independent': list(report.independent),
        'idle': report.idle,
        'actuated': list(report.actuated),
        'actuation': report.actuation.name.lower(),
        'joints': [
            {
                'name': joint.joint,
                'type': joint.type,
                'role': joint.role.name.lower(),
                'depends_on': list(joint.depends_on),
            }
            for joint in report.joints
        ],
        'message': report.message,
    }


def _print(console: Console, report: DofReport) -> None:
    rows = Table('rows of', 'count', box=None)
    for kind, count in report.rows_by_kind.items():
        rows.add_row(kind, str(count))
    console.print(rows, markup=False)
    joints = Table('joint', 'type', 'role', 'depends on', box=None)
    for joint in report.joints:
        if joint.type != 'fixed':
            depends = ', '.join(joint.depends_on)
            joints.add_row(joint.joint, joint.type, joint.role.name.lower(), depends)
    console.print(joints, markup=False)
    kept = f'smallest kept {report.above:.3g}, largest dropped {report.below:.3g}'
    say(console, f'rank {report.loop_rank} of {report.loop_rows} loop rows: {kept}')
    say(console, report.message)


COMMAND = Command(
    name='dof',
    help='how many ways a mechanism can move, and which',
    description='Reports degrees of freedom: rows, rank, mobility, roles of joints.',
    example='kinematics dof examples/delta/delta.urdf --constraints examples/delta/delta.yaml',
    configure=configure,
    run=run,
)
