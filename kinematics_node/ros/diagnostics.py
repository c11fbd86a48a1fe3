# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""/diagnostics: what is wrong with what comes in, in the form of diagnostic_updater."""

from __future__ import annotations

from collections.abc import Callable
import time
from typing import Protocol

from diagnostic_msgs.msg import DiagnosticArray
from diagnostic_msgs.msg import DiagnosticStatus
from diagnostic_msgs.msg import KeyValue
from rclpy.clock import Clock
from rclpy.clock import ClockType
from rclpy.node import Node
from rclpy.timer import Timer

from kinematics_node.model.model import Model
from kinematics_node.ros.conversions import seconds_of
from kinematics_node.ros.diagnostic_checks import Followers
from kinematics_node.ros.diagnostic_checks import Limits
from kinematics_node.ros.diagnostic_loops import LoopsStanding
from kinematics_node.ros.diagnostic_loops import Solver
from kinematics_node.ros.diagnostic_sources import JointStates
from kinematics_node.ros.diagnostic_status import Level
from kinematics_node.ros.diagnostic_status import Moment
from kinematics_node.ros.diagnostic_status import Status
from kinematics_node.ros.diagnostic_status import Thresholds
from kinematics_node.ros.stream import Stream

QUEUE = 10


class Task(Protocol):
    """One question about a stream, with what it remembers from one look to the next."""

    name: str

    def look(self, stream: Stream, thresholds: Thresholds, now: Moment) -> Status:
        """Return the status at a moment."""


def make_tasks() -> list[Task]:
    """Return all tasks, remembering nothing."""
    return [JointStates(), Limits(), Followers(), LoopsStanding(), Solver()]


class Diagnostics:
    """Publishes the status of all tasks at a rate of its own.

    Parameters
    ----------
    node : Node
        Whose diagnostics they are.
    stream : callable
        Returns the stream at work, or None.
    """

    def __init__(self, node: Node, stream: Callable[[], Stream | None]) -> None:
        self._node = node
        self._stream = stream
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', QUEUE)
        self._thresholds = Thresholds()
        self._period = 0.0
        self._timer: Timer | None = None
        self._model: Model | None = None
        self._tasks = make_tasks()

    def follow(self, period: float, thresholds: Thresholds) -> None:
        """Publish with this period from now on [s], not at all where it is 0."""
        self._thresholds = thresholds
        if period == self._period:
            return
        self._period = period
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None
        if period > 0.0:
            # Not the node's clock: that simulated time stands still is worth a diagnosis.
            steady = Clock(clock_type=ClockType.STEADY_TIME)
            self._timer = self._node.create_timer(period, self._publish, clock=steady)

    def _publish(self) -> None:
        now = self._node.get_clock().now().nanoseconds
        message = DiagnosticArray()
        message.header.stamp.sec, message.header.stamp.nanosec = seconds_of(now)
        message.status = self._look(Moment(time.monotonic_ns(), now))
        self._publisher.publish(message)

    def _look(self, now: Moment) -> list[DiagnosticStatus]:
        stream = self._stream()
        model = stream.model if stream is not None else None
        if model is not self._model:
            self._model, self._tasks = model, make_tasks()
        found = []
        for task in self._tasks:
            if stream is None:
                status = Status(Level.STALE, 'no description of a robot has come yet')
            else:
                status = task.look(stream, self._thresholds, now)
            name = f'{self._node.get_name()}: {task.name}'
            found.append(status_message(name, model.name if model is not None else '', status))
        return found


def status_message(name: str, hardware: str, status: Status) -> DiagnosticStatus:
    """Return a status as a message."""
    return DiagnosticStatus(
        level=bytes([status.level]),
        name=name,
        message=status.message,
        hardware_id=hardware,
        values=[KeyValue(key=key, value=value) for key, value in status.values.items()],
    )
