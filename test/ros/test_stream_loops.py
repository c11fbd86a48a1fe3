# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Closed loops in the stream: what moves with which message, and what happens to open loops."""

from __future__ import annotations

import time

import numpy as np
import pytest
from rclpy.serialization import deserialize_message
from ros.recorder import Recorder
from tf2_msgs.msg import TFMessage

from kinematics_node.formats.load import load_builder
from kinematics_node.formats.notation import apply_notation
from kinematics_node.ros import cdr
from kinematics_node.ros.loop_blocks import LoopOptions
from kinematics_node.ros.stream import Options
from kinematics_node.ros.stream import Stream

# A crank of 0.5 m and a rocker of 0.5 m, 1 m apart, joined by a coupler of 1 m: a parallelogram.
FOUR_BAR = """<robot name="four_bar">
  <link name="base"/><link name="crank"/><link name="coupler"/><link name="rocker"/>
  <link name="flag"/>
  <joint name="drive" type="revolute"><parent link="base"/><child link="crank"/>
    <axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="pin" type="continuous"><parent link="crank"/><child link="coupler"/>
    <origin xyz="0 0 0.5"/><axis xyz="0 1 0"/></joint>
  <joint name="pivot" type="continuous"><parent link="base"/><child link="rocker"/>
    <origin xyz="1 0 0"/><axis xyz="0 1 0"/></joint>
  <joint name="wave" type="continuous"><parent link="base"/><child link="flag"/></joint>
</robot>
"""
END = {
    'closures.end.type': 'ball',
    'closures.end.link_A': 'coupler',
    'closures.end.origin_A': [1.0, 0.0, 0.0],
    'closures.end.link_B': 'rocker',
    'closures.end.origin_B': [0.0, 0.0, 0.5],
    'joints.drive.actuated': True,
}
# With a slide in the base of the rocker the loop needs two motors.
SLIDE = FOUR_BAR.replace(
    '<joint name="pivot" type="continuous"><parent link="base"/>',
    '<link name="cart"/><joint name="slide" type="prismatic"><parent link="base"/>'
    '<child link="cart"/><axis xyz="1 0 0"/>'
    '<limit lower="-9" upper="9" effort="1" velocity="1"/></joint>'
    '<joint name="pivot" type="continuous"><parent link="cart"/>',
)


def stream_of(urdf=FOUR_BAR, notation=None, **loops):
    builder = load_builder(urdf)
    apply_notation(builder, {**END, **(notation or {})})
    options = Options(loops=LoopOptions(**loops))
    return Stream(builder.finalize(), options, Recorder())


def take(stream, **positions):
    """Return the answer as {child frame: (qw, qx, qy, qz)}."""
    message = cdr.joint_state_buffer(list(positions), list(positions.values()), (), (1, 0))
    answer = stream.take(bytes(message.memory))
    if answer is None:
        return {}
    transforms = deserialize_message(answer, TFMessage).transforms
    children = [t.child_frame_id for t in transforms]
    assert len(set(children)) == len(children)
    rotations = (t.transform.rotation for t in transforms)
    return {c: (r.w, r.x, r.y, r.z) for c, r in zip(children, rotations, strict=True)}


def about_y(angle):
    return pytest.approx((np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0), abs=1e-9)


def test_solved_joints_move_with_their_motor():
    stream = stream_of()
    for angle in (0.0, 0.1, 0.4, -0.3):
        answer = take(stream, drive=angle)
        assert answer == {
            'crank': about_y(angle),
            'coupler': about_y(-angle),
            'rocker': about_y(angle),
        }
    assert stream.shown() == {
        stream.model.coordinate_index[name] for name in ('drive', 'pin', 'pivot')
    }


def test_each_frame_has_one_parent():
    stream = stream_of()
    message = cdr.joint_state_buffer(['drive'], [0.2], (), (1, 0))
    transforms = deserialize_message(stream.take(bytes(message.memory)), TFMessage).transforms
    parents = {t.child_frame_id: t.header.frame_id for t in transforms}
    assert parents == {'crank': 'base', 'coupler': 'crank', 'rocker': 'base'}


def test_a_message_about_other_joints_does_not_bring_the_loop():
    stream = stream_of()
    take(stream, drive=0.2)
    assert set(take(stream, wave=1.0)) == {'flag'}


def test_rates_of_solved_joints_follow():
    stream = stream_of()
    message = cdr.joint_state_buffer(['drive'], [0.2], [3.0], (1, 0))
    stream.take(bytes(message.memory))
    names = stream.model.velocity_names
    rates = dict(zip(names, stream.rates(), strict=True))
    assert rates['pivot'] == pytest.approx(3.0, abs=1e-8)
    assert rates['pin'] == pytest.approx(-3.0, abs=1e-8)
    assert np.isnan(rates['wave'])


def test_the_first_message_may_be_far_from_the_zero_pose():
    assert take(stream_of(), drive=1.4)['rocker'] == about_y(1.4)


def test_a_loop_waits_for_a_motor_that_nobody_measures():
    stream = stream_of(SLIDE, {'joints.slide.actuated': True})
    assert set(take(stream, drive=0.2)) == {'crank'}
    assert "waits for motors that nobody measures yet: 'slide'" in stream.complaints


def test_two_publishers_each_with_a_motor_move_the_whole_loop():
    stream = stream_of(SLIDE, {'joints.slide.actuated': True})
    take(stream, drive=0.2)
    assert set(take(stream, slide=0.0)) == {'coupler', 'cart', 'rocker'}
    answer = take(stream, drive=0.3)
    assert set(answer) == {'crank', 'coupler', 'rocker'}
    assert answer['rocker'] == about_y(0.3)


def test_an_open_loop_is_held_and_then_stops_while_the_rest_goes_on():
    hold = 0.3
    stream = stream_of(SLIDE, {'joints.slide.actuated': True}, hold=round(hold * 1e9))
    take(stream, drive=0.2, slide=0.0)
    since = time.monotonic()
    # The rocker's foot is out of the coupler's reach.
    held = take(stream, drive=0.2, slide=5.0)
    if time.monotonic() - since < hold:
        assert held['rocker'] == about_y(0.2)
    time.sleep(hold + 0.05)
    assert set(take(stream, drive=0.2, slide=5.0)) == {'crank', 'cart'}
    assert "loop 'end' cannot be closed" in stream.complaints
    index = stream.model.coordinate_index
    assert stream.shown() == {index['drive'], index['slide']}
    assert take(stream, drive=0.25, slide=0.0)['rocker'] == about_y(0.25)


def test_a_measured_joint_that_contradicts_a_little_is_published_as_it_is():
    stream = stream_of()
    answer = take(stream, drive=0.3, pivot=0.3 + 1e-5)
    assert answer['rocker'] == about_y(0.3 + 1e-5)
    assert answer['coupler'] == pytest.approx((np.cos(0.15), 0.0, -np.sin(0.15), 0.0), abs=1e-4)


def test_measured_joints_are_projected_where_that_is_asked_for():
    stream = stream_of(project=True)
    take(stream, drive=0.3, pivot=0.3)
    answer = take(stream, drive=0.3, pivot=0.32)
    turn = {name: 2 * np.arctan2(q[2], q[0]) for name, q in answer.items()}
    assert turn['crank'] == pytest.approx(turn['rocker'], abs=1e-8)
    assert 0.3 < turn['crank'] < 0.32


def test_a_jump_of_the_motor_keeps_the_branch():
    stream = stream_of()
    take(stream, drive=0.2)
    # A parallelogram may fold into an antiparallelogram only through its flat pose.
    assert take(stream, drive=1.3)['rocker'] == about_y(1.3)


def test_an_anchor_moved_at_run_time_is_adopted_with_the_state():
    before = stream_of()
    take(before, drive=0.2)
    after = stream_of(FOUR_BAR.replace('xyz="0 0 0.5"', 'xyz="0 0 0.4"'))
    after.adopt(before)
    answer = take(after, drive=0.2)
    assert answer['crank'] == about_y(0.2)
    gap = _gap(after)
    assert gap == pytest.approx(0.0, abs=1e-9)


def _gap(stream):
    """Return how far the ends of the loop are apart, by plane trigonometry."""
    q = dict(zip(stream.model.coordinate_names, stream.state, strict=False))
    crank, pin, pivot = q['drive'], q['pin'], q['pivot']
    end = np.array([0.4 * np.sin(crank), 0.4 * np.cos(crank)])
    end += [np.cos(crank + pin), -np.sin(crank + pin)]
    rocker = np.array([1.0 + 0.5 * np.sin(pivot), 0.5 * np.cos(pivot)])
    return np.linalg.norm(end - rocker)
