# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Diagnostics: each task on a stream without a middleware, then the topic itself."""

from __future__ import annotations

from dataclasses import replace
import math
import time

from diagnostic_msgs.msg import DiagnosticArray
from loop_models import four_bar
import pytest
from ros.harness import running
from ros.messages import joint_state
from ros.messages import serialize_message
from ros.recorder import NOW
from ros.recorder import Recorder
from ros.robots import joint
from ros.robots import urdf

from kinematics_node.formats.load import load_model
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
from kinematics_node.ros.diagnostic_loops import Solver
from kinematics_node.ros.diagnostic_sources import JointStates
from kinematics_node.ros.diagnostic_status import Level
from kinematics_node.ros.diagnostic_status import Moment
from kinematics_node.ros.diagnostic_status import Thresholds
from kinematics_node.ros.loop_blocks import LoopOptions
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
LEVELS = {bytes([level]): level for level in Level}


def stream_of(model, **options):
    model = model if not isinstance(model, str) else load_model(model)
    return Stream(model, Options(**options), Recorder(), lambda: NOW)


def take(stream, positions, **fields):
    stream.take(serialize_message(joint_state(positions, **fields)))


def look(task, stream, later=0.0, **thresholds):
    """Return a task's status some seconds from now."""
    steady = time.monotonic_ns() + round(SECOND * later)
    return task.look(stream, Thresholds(**thresholds), Moment(steady, NOW + round(SECOND * later)))


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
    stream = stream_of(ARM, mimic_tolerance=0.3)
    for _ in range(2):
        take(stream, {'j1': 0.5, 'j2': 0.0, 'f': 1.3})
        stream.complain_of_contradictions()
    assert stream.complaints.sentences == []


def gears():
    """Return j1 and j2 with j1 + 2 j2 = 0.3."""
    joints = joint('j1', 'continuous', 'a', 'b'), joint('j2', 'continuous', 'b', 'c')
    builder = load_model(urdf(*joints)).edit()
    builder.add_coupling(Coupling('gear', (('j1', 1.0), ('j2', 2.0)), 0.3))
    return builder.finalize()


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


# Loops and solver.


def driven():
    """Return a four-bar to be driven at its crank; beyond 0.9 rad or so its rocker is too far."""
    return four_bar(ground=2.0, crank=1.0, coupler=0.8, rocker=0.8)


def test_without_loops_nothing_is_wrong():
    stream = stream_of(ARM)
    for task in (LoopsStanding(), Solver()):
        status = look(task, stream)
        assert (status.level, status.message) == (Level.OK, 'the robot has no loops')


def test_loops_before_any_joint_state():
    stream = stream_of(driven())
    for task in (LoopsStanding(), Solver()):
        status = look(task, stream)
        assert (status.level, status.message) == (Level.STALE, 'no joint states yet')


def test_a_loop_closes_is_held_stops_and_closes_again():
    hold = SECOND // 20
    stream = stream_of(driven(), loops=LoopOptions(hold))
    loops, solver = LoopsStanding(), Solver()
    take(stream, {'crank': 0.3})
    status = look(loops, stream)
    assert (status.level, status.message) == (Level.OK, '1 of 1 blocks closed')
    assert float(status.values['worst residual [m, rad]']) < 1e-10
    assert status.values["'tip'"].startswith('closed, converged, residual ')
    status = look(solver, stream)
    assert (status.level, status.message) == (Level.OK, 'converged')
    assert status.values['singular'] == 'no'
    assert status.values['status'] == 'converged'
    assert int(status.values['iterations']) >= 0
    take(stream, {'crank': 2.5})
    status = look(loops, stream)
    assert status.level is Level.WARN
    assert status.message.startswith("'tip' does not close and is held where it was (stalled, ")
    assert float(status.values['worst residual [m, rad]']) > 0.1
    time.sleep(2 * hold / SECOND)
    take(stream, {'crank': 2.5})
    status = look(loops, stream, later=2.0)
    assert status.level is Level.ERROR
    assert status.message.startswith("'tip' does not close and is not published (stalled, ")
    assert 'not closed for 2.' in status.values["'tip'"]
    assert status.values['violations'] == '1'
    status = look(solver, stream)
    assert (status.level, status.message) == (Level.WARN, "stalled at 'tip'")
    assert status.values['singular'] == 'not known'
    take(stream, {'crank': 0.3})
    assert look(loops, stream).level is Level.OK
    assert look(solver, stream).level is Level.OK


def test_a_loop_that_has_never_closed():
    stream = stream_of(driven())
    take(stream, {'crank': 2.5})
    status = look(LoopsStanding(), stream)
    assert status.level is Level.ERROR
    assert status.message.startswith("'tip' has never closed (")


def test_a_closed_loop_stays_closed_when_messages_end():
    stream = stream_of(driven(), loops=LoopOptions(hold=1))
    take(stream, {'crank': 0.3})
    time.sleep(0.01)
    assert look(Limits(), stream).level is Level.OK
    assert look(LoopsStanding(), stream).level is Level.OK


def test_a_singular_four_bar_is_named():
    """Crank and coupler and rocker in one line: a parallelogram that lies flat."""
    stream = stream_of(four_bar(ground=2.0, crank=1.0, coupler=2.0, rocker=1.0))
    take(stream, {'crank': 0.7})
    assert look(Solver(), stream).values['singular'] == 'no'
    take(stream, {'crank': 0.0})
    status = look(Solver(), stream)
    assert (status.level, status.message) == (
        Level.WARN,
        'converged at a singular configuration',
    )


def test_a_loop_that_waits_for_its_motor():
    """The motor is what is missing, and not what follows from it."""
    builder = driven().edit()
    k = builder.joint_id('crank')
    builder.joints[k] = replace(builder.joints[k], actuated=True)
    stream = stream_of(builder.finalize())
    take(stream, {'rocker': 1.0})
    status = look(LoopsStanding(), stream)
    assert (status.level, status.message) == (Level.WARN, "'tip' waits for 'crank'")
    assert status.values['missing motors'] == 'crank'
    assert look(JointStates(), stream).values['missing joints'] == 'crank'
    status = look(Solver(), stream)
    assert (status.level, status.message) == (Level.STALE, 'nothing has been solved yet')


def test_joints_of_a_loop_of_which_nothing_is_measured_are_missing():
    stream = stream_of(driven())
    take(stream, {'elsewhere': 1.0})
    assert look(JointStates(), stream).values['missing joints'] == 'crank, coupler, rocker'


# The topic.

FOUR_BAR = urdf(
    joint('crank', 'revolute', 'base_link', 'crank_link'),
    joint('coupler', 'continuous', 'crank_link', 'coupler_link', xyz='1 0 0'),
    joint('rocker', 'continuous', 'base_link', 'rocker_link', xyz='2 0 0'),
    name='bar',
)
CLOSURE = {
    'closures.tip.type': 'revolute',
    'closures.tip.link_A': 'coupler_link',
    'closures.tip.link_B': 'rocker_link',
    'closures.tip.origin_A': [0.8, 0.0, 0.0],
    'closures.tip.origin_B': [0.8, 0.0, 0.0],
    'closures.tip.axis': [0.0, 0.0, 1.0],
}


@pytest.fixture(scope='module')
def robot():
    with running({'robot_description': FOUR_BAR, 'diagnostics_period': 0.1, **CLOSURE}) as robot:
        yield robot


class Listener:
    """Keeps what comes on /diagnostics."""

    def __init__(self, peer):
        self.messages = []
        self.peer = peer
        peer.node.create_subscription(DiagnosticArray, '/diagnostics', self.messages.append, 10)

    def after(self, positions, done):
        """Send positions again and again until the statuses by task are as wanted."""
        self.messages.clear()

        def ready():
            self.peer.send(positions, stamp=self.peer.fresh())
            self.peer.listen(0.02)
            if not self.messages:
                return None
            found = {s.name.split(': ')[1]: s for s in self.messages[-1].status}
            return found if done({n: LEVELS[s.level] for n, s in found.items()}) else None

        return self.peer.until(ready, what=positions)


def test_a_limit_and_a_loop_are_violated_on_the_topic(robot):
    listener = Listener(robot.peer)
    everything = ('joint states', 'limits', 'mimics and couplings', 'loops', 'solver')
    well = dict.fromkeys(everything, Level.OK)
    found = listener.after({'crank': 0.3}, lambda levels: levels == well)
    assert [s.name for s in found.values()] == [f'kinematics: {task}' for task in everything]
    assert {s.hardware_id for s in found.values()} == {'bar'}
    wrong = {**well, 'limits': Level.WARN, 'loops': Level.ERROR, 'solver': Level.WARN}
    found = listener.after({'crank': 3.1}, lambda levels: levels == wrong)
    assert found['limits'].message == "joint 'crank': position 3.1 rad is above the limit 3 rad"
    assert found['loops'].message.startswith("'tip' does not close and is not published")
    values = {v.key: v.value for v in found['limits'].values}
    assert (values['count'], values['worst']) == ('1', 'crank')
    listener.after({'crank': 0.3}, lambda levels: levels == well)


def test_period_and_thresholds_change_while_running(robot):
    peer = robot.peer
    listener = Listener(peer)
    listener.after({'crank': 3.02}, lambda levels: levels['limits'] is Level.WARN)
    peer.accept(limit_tolerance=0.1)
    listener.after({'crank': 3.02}, lambda levels: levels['limits'] is Level.OK)
    peer.accept(diagnostics_period=0.0, limit_tolerance=0.001)
    peer.listen(0.5)
    listener.messages.clear()
    peer.listen(0.5)
    assert listener.messages == []
    peer.accept(diagnostics_period=0.05)
    peer.until(lambda: len(listener.messages) > 5, timeout=2.0)
    assert 'must be 0.0 or more seconds' in peer.refuse(diagnostics_period=-1.0)


def test_without_a_robot_everything_is_stale():
    with running(
        {'use_robot_description_topic': True}, ready='waiting for a description'
    ) as robot:
        listener = Listener(robot.peer)
        robot.peer.until(lambda: listener.messages)
        for status in listener.messages[-1].status:
            assert LEVELS[status.level] is Level.STALE
            assert status.message == 'no description of a robot has come yet'
