# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""kinematics fk: where the frames are."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.table import Table

from kinematics_node.cli.common import add_model_arguments
from kinematics_node.cli.common import add_state_arguments
from kinematics_node.cli.common import Command
from kinematics_node.cli.common import FINE
from kinematics_node.cli.common import model_of
from kinematics_node.cli.common import numbers
from kinematics_node.cli.common import print_json
from kinematics_node.cli.common import say
from kinematics_node.cli.common import state_of
from kinematics_node.fk import frame_names
from kinematics_node.fk import frame_poses


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the sub-command."""
    add_model_arguments(parser)
    add_state_arguments(parser)
    parser.add_argument(
        '--frame', action='append', metavar='NAME', help='a frame to show; all where left out'
    )
    parser.add_argument(
        '--in', dest='reference', metavar='NAME', help='give poses in this frame, not the root'
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print the poses of frames at a state."""
    model = model_of(arguments)
    state = state_of(arguments, model)
    names = tuple(arguments.frame) if arguments.frame else frame_names(model)
    poses = frame_poses(model, state.q, names, arguments.reference)
    reference = arguments.reference or model.root
    if arguments.json:
        frames = {
            name: {'quaternion_wxyz': X[:4].tolist(), 'position': X[4:].tolist()}
            for name, X in zip(names, poses, strict=True)
        }
        coordinates = state.coordinates()
        print_json(
            console,
            {
                'robot': model.name,
                'reference': reference,
                'coordinates': coordinates,
                'frames': frames,
            },
        )
        return FINE
    table = Table('frame', 'x y z [m]', 'qw qx qy qz', box=None)
    for name, X in zip(names, poses, strict=True):
        table.add_row(name, numbers(X[4:]), numbers(X[:4]))
    console.print(table, markup=False)
    say(console, f"poses in '{reference}'")
    return FINE


COMMAND = Command(
    name='fk',
    help='where the frames are at a state',
    description='Prints the pose of each frame at a state, from the root link or another frame.',
    example='kinematics fk examples/mimic_hand/mimic_hand.urdf grip=0.5 --frame index_distal_link',
    configure=configure,
    run=run,
)
