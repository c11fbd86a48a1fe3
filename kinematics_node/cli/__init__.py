# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The command line 'kinematics': the questions of this package, asked without ROS.

Exit status: 0 all is well, 1 something was found, 2 the input could not be used.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
import os
import sys

from rich.console import Console

from kinematics_node.cli import check
from kinematics_node.cli import compile as compile_command
from kinematics_node.cli import convert
from kinematics_node.cli import dof
from kinematics_node.cli import fk
from kinematics_node.cli import forces
from kinematics_node.cli import plot
from kinematics_node.cli import review
from kinematics_node.cli import solve
from kinematics_node.cli import tree
from kinematics_node.cli.common import BAD_INPUT
from kinematics_node.cli.common import Command
from kinematics_node.errors import KinematicsError

COMMANDS: tuple[Command, ...] = (
    review.COMMAND,
    tree.COMMAND,
    fk.COMMAND,
    convert.COMMAND,
    check.COMMAND,
    dof.COMMAND,
    solve.COMMAND,
    forces.COMMAND,
    plot.COMMAND,
    compile_command.COMMAND,
)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    top = argparse.ArgumentParser(
        prog='kinematics',
        description='Kinematics, constraints and joint forces of robots.',
        epilog='Exit status: 0 all is well, 1 something was found, 2 bad input.',
    )
    commands = top.add_subparsers(dest='command', required=True, metavar='COMMAND')
    for command in COMMANDS:
        sub = commands.add_parser(
            command.name,
            help=command.help,
            description=command.description,
            epilog=f'example: {command.example}',
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.configure(sub)
        sub.set_defaults(run=command.run)
    return top


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parse the words; unlike argparse itself, take a state's words behind options as well."""
    top = parser()
    arguments, rest = top.parse_known_args(argv)
    unknown = [word for word in rest if word.startswith('-') or not hasattr(arguments, 'state')]
    if unknown:
        top.error(f'unrecognized arguments: {" ".join(unknown)}')
    if rest:
        arguments.state = [*arguments.state, *rest]
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    arguments = parse(argv)
    try:
        status = arguments.run(arguments, Console())
        sys.stdout.flush()
    except KinematicsError as error:
        Console(stderr=True, soft_wrap=True).print(f'kinematics: {error}', markup=False)
        return BAD_INPUT
    except BrokenPipeError:
        # Whoever read the output has had enough of it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BAD_INPUT
    return int(status)
