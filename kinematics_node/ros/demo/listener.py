# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What any client of the node hears: transforms, the complete state, the description."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
import time
from typing import TypeVar

from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from kinematics_node.ros.demo.player import LATCHED

M = TypeVar('M')
DEPTH = QoSProfile(depth=1000)


@dataclass(frozen=True)
class Heard:
    """A message in bytes, and when it came in [ns, system time]."""

    message: bytes
    received: int


class Listener:
    """Subscriptions whose messages wait until they are looked at.

    Attributes
    ----------
    described : bool
        Whether the node has published its description, which it does when it is ready.
    """

    def __init__(self, node: Node) -> None:
        self.described = False
        self._transforms: list[Heard] = []
        self._static: list[Heard] = []
        self._states: list[Heard] = []
        self._hear(node, TFMessage, '/tf', DEPTH, self._transforms)
        self._hear(node, TFMessage, '/tf_static', LATCHED, self._static)
        self._hear(node, JointState, '/kinematics/joint_states', DEPTH, self._states)
        node.create_subscription(String, 'robot_description', self._on_description, LATCHED)

    def transforms(self) -> list[tuple[TFMessage, int]]:
        """Return what has come on /tf since the last call, with its time of arrival."""
        return _taken(self._transforms, TFMessage)

    def static(self) -> list[tuple[TFMessage, int]]:
        """Return what has come on /tf_static since the last call."""
        return _taken(self._static, TFMessage)

    def states(self) -> list[tuple[JointState, int]]:
        """Return what has come on ~/joint_states of the node since the last call."""
        return _taken(self._states, JointState)

    def _hear(
        self, node: Node, kind: type[M], topic: str, qos: QoSProfile, heard: list[Heard]
    ) -> None:
        # Arrival is what the middleware notes, however busy this process is.
        def take(message: bytes, info: Mapping[str, int]) -> None:
            heard.append(Heard(message, info['received_timestamp'] or time.time_ns()))

        node.create_subscription(kind, topic, take, qos, raw=True)

    def _on_description(self, _: String) -> None:
        self.described = True


def _taken(heard: list[Heard], kind: type[M]) -> list[tuple[M, int]]:
    messages = [(deserialize_message(one.message, kind), one.received) for one in heard]
    heard.clear()
    return messages
