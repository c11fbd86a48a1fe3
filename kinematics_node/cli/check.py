# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""kinematics check: whether a state is possible."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.table import Table

from kinematics_node.check import check_state
from kinematics_node.cli.common import add_model_arguments
from kinematics_node.cli.common import add_state_arguments
from kinematics_node.cli.common import Command
from kinematics_node.cli.common import FINE
from kinematics_node.cli.common import FOUND
from kinematics_node.cli.common import given_values
from kinematics_node.cli.common import model_of
from kinematics_node.cli.common import print_json
from kinematics_node.cli.common import say


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the sub-command."""
    add_model_arguments(parser)
    add_state_arguments(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print what is wrong with a state; status 1 where something is."""
    model = model_of(arguments)
    result = check_state(model, given_values(arguments))
    if arguments.json:
        records = [
            {
                'kind': v.kind.name.lower(),
                'element': v.element,
                'coordinate': v.coordinate,
                'value': v.value,
                'bound': v.bound,
                'margin': v.margin,
                'message': v.message,
            }
            for v in result.violations
        ]
        print_json(console, {'valid': result.valid, 'violations': records})
        return FINE if result.valid else FOUND
    if result.violations:
        table = Table('kind', 'of', 'value', 'bound', 'what is wrong', box=None)
        for v in result.violations:
            table.add_row(
                v.kind.name.lower(), v.element, f'{v.value:.6g}', f'{v.bound:.6g}', v.message
            )
        console.print(table, markup=False)
    say(console, 'the state is possible' if result.valid else 'the state is not possible')
    return FINE if result.valid else FOUND


COMMAND = Command(
    name='check',
    help='whether a state is possible',
    description='Checks a state: limits, stops, mimics, couplings, closures, numbers.',
    example='kinematics check examples/mimic_hand/mimic_hand.urdf grip=0.5',
    configure=configure,
    run=run,
)
