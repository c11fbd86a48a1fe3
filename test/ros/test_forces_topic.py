# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""~/constraint_forces over DDS: off until a rate is set, then the forces of every new state."""

from __future__ import annotations

from joint_kinematics.msg import ConstraintForces
from joint_kinematics.srv import GetConstraintForces
import numpy as np
import pytest
from ros.harness import running

TOPIC = 'kinematics/constraint_forces'
WEIGHT = 2.0 * 9.81
# A pendulum of 2 kg on a rod of 1 m, and a wheel at its end that weighs nothing.
PENDULUM = """<robot name="pendulum">
  <link name="base"/><link name="wheel"/>
  <link name="bob"><inertial><origin xyz="1 0 0"/><mass value="2"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <joint name="swing" type="continuous"><parent link="base"/><child link="bob"/>
    <axis xyz="0 -1 0"/></joint>
  <joint name="spin" type="continuous"><parent link="bob"/><child link="wheel"/>
    <origin xyz="1 0 0"/><axis xyz="0 -1 0"/></joint>
</robot>
"""
PARAMETERS = {'robot_description': PENDULUM, 'publish_frequency': 0.0}


@pytest.fixture
def robot():
    with running(PARAMETERS) as robot:
        yield robot


@pytest.fixture
def heard(robot):
    messages = []
    robot.peer.node.create_subscription(ConstraintForces, TOPIC, messages.append, 10)
    return messages


def test_it_is_off_until_a_rate_is_set_and_off_again_at_0(robot, heard):
    peer = robot.peer
    peer.ask({'swing': 0.3, 'spin': 0.0}, peer.fresh(), 'bob')
    peer.listen(1.0)
    assert heard == []
    peer.accept(constraint_forces_rate=50.0)
    # Forces may have kernels to compile.
    peer.until(lambda: heard, timeout=180.0)
    peer.accept(constraint_forces_rate=0.0)
    peer.listen(0.5)
    heard.clear()
    peer.ask({'swing': 0.4, 'spin': 0.0}, peer.fresh(), 'bob')
    peer.listen(1.0)
    assert heard == []


def test_forces_follow_the_state_and_are_those_of_the_service(robot, heard):
    peer = robot.peer
    peer.accept(constraint_forces_rate=50.0)
    client = peer.node.create_client(GetConstraintForces, '/kinematics/get_constraint_forces')
    for angle in (0.0, 0.7, 1.5):
        heard.clear()
        stamp = peer.fresh()
        peer.ask({'swing': angle, 'spin': 0.1}, stamp, 'bob')
        peer.until(lambda: heard, timeout=180.0)
        forces = heard[-1]
        effort = dict(zip(forces.coordinates, forces.actuator_efforts, strict=True))
        assert effort['swing'] == pytest.approx(WEIGHT * np.cos(angle))
        k = forces.names.index('swing')
        assert forces.forces[3 * k + 2] == pytest.approx(WEIGHT)
        assert forces.determinate[k]
        assert forces.header.frame_id == 'base'
        sent = forces.header.stamp.sec + 1e-9 * forces.header.stamp.nanosec
        assert sent == pytest.approx(stamp)
        question = client.call_async(GetConstraintForces.Request())
        peer.until(question.done, timeout=180.0)
        assert question.result().forces == forces


def test_a_state_is_published_once_and_a_partial_one_is_not(robot, heard):
    peer = robot.peer
    peer.accept(constraint_forces_rate=50.0)
    peer.ask({'swing': 0.2}, peer.fresh(), 'bob')
    robot.process.await_log('no constraint forces are published: not every joint has a state')
    assert heard == []
    peer.ask({'spin': 0.2}, peer.fresh(), 'wheel')
    peer.until(lambda: heard, timeout=180.0)
    peer.listen(1.0)
    assert len(heard) == 1


@pytest.mark.parametrize('rate', [-1.0, float('nan'), 'often'])
def test_a_rate_that_is_none_is_refused(robot, rate):
    sentence = robot.peer.refuse(constraint_forces_rate=rate)
    assert "'constraint_forces_rate'" in sentence
    assert 'it must be 0.0 or more Hz' in sentence
