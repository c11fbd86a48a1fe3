# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters over DDS: prefix, rate and QoS, set at start and while the node runs."""

from __future__ import annotations

import numpy as np
import pytest
from ros.harness import running
from ros.messages import frames
from ros.robots import joint
from ros.robots import urdf

from kinematics_node.ros.rate import SECOND

ROBOT = urdf(joint('q', 'continuous', 'base_link', 'arm'), joint('w', 'fixed', 'arm', 'tool'))
OVERRIDES = {
    'qos_overrides./joint_states.subscription.reliability': 'reliable',
    'qos_overrides./joint_states.subscription.depth': 70,
}


@pytest.fixture(scope='module')
def robot():
    with running({'robot_description': ROBOT, **OVERRIDES}) as robot:
        yield robot


@pytest.fixture
def peer(robot):
    yield robot.peer
    robot.peer.accept(frame_prefix='', publish_frequency=20.0, ignore_timestamp=False)


def test_qos_of_the_subscription_is_overridden(peer):
    (info,) = peer.node.get_subscriptions_info_by_topic('/joint_states')
    assert info.qos_profile.reliability.name == 'RELIABLE'
    name = 'qos_overrides./joint_states.subscription.depth'
    assert peer.get_parameter(name).integer_value == 70


@pytest.mark.parametrize('prefix', ['/', 'r1/', 'r1', '/r2/', ''])
def test_prefix_changed_while_running(peer, prefix):
    """Static frames come again at once; parent and child get the same, and no leading slash."""
    peer.accept(frame_prefix='before_')
    peer.static.clear()
    peer.accept(frame_prefix=prefix)
    message = peer.until(lambda: peer.static and peer.static[-1], what='static frames')
    (transform,) = message.transforms
    front = prefix.lstrip('/')
    assert (transform.header.frame_id, transform.child_frame_id) == (front + 'arm', front + 'tool')
    answer = peer.ask({'q': 0.1}, peer.fresh(), front + 'arm')
    (transform,) = answer.transforms
    assert transform.header.frame_id == front + 'base_link'


def answered(peer, stamps):
    """Send joint states of these stamps 5 ms apart; return the stamps of the answers.

    What a changed parameter sends by itself may come late, and has a stamp of its own.
    """
    peer.tf.clear()
    for stamp in stamps:
        peer.send({'q': 0.1}, stamp=stamp)
        peer.listen(0.005)
    peer.listen(0.3)
    found = [t.header.stamp for message in peer.tf[:] for t in message.transforms]
    sent = {round(1e9 * stamp) for stamp in stamps}
    return [s.sec + 1e-9 * s.nanosec for s in found if SECOND * s.sec + s.nanosec in sent]


def test_rate_is_limited_by_stamps(peer):
    """200 Hz for half a second, of which 50 Hz are asked for."""
    peer.accept(publish_frequency=50.0)
    assert 24 <= len(answered(peer, 1000.0 + np.arange(100) * 0.005)) <= 27
    peer.accept(publish_frequency=0.0)
    assert len(answered(peer, 2000.0 + np.arange(100) * 0.005)) == 100
    peer.accept(publish_frequency=5000.0)
    assert len(answered(peer, 3000.0 + np.arange(100) * 0.005)) == 100
    # Where every message is asked for, the same stamp again is one too.
    peer.accept(publish_frequency=0.0)
    assert len(answered(peer, [4000.0] * 10)) == 10


def test_future_stamp_silences_nobody(peer):
    peer.accept(publish_frequency=100.0)
    stamps = 5000.0 + np.arange(60) * 0.02
    stamps[20] = 9e8
    found = answered(peer, stamps)
    later = [stamp for stamp in found if 5000.4 < stamp < 6000.0]
    assert len(later) >= 15


@pytest.mark.parametrize('stale', [False, True])
def test_clock_that_jumps_back(robot, peer, stale):
    peer.accept(publish_frequency=200.0)
    stamps = [100.0 + 0.1 * k for k in range(10)]
    back = [5.0 + 0.1 * k for k in range(10)]
    sequence = [*stamps, back[0], *([stamps[-1]] if stale else []), *back[1:]]
    found = answered(peer, sequence)
    since = [stamp for stamp in found if stamp < 50.0]
    assert len(since) >= 9
    assert since[0] < 5.15
    assert len(robot.process.said('stamps of joint states went back')) == 1


@pytest.mark.parametrize(
    ('name', 'value', 'reason'),
    [
        ('publish_frequency', -1.0, 'must be 0.0 or more Hz'),
        ('publish_frequency', float('nan'), 'must be 0.0 or more Hz'),
        ('publish_frequency', 'fast', "is 'fast'; it must be 0.0 or more Hz"),
        ('frame_prefix', 3, 'must be a text'),
        ('ignore_timestamp', 'yes', 'must be true or false'),
        ('use_robot_description_topic', True, 'can only be set at start'),
        ('frame_prefx', 'r1/', "there is no parameter 'frame_prefx'"),
    ],
)
def test_wrong_value_is_refused_with_a_reason(peer, name, value, reason):
    assert reason in peer.refuse(**{name: value})
    assert sorted(frames(peer.ask({'q': 0.1}, peer.fresh(), 'arm'))) == ['arm']


def test_integer_frequency_is_a_number_too(peer):
    peer.accept(publish_frequency=25)


def test_all_parameters_are_described(peer):
    from rcl_interfaces.srv import DescribeParameters

    client = peer.node.create_client(DescribeParameters, 'kinematics/describe_parameters')
    peer.until(client.service_is_ready)
    names = ['robot_description', 'publish_frequency', 'frame_prefix', 'ignore_timestamp']
    future = client.call_async(DescribeParameters.Request(names=names))
    peer.until(future.done)
    assert all(len(d.description) > 20 for d in future.result().descriptors)
    peer.node.destroy_client(client)
