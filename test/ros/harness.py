# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The installed node as a process of its own, and a ROS node of the test that talks to it."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager
import os
from pathlib import Path
import re
import signal
import subprocess
import tempfile
import threading
import time
from typing import Any

from domains import fresh_domain
import pytest
from rcl_interfaces.srv import GetParameters
from rcl_interfaces.srv import SetParameters
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy
from rclpy.qos import QoSProfile
from ros.messages import deserialize_message
from ros.messages import joint_state
from sensor_msgs.msg import JointState
from sensor_msgs.msg import MultiDOFJointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
import yaml

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
DEEP = QoSProfile(depth=2000)
# Long, as kernels may have to be compiled first.
START = 120.0
ANSWER = 10.0


def executable() -> Path:
    """Return the installed node, or skip where it is not installed."""
    for prefix in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep):
        path = Path(prefix, 'lib', 'joint_kinematics', 'kinematics_node')
        if prefix and path.exists():
            return path
    pytest.skip('the package joint_kinematics is not installed (AMENT_PREFIX_PATH)')


class NodeProcess:
    """A running kinematics_node, its log in lines.

    Parameters
    ----------
    parameters : Mapping
        Goes through a parameter file.
    arguments : sequence of str
        Further ROS arguments.
    """

    def __init__(
        self, parameters: Mapping[str, Any], domain: int, arguments: Sequence[str] = ()
    ) -> None:
        self.lines: list[str] = []
        self._folder = tempfile.TemporaryDirectory()
        file = Path(self._folder.name, 'parameters.yaml')
        file.write_text(yaml.safe_dump({'/**': {'ros__parameters': dict(parameters)}}))
        environment = {
            **os.environ,
            'ROS_DOMAIN_ID': str(domain),
            'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
            'RCUTILS_COLORIZED_OUTPUT': '0',
            # An accident in compiled code leaves a trace in the log.
            'PYTHONFAULTHANDLER': '1',
        }
        self._process = subprocess.Popen(
            [executable(), '--ros-args', '--params-file', file, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            text=True,
        )
        self.pid = self._process.pid
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.lines.append(line.rstrip())

    def said(self, pattern: str) -> list[str]:
        """Return the lines of the log that match."""
        return [line for line in self.lines if re.search(pattern, line)]

    def await_log(self, pattern: str, timeout: float = ANSWER) -> str:
        """Return the first line that matches, as soon as it is there."""
        deadline = time.monotonic() + timeout
        while not (found := self.said(pattern)):
            alive = self._process.poll() is None
            state = (pattern, self._process.poll(), self.lines)
            assert alive and time.monotonic() < deadline, state
            time.sleep(0.01)
        return found[0]

    def wait(self, timeout: float = START) -> int:
        """Return the exit status once the process has ended by itself."""
        status = self._process.wait(timeout)
        self._reader.join(5.0)
        return status

    def stop(self, by: signal.Signals = signal.SIGINT) -> int:
        """Interrupt the process and return its exit status."""
        if self._process.poll() is None:
            self._process.send_signal(by)
        try:
            return self.wait(20.0)
        finally:
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait()
            self._folder.cleanup()


class Heard:
    """TFMessages as they come: bytes, made into objects only when they are looked at."""

    def __init__(self) -> None:
        self.raw: list[bytes] = []
        self._messages: list[TFMessage] = []

    def __len__(self) -> int:
        return len(self.raw)

    def __getitem__(self, k: Any) -> Any:
        for data in self.raw[len(self._messages) :]:
            self._messages.append(deserialize_message(data, TFMessage))
        return self._messages[k]

    def clear(self) -> None:
        """Forget all."""
        self.raw.clear()
        self._messages.clear()


class Peer:
    """The test's own ROS node: publishes states, keeps what it hears."""

    def __init__(self, domain: int) -> None:
        self.tf = Heard()
        self.static: list[TFMessage] = []
        self.states: list[JointState] = []
        self.descriptions: list[str] = []
        self._stamp = 1e6
        self._context = rclpy.Context()
        rclpy.init(args=[], context=self._context, domain_id=domain)
        self.node = rclpy.create_node(
            'tester', context=self._context, start_parameter_services=False, enable_rosout=False
        )
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        node = self.node
        node.create_subscription(TFMessage, '/tf', self.tf.raw.append, DEEP, raw=True)
        node.create_subscription(TFMessage, '/tf_static', self.static.append, LATCHED)
        node.create_subscription(JointState, 'kinematics/joint_states', self.states.append, DEEP)
        node.create_subscription(
            String, 'robot_description', lambda m: self.descriptions.append(m.data), LATCHED
        )
        self.joint_states = node.create_publisher(JointState, 'joint_states', DEEP)
        self.multi_dof = node.create_publisher(MultiDOFJointState, 'multi_dof_joint_states', DEEP)
        self._set = node.create_client(SetParameters, 'kinematics/set_parameters')
        self._get = node.create_client(GetParameters, 'kinematics/get_parameters')

    def close(self) -> None:
        """Leave, and leave nothing behind."""
        self._executor.shutdown()
        self.node.destroy_node()
        self._context.shutdown()

    def until(
        self, condition: Callable[[], Any], timeout: float = ANSWER, what: object = ''
    ) -> Any:
        """Serve the node until a condition holds; return what it gave."""
        deadline = time.monotonic() + timeout
        while not (result := condition()):
            assert time.monotonic() < deadline, f'nothing came of waiting: {what}'
            self._executor.spin_once(timeout_sec=0.02)
        return result

    def listen(self, seconds: float) -> None:
        """Serve the node for a while, to hear what should not come."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            self._executor.spin_once(timeout_sec=min(left, 0.02))

    def await_silence(self, count: Callable[[], int], seconds: float = 1.0) -> None:
        """Listen until a count has not grown for some seconds."""
        before = -1
        while before != (before := count()):
            self.listen(seconds)

    def connect(self) -> None:
        """Wait until the node's subscriptions, publishers and services are there."""
        self.until(
            lambda: (
                self.joint_states.get_subscription_count()
                and self.multi_dof.get_subscription_count()
                and self.node.count_publishers('/tf')
                and self.node.count_publishers('/tf_static')
                and self._set.service_is_ready()
                and self._get.service_is_ready()
            ),
            what='the topics and services of the node',
        )
        # The other side learns of this one at about the same time; it cannot be asked whether.
        self.listen(0.5)

    def set_parameters(self, **values: Any) -> list[Any]:
        """Set parameters by the node's service; return the results in the order given."""
        request = SetParameters.Request()
        request.parameters = [
            Parameter(name, value=value).to_parameter_msg() for name, value in values.items()
        ]
        future = self._set.call_async(request)
        self.until(future.done, what=f'the answer to setting {list(values)}', timeout=20.0)
        return future.result().results

    def accept(self, **values: Any) -> None:
        """Set parameters, all of which must be taken."""
        for result in self.set_parameters(**values):
            assert result.successful, result.reason

    def refuse(self, **values: Any) -> str:
        """Set one parameter, which must be refused; return the reason."""
        (result,) = self.set_parameters(**values)
        assert not result.successful
        return str(result.reason)

    def get_parameter(self, name: str) -> Any:
        """Return a parameter's value message, as the node's service gives it."""
        future = self._get.call_async(GetParameters.Request(names=[name]))
        self.until(future.done, what=f'the answer to getting {name}')
        (value,) = future.result().values
        return value

    def send(self, positions: Any, stamp: float = 1.0, **fields: Any) -> None:
        """Publish a joint state."""
        self.joint_states.publish(joint_state(positions, stamp=stamp, **fields))

    def fresh(self) -> float:
        """Return a stamp later than all before, in whole seconds."""
        self._stamp += 1.0
        return self._stamp

    def ask(self, positions: Any, stamp: float, frame: str, **fields: Any) -> TFMessage:
        """Publish a joint state and return the answer with its stamp that moves a frame."""
        since = len(self.tf)
        self.send(positions, stamp=stamp, **fields)
        return self.until(lambda: self.answer(stamp, frame, since), what=(positions, stamp, frame))

    def answer(self, stamp: float, frame: str, since: int = 0) -> TFMessage | None:
        """Return a message heard with a stamp in which a frame moves."""
        for message in self.tf[since:]:
            for t in message.transforms:
                heard = t.header.stamp.sec + 1e-9 * t.header.stamp.nanosec
                if abs(heard - stamp) < 1e-7 and frame == t.child_frame_id:
                    return message
        return None


class Robot:
    """A running node and the test's peer, in a domain of their own."""

    def __init__(self, parameters: Mapping[str, Any], arguments: Sequence[str] = ()) -> None:
        self.domain = fresh_domain()
        self.process = NodeProcess(parameters, self.domain, arguments)
        self.peer = Peer(self.domain)


@contextmanager
def running(
    parameters: Mapping[str, Any], arguments: Sequence[str] = (), ready: str = 'is ready'
) -> Iterator[Robot]:
    """Run a node until the block ends; it must then end well, and have had no accident."""
    robot = Robot(parameters, arguments)
    try:
        robot.process.await_log(ready, START)
        robot.peer.connect()
        yield robot
    finally:
        robot.peer.close()
        status = robot.process.stop()
    assert status == 0, robot.process.lines
    assert not robot.process.said('Traceback'), robot.process.lines
