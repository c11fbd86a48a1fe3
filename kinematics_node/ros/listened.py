# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""A timer that runs while somebody listens to a topic, and not otherwise."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.clock import Clock
from rclpy.clock import ClockType
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.timer import Timer


class ListenedTimer:
    """Makes a call again and again while a publisher has subscriptions.

    Attributes
    ----------
    rate : float
        How often it is made now [Hz]; 0 where it is not.
    """

    def __init__(self, node: Node, publisher: Publisher, call: Callable[[], None]) -> None:
        self._node, self._publisher, self._call = node, publisher, call
        self._timer: Timer | None = None
        self.rate = 0.0

    def follow(self, rate: float) -> bool:
        """Make the call at a rate from now on if somebody listens; tell whether that is news."""
        if not self._publisher.get_subscription_count():
            rate = 0.0
        if rate == self.rate:
            return False
        self.rate = rate
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None
        if rate > 0.0:
            # Not the node's clock, which stands still while simulated time does.
            steady = Clock(clock_type=ClockType.STEADY_TIME)
            self._timer = self._node.create_timer(1.0 / rate, self._call, clock=steady)
        return True
