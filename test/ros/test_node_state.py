# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Joint states over DDS: good ones, bad ones, many axes, mimics, the complete state."""

from __future__ import annotations

from geometry_msgs.msg import Transform
import numpy as np
import pytest
from rclpy.qos import QoSProfile
from rclpy.qos import ReliabilityPolicy
from ros.harness import running
from ros.messages import frames
from ros.messages import joint_state
from ros.messages import JointState
from ros.messages import MultiDOFJointState
from ros.oracle import motion
from ros.oracle import read_joints
from ros.oracle import rotation
from ros.robots import arm
from ros.robots import joint
from ros.robots import MIMIC_CHAIN
from ros.robots import urdf

FLOATING = joint('free', 'floating', 'world', 'body')


@pytest.fixture(scope='module')
def robot():
    with running({'robot_description': arm(3), 'publish_frequency': 0.0}) as robot:
        yield robot


@pytest.fixture
def peer(robot):
    return robot.peer


def described(robot, text):
    """Replace the description; return once it is at work."""
    count = len(robot.process.said('is ready'))
    robot.peer.accept(robot_description=text)
    robot.peer.until(lambda: len(robot.process.said('is ready')) > count)


@pytest.mark.parametrize(
    ('topic', 'kind', 'quality'),
    [
        ('/joint_states', 'subscriptions', ('BEST_EFFORT', 'VOLATILE')),
        ('/multi_dof_joint_states', 'subscriptions', ('BEST_EFFORT', 'VOLATILE')),
        ('/tf', 'publishers', ('RELIABLE', 'VOLATILE')),
        ('/tf_static', 'publishers', ('RELIABLE', 'TRANSIENT_LOCAL')),
        ('/robot_description', 'publishers', ('RELIABLE', 'TRANSIENT_LOCAL')),
        ('/kinematics/joint_states', 'publishers', ('RELIABLE', 'VOLATILE')),
    ],
)
def test_quality_of_service(peer, topic, kind, quality):
    endpoints = getattr(peer.node, f'get_{kind}_info_by_topic')(topic)
    (profile,) = [e.qos_profile for e in endpoints if e.node_name == 'kinematics']
    assert (profile.reliability.name, profile.durability.name) == quality


def test_transforms_are_those_of_the_joints(robot, peer):
    described(robot, arm(3, name='transforms'))
    joints = read_joints(arm(3))
    positions = {'j3': 0.3, 'j1': -0.1, 'j2': 2.0}
    message = peer.ask(positions, 1.25, 'link1')
    for child, found in frames(message).items():
        element = next(j for j in joints.values() if j.child == child)
        np.testing.assert_allclose(found, motion(element, positions[element.name]), atol=1e-12)
    assert {t.header.frame_id for t in message.transforms} == {'link0', 'link1', 'link2'}


def test_positions_that_are_not_finite_are_named_at_a_limited_rate(robot, peer):
    described(robot, arm(3, name='finite'))
    for k, bad in enumerate([float('nan'), float('inf')] * 10):
        message = peer.ask({'j1': 0.1, 'j2': bad, 'j3': 0.2}, 10.0 + k, 'link1')
        assert sorted(frames(message)) == ['link1', 'link3']
    assert len(robot.process.said("positions that cannot be used: 'j2'$")) == 1
    assert all(np.isfinite(T).all() for message in peer.tf[:] for T in frames(message).values())


def test_bad_names_and_lengths_are_named(robot, peer):
    described(robot, arm(3, name='names'))
    message = joint_state([('j1', 0.1), ('ghost', 1.0), ('j1', 0.9), ('j3', 0.3)], stamp=2.0)
    message.position = message.position[:3]
    peer.joint_states.publish(message)
    peer.until(lambda: peer.answer(2.0, 'link1'))
    robot.process.await_log("the model does not have: 'ghost'")
    robot.process.await_log("named twice, of which the first counts: 'j1'")
    robot.process.await_log("without a position in the message: 'j3'")


def test_empty_message_is_answered_by_nothing(robot, peer):
    described(robot, arm(3, name='empty'))
    peer.tf.clear()
    peer.send({}, stamp=2.5)
    peer.ask({'j1': 0.1}, 3.0, 'link1')
    assert len(peer.tf) == 1


def test_floating_joint_alone_is_silent_and_says_so_once(robot, peer):
    peer.static.clear()
    described(robot, urdf(FLOATING))
    robot.process.await_log("joint 'free' is floating and nobody gives its state")
    peer.until(lambda: peer.static)
    assert frames(peer.static[-1]) == {}
    peer.tf.clear()
    described(robot, urdf(FLOATING, joint('q', 'continuous', 'body', 'arm')))
    assert sorted(frames(peer.ask({'q': 0.1}, 3.0, 'arm'))) == ['arm']
    peer.listen(0.5)
    assert {t.child_frame_id for m in peer.tf[:] for t in m.transforms} == {'arm'}
    assert len(robot.process.said("joint 'free' is floating")) == 1


def test_floating_joint_moves_by_a_multi_dof_message(robot, peer):
    described(robot, urdf(FLOATING, joint('slide', 'planar', 'body', 'top'), name='pose'))
    turn, flat = Transform(), Transform()
    turn.rotation.w, turn.rotation.x = 0.6, 0.8
    turn.translation.x = 2.0
    flat.rotation.w, flat.rotation.z = float(np.cos(0.2)), float(np.sin(0.2))
    flat.translation.y = 3.0
    message = MultiDOFJointState(joint_names=['free', 'slide'], transforms=[turn, flat])
    message.header.stamp.sec = 7
    peer.multi_dof.publish(message)
    found = frames(peer.until(lambda: peer.answer(7.0, 'body')))
    assert sorted(found) == ['body', 'top']
    np.testing.assert_allclose(found['body'][:3, 3], [2, 0, 0])
    np.testing.assert_allclose(found['body'][:3, :3], rotation('x', 2 * np.arctan2(0.8, 0.6)))
    np.testing.assert_allclose(found['top'][:3, 3], [0, 3, 0])
    np.testing.assert_allclose(found['top'][:3, :3], rotation('z', 0.4), atol=1e-12)


def test_planar_joint_moves_by_moveits_names(robot, peer):
    described(robot, urdf(joint('slide', 'planar', 'body', 'top'), name='moveit'))
    positions = {'slide/x': 1.0, 'slide/y': 2.0, 'slide/theta': 0.5}
    found = frames(peer.ask(positions, 8.0, 'top'))['top']
    np.testing.assert_allclose(found[:3, 3], [1, 2, 0])


def test_wrong_multi_dof_message_is_named(robot, peer):
    described(robot, urdf(FLOATING, name='wrong'))
    peer.multi_dof.publish(MultiDOFJointState(joint_names=['nobody'], transforms=[Transform()]))
    robot.process.await_log("multi_dof_joint_states hold 'nobody', which is no ball, planar")


def test_mimics_follow_and_the_contradiction_is_named(robot, peer):
    described(robot, MIMIC_CHAIN)
    found = frames(peer.ask({'q1': 0.5}, 1.0, 'd'))
    np.testing.assert_allclose(found['d'][:3, :3], rotation('z', 3.5), atol=1e-12)
    found = frames(peer.ask({'q2': 1.3, 'q1': 0.5}, 2.0, 'd'))
    np.testing.assert_allclose(found['c'][:3, :3], rotation('z', 1.3), atol=1e-12)
    robot.process.await_log("joint 'q2' is at 1.3 where its mimic of 'q1' says 1.1")
    peer.listen(0.6)
    assert len(robot.process.said("joint 'q2' is at 1.3")) == 1


def listening(peer, positions, **fields):
    """Return the first complete state that comes, as the node takes up listeners."""
    peer.states.clear()
    stamp = 100.0
    while not peer.states:
        stamp += 1.0
        peer.ask(positions, stamp, 'link1', **fields)
        peer.listen(0.05)
        assert stamp < 200.0
    return peer.states[-1]


def test_complete_state_of_known_joints(robot, peer):
    described(robot, arm(3, name='complete'))
    peer.states.clear()
    state = listening(peer, {'j2': 0.2, 'j1': 0.1, 'j3': 0.3}, velocity=[2.0, 1.0, 3.0])
    assert dict(zip(state.name, state.position, strict=True)) == {'j1': 0.1, 'j2': 0.2, 'j3': 0.3}
    assert dict(zip(state.name, state.velocity, strict=True)) == {'j1': 1.0, 'j2': 2.0, 'j3': 3.0}
    assert state.header.stamp.sec > 100


def test_names_and_positions_of_the_complete_state_are_as_many(robot, peer):
    described(robot, urdf(FLOATING, joint('q', 'continuous', 'body', 'link1'), name='lengths'))
    state = listening(peer, {'q': 0.1})
    assert (list(state.name), list(state.position)) == (['q'], [0.1])


def test_best_effort_and_reliable_sources_are_heard(robot, peer):
    described(robot, arm(3, name='reliability'))
    quality = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
    publisher = peer.node.create_publisher(JointState, 'joint_states', quality)
    peer.until(publisher.get_subscription_count)
    publisher.publish(joint_state({'j1': 0.4}, stamp=50.0))
    peer.until(lambda: peer.answer(50.0, 'link1'))
    assert sorted(frames(peer.ask({'j1': 0.4}, 51.0, 'link1'))) == ['link1']
    peer.node.destroy_publisher(publisher)


def test_zero_stamp_counts_as_now_and_is_said_once(robot, peer):
    described(robot, arm(3, name='zero'))
    peer.tf.clear()
    for _ in range(3):
        peer.send({'j1': 0.1}, stamp=0.0)
    peer.until(lambda: len(peer.tf) == 3)
    now = peer.node.get_clock().now().nanoseconds * 1e-9
    for message in peer.tf[:]:
        assert abs(message.transforms[0].header.stamp.sec - now) < 10.0
    assert len(robot.process.said('stamp 0 come in; they are taken as of now')) == 1
