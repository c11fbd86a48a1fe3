# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The topic /diagnostics, over DDS."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticArray
import pytest
from ros.harness import running
from ros.robots import joint
from ros.robots import urdf

from kinematics_node.ros.diagnostic_status import Level

LEVELS = {bytes([level]): level for level in Level}

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
