# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Diagnostics of joint states, limits, mimics and couplings, on a stream without a middleware."""

from __future__ import annotations

import math
import time

import pytest
from ros.diagnostic_looks import ARM
from ros.diagnostic_looks import driven
from ros.diagnostic_looks import gears
from ros.diagnostic_looks import look
from ros.diagnostic_looks import stream_of
from ros.diagnostic_looks import take
from ros.messages import joint_state
from ros.messages import serialize_message
from ros.recorder import NOW
from ros.robots import joint
from ros.robots import urdf

from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import Coupling
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Limits as Bounds
from kinematics_node.model.elements import Link
from kinematics_node.model.elements import X_AXIS
from kinematics_node.model.elements import Y_AXIS
from kinematics_node.model.elements import Z_AXIS
from kinematics_node.model.joint_types import JointType
from kinematics_node.ros.diagnostic_checks import Followers
from kinematics_node.ros.diagnostic_checks import Limits
from kinematics_node.ros.diagnostic_loops import LoopsStanding
from kinematics_node.ros.diagnostic_sources import JointStates
from kinematics_node.ros.diagnostic_status import Level
from kinematics_node.ros.rate import SECOND
from kinematics_node.ros.watch import Watch

# Joint states.


def test_nobody_has_sent_anything():
    status = look(JointStates(), stream_of(ARM))
    assert (status.level, status.message) == (Level.STALE, 'no joint states have come')
    assert status.values['missing joints'] == 'j1, j2, f'
    assert status.values['age [s]'] == 'none'


def test_a_robot_without_moving_joints_needs_no_joint_states():
    status = look(JointStates(), stream_of(urdf(joint('w', 'fixed', 'a', 'b'))))
    assert (status.level, status.message) == (Level.OK, 'the robot has no moving joints')


def test_rate_and_age_of_each_source():
    """The order of names makes no other source; the rate is that since the looks before."""
    stream, task = stream_of(ARM), JointStates()
    take(stream, {'j1': 0.1, 'j2': 0.2})
    look(task, stream, stale_after=9.0)
    for _ in range(10):
        take(stream, {'j2': 0.2, 'j1': 0.1}, stamp=NOW / SECOND)
        take(stream, {'j2': 0.2})
    status = look(task, stream, later=2.0, stale_after=9.0)
    assert status.level is Level.OK
    assert float(status.values['rate [Hz]']) == pytest.approx(10.0, rel=0.1)
    assert status.message == status.values['rate [Hz]'] + ' Hz'
    assert float(status.values['age [s]']) == pytest.approx(2.0, abs=0.1)
    assert status.values['messages'] == '21'
    first, second = status.values['source 1'], status.values['source 2']
    assert "11 messages: 'j1', 'j2'" in first
    assert "10 messages: 'j2'" in second
    assert float(first.split(' Hz')[0]) == pytest.approx(5.0, rel=0.1)
    assert 'source 3' not in status.values


def test_delay_of_the_stamps():
    stream = stream_of(ARM)
    take(stream, {'j1': 0.1, 'j2': 0.2}, stamp=NOW / SECOND - 3.0)
    delay = look(JointStates(), stream).values['delay of the last stamp [s]']
    assert float(delay) == pytest.approx(3.0, abs=1e-3)


def test_joints_nobody_gives_and_joints_that_are_not_there():
    stream = stream_of(ARM)
    take(stream, {'j1': 0.1, 'elbow': 0.2, 'w': 0.0})
    status = look(JointStates(), stream)
    assert status.level is Level.WARN
    assert status.message == "nobody gives 'j2'; the model does not have 'elbow'"
    assert status.values['missing joints'] == 'j2'
    assert status.values['unknown joints'] == 'elbow'


def test_one_of_two_publishers_falls_silent():
    """What it gave and nobody else gives is named; all silent is stale."""
    stream, task = stream_of(ARM), JointStates()
    take(stream, {'j1': 0.1, 'j2': 0.2})
    first = time.monotonic_ns()
    while time.monotonic_ns() < first + SECOND // 10:
        take(stream, {'j1': 0.1})
    status = look(task, stream, stale_after=0.05)
    assert (status.level, status.values['silent joints']) == (Level.ERROR, 'j2')
    assert status.message == "not heard of any more: 'j2'"
    take(stream, {'j2': 0.1, 'elbow': 0.0})
    assert look(task, stream, stale_after=0.05).values['silent joints'] == 'none'
    status = look(task, stream, later=3.0, stale_after=0.05)
    assert (status.level, status.message) == (Level.STALE, 'no joint states for 3.0 s')
    assert status.values['unknown joints'] == 'none', 'nobody names it any more'


def test_messages_that_cannot_be_used_are_counted():
    stream = stream_of(ARM)
    take(stream, {'j1': math.nan, 'j2': 0.2})
    stream.take(serialize_message(joint_state({'j1': 0.1}))[:30])
    status = look(JointStates(), stream)
    assert '1 messages, 1 with unusable positions' in status.values['source 1']
    assert status.values['malformed messages'] == '1'


def test_sources_outlive_a_change_of_the_model():
    before, after = stream_of(ARM), stream_of(urdf(joint('j1', 'continuous', 'o', 'p')))
    take(before, {'j1': 0.1, 'j2': 0.2})
    after.adopt(before)
    status = look(JointStates(), after)
    assert status.values['messages'] == '1'
    assert (status.level, status.values['unknown joints']) == (Level.WARN, 'j2')


def test_sources_are_bounded():
    stream = stream_of(ARM)
    for k in range(100):
        take(stream, {'j1': 0.1, f'unknown{k}': 0.2})
    assert len(stream.sources.all) == 64
    status = look(JointStates(), stream)
    assert "'unknown36'" in status.values['source 1']
    assert 'source 17' not in status.values


# Limits.


def test_worst_violation_of_limits_since_when_and_how_often():
    stream, task = stream_of(ARM), Limits()
    take(stream, {'j1': 0.1, 'j2': 0.2})
    status = look(task, stream)
    assert (status.level, status.values['count']) == (Level.OK, '0')
    for later in (1.0, 3.0):
        take(stream, {'j1': 3.25, 'j2': -3.5}, velocity=[0.0, 0.0])
        status = look(task, stream, later)
    assert status.level is Level.WARN
    worst = "joint 'j2': position -3.5 rad is below the limit -3 rad"
    assert status.message == f'{worst}, and 1 more'
    assert status.values['count'] == '2'
    assert (status.values['worst'], status.values['worst amount']) == ('j2', '0.5')
    assert status.values['j1'] == "joint 'j1': position 3.25 rad is above the limit 3 rad"
    assert status.values['violations'] == '1'
    assert float(status.values['for [s]']) == pytest.approx(2.0, abs=0.1)
    assert float(status.values['since [s]']) == pytest.approx(NOW / SECOND + 1.0, abs=0.01)
    take(stream, {'j1': 0.1, 'j2': 0.2})
    status = look(task, stream)
    assert (status.level, status.message) == (Level.OK, 'all joints are within their limits')
    assert 'since [s]' not in status.values
    take(stream, {'j1': 0.1, 'j2': 4.0})
    assert look(task, stream).values['violations'] == '2'


def test_velocity_beyond_its_limit():
    stream = stream_of(ARM)
    take(stream, {'j1': 0.1, 'j2': 0.2}, velocity=[0.5, -1.5])
    status = look(Limits(), stream)
    assert status.message == "joint 'j2': velocity -1.5 rad/s is below the limit -1 rad/s"
    assert status.values['worst amount'] == '0.5'
    assert status.values['worst'] == 'velocity of j2'


def test_a_velocity_limit_of_zero_is_none():
    stream = stream_of(ARM.replace('velocity="1"', 'velocity="0"'))
    take(stream, {'j1': 0.1, 'j2': 0.2}, velocity=[0.5, -1.5])
    assert look(Limits(), stream).level is Level.OK


@pytest.mark.parametrize(('tolerance', 'level'), [(0.01, Level.WARN), (0.1, Level.OK)])
def test_tolerance_of_limits(tolerance, level):
    stream = stream_of(ARM)
    take(stream, {'j1': 3.05})
    assert look(Limits(), stream, limit_tolerance=tolerance).level is level


@pytest.mark.parametrize(
    ('angle', 'side'), [(0.8, 'above the limit 0.5'), (-0.8, 'below the limit -0.5')]
)
def test_angle_of_a_ball_joint_beyond_its_limit(angle, side):
    builder = ModelBuilder('ball')
    builder.add_link(Link('a'))
    builder.add_link(Link('b'))
    axes = (Axis(X_AXIS), Axis(Y_AXIS, Bounds(-0.5, 0.5)), Axis(Z_AXIS))
    builder.add_joint(Joint('hip', JointType.BALL, 'a', 'b', axes=axes))
    stream = stream_of(builder.finalize())
    take(stream, {'hip/axis1': 0.3, 'hip/axis2': angle, 'hip/axis3': 2.0})
    status = look(Limits(), stream)
    where = f"position {angle} rad of 'hip/axis2' is {side} rad"
    assert status.message == f"joint 'hip': {where}"


def test_position_beyond_a_stop():
    """A stop is where the mechanism ends, whatever the limits say."""
    builder = ModelBuilder('slide')
    builder.add_link(Link('a'))
    builder.add_link(Link('b'))
    axis = Axis(X_AXIS, Bounds(-1.0, 1.0), stops=(-0.2, 0.3))
    builder.add_joint(Joint('rod', JointType.PRISMATIC, 'a', 'b', axes=(axis,)))
    stream = stream_of(builder.finalize())
    take(stream, {'rod': 0.4})
    status = look(Limits(), stream)
    assert status.message == "joint 'rod': position 0.4 m is above the stop 0.3 m"
    assert status.values['worst'] == 'stop of rod'
    take(stream, {'rod': 0.1})
    assert look(Limits(), stream).level is Level.OK


# Mimics and couplings.


def test_a_follower_counts_at_the_second_look():
    """One look may fall between the messages of two publishers."""
    stream, task = stream_of(ARM), Followers()
    take(stream, {'j1': 0.5, 'j2': 0.0, 'f': 1.3})
    assert look(task, stream, later=1.0).level is Level.OK
    status = look(task, stream, later=2.0)
    assert status.level is Level.WARN
    assert status.message == "'f' is at 1.3 where its mimic of 'j1' says 1.1"
    assert (status.values['worst'], status.values['worst amount']) == ('f', '0.2')
    assert float(status.values['for [s]']) == pytest.approx(1.0, abs=0.1), 'since the first look'
    assert look(task, stream, mimic_tolerance=0.3).level is Level.OK
    take(stream, {'j1': 0.5, 'j2': 0.0, 'f': 1.1})
    for _ in range(2):
        status = look(task, stream)
        assert (status.level, status.values['count']) == (Level.OK, '0')
    assert status.values['violations'] == '1'


def test_the_log_and_the_diagnostics_have_one_tolerance():
    stream, task = stream_of(ARM), Followers()
    watch = Watch(stream)
    for tolerance in (0.3, 0.1):
        for _ in range(2):
            take(stream, {'j1': 0.5, 'j2': 0.0, 'f': 1.3})
            watch.complain_of_contradictions(tolerance)
            status = look(task, stream, mimic_tolerance=tolerance)
        said = [s for s in stream.complaints.sentences if "'f' is at 1.3" in s]
        assert (status.level is Level.WARN, len(said)) == ((tolerance < 0.2), int(tolerance < 0.2))


def test_a_coupling_that_measured_joints_contradict():
    stream, task = stream_of(gears()), Followers()
    take(stream, {'j1': 0.5, 'j2': 0.1})
    for _ in range(2):
        status = look(task, stream)
    assert (status.level, status.message) == (Level.WARN, "coupling 'gear' is off by 0.4")
    assert (status.values['worst'], status.values['count']) == ('coupling gear', '1')
    assert look(LoopsStanding(), stream).level is Level.ERROR


def test_a_contradiction_does_not_hold_up_other_loops():
    """What is measured on all sides cannot be closed; the four-bar is solved at every message."""
    builder = driven().edit()
    builder.add_link(Link('wheel'))
    axes = (Axis(Z_AXIS),)
    builder.add_joint(Joint('wheel', JointType.CONTINUOUS, 'ground', 'wheel', axes=axes))
    builder.add_coupling(Coupling('gear', (('crank', 1.0), ('wheel', 2.0))))
    stream = stream_of(builder.finalize())
    rocker = stream.model.coordinate_index['rocker']
    before = None
    for crank in (0.3, 0.31, 0.32, 0.33):
        take(stream, {'crank': crank, 'wheel': 0.1})
        assert stream.state[rocker] != before
        before = stream.state[rocker]
    status = look(LoopsStanding(), stream)
    assert status.level is Level.ERROR
    assert status.values['count'] == '1'
    assert status.message.startswith("'gear' has never closed (contradicted, residual 0.53)")
    assert 'all of it is measured, and published as it is' in stream.complaints


def test_a_coupling_that_is_solved_agrees():
    stream, task = stream_of(gears()), Followers()
    assert look(task, stream).level is Level.OK
    take(stream, {'j1': 0.5})
    for _ in range(2):
        assert look(task, stream).level is Level.OK
    assert look(JointStates(), stream).values['missing joints'] == 'none'
