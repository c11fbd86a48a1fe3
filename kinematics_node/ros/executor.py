# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The executor that suits a node of one fast stream."""

from __future__ import annotations

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future

try:
    from rclpy.experimental import EventsExecutor
except ImportError:  # Humble has none.
    EventsExecutor = None

# How long one call spins [s]: as long may pass before a signal is noticed.
SPIN = 0.1


def spin(node: Node) -> None:
    """Serve a node until the context shuts down.

    The events executor needs a third of the processor time of the default one. It is spun in
    short calls, since its spin() delivers nothing in rclpy 9.1.
    """
    executor = EventsExecutor() if EventsExecutor is not None else SingleThreadedExecutor()
    executor.add_node(node)
    try:
        while rclpy.ok():
            executor.spin_until_future_complete(Future(), timeout_sec=SPIN)
    finally:
        executor.shutdown()
