# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The demo as users run it, and that its check finds what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
import os
from pathlib import Path
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 (rclpy) is not installed')
pytest.importorskip('tf2_msgs', reason='the messages tf2_msgs are not installed')

from geometry_msgs.msg import TransformStamped
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage
from transforms3d.quaternions import mat2quat

from kinematics_node.errors import ResourceError
from kinematics_node.ros.demo import expected
from kinematics_node.ros.demo.check import Check
from kinematics_node.ros.demo.elements import DemoRobot
from kinematics_node.ros.demo.elements import UncheckableError
from kinematics_node.ros.demo.motion import Motion
from kinematics_node.ros.demo.player import Sent
from kinematics_node.ros.demo.robot import read_robot
from kinematics_node.ros.description_file import example_file

ROBOT = """
<robot name="small">
  <link name="base"/><link name="a"/><link name="b"/><link name="c"/><link name="d"/>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="a"/><origin xyz="0 0 1"/><axis xyz="0 0 2"/>
    <limit lower="-1" upper="2" effort="1" velocity="1"/>
  </joint>
  <joint name="copy" type="prismatic">
    <parent link="a"/><child link="b"/><axis xyz="1 0 0"/><limit effort="1"/>
    <mimic joint="turn" multiplier="0.5" offset="0.1"/>
  </joint>
  <joint name="mount" type="fixed">
    <parent link="b"/><child link="c"/><origin rpy="0 0 1.5707963267948966"/>
  </joint>
  <joint name="slide" type="planar"><parent link="c"/><child link="d"/><axis xyz="0 1 0"/></joint>
</robot>
"""
TURNED = (3, 1.25)  # a stamp [s] and the moment of the motion that it shows [s]
MOVED = (4, 1.25)
SECOND = 10**9


@pytest.fixture
def robot() -> DemoRobot:
    return read_robot(ROBOT)


@pytest.fixture
def check(robot: DemoRobot) -> Check:
    sent = {
        TURNED[0] * SECOND: Sent(TURNED[1], TURNED[0] * SECOND, poses=False),
        MOVED[0] * SECOND: Sent(MOVED[1], MOVED[0] * SECOND, poses=True),
    }
    return Check(robot, Motion(robot), sent)


def transform(
    stamp: int, parent: str, child: str, xyz: tuple[float, ...], angle: float
) -> TransformStamped:
    """Return a transform that turns about z."""
    message = TransformStamped()
    message.header.stamp.sec = stamp
    message.header.frame_id, message.child_frame_id = parent, child
    t, r = message.transform.translation, message.transform.rotation
    t.x, t.y, t.z = (float(x) for x in xyz)
    r.z, r.w = float(np.sin(angle / 2)), float(np.cos(angle / 2))
    return message


def right_answers(robot: DemoRobot) -> list[TransformStamped]:
    motion = Motion(robot)
    turn = float(motion.positions(np.array([TURNED[1]]))[0, 0])
    X = motion.pose(robot.free[0], MOVED[1])
    slide = transform(MOVED[0], 'c', 'd', X[:3, 3], 0.0)
    r = slide.transform.rotation
    r.w, r.x, r.y, r.z = (float(x) for x in mat2quat(X[:3, :3]))
    return [
        transform(TURNED[0], 'base', 'a', (0, 0, 1), turn),
        transform(TURNED[0], 'a', 'b', (0.5 * turn + 0.1, 0, 0), 0.0),
        slide,
    ]


def right_state(robot: DemoRobot) -> JointState:
    motion, at = Motion(robot), np.array([TURNED[1]])
    turn, rate = motion.positions(at)[0, 0], motion.velocities(at)[0, 0]
    state = JointState(name=['turn', 'copy'], position=[turn, 0.5 * turn + 0.1])
    state.velocity = [rate, 0.5 * rate]
    state.header.stamp.sec = TURNED[0]
    return state


def hear(check: Check, transforms: list[TransformStamped]) -> None:
    check.take_transforms([(TFMessage(transforms=[one]), 5 * SECOND) for one in transforms])


def hear_static(check: Check) -> None:
    mount = transform(0, 'b', 'c', (0, 0, 0), np.pi / 2)
    check.take_static([(TFMessage(transforms=[mount]), 0)])


def test_what_is_right_has_no_problems(robot: DemoRobot, check: Check) -> None:
    hear(check, right_answers(robot))
    hear_static(check)
    check.take_states([(right_state(robot), 0)])
    assert check.problems() == []
    assert check.answered == 3
    assert check.latencies == [2.0, 2.0]
    assert check.rates['copy'].count == 1


def test_frames_are_shown_where_they_are_in_the_root(robot: DemoRobot, check: Check) -> None:
    hear(check, right_answers(robot))
    hear_static(check)
    turn = float(Motion(robot).positions(np.array([TURNED[1]]))[0, 0])
    reach = 0.5 * turn + 0.1
    shown = check.pose_in_root('c')[:3, 3]
    np.testing.assert_allclose(
        shown, [reach * np.cos(turn), reach * np.sin(turn), 1.0], atol=1e-12
    )
    assert np.isnan(Check(robot, Motion(robot), {}).pose_in_root('c')).any()


def test_what_never_came_is_named(check: Check) -> None:
    problems = '\n'.join(check.problems())
    assert "3 of 3 moving frames never came: 'a', 'b', 'd'" in problems
    assert "1 of 1 static frames never came: 'c'" in problems
    assert "2 positions on ~/joint_states never came: 'turn', 'copy'" in problems


@pytest.mark.parametrize('k', [0, 1, 2])
def test_a_wrong_pose_is_found(robot: DemoRobot, check: Check, k: int) -> None:
    answers = right_answers(robot)
    answers[k].transform.translation.y += 1e-6
    hear(check, answers)
    frame = 'abd'[k]
    assert any(
        f"1 frames differ from the independent computation, '{frame}'" in p
        for p in check.problems()
    )


@pytest.mark.parametrize('scale', [1.001, np.nan])
def test_a_quaternion_that_is_no_rotation_is_found(
    robot: DemoRobot, check: Check, scale: float
) -> None:
    answers = right_answers(robot)
    answers[0].transform.rotation.w *= scale
    hear(check, answers)
    assert any("'a' most" in problem for problem in check.problems())


def test_a_wrong_parent_is_found(robot: DemoRobot, check: Check) -> None:
    answers = right_answers(robot)
    answers[1].header.frame_id = 'base'
    hear(check, answers)
    assert "frame 'b' came below 'base' instead of 'a'" in check.problems()


def test_transforms_of_other_times_and_robots_do_not_count(robot: DemoRobot, check: Check) -> None:
    late = right_answers(robot)
    late[0].header.stamp.sec = 99
    hear(check, [late[0], transform(TURNED[0], 'base', 'stranger', (0, 0, 0), 0.0)])
    assert check.moving['a'].count == 0
    assert check.others == {'stranger'}


@pytest.mark.parametrize(
    ('field', 'what'), [('position', 'positions'), ('velocity', 'velocities')]
)
def test_a_follower_that_does_not_follow_is_found(
    robot: DemoRobot, check: Check, field: str, what: str
) -> None:
    state = right_state(robot)
    getattr(state, field)[1] += 0.01
    check.take_states([(state, 0)])
    sentence = f"1 {what} on ~/joint_states differ from what is expected, 'copy' most, by 0.01"
    assert sentence in check.problems()


def test_the_motion_keeps_within_limits() -> None:
    robot = read_robot(example_text())
    motion = Motion(robot)
    positions = motion.positions(np.linspace(0.0, 60.0, 2000))
    assert set(motion.names) == {'wrist', 'grip', 'thumb_swing', 'thumb_flex'}
    for k, name in enumerate(motion.names):
        joint = robot.joints[name]
        assert joint.lower <= positions[:, k].min() < positions[:, k].max() < joint.upper
        assert np.ptp(positions[:, k]) > 0.8 * (joint.upper - joint.lower)


def test_velocities_are_the_derivatives_of_positions(robot: DemoRobot) -> None:
    # Later than the start, before which there is no motion to differ from.
    motion, times, step = Motion(robot), np.linspace(0.01, 5.0, 20), 1e-6
    slopes = (motion.positions(times + step) - motion.positions(times - step)) / (2 * step)
    np.testing.assert_allclose(motion.velocities(times), slopes, atol=1e-8)


def test_chains_of_followers_are_followed() -> None:
    robot = read_robot(example_text())
    motion = Motion(robot)
    values = expected.joint_values(robot, motion.names, motion.positions(np.array([2.0])))
    grip = values['grip']
    wanted = 0.7 * (1.1 * (0.8 * grip + 0.05) + 0.1) - 0.05
    np.testing.assert_allclose(values['index_distal'], wanted, atol=1e-15)


def test_universal_joints_turn_about_both_axes() -> None:
    text = ROBOT.replace('type="planar"', 'type="universal"').replace(
        '<axis xyz="0 1 0"/>', '<axis xyz="0 0 1"/><axis2 xyz="1 0 0"/>'
    )
    robot = read_robot(text)
    names = ('turn', 'slide/axis1', 'slide/axis2')
    values = expected.joint_values(robot, names, np.array([[0.0, np.pi / 2, np.pi / 2]]))
    # Rz(90) Rx(90) takes y to z and z to x.
    np.testing.assert_allclose(
        expected.value_poses(robot, values)['d'][0, :3, :3],
        [[0, 0, 1], [1, 0, 0], [0, 1, 0]],
        atol=1e-15,
    )


def test_what_the_demo_cannot_compute_is_refused() -> None:
    text = ROBOT.replace('<joint name="slide" type="planar">', '<drake:joint name="slide">')
    text = text.replace('<axis xyz="0 1 0"/></joint>', '</drake:joint>')
    with pytest.raises(UncheckableError, match='<drake:joint> is not known'):
        read_robot(text)
    with pytest.raises(UncheckableError, match='urdf_parser_py cannot read'):
        read_robot(ROBOT.replace('xyz="0 0 1"', 'xyz="0 0"'))


# The whole demo, on the installed package.


def example_text() -> str:
    return installed_example().read_text(encoding='utf-8')


def installed_example() -> Path:
    try:
        return example_file('mimic_hand')
    except ResourceError as error:
        pytest.skip(str(error))


@pytest.fixture
def start() -> Iterator[object]:
    """Return a function that starts the demo; what is still running at the end fails the test."""
    installed_example()
    started: list[subprocess.Popen[str]] = []
    # A terminal's width would make rich think of one.
    environment = {key: value for key, value in os.environ.items() if key != 'ROS_DOMAIN_ID'}

    def demo(*arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, '-m', 'kinematics_node.ros.demo', *arguments],
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield demo
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Return exit status and output; nothing that the demo started may be left."""
    output = process.communicate(timeout=200)[0]
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    return process.returncode, output


def test_the_demo_succeeds_on_a_robot_of_ours(start) -> None:
    status, output = finish(start('--seconds', '3'))
    assert status == 0, output
    assert '16 of 16 moving frames' in output
    assert 'every frame came and agrees with the independent computation' in output


def test_the_demo_plays_the_motors_of_a_mechanism(start) -> None:
    status, output = finish(start('--example', 'delta', '--seconds', '2'))
    assert status == 0, output
    assert '10 of 10 moving frames' in output
    assert '6 of 6 loops closed, largest gap ' in output
    assert 'nobody gives its state' not in output


def test_the_demo_takes_constraints_from_a_file(start, shared_robot) -> None:
    folder = shared_robot('digit_like')
    arguments = ('--robot', str(folder / 'robot.urdf'), '--seconds', '2')
    status, output = finish(start(*arguments, '--constraints', str(folder / 'robot.yaml')))
    assert status == 0, output
    assert '3 of 3 loops closed, largest gap ' in output


def test_the_demo_takes_xacro(start, tmp_path: Path) -> None:
    path = tmp_path / 'small.urdf.xacro'
    path.write_text(
        ROBOT.replace('<robot', '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"')
        .replace('offset="0.1"', 'offset="${1 / 10}"')
        .replace('type="planar"', 'type="floating"')
    )
    status, output = finish(start('--robot', str(path), '--seconds', '1.5'))
    assert status == 0, output


def test_the_demo_fails_on_a_broken_robot_with_one_sentence(start, tmp_path: Path) -> None:
    path = tmp_path / 'ring.urdf'
    path.write_text(ROBOT.replace('velocity="1"/>', 'velocity="1"/><mimic joint="copy"/>'))
    status, output = finish(start('--robot', str(path), '--seconds', '1'))
    assert status == 1
    assert output.splitlines()[-1].startswith(
        'error: the node ended: mimic joints follow each other in a ring: turn -> copy -> turn'
    )


@pytest.mark.parametrize(
    ('arguments', 'status', 'sentence'),
    [
        (('--robot', 'nowhere.urdf'), 1, "error: the model 'nowhere.urdf' does not exist"),
        (('--constraints', 'nowhere.yaml'), 1, "error: the constraints 'nowhere.yaml' does not"),
        (('--example', 'nobody'), 1, "error: there is no example 'nobody'; there are: "),
        (('--seconds', 'nan'), 2, "'nan' is not a number above 0"),
        (('--robot', 'a', '--example', 'b'), 2, 'not allowed with argument'),
    ],
)
def test_bad_arguments_are_told(start, arguments, status, sentence) -> None:
    outcome, output = finish(start(*arguments))
    assert outcome == status
    assert sentence in output


@pytest.mark.parametrize(
    ('moment', 'number'),
    [
        ('starting the node', signal.SIGINT),
        ('the node is ready', signal.SIGTERM),
        ('   1 s', signal.SIGINT),
    ],
)
def test_an_interrupted_demo_leaves_nothing_behind(start, moment: str, number: int) -> None:
    process = start('--seconds', '60')
    for line in process.stdout:
        if line.startswith(moment):
            break
    process.send_signal(number)
    began = time.monotonic()
    status, output = finish(process)
    assert status == 128 + number, output
    assert output.endswith('interrupted\n')
    assert time.monotonic() - began < 20.0
