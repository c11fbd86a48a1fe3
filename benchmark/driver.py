# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The driver: plays joint states to a publisher and listens to its /tf, in one process.

Publication and receipt are timed by one monotonic clock, and both handle bytes, so that the
driver's own share of the latency is small and the same for every publisher.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
import struct
import sys
import time
from types import TracebackType

import rclpy
from rclpy.task import Future
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

from benchmark.player import NS
from benchmark.player import Pace
from benchmark.player import Player
from benchmark.player import Score

try:
    from rclpy.experimental import EventsExecutor as FastestExecutor
except ImportError:  # Humble
    from rclpy.executors import SingleThreadedExecutor as FastestExecutor

TF_DEPTH = 1000  # what the driver is late for is not lost
SILENCE_NS = NS // 10  # after it no answer is expected any more
UINT32 = '<I' if sys.byteorder == 'little' else '>I'


@dataclass(frozen=True)
class Trial:
    """What came of a number of messages.

    Attributes
    ----------
    sent : int
        Messages published.
    latencies_us : sequence of float
        From publication to receipt, one an answered message [us].
    strays : int
        Messages heard that answer none of those, or not with all joints.
    rate : float
        Messages a second, as it came out.
    """

    sent: int
    latencies_us: Sequence[float]
    strays: int
    rate: float

    @property
    def answered(self) -> int:
        """Messages that were answered with all joints."""
        return len(self.latencies_us)


class Driver:
    """A node in a domain of its own that plays joint states and times their transforms.

    Parameters
    ----------
    domain : int
        ROS domain, shared with one publisher.
    states : sequence of JointState
        Joint states, played in turn.
    moving : int
        Transforms that a whole answer holds.
    """

    def __init__(self, domain: int, states: Sequence[JointState], moving: int) -> None:
        self._score = Score(states)
        self._joint_count = struct.pack(UINT32, moving)
        self._sent: dict[bytes, int] = {}
        self._latencies_us = array('d')
        self._strays = 0
        self._last_heard_ns = 0
        self._context = rclpy.Context()
        rclpy.init(args=[], context=self._context, domain_id=domain)
        self._node = rclpy.create_node(
            'driver',
            context=self._context,
            enable_rosout=False,
            start_parameter_services=False,
        )
        self._states = self._node.create_publisher(JointState, 'joint_states', 10)
        self._node.create_subscription(TFMessage, '/tf', self._hear, TF_DEPTH, raw=True)
        self._executor = FastestExecutor(context=self._context)
        self._executor.add_node(self._node)

    def __enter__(self) -> Driver:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._executor.remove_node(self._node)
        self._node.destroy_node()
        self._context.shutdown()

    def first_answer_ns(self, patience: float) -> int | None:
        """Play until a message is answered with all joints; return when that was heard [ns].

        None means that none was within the given time [s].
        """
        pace = Pace(rate=100.0, jitter=0.0)
        with self._playing(pace, round(patience * pace.rate)) as player:
            while player.is_alive() and not self._latencies_us:
                self._spin(0.01)
        return self._last_heard_ns if self._latencies_us else None

    def play(self, pace: Pace, count: int) -> Trial:
        """Play so many messages, and listen until they are answered or silence falls."""
        started = time.monotonic_ns()
        with self._playing(pace, count) as player:
            while player.is_alive():
                self._spin(0.05)
            rate = count * NS / (player.last_sent_ns - started)
            while self._sent and not self._silent_since(player.last_sent_ns):
                self._spin(0.02)
        return Trial(count, self._latencies_us, self._strays, rate)

    @contextmanager
    def _playing(self, pace: Pace, count: int) -> Iterator[Player]:
        self._sent.clear()
        self._latencies_us = array('d')
        self._strays = 0
        player = Player(self._states, self._score, pace, count, self._sent)
        player.start()
        try:
            yield player
        finally:
            player.stop()

    def _silent_since(self, last_sent_ns: int) -> bool:
        return time.monotonic_ns() - max(last_sent_ns, self._last_heard_ns) > SILENCE_NS

    def _spin(self, seconds: float) -> None:
        self._executor.spin_until_future_complete(Future(), timeout_sec=seconds)

    def _hear(self, message: bytes) -> None:
        """Match a TFMessage by the stamp of its first transform: number of them, then stamp."""
        now = time.monotonic_ns()
        sent = self._sent.pop(message[8:16], None)
        if sent is None or message[4:8] != self._joint_count:
            self._strays += 1
            return
        self._last_heard_ns = now
        self._latencies_us.append((now - sent) * 1e-3)
