# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Long work, and what goes on meanwhile."""

from __future__ import annotations

from threading import Event
from threading import get_ident
from time import sleep

from domains import fresh_domain
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


def test_the_call_is_made_here_and_the_rest_goes_on_in_another_thread():
    threads, due = [], Event()

    def meanwhile():
        threads.append(get_ident())
        if len(threads) == 3:
            due.set()

    def call():
        assert due.wait(10.0)
        return get_ident()

    background = Background(meanwhile)
    assert background.run(call) == get_ident()
    due.clear()
    threads.clear()
    background.run(call)
    assert len(set(threads)) == 1
    assert threads[0] != get_ident()


def test_nothing_is_done_once_the_call_has_ended():
    count = []
    background = Background(lambda: count.append(1))
    background.run(lambda: sleep(0.02))
    done = len(count)
    assert done
    sleep(0.02)
    assert len(count) == done


def test_a_call_ends_only_when_what_is_done_meanwhile_has_ended():
    begun, ended = Event(), []

    def meanwhile():
        begun.set()
        sleep(0.05)
        ended.append(1)

    Background(meanwhile).run(lambda: begun.wait(10.0))
    assert ended


def test_what_a_call_raises_is_raised_and_the_next_call_is_made():
    background = Background(lambda: None)
    with pytest.raises(ZeroDivisionError):
        background.run(lambda: 1 // 0)
    assert background.run(lambda: 'next') == 'next'


def test_what_is_raised_meanwhile_is_raised_after_the_call():
    tried, due = Event(), []

    def meanwhile():
        tried.set()
        if not due:
            raise ZeroDivisionError

    background = Background(meanwhile)
    with pytest.raises(ZeroDivisionError):
        background.run(lambda: tried.wait(10.0))
    due.append(1)
    assert background.run(lambda: 'next') == 'next'


def test_a_mistake_of_the_node_is_told_and_ends_nothing():
    context = rclpy.Context()
    rclpy.init(args=[], context=context, domain_id=fresh_domain())
    node = rclpy.create_node('mistaken', context=context)
    try:
        stream, background = Stream(four_bar(), Options(), Recorder()), Background(lambda: None)
        services = Services(node, lambda: stream, background.run)
        # A module without an answer stands for whatever may be wrong with one.
        handle = services._handler('json', _refuse)
        answer = handle(CheckState.Request(), CheckState.Response(valid=True))
        assert not answer.success
        assert not answer.valid
        assert answer.message.startswith('the node failed at this request (AttributeError: ')
    finally:
        node.destroy_node()
        context.shutdown()
