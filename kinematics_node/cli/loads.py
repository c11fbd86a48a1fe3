# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What sub-commands that ask for forces share: what acts on a robot, and its loops closed."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from kinematics_node.cli.common import UsageError
from kinematics_node.compiled import Array
from kinematics_node.forces import ExternalWrench
from kinematics_node.forces import Payload
from kinematics_node.model.model import Model
from kinematics_node.solve import LoopSolver
from kinematics_node.solve import SolveResult


def add_load_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that say what acts on a robot."""
    parser.add_argument(
        '--gravity', nargs=3, type=float, default=(0.0, 0.0, -9.81), metavar=('X', 'Y', 'Z')
    )
    parser.add_argument(
        '--payload',
        action='append',
        default=[],
        metavar='LINK=KG[,X,Y,Z]',
        help='a body that a link holds, with its centre of mass in the link [m]',
    )
    parser.add_argument(
        '--wrench',
        action='append',
        default=[],
        metavar='LINK=FX,FY,FZ[,TX,TY,TZ]',
        help='a wrench on a link, at its origin and on its axes [N, N m]',
    )


def loads_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what acts on the robot, as constraint_forces takes it.

    Raises
    ------
    UsageError
        Words of another form.
    """
    return {
        'external': [_wrench(words) for words in arguments.wrench],
        'payloads': [_payload(words) for words in arguments.payload],
        'gravity': tuple(arguments.gravity),
    }


def assembled(model: Model, q: Array, given: Sequence[str]) -> SolveResult:
    """Return the state whose loops are closed at the coordinates given, as far as they can be."""
    return LoopSolver(model, given).assemble(q)


def open_loops(result: SolveResult) -> str:
    """Return a sentence on the loop that stays open, or '' where all are closed."""
    if result.converged or result.worst is None:
        return ''
    name, left = result.worst.name, result.worst.largest
    return f"the loops cannot be closed at this state; '{name}' is open by {left:.3g}"


def _payload(words: str) -> Payload:
    link, values = _link_and_numbers(words, (1, 4), 'LINK=KG or LINK=KG,X,Y,Z')
    return Payload(link, values[0], tuple(values[1:]) or (0.0, 0.0, 0.0))


def _wrench(words: str) -> ExternalWrench:
    link, values = _link_and_numbers(words, (3, 6), 'LINK=FX,FY,FZ or LINK=FX,FY,FZ,TX,TY,TZ')
    return ExternalWrench(link, tuple(values[:3]), tuple(values[3:]) or (0.0, 0.0, 0.0))


def _link_and_numbers(words: str, counts: tuple[int, ...], form: str) -> tuple[str, list[float]]:
    link, _, text = words.partition('=')
    try:
        values = [float(word) for word in text.split(',')]
    except ValueError:
        values = []
    if not link or len(values) not in counts:
        raise UsageError(f"'{words}' is not of the form {form}")
    return link, values
