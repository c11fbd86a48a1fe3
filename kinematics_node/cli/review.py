# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""kinematics review: what is wrong with a description."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.table import Table

from kinematics_node.cli.common import add_model_arguments
from kinematics_node.cli.common import Command
from kinematics_node.cli.common import finding_record
from kinematics_node.cli.common import FINE
from kinematics_node.cli.common import FOUND
from kinematics_node.cli.common import model_of
from kinematics_node.cli.common import print_json
from kinematics_node.cli.common import say
from kinematics_node.model.findings import Finding
from kinematics_node.model.findings import Severity
from kinematics_node.model.review import review

STYLES = {Severity.INFO: 'dim', Severity.WARNING: 'yellow', Severity.ERROR: 'red'}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the sub-command."""
    add_model_arguments(parser)
    parser.add_argument('--strict', action='store_true', help='take warnings as errors')


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print the findings; status 1 where one is a warning or an error."""
    model = model_of(arguments)
    findings = review(model, strict=arguments.strict)
    if arguments.json:
        records = [finding_record(finding) for finding in findings]
        print_json(console, {'robot': model.name, 'findings': records})
    else:
        _print_table(console, findings)
        say(console, f"robot '{model.name}': {_count(findings)}")
    return FOUND if any(f.severity >= Severity.WARNING for f in findings) else FINE


def _print_table(console: Console, findings: tuple[Finding, ...]) -> None:
    if not findings:
        return
    table = Table('severity', 'code', 'element', 'line', 'finding', box=None)
    for f in findings:
        line = '' if f.line is None else str(f.line)
        table.add_row(
            f.severity.name.lower(), f.code, f.element, line, f.message, style=STYLES[f.severity]
        )
    console.print(table, markup=False)


def _count(findings: tuple[Finding, ...]) -> str:
    words = []
    for severity in reversed(Severity):
        count = sum(1 for f in findings if f.severity is severity)
        words.append(f'{count} {severity.name.lower()}{"" if count == 1 else "s"}')
    return ', '.join(words)


COMMAND = Command(
    name='review',
    help='what is wrong with a description',
    description='Lists what is wrong, doubtful or ignored in a description.',
    example='kinematics review examples/mimic_hand/mimic_hand.urdf',
    configure=configure,
    run=run,
)
