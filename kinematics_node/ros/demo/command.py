# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The demo's command: start the node, play, listen, compare, tell."""

from __future__ import annotations

from argparse import ArgumentParser
from argparse import ArgumentTypeError
from argparse import Namespace
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
import os
import random
import time

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future
from rich.console import Console

from kinematics_node.errors import KinematicsError
from kinematics_node.ros.constraints_file import as_urdf
from kinematics_node.ros.constraints_file import constraint_parameters
from kinematics_node.ros.constraints_file import constraints_beside
from kinematics_node.ros.constraints_file import own_constraints
from kinematics_node.ros.demo.check import Check
from kinematics_node.ros.demo.display import closed
from kinematics_node.ros.demo.display import Display
from kinematics_node.ros.demo.display import latency
from kinematics_node.ros.demo.elements import DemoRobot
from kinematics_node.ros.demo.interrupt import Interrupted
from kinematics_node.ros.demo.interrupt import Interruption
from kinematics_node.ros.demo.listener import Listener
from kinematics_node.ros.demo.motion import Motion
from kinematics_node.ros.demo.node_process import NodeProcess
from kinematics_node.ros.demo.player import Player
from kinematics_node.ros.demo.player import RATE
from kinematics_node.ros.demo.player import Stage
from kinematics_node.ros.demo.robot import read_robot
from kinematics_node.ros.description_file import description_of
from kinematics_node.ros.description_file import example_file

EXAMPLE = 'mimic_hand'
HIGHEST_DOMAIN = 101
SPIN = 0.05
# Without an answer for so long, none is expected any more.
SPINS_TO_SETTLE = 4
# From start to the description that says that the node is ready [s].
PATIENCE = 300.0
# After it, the node is taken to be compiling.
SURPRISE = 5.0
MOST_WARNINGS = 5


class DemoError(KinematicsError):
    """Something that the demo cannot go on after."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo; return 0 only if every frame came and was right."""
    options = parser().parse_args(arguments)
    # Names of links and joints may look like markup.
    console = Console(markup=False, highlight=False, emoji=False)
    with Interruption() as interruption:
        try:
            return Demo(options, console, interruption).run()
        except KinematicsError as error:
            console.print(f'error: {error}', soft_wrap=True)
            return 1
        except Interrupted:
            console.print('interrupted')
            return interruption.status


def parser() -> ArgumentParser:
    """Return the parser of the command's options."""
    parser = ArgumentParser(
        prog='python3 -m kinematics_node.ros.demo',
        description='Starts the node on a robot, plays joint states, listens to its transforms '
        'and compares each with an independent computation.',
    )
    robot = parser.add_mutually_exclusive_group()
    robot.add_argument('--robot', metavar='FILE', help='a .urdf or .xacro file, or package://...')
    robot.add_argument(
        '--example', metavar='NAME', default=EXAMPLE, help=f'a robot of ours (default {EXAMPLE})'
    )
    parser.add_argument(
        '--constraints',
        metavar='FILE',
        help="what the description cannot say: our notation, or Gepetto's robot.yaml",
    )
    parser.add_argument(
        '--seconds', type=positive, default=10.0, help='how long to play (default 10)'
    )
    parser.add_argument(
        '--rate', type=positive, default=RATE, help=f'joint states a second (default {RATE:g})'
    )
    return parser


def positive(text: str) -> float:
    """Return a number above zero, as argparse wants it."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < float('inf'):
        raise ArgumentTypeError(f"'{text}' is not a number above 0")
    return value


class Demo:
    """One run."""

    def __init__(self, options: Namespace, console: Console, interruption: Interruption) -> None:
        self._options, self._console, self._interruption = options, console, interruption

    def run(self) -> int:
        """Run from start to summary; return the exit status."""
        model, constraints = self._files()
        description = description_of(model)
        if '<robot' not in description:
            description, given = as_urdf(description)
        elif constraints:
            given = constraint_parameters(constraints, description)
        else:
            given = own_constraints(description)
        self._say(f'starting the node on {model}' + (constraints and f' with {constraints}'))
        use_own_domain()
        with NodeProcess(description, given) as process, ros_node() as (node, spin):
            listener, stage = Listener(node), Stage(node)
            self._wait_until_ready(
                process, lambda: listener.described and stage.has_audience, spin
            )
            robot = read_robot(description, given)
            check = self._play(process, stage, listener, robot, spin)
            warnings = process.warnings
        return self._summarize(robot, check, warnings)

    def _files(self) -> tuple[str, str]:
        """Return the files of the description and of the constraints, '' where there are none."""
        given = self._options.constraints or ''
        if self._options.robot:
            return self._options.robot, given
        example = example_file(self._options.example)
        return str(example), given or constraints_beside(example)

    def _wait_until_ready(
        self, process: NodeProcess, is_ready: Callable[[], bool], spin: Callable[[], None]
    ) -> None:
        start, told = time.monotonic(), False
        while not is_ready():
            spin()
            self._check_alive(process)
            waited = time.monotonic() - start
            if waited > SURPRISE and not told:
                self._say('preparing compiled kernels (first start only)')
                told = True
            if waited > PATIENCE:
                raise DemoError(f'the node was not ready within {PATIENCE:.0f} s')
        self._say(f'the node is ready after {time.monotonic() - start:.1f} s')

    def _play(
        self,
        process: NodeProcess,
        stage: Stage,
        listener: Listener,
        robot: DemoRobot,
        spin: Callable[[], None],
    ) -> Check:
        """Play for the given time, and compare what comes."""
        motion = Motion(robot)
        player = Player(stage, motion, self._options.rate)
        check = Check(robot, motion, player.sent)
        display = Display(self._console, robot, check)
        seconds, start = self._options.seconds, time.monotonic()
        shown = start
        player.start()
        try:
            with display.running():
                while (now := time.monotonic()) < start + seconds:
                    spin()
                    self._check_alive(process)
                    if now - shown >= display.period:
                        compare(check, listener)
                        display.show(now - start, seconds)
                        shown = now
        finally:
            player.stop()
        self._settle(check, listener, spin)
        self._played = len(player.sent)
        return check

    def _settle(self, check: Check, listener: Listener, spin: Callable[[], None]) -> None:
        """Wait for the answers that are still on their way."""
        before = -1
        while check.answered != before:
            before = check.answered
            for _ in range(SPINS_TO_SETTLE):
                spin()
            compare(check, listener)

    def _check_alive(self, process: NodeProcess) -> None:
        self._interruption.check()
        if process.status is not None:
            # Ctrl-C reaches the node too; its end may be seen before the signal.
            time.sleep(0.1)
            self._interruption.check()
            raise DemoError(f'the node ended: {process.reason}')

    def _summarize(self, robot: DemoRobot, check: Check, warnings: Sequence[str]) -> int:
        links = len(robot.joints) + 1
        self._say(
            f"robot '{robot.name}': {links} links, {len(check.moving)} moving joints of which "
            f'{len(robot.followers)} follow another and {len(robot.solved)} are in loops, '
            f'{len(check.static)} fixed'
        )
        self._say(
            f'{check.answered} of {self._played} messages answered with transforms, '
            f'latency {latency(check.latencies)}'
        )
        for warning in list(dict.fromkeys(warnings))[:MOST_WARNINGS]:
            self._say(f'the node says: {warning}')
        if check.others:
            self._say(f'{len(check.others)} more frames came that are not of this robot')
        problems = check.problems()
        for problem in problems:
            self._say(f'error: {problem}')
        if not problems:
            worst = check.worst([*check.moving.values(), *check.static.values()])
            self._say(
                f'every frame came and agrees with the independent computation; '
                f'largest difference {worst:.1e}'
            )
            if check.loops:
                self._say(f'{closed(check.loops)}, though only motors were played')
        return 1 if problems else 0

    def _say(self, sentence: str) -> None:
        self._console.print(sentence, soft_wrap=True)


def compare(check: Check, listener: Listener) -> None:
    """Compare everything that has come since the last time."""
    transforms = listener.transforms()
    check.take_static(listener.static())
    check.take_states(listener.states())
    check.take_transforms(transforms)


def use_own_domain() -> None:
    """Keep this machine to itself, and out of the domain of other ROS nodes if none is set."""
    os.environ.setdefault('ROS_DOMAIN_ID', str(random.randint(1, HIGHEST_DOMAIN)))
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    if os.environ.get('ROS_DISTRO') == 'humble':
        os.environ.setdefault('ROS_LOCALHOST_ONLY', '1')


@contextmanager
def ros_node() -> Iterator[tuple[Node, Callable[[], None]]]:
    """Yield a node, and a call that serves it for a moment."""
    # Signals are for Interruption alone: rclpy would end the context on them.
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node('kinematics_demo')
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        yield node, lambda: executor.spin_until_future_complete(Future(), timeout_sec=SPIN)
    finally:
        executor.shutdown()
        node.destroy_node()
        rclpy.shutdown()
