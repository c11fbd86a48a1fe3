# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""~/constraint_forces: what every joint carries, again and again, while somebody listens."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from joint_kinematics.msg import ConstraintForces
from joint_kinematics.srv import GetConstraintForces
from rclpy.node import Node

from kinematics_node.errors import KinematicsError
from kinematics_node.ros.complaints import Complaints
from kinematics_node.ros.latest import Latest
from kinematics_node.ros.listened import ListenedTimer
from kinematics_node.ros.stream import Stream

QUEUE = 10


class ForcesTopic:
    """Publishes the forces that hold a stream's state: statics with the velocities it has.

    They are those that ~/get_constraint_forces answers to an empty request.

    Parameters
    ----------
    node : Node
        Where the topic is.
    stream : callable
        Returns the stream at work, or None.
    beside : callable
        Makes a call while joint states go on being answered.
    complaints : Complaints
        Takes why there are no forces.
    """

    def __init__(
        self,
        node: Node,
        stream: Callable[[], Stream | None],
        beside: Callable[[Callable[[], Any]], Any],
        complaints: Complaints,
    ) -> None:
        self._stream, self._beside, self._complaints = stream, beside, complaints
        self._publisher = node.create_publisher(ConstraintForces, '~/constraint_forces', QUEUE)
        self._timer = ListenedTimer(node, self._publisher, self.publish)
        self._stamp = 0

    def follow(self, rate: float) -> None:
        """Publish at a rate [Hz] from now on, as long as somebody listens; not at all if 0."""
        if self._timer.follow(rate):
            self._stamp = 0

    def publish(self) -> None:
        """Publish the forces of the latest state, if it is a new one that is known as a whole."""
        stream = self._stream()
        if stream is None or stream.stamp == self._stamp:
            return
        if not stream.shown().issuperset(range(stream.model.nq)):
            self._complaints.repeated(
                'forces-state', 'no constraint forces are published: not every joint has a state'
            )
            return
        latest = Latest.of(stream)
        try:
            answer = self._beside(lambda: _forces(latest))
        except KinematicsError as error:
            self._complaints.repeated(
                'forces-topic', f'no constraint forces are published: {error}'
            )
            return
        self._stamp = latest.stamp
        self._publisher.publish(answer)


def _forces(latest: Latest) -> ConstraintForces:
    service = import_module('kinematics_node.ros.service_forces')
    message: ConstraintForces = service.forces_of(GetConstraintForces.Request(), latest)
    return message
