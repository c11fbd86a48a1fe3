# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""kinematics plot: pictures of a state, or of what happens along a motion."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
import math
from pathlib import Path

import numpy as np
from rich.console import Console

from kinematics_node.cli import plot_document
from kinematics_node.cli.common import add_model_arguments
from kinematics_node.cli.common import add_state_arguments
from kinematics_node.cli.common import Command
from kinematics_node.cli.common import FINE
from kinematics_node.cli.common import FOUND
from kinematics_node.cli.common import given_names
from kinematics_node.cli.common import given_values
from kinematics_node.cli.common import model_of
from kinematics_node.cli.common import numbers
from kinematics_node.cli.common import print_json
from kinematics_node.cli.common import say
from kinematics_node.cli.common import state_of
from kinematics_node.cli.common import state_with
from kinematics_node.cli.common import UsageError
from kinematics_node.cli.common import whole_names
from kinematics_node.cli.loads import add_load_arguments
from kinematics_node.cli.loads import assembled
from kinematics_node.cli.loads import loads_of
from kinematics_node.cli.loads import open_loops
from kinematics_node.compiled import Array
from kinematics_node.forces import constraint_forces
from kinematics_node.forces import ForceReport
from kinematics_node.model.model import Model
from kinematics_node.plotting.motion import held_motors
from kinematics_node.plotting.motion import Motion
from kinematics_node.plotting.motion import motion_along
from kinematics_node.plotting.output import format_of
from kinematics_node.plotting.scales import scales_of
from kinematics_node.plotting.skeleton import skeleton_of
from kinematics_node.solve import SolveResult
from kinematics_node.solving.measured import measured_joints

STEPS = 200
FEWEST = 2
NAMED = 6
RANGE = 'COORDINATE=FROM:TO'


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the sub-command."""
    add_model_arguments(parser)
    add_state_arguments(parser)
    add_load_arguments(parser)
    parser.add_argument(
        '-o', '--output', required=True, metavar='FILE', help='the picture, .png or .svg'
    )
    state = parser.add_argument_group('a state')
    state.add_argument(
        '--joint',
        action='append',
        metavar='NAME',
        help='a joint or closure whose load is drawn; all but fixed joints where left out',
    )
    state.add_argument(
        '--view',
        nargs=2,
        type=float,
        default=(-60.0, 22.0),
        metavar=('AZIMUTH', 'ELEVATION'),
        help='from where it is seen [degrees]: -90 0 along y, 0 90 from above',
    )
    state.add_argument('--size', type=float, metavar='M', help="length of joints' axes [m]")
    state.add_argument(
        '--force-scale', type=float, metavar='M_PER_N', help='of force arrows; 0 for none'
    )
    state.add_argument(
        '--torque-scale', type=float, metavar='M_PER_NM', help='of torque arrows; 0 for none'
    )
    state.add_argument('--no-names', action='store_true', help='leave out names')
    motion = parser.add_argument_group('a motion')
    motion.add_argument('--along', metavar=RANGE, help='the coordinate that moves, in rad or m')
    motion.add_argument('--steps', type=int, default=STEPS, help=f'states; {STEPS} by default')
    motion.add_argument(
        '--load', metavar='NAME', help='the joint or closure whose load is shown; that which moves'
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Draw a state or a motion; status 1 where loops stay open or a pose cannot be held."""
    output = Path(arguments.output)
    format_of(output)
    model = model_of(arguments)
    if arguments.along is not None:
        return _run_motion(arguments, console, model, output)
    if arguments.load is not None:
        raise UsageError(
            f'--load is of a motion; give --along {RANGE} as well, or --joint {arguments.load}'
        )
    return _run_state(arguments, console, model, output)


def _run_state(arguments: argparse.Namespace, console: Console, model: Model, output: Path) -> int:
    if not all(math.isfinite(angle) for angle in arguments.view):
        raise UsageError(f'the view {numbers(arguments.view)} must be two finite angles')
    given = given_names(arguments, model)
    result = assembled(model, state_of(arguments, model).q, given)
    sentence = open_loops(result)
    report = None if sentence else _report(arguments, model, result, given)
    skeleton = skeleton_of(model, result.q, report, arguments.joint)
    scales = scales_of(skeleton, arguments.size, arguments.force_scale, arguments.torque_scale)
    title = f'{_state_words(arguments)}\n{sentence or _gravity_words(arguments)}'

    # matplotlib is slow to load, and nothing else needs it.
    from kinematics_node.plotting.draw_file import save
    from kinematics_node.plotting.draw_skeleton import draw_skeleton
    from kinematics_node.plotting.draw_skeleton import SkeletonOptions

    options = SkeletonOptions(tuple(arguments.view), not arguments.no_names, title)
    save(draw_skeleton(skeleton, scales, options), output)
    if arguments.json:
        print_json(console, plot_document.of_skeleton(skeleton, scales, report, str(output)))
    else:
        for line in [sentence] if sentence else report.summary.splitlines() if report else []:
            say(console, line)
        say(console, f'drawn: {output}')
    return FOUND if sentence or (report is not None and not report.held) else FINE


def _report(
    arguments: argparse.Namespace, model: Model, result: SolveResult, given: Sequence[str]
) -> ForceReport | None:
    """Return what joints carry, or None where no arrow is wanted."""
    if arguments.force_scale == 0.0 and arguments.torque_scale == 0.0:
        return None
    return constraint_forces(
        model,
        result.q,
        measured=measured_joints(model, given) or None,
        frame='world',
        **loads_of(arguments),
    )


def _run_motion(
    arguments: argparse.Namespace, console: Console, model: Model, output: Path
) -> int:
    name, values = _range(arguments.along, arguments.steps)
    others = {k: x for k, x in given_values(arguments).items() if k != name}
    targets = np.array([state_with({**others, name: x}, model).q for x in values.tolist()])
    given = whole_names((name, *others), model)
    held = held_motors(model, targets, given)
    joint = name if name in model.joint_index else name.rpartition('/')[0]
    load = joint if arguments.load is None else arguments.load
    measured = (*given, *held)
    motion = motion_along(model, targets, name, values, measured, load, **loads_of(arguments))

    from kinematics_node.plotting.draw_file import save
    from kinematics_node.plotting.draw_motion import draw_motion

    rest = f'; {", ".join(held)} stay{"s" * (len(held) == 1)}' if held else ''
    title = f'along {name}{rest}\n{_gravity_words(arguments)}'
    save(draw_motion(motion, title), output)
    if arguments.json:
        print_json(console, plot_document.of_motion(motion, str(output)))
    else:
        for line in _sentences(motion, rest):
            say(console, line)
        say(console, f'drawn: {output}')
    return FINE if motion.closed.all() and motion.held.all() else FOUND


def _range(words: str, steps: int) -> tuple[str, Array]:
    """Return a coordinate and its values."""
    name, _, text = words.partition('=')
    try:
        start, end = (float(word) for word in text.split(':'))
    except ValueError:
        name = ''
    if not name:
        raise UsageError(f"'{words}' is not of the form {RANGE}, such as crank=0:6.28")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise UsageError(f"'{words}' must go from one finite number to another")
    if start == end:
        raise UsageError(f"'{words}' goes nowhere; give two ends that differ")
    if steps < FEWEST:
        raise UsageError(f'a motion takes {FEWEST} steps or more, not {steps}')
    return name, np.linspace(start, end, steps)


def _state_words(arguments: argparse.Namespace) -> str:
    values = given_values(arguments)
    if not values:
        return 'zero pose'
    shown = [f'{name} = {numbers([x], 4)}' for name, x in [*values.items()][:NAMED]]
    if len(values) > NAMED:
        shown.append(f'{len(values) - NAMED} more')
    return f'at {", ".join(shown)}'


def _gravity_words(arguments: argparse.Namespace) -> str:
    words = f'at rest under gravity {numbers(arguments.gravity)} m/s²'
    loads = [f'payload {w}' for w in arguments.payload] + [f'wrench {w}' for w in arguments.wrench]
    return ', '.join([words, *loads])


def _sentences(motion: Motion, rest: str) -> list[str]:
    """Return what there is to say of a motion."""
    count, first, last = motion.values.size, *numbers(motion.values[[0, -1]]).split()
    said = [f"{count} states along '{motion.coordinate}', {first} to {last} {motion.unit}{rest}"]
    loose = motion.closed & ~(motion.force_determinate & motion.torque_determinate)
    for flags, what in (
        (~motion.closed, 'the loops cannot be closed'),
        (motion.singular, 'the configuration is singular'),
        (loose, f"statics do not wholly determine the load of '{motion.load}'"),
        (motion.closed & ~motion.held, 'the pose cannot be held'),
    ):
        if flags.any():
            said.append(f'at {int(flags.sum())} of them {what}')
    return said


COMMAND = Command(
    name='plot',
    help='a picture of a state, or along a motion',
    description=(
        'Draws a robot at a state, with axes, anchors, closures and what joints carry at rest;\n'
        'or, with --along, residuals, rank and the load of a joint along a motion.'
    ),
    example=(
        'kinematics plot examples/delta/delta.urdf --constraints examples/delta/delta.yaml'
        ' -o delta.png'
    ),
    configure=configure,
    run=run,
)
