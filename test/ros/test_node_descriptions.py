# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Descriptions over DDS: latched, replaced while running, refused, or from a topic."""

from __future__ import annotations

import numpy as np
import pytest
from ros.harness import LATCHED
from ros.harness import Peer
from ros.harness import running
from ros.messages import frames
from ros.robots import arm
from ros.robots import fixed_pair
from ros.robots import joint
from ros.robots import urdf
from std_msgs.msg import String


@pytest.fixture(scope='module')
def robot():
    with running({'robot_description': fixed_pair(1.0), 'publish_frequency': 0.0}) as robot:
        yield robot


@pytest.fixture
def peer(robot):
    return robot.peer


def described(peer, text, **parameters):
    """Replace the description and wait for the static frames that belong to it."""
    peer.static.clear()
    peer.descriptions.clear()
    peer.accept(robot_description=text, **parameters)
    peer.until(lambda: peer.static and peer.descriptions, what='static frames, description')
    return frames(peer.static[-1])


def late(robot, ready):
    """Return a peer that joins now, as soon as it has heard something."""
    peer = Peer(robot.domain)
    try:
        peer.until(lambda: ready(peer), what='what is latched')
        peer.listen(0.2)
        return peer
    finally:
        peer.close()


def test_static_frames_and_description_are_latched(robot, peer):
    described(peer, fixed_pair(1.5))
    joined = late(robot, lambda p: p.static and p.descriptions)
    ((name, found),) = frames(joined.static[-1]).items()
    assert (name, found[0, 3]) == ('b', 1.5)
    assert joined.descriptions == [fixed_pair(1.5)]


def test_replaced_description_moves_the_fixed_frames(robot, peer):
    """Once, at once; who comes late hears of the new ones only."""
    described(peer, fixed_pair(1.0))
    assert described(peer, fixed_pair(2.0))['b'][0, 3] == 2.0
    peer.listen(0.2)
    assert len(peer.static) == 1
    assert peer.descriptions == [fixed_pair(2.0)]
    joined = late(robot, lambda p: p.static)
    assert [frames(message)['b'][0, 3] for message in joined.static] == [2.0]


def test_frames_of_removed_links_leave_the_latched_message(robot, peer):
    two = urdf(joint('one', 'fixed', 'a', 'b'), joint('two', 'fixed', 'a', 'c'))
    assert sorted(described(peer, two)) == ['b', 'c']
    assert sorted(described(peer, fixed_pair(1.0))) == ['b']
    assert sorted(frames(late(robot, lambda p: p.static).static[-1])) == ['b']
    # Also the last of them.
    assert described(peer, urdf(joint('q', 'continuous', 'a', 'b'))) == {}


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('', 'must not be empty'),
        ('not a robot', 'XML'),
        ('<robot name="r"><link name="a"/>', 'not well-formed XML'),
        ('/home/me/robot.urdf', "'/home/me/robot.urdf' is the path of a file"),
        (
            urdf(
                joint('q0', 'continuous', 'o', 'a'),
                joint('q1', 'continuous', 'a', 'b', mimic='joint="q2"'),
                joint('q2', 'continuous', 'b', 'c', mimic='joint="q1"'),
            ),
            'in a ring: q1 -> q2 -> q1',
        ),
        (urdf(joint('q', 'continuous', 'a', 'b', axis='0 0 0')), "joint 'q'"),
    ],
    ids=['empty', 'text', 'broken', 'path', 'ring', 'axis'],
)
def test_refused_description_leaves_the_old_at_work(peer, text, reason):
    old = arm(2, name=f'before {reason}'.replace('<', ''))
    described(peer, old)
    peer.static.clear()
    assert reason in peer.refuse(robot_description=text)
    assert sorted(frames(peer.ask({'j1': 0.1, 'j2': 0.2}, 3.0, 'link2'))) == ['link1', 'link2']
    assert peer.static == []
    assert peer.get_parameter('robot_description').string_value == old


@pytest.mark.parametrize(
    'text',
    [
        '<?xml version="1.0" encoding="utf-8"?>\n' + fixed_pair(3.0),
        '<?xml version="1.0" encoding="ISO-8859-1"?>' + fixed_pair(3.0),
        '\n \t' + fixed_pair(3.0),
        '\ufeff' + fixed_pair(3.0),
        f'<urdf>{fixed_pair(3.0)}</urdf>',
        fixed_pair(3.0) + '\n\n',
    ],
    ids=['utf-8', 'latin-1', 'blanks', 'byte order mark', 'wrapped', 'line ends'],
)
def test_dirty_descriptions_are_taken(peer, text):
    described(peer, fixed_pair(0.5))
    assert described(peer, text)['b'][0, 3] == 3.0


def test_mimic_of_a_fixed_joint_is_reported_and_ignored(robot, peer):
    """And the next description is taken, with nothing left of it."""
    text = urdf(
        joint('left', 'fixed', 'base', 'b'),
        joint('right', 'fixed', 'base', 'c', mimic='joint="left" multiplier="2"'),
    )
    assert sorted(described(peer, text)) == ['b', 'c']
    line = robot.process.await_log('mimic is ignored')
    assert "joint 'right'" in line
    described(peer, arm(2))
    assert sorted(frames(peer.ask({'j1': 0.1, 'j2': 0.2}, 4.0, 'link2'))) == ['link1', 'link2']


def test_state_survives_a_new_description(peer):
    """A link that moved is not put back, nor left without a frame, until the next message."""
    described(peer, arm(2, name='survivor'))
    peer.ask({'j1': 0.7}, 5.0, 'link1')
    peer.tf.clear()
    longer = arm(2).replace('0.1 0.02 0.100', '5 0 0')
    described(peer, longer)
    message = peer.until(lambda: peer.tf and peer.tf[-1], what='the known joints, sent again')
    found = frames(message)
    assert 'link1' in found
    np.testing.assert_allclose(found['link1'][:3, 3], [5, 0, 0])
    assert message.transforms[0].header.stamp.sec == 5


def test_description_from_the_topic():
    parameters = {'use_robot_description_topic': True, 'publish_frequency': 0.0}
    with running(parameters, ready='waiting for .*robot_description') as robot:
        peer = robot.peer
        publisher = peer.node.create_publisher(String, 'robot_description', LATCHED)
        peer.send({'j1': 0.1})
        publisher.publish(String(data=arm(1)))
        peer.until(lambda: peer.static, timeout=60.0, what='static frames of the description')
        assert sorted(frames(peer.static[-1])) == ['tip']
        assert sorted(frames(peer.ask({'j1': 0.1}, 2.0, 'link1'))) == ['link1']
        # Nothing is published in return: what was heard is our own.
        assert peer.node.count_publishers('robot_description') == 1
        publisher.publish(String(data='<robot'))
        robot.process.await_log('description on .*robot_description is refused: .*XML')
        assert sorted(frames(peer.ask({'j1': 0.2}, 3.0, 'link1'))) == ['link1']
        peer.static.clear()
        publisher.publish(String(data=arm(2)))
        peer.until(lambda: peer.static, what='static frames of the new description')
        assert sorted(frames(peer.ask({'j2': 0.2}, 4.0, 'link2'))) == ['link2']
        assert 'publish it there' in peer.refuse(robot_description=arm(3))
        assert 'only be set at start' in peer.refuse(use_robot_description_topic=False)
