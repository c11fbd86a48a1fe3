# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Changes of parameters and descriptions in the middle of a 1 kHz stream lose nothing."""

from __future__ import annotations

import struct
import threading
import time

import numpy as np
from ros.harness import running
from ros.messages import frames
from ros.messages import joint_state
from ros.oracle import motion
from ros.oracle import read_joints
from ros.robots import arm

RATE = 1000.0
COUNT = 1500
JOINTS = 30


def position(k, name):
    """What joint `name` is at in message k."""
    return 0.001 * k + 0.1 * int(name[1:])


def play(peer, names):
    """Publish at the rate; what is late is caught up at twice the rate, not in one burst."""
    due = time.monotonic()
    for k in range(COUNT):
        message = joint_state({name: position(k, name) for name in names}, stamp=1.0 + k / RATE)
        peer.joint_states.publish(message)
        due += 1.0 / RATE
        time.sleep(max(0.5 / RATE, due - time.monotonic()))


def test_nothing_is_lost_or_corrupted_by_changes():
    first = arm(JOINTS)
    second = arm(JOINTS, name='second').replace('0.1 0.02', '0.7 0.02')
    parameters = {
        'robot_description': first,
        'publish_frequency': 0.0,
        # What is lost, the node loses.
        'qos_overrides./joint_states.subscription.reliability': 'reliable',
    }
    models = [read_joints(first), read_joints(second)]
    names = [f'j{k}' for k in range(1, JOINTS + 1)]
    with running(parameters) as robot:
        peer = robot.peer
        player = threading.Thread(target=play, args=(peer, names))
        player.start()
        changes = 0
        while player.is_alive():
            text = (second, first)[changes % 2]
            peer.accept(robot_description=text)
            peer.accept(frame_prefix=('', 'p/')[changes // 2 % 2])
            assert peer.get_parameter('robot_description').string_value == text
            assert 'XML' in peer.refuse(robot_description='<robot')
            changes += 1
            peer.listen(0.05)
        player.join()
        assert changes >= 3
        peer.await_silence(lambda: len(peer.tf))
        lost = sorted(set(range(COUNT)) - set(answers(peer.tf.raw)))
        assert lost == []
        check(answers(peer.tf.raw), models, names)


def answers(messages):
    """Return the answers by their message's number; what was sent anew at a change is none."""
    found = {}
    for data in messages:
        seconds, nanoseconds = struct.unpack_from('<iI', data, 8)
        k, rest = divmod((seconds - 1) * 10**9 + nanoseconds, round(1e9 / RATE))
        if rest == 0:
            assert k not in found
            found[k] = data
    return found


def check(heard, models, names):
    """Each answer is whole, of one model and one prefix, and right."""
    used = set()
    for k, message in heard.items():
        found = frames(message)
        prefix = 'p/' if 'p/link1' in found else ''
        assert sorted(found) == sorted(f'{prefix}link{n[1:]}' for n in names)
        first = found[f'{prefix}link1']
        which = int(first[0, 3] == 0.7)
        used.add((which, prefix))
        if k % 10:
            continue
        for name in names:
            right = motion(models[which][name], position(k, name))
            np.testing.assert_allclose(found[f'{prefix}link{name[1:]}'], right, atol=1e-12)
    assert len(used) >= 3
