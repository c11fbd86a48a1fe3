# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The planner's clients in examples/, asking a node about the delta."""

from __future__ import annotations

import math
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from ros.harness import running

from kinematics_node.fk import frame_poses
from kinematics_node.forces import constraint_forces
from kinematics_node.forces import Payload
from kinematics_node.formats.load import load_model
from kinematics_node.ros.constraints_file import constraint_parameters
from kinematics_node.solve import LoopSolver

EXAMPLES = Path(__file__).resolve().parents[2] / 'examples'
DELTA = EXAMPLES / 'delta' / 'delta.urdf'
CONSTRAINTS = DELTA.with_suffix('.yaml')
MOTORS = ('motor_1', 'motor_2', 'motor_3')
WITHOUT_RCLCPP = re.compile(r'provided by "rclcpp"')


@pytest.fixture(scope='module')
def robot():
    text = DELTA.read_text(encoding='utf-8')
    constraints = constraint_parameters(str(CONSTRAINTS), text)
    with running({'robot_description': text, 'publish_frequency': 0.0, **constraints}) as robot:
        yield robot


@pytest.fixture(scope='module')
def python_client():
    return [sys.executable, EXAMPLES / 'planner_client' / 'planner_client.py']


@pytest.fixture(scope='module')
def cpp_client(tmp_path_factory):
    """Build the C++ client as its users do."""
    if shutil.which('cmake') is None:
        pytest.skip('CMake is not installed')
    build = tmp_path_factory.mktemp('planner_client_cpp')
    prefixes = ';'.join([*paths('AMENT_PREFIX_PATH'), *paths('CMAKE_PREFIX_PATH')])
    settings = [f'-DCMAKE_PREFIX_PATH={prefixes}', f'-DPython3_EXECUTABLE={sys.executable}']
    configured = run(['cmake', '-S', EXAMPLES / 'planner_client_cpp', '-B', build, *settings])
    if configured.returncode and WITHOUT_RCLCPP.search(configured.stderr):
        pytest.skip('the C++ client library of ROS 2 (rclcpp) is not installed')
    assert configured.returncode == 0, configured.stderr
    built = run(['cmake', '--build', build])
    assert built.returncode == 0, built.stdout + built.stderr
    assert 'warning' not in built.stderr, built.stderr
    return [build / 'planner_client']


@pytest.fixture(params=['python_client', 'cpp_client'])
def ask(request, robot):
    client = request.getfixturevalue(request.param)

    def ask(*arguments, **parameters):
        given = [word for x in parameters.items() for word in ('-p', '{}:={}'.format(*x))]
        command = [*client, *arguments, '--ros-args', *given]
        return run(command, ROS_DOMAIN_ID=str(robot.domain))

    return ask


def paths(variable):
    return [path for path in os.environ.get(variable, '').split(os.pathsep) if path]


def run(command, **environment):
    return subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=300
    )


def numbers(text):
    """Return the last number of each line that starts with a name and has one."""
    pairs = (re.match(r'  (\w+) +(-?[\d.]+)', line) for line in text.splitlines())
    return {pair[1]: float(pair[2]) for pair in pairs if pair}


def at(*angles):
    return [f'{name}={angle}' for name, angle in zip(MOTORS, angles, strict=True)]


@pytest.mark.parametrize(('angles', 'payload'), [((0.3, 0.1, 0.0), 0.5), ((-0.2, 0.4, 0.2), 2.0)])
def test_the_client_prints_what_the_library_says(ask, angles, payload):
    answer = ask(*at(*angles), payload=payload)
    assert (answer.returncode, answer.stderr) == (0, '')
    model = load_model(DELTA, side_cars=[CONSTRAINTS])
    q = model.zero.copy()
    q[[model.coordinate_index[name] for name in MOTORS]] = angles
    solved = LoopSolver(model, MOTORS).assemble(q)
    assert solved.converged
    x, y, z = frame_poses(model, solved.q, 'platform')[4:]
    assert f'x {x:.4f}  y {y:.4f}  z {z:.4f} m in base' in answer.stdout
    report = constraint_forces(model, solved.q, payloads=[Payload('platform', mass=payload)])
    efforts = dict(zip(model.velocity_names, report.actuator_efforts, strict=True))
    expected = {name: efforts[name] for name in MOTORS}
    expected |= {load.name: np.linalg.norm(load.total[3:]) for load in report.closures}
    assert numbers(answer.stdout) == pytest.approx(expected, abs=0.00051)
    for line in (
        'state      possible',
        'moves      in 3 ways, motors drive 3',
        'loops      18 rows, 18 independent',
        'load       held',
    ):
        assert line in answer.stdout.splitlines()


def test_motors_hold_what_virtual_work_says(ask):
    """With all motors at one angle the platform stays below the middle, in closed form."""

    def energy(angle, payload):
        elbow = -0.2 * math.sin(angle)
        platform = elbow - math.sqrt(0.4**2 - (0.04 + 0.2 * math.cos(angle)) ** 2)
        arms, rods = 3 * 0.1 * elbow / 2, 6 * 0.02 * (elbow + platform) / 2
        return 9.81 * ((0.15 + payload) * platform + arms + rods)

    slope = (energy(0.4 + 1e-5, 3.0) - energy(0.4 - 1e-5, 3.0)) / 2e-5
    found = numbers(ask(*at(0.4, 0.4, 0.4), payload=3.0).stdout)
    for name in MOTORS:
        assert found[name] == pytest.approx(slope / 3, abs=0.00051)


def test_without_arguments_the_latest_state_is_asked_about(robot, ask):
    robot.peer.ask(dict(zip(MOTORS, (0.2, 0.2, 0.2), strict=True)), robot.peer.fresh(), 'platform')
    answer = ask()
    assert answer.returncode == 0
    assert numbers(answer.stdout) == numbers(ask(*at(0.2, 0.2, 0.2)).stdout)


def test_a_state_beyond_a_limit_is_told(ask):
    answer = ask(*at(1.2, 0, 0))
    assert answer.returncode == 1
    assert "'motor_1': position 1.2 rad is above the limit 0.9 rad" in answer.stdout


@pytest.mark.parametrize(
    ('arguments', 'parameters', 'sentence'),
    [
        (['knee=1'], {}, "there is no coordinate 'knee'"),
        (['motor_1=up'], {}, 'give motors as name=position'),
        (['motor_1'], {}, 'give motors as name=position'),
        (at(0, 0, 0), {'payload': -1.0}, 'mass -1 kg is negative'),
        (at(0, 0, 0), {'payload': 1}, "'payload'"),
        (at(0, 0, 0), {'frame': 'foot'}, "there is no frame 'foot'"),
        (at(0, 0, 0), {'server': '/nobody', 'patience': 0.5}, '/nobody/check_state is not there'),
    ],
)
def test_what_cannot_be_answered_is_said(ask, arguments, parameters, sentence):
    answer = ask(*arguments, **parameters)
    assert answer.returncode == 2
    assert sentence in answer.stderr
