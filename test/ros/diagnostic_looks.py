# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Robots, streams and looks of the tests of diagnostics, without a middleware."""

from __future__ import annotations

import time

from loop_models import four_bar
from ros.messages import joint_state
from ros.messages import serialize_message
from ros.recorder import NOW
from ros.recorder import Recorder
from ros.robots import joint
from ros.robots import urdf

from kinematics_node.formats.load import load_model
from kinematics_node.model.elements import Coupling
from kinematics_node.ros.diagnostic_status import Moment
from kinematics_node.ros.diagnostic_status import Thresholds
from kinematics_node.ros.rate import SECOND
from kinematics_node.ros.stream import Options
from kinematics_node.ros.stream import Stream

# j1 and j2 are limited to -3..3 and to 1 rad/s; f follows j1.
ARM = urdf(
    joint('j1', 'revolute', 'base_link', 'a'),
    joint('j2', 'revolute', 'a', 'b'),
    joint('f', 'continuous', 'b', 'c', mimic='joint="j1" multiplier="2" offset="0.1"'),
    joint('w', 'fixed', 'c', 'd'),
)


def stream_of(model, **options):
    model = model if not isinstance(model, str) else load_model(model)
    return Stream(model, Options(**options), Recorder(), lambda: NOW)


def take(stream, positions, **fields):
    stream.take(serialize_message(joint_state(positions, **fields)))


def look(task, stream, later=0.0, **thresholds):
    """Return a task's status some seconds from now."""
    steady = time.monotonic_ns() + round(SECOND * later)
    return task.look(stream, Thresholds(**thresholds), Moment(steady, NOW + round(SECOND * later)))


def driven():
    """Return a four-bar to be driven at its crank; beyond 0.9 rad or so its rocker is too far."""
    return four_bar(ground=2.0, crank=1.0, coupler=0.8, rocker=0.8)


def gears():
    """Return j1 and j2 with j1 + 2 j2 = 0.3."""
    joints = joint('j1', 'continuous', 'a', 'b'), joint('j2', 'continuous', 'b', 'c')
    builder = load_model(urdf(*joints)).edit()
    builder.add_coupling(Coupling('gear', (('j1', 1.0), ('j2', 2.0)), 0.3))
    return builder.finalize()
