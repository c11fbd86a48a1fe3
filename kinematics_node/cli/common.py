# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What all sub-commands share: the model's arguments, states as words, JSON."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
import json
import math
from pathlib import Path
import sys
from typing import Any

from rich.console import Console
import yaml

from kinematics_node.compiled import Array
from kinematics_node.errors import KinematicsError
from kinematics_node.errors import NameLookupError
from kinematics_node.errors import ValueShapeError
from kinematics_node.formats.load import load_model
from kinematics_node.model.ball_joint import angles_to_quaternion
from kinematics_node.model.findings import Finding
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model
from kinematics_node.state import State

FINE, FOUND, BAD_INPUT = 0, 1, 2
STANDARD_INPUT = '-'


class UsageError(KinematicsError):
    """Words on the command line that cannot be used."""


@dataclass(frozen=True)
class Command:
    """One sub-command: its words, and what it does; run returns the exit status."""

    name: str
    help: str
    description: str
    example: str
    configure: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace, Console], int]


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name a robot."""
    parser.add_argument(
        'file', help='robot: .urdf, .xacro, .sdf, .proto or .wbt, or - for standard input'
    )
    parser.add_argument(
        '--constraints',
        action='append',
        default=[],
        metavar='FILE',
        help='side-car with closures, couplings and joints (YAML); may be given several times',
    )
    parser.add_argument(
        '--package',
        action='append',
        default=[],
        metavar='NAME=FOLDER',
        help='where package://NAME is; may be given several times',
    )
    parser.add_argument('--json', action='store_true', help='print JSON (see docs/cli.md)')


def add_state_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that give a state."""
    parser.add_argument(
        'state',
        nargs='*',
        default=[],  # else argparse counts them among what is required
        metavar='JOINT=VALUE',
        help='coordinates, such as elbow=0.5 or wrist/axis1=0.2; the rest stays at zero',
    )
    parser.add_argument(
        '--state', dest='state_file', metavar='FILE', help='a YAML or JSON file of coordinates'
    )


def model_of(arguments: argparse.Namespace) -> Model:
    """Load the robot that the arguments name.

    Raises
    ------
    KinematicsError
        It cannot be read.
    """
    source: str | bytes | Path = Path(arguments.file)
    if arguments.file == STANDARD_INPUT:
        source = sys.stdin.buffer.read()
    packages = dict(_pair(words, 'NAME=FOLDER') for words in arguments.package)
    return load_model(source, side_cars=arguments.constraints, packages=packages)


def state_of(arguments: argparse.Namespace, model: Model) -> State:
    """Return the state that the arguments give; coordinates not given are at zero.

    Raises
    ------
    KinematicsError
        A coordinate that the model does not have, or a value that is no number.
    """
    return state_with(given_values(arguments), model)


def state_with(values: Mapping[str, float], model: Model) -> State:
    """Return the state with some coordinates, or angles of ball joints; others are at zero.

    Raises
    ------
    KinematicsError
        A coordinate that the model does not have, or a value that is no number.
    """
    state = State(model)
    angles = {name: x for name, x in values.items() if name not in model.coordinate_index}
    for joint in _balls_with_angles(model, angles):
        turns = (angles.pop(f'{joint}/axis{k}', 0.0) for k in (1, 2, 3))
        axes = [axis.direction for axis in model.joint(joint).axes]
        state.set(joint, angles_to_quaternion(axes, list(turns)))
    state.set_coordinates({k: x for k, x in values.items() if k in model.coordinate_index})
    for name in angles:
        raise NameLookupError('coordinate', name, model.coordinate_names)
    return state


def given_values(arguments: argparse.Namespace) -> dict[str, float]:
    """Return the coordinates that the arguments give, as they are.

    Raises
    ------
    KinematicsError
        Words of another form, or a value that is no number.
    """
    values: dict[str, float] = {}
    if arguments.state_file:
        values.update(_numbers_in(Path(arguments.state_file)))
    for words in arguments.state:
        name, text = _pair(words, 'JOINT=VALUE')
        values[name] = _number(name, text)
    return values


def given_names(arguments: argparse.Namespace, model: Model) -> tuple[str, ...]:
    """Return the coordinates that the arguments give, those of whole joints for axis angles."""
    names = [words.partition('=')[0] for words in arguments.state]
    if arguments.state_file:
        names += _numbers_in(Path(arguments.state_file))
    return whole_names(names, model)


def whole_names(names: Iterable[str], model: Model) -> tuple[str, ...]:
    """Return names of coordinates, with those that are only given together.

    An angle of a ball joint gives the joint's whole rotation; one number of a floating joint's
    position gives all three, of which the others are at zero.
    """
    given: list[str] = []
    for name in names:
        joint, _, part = name.rpartition('/')
        if name not in model.coordinate_index and joint in model.joint_index:
            given += model.coordinate_names[model.coordinates_of(joint)]
        elif part.startswith('trans_') and joint in model.joint_index:
            given += [f'{joint}/trans_{axis}' for axis in 'xyz']
        else:
            given.append(name)
    return tuple(dict.fromkeys(given))


def print_json(console: Console, document: Mapping[str, Any]) -> None:
    """Print a document as JSON; numbers that are not finite become null, as JSON has none."""
    text = json.dumps(_finite(document), indent=2, ensure_ascii=False)
    say(console, text)


def say(console: Console, sentence: str) -> None:
    """Print a sentence as it is, on one line."""
    console.print(sentence, markup=False, highlight=False, soft_wrap=True)


def finding_record(finding: Finding) -> dict[str, Any]:
    """Return a finding as JSON has it."""
    return {
        'code': finding.code,
        'severity': finding.severity.name.lower(),
        'element': finding.element,
        'line': finding.line,
        'message': finding.message,
    }


def numbers(values: Sequence[float] | Array, digits: int = 6) -> str:
    """Return numbers for people, without negative zeros."""
    return ' '.join(f'{round(float(x), digits) + 0.0:g}' for x in values)


def _balls_with_angles(model: Model, names: Mapping[str, float]) -> list[str]:
    return [
        joint.name
        for joint in model.joints
        if joint.type is JointType.BALL
        and any(f'{joint.name}/axis{k}' in names for k in (1, 2, 3))
    ]


def _pair(words: str, form: str) -> tuple[str, str]:
    name, sign, value = words.partition('=')
    if not (name and sign and value):
        raise UsageError(f"'{words}' is not of the form {form}")
    return name, value


def _number(name: str, value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ValueShapeError(f"coordinate '{name}' is {value!r}; it must be a number") from None
    if not math.isfinite(number):
        raise ValueShapeError(f"coordinate '{name}' is {value!r}; it must be finite")
    return number


def _numbers_in(path: Path) -> dict[str, float]:
    try:
        content = yaml.safe_load(path.read_text())
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = getattr(error, 'strerror', None) or str(error).splitlines()[0]
        raise UsageError(f'state file {path} cannot be read: {reason}') from None
    if not isinstance(content, dict):
        raise UsageError(
            f"state file {path} must map coordinates to numbers, such as 'elbow: 0.5'"
        )
    return {str(name): _number(str(name), value) for name, value in content.items()}


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(k): _finite(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(v) for v in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
