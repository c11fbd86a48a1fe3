# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""How the node starts, refuses to start, and ends."""

from __future__ import annotations

import os
from pathlib import Path
import re
import signal
import time

from domains import fresh_domain
import pytest
from ros.harness import NodeProcess
from ros.harness import running
from ros.messages import frames
from ros.robots import arm

FATAL = r'\[FATAL\]'


REFUSALS = [
    ({}, "parameter 'robot_description' is empty; give it the text of a URDF document"),
    ({'robot_description': '<robot name="r">'}, 'not well-formed XML'),
    ({'robot_description': '/opt/arm.urdf'}, "'/opt/arm.urdf' is the path of a file"),
    (
        {'robot_description': arm(1), 'publish_frequency': -1.0},
        "parameter 'publish_frequency' is -1.0; it must be 0.0 or more Hz",
    ),
]


@pytest.fixture(scope='module')
def refusing():
    """Start all of them at once, as each start takes a second."""
    domain = fresh_domain()
    processes = [NodeProcess(parameters, domain) for parameters, _ in REFUSALS]
    yield processes
    for process in processes:
        process.stop()


@pytest.mark.parametrize('k', range(len(REFUSALS)))
def test_refusal_is_one_sentence_and_status_1(refusing, k):
    process = refusing[k]
    assert process.wait() == 1
    (line,) = process.lines
    assert re.search(FATAL, line)
    assert REFUSALS[k][1] in line


def own_segments(process):
    """Return the files in shared memory that only this process uses: those named by a hash."""
    maps = Path(f'/proc/{process.pid}/maps')
    text = maps.read_text() if maps.exists() else ''
    return set(re.findall(r'/dev/shm/fast(?:dds|rtps)_[0-9a-f]{16}', text))


@pytest.mark.parametrize('by', [signal.SIGINT, signal.SIGTERM])
def test_end_leaves_nothing_behind(by):
    """No shared memory of the process is left, and none of its threads hangs."""
    process = NodeProcess({'robot_description': arm(1)}, fresh_domain())
    try:
        process.await_log('is ready', 120.0)
        used = own_segments(process)
    finally:
        status = process.stop(by)
    assert status == 0, process.lines
    assert not process.said('Traceback')
    if os.environ.get('RMW_IMPLEMENTATION', 'rmw_fastrtps_cpp') == 'rmw_fastrtps_cpp':
        assert used or not Path('/proc/self/maps').exists()
    assert not [path for path in used if Path(path).exists()]


def await_mapped(process, name):
    """Wait until a process has mapped a file of that name, or is ready without."""
    maps = Path(f'/proc/{process.pid}/maps')
    if not maps.exists():
        pytest.skip('there is no /proc to see how far the process is')
    deadline = time.monotonic() + 60.0
    while name not in maps.read_text() and not process.said('is ready'):
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.parametrize('by', [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize('mapped', ['_multiarray_umath', 'llvmlite', '/dev/shm/'])
def test_end_in_the_middle_of_the_start(by, mapped):
    """During imports the status is the signal's own, later it is 0; there is never a trace."""
    process = NodeProcess({'robot_description': arm(1)}, fresh_domain())
    try:
        await_mapped(process, mapped)
    finally:
        status = process.stop(by)
    assert status in (0, -by)
    assert not process.said('Traceback|Error'), process.lines


def test_parameters_of_robot_state_publisher_and_renamed_node():
    """The same file and command line as for robot_state_publisher."""
    parameters = {
        'robot_description': arm(1),
        'publish_frequency': 30.0,
        'frame_prefix': 'left/',
        'ignore_timestamp': True,
        'use_sim_time': False,
        'something_of_a_neighbour': [1, 2],
    }
    with running(parameters) as robot:
        peer = robot.peer
        peer.until(lambda: peer.static)
        assert sorted(frames(peer.static[-1])) == ['left/tip']
        # ignore_timestamp answers everything, the same stamp again included.
        peer.tf.clear()
        for _ in range(5):
            peer.send({'j1': 0.1}, stamp=4.0)
        peer.until(lambda: len(peer.tf) == 5)
        assert peer.get_parameter('publish_frequency').double_value == 30.0


def test_simulated_time_that_stands_still():
    """Without a clock nothing that the node does waits for it."""
    with running({'robot_description': arm(1), 'use_sim_time': True}) as robot:
        peer = robot.peer
        stamp = 1.0
        while not peer.states:
            stamp += 1.0
            peer.ask({'j1': 0.1}, stamp, 'link1')
            peer.listen(0.05)
            assert stamp < 100.0
        assert list(peer.states[-1].name) == ['j1']
