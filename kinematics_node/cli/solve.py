# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""kinematics solve: close the loops at given coordinates."""

from __future__ import annotations

import argparse

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
from kinematics_node.solve import LoopSolver
from kinematics_node.solve import SolveResult


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the sub-command."""
    add_model_arguments(parser)
    add_state_arguments(parser)
    parser.add_argument(
        '--project',
        action='store_true',
        help='move the given coordinates, too, if they do not fit',
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print the solved coordinates and what is left of each loop; status 1 where it stays open."""
    model = model_of(arguments)
    state = state_of(arguments, model)
    given = given_names(arguments, model)
    solver = LoopSolver(model, given)
    result = solver.assemble(state.q)
    if arguments.project and not result.converged:
        result = solver.project_measured(state.q)
    if arguments.json:
        print_json(console, document(result, model.coordinate_names, given))
    else:
        _print(console, result, model.coordinate_names, given)
    return FINE if result.converged else FOUND


def document(
    result: SolveResult, names: tuple[str, ...], given: tuple[str, ...]
) -> dict[str, object]:
    """Return a result as JSON has it."""
    return {
        'status': result.status.name.lower(),
        'iterations': result.iterations,
        'singular': result.singular,
        'given': list(given),
        'coordinates': dict(zip(names, result.q.tolist(), strict=True)),
        'residuals': [
            {'name': r.name, 'kind': r.kind, 'metres': r.metres, 'radians': r.radians}
            for r in result.residuals
        ],
        'beyond_limits': list(result.beyond_limits),
        'contradicting': list(result.contradicting),
    }


def _print(
    console: Console, result: SolveResult, names: tuple[str, ...], given: tuple[str, ...]
) -> None:
    table = Table('coordinate', 'value', '', box=None)
    for name, value in zip(names, result.q, strict=True):
        table.add_row(name, numbers([value]), 'given' if name in given else '')
    console.print(table, markup=False)
    loops = Table('closure or coupling', 'kind', 'open by [m]', '[rad]', box=None)
    for r in result.residuals:
        loops.add_row(r.name, r.kind, f'{r.metres:.1e}', f'{r.radians:.1e}')
    console.print(loops, markup=False)
    say(console, f'{result.status.name.lower()} after {result.iterations} iterations')
    if result.singular:
        say(console, 'the configuration is singular')
    if result.beyond_limits:
        say(console, f'beyond limits: {", ".join(result.beyond_limits)}')
    if result.contradicting:
        say(console, f'given, and in contradiction: {", ".join(result.contradicting)}')


COMMAND = Command(
    name='solve',
    help='close the loops at given coordinates',
    description='Finds the coordinates that are not given so that all loops close.',
    example='kinematics solve examples/delta/delta.urdf --constraints examples/delta/delta.yaml',
    configure=configure,
    run=run,
)
