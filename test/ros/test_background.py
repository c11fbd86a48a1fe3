# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Work beside the stream: its result or its error, whatever happens meanwhile."""

from __future__ import annotations

import random
from threading import Event
from threading import get_ident

from joint_kinematics.srv import CheckState
from loop_models import four_bar
import pytest
import rclpy
from ros.recorder import Recorder

from kinematics_node.ros.background import Background
from kinematics_node.ros.services import _refuse
from kinematics_node.ros.services import Services
from kinematics_node.ros.stream import Options
from kinematics_node.ros.stream import Stream


def nothing():
    """Do nothing meanwhile."""


def test_the_result_comes_from_another_thread_and_always_the_same_one():
    background = Background()
    threads = {background.run(get_ident, nothing) for _ in range(5)}
    assert len(threads) == 1
    assert threads != {get_ident()}


def test_what_a_call_raises_is_raised_and_the_next_call_is_made():
    background = Background()
    with pytest.raises(ZeroDivisionError):
        background.run(lambda: 1 // 0, nothing)
    assert background.run(lambda: 'next', nothing) == 'next'


def test_the_stream_goes_on_until_the_call_ends():
    background, due, taken = Background(), Event(), []

    def meanwhile():
        taken.append(1)
        if len(taken) == 3:
            due.set()

    assert background.run(lambda: due.wait(10.0), meanwhile)
    assert len(taken) >= 3


def test_a_result_that_nobody_took_is_not_the_next_one():
    background, due = Background(), Event()

    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        background.run(lambda: due.wait(10.0) and 'first', interrupt)
    due.set()
    assert background.run(lambda: 'second', nothing) == 'second'


def test_a_call_made_meanwhile_waits_its_turn():
    background, due = Background(), Event()
    inner = []

    def meanwhile():
        due.set()
        if not inner:
            inner.append(None)
            inner[0] = background.run(lambda: 'inner', nothing)

    assert background.run(lambda: due.wait(10.0) and 'outer', meanwhile) == 'outer'
    assert inner == ['inner']


def test_a_mistake_of_the_node_is_told_and_ends_nothing():
    context = rclpy.Context()
    rclpy.init(args=[], context=context, domain_id=random.SystemRandom().randint(1, 100))
    node = rclpy.create_node('mistaken', context=context)
    try:
        stream, background = Stream(four_bar(), Options(), Recorder()), Background()
        services = Services(node, lambda: stream, lambda call: background.run(call, nothing))
        # A module without an answer stands for whatever may be wrong with one.
        handle = services._handler('json', _refuse)
        answer = handle(CheckState.Request(), CheckState.Response(valid=True))
        assert not answer.success
        assert not answer.valid
        assert answer.message.startswith('the node failed at this request (AttributeError: ')
    finally:
        node.destroy_node()
        context.shutdown()
