# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""kinematics convert: any description as plain URDF and our notation."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console

from kinematics_node.cli.common import add_model_arguments
from kinematics_node.cli.common import Command
from kinematics_node.cli.common import FINE
from kinematics_node.cli.common import model_of
from kinematics_node.cli.common import print_json
from kinematics_node.cli.common import UsageError
from kinematics_node.formats.export import export_model


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the sub-command."""
    add_model_arguments(parser)
    parser.add_argument('-o', '--output', metavar='FILE', help='write the URDF here')
    parser.add_argument(
        '--notation', metavar='FILE', help='write what URDF cannot say here, in our YAML'
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Write or print the URDF and the notation."""
    urdf, notation = export_model(model_of(arguments))
    if arguments.json:
        print_json(console, {'urdf': urdf, 'notation': notation})
        return FINE
    for text, target in ((urdf, arguments.output), (notation, arguments.notation)):
        if target:
            _write(Path(target), text)
        elif text:
            console.print(text, markup=False, highlight=False, soft_wrap=True, end='')
    return FINE


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text)
    except OSError as error:
        raise UsageError(f'{path} cannot be written: {error.strerror}') from None


COMMAND = Command(
    name='convert',
    help='any description as plain URDF and our YAML',
    description='Writes a description as plain URDF, and what URDF cannot say in our YAML.',
    example='kinematics convert examples/mimic_hand/mimic_hand.urdf -o hand.urdf',
    configure=configure,
    run=run,
)
