# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Playing joint states: ready bytes, sent from a thread that sleeps until they are due."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
import random
import struct
import sys
import threading
import time

from rclpy.publisher import Publisher
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

NS = 1_000_000_000
STATES = 64  # different joint states, played in turn
STAMP = struct.Struct('<II' if sys.byteorder == 'little' else '>II')


@dataclass(frozen=True)
class Pace:
    """How joint states are timed.

    Attributes
    ----------
    rate : float
        Messages a second.
    jitter : float
        Largest displacement of a message from the regular grid, as a share of the period.
    exact_stamps : bool
        Stamps lie on the grid although the messages do not; else a stamp is the real time.
    """

    rate: float
    jitter: float = 0.1
    exact_stamps: bool = False

    @property
    def period_ns(self) -> int:
        """Time between two messages of the grid [ns]."""
        return round(NS / self.rate)


class Score:
    """Joint states in bytes, of which only the stamp is still to be filled in.

    Each carries positions, velocities and efforts, as those of ros2_control do.
    """

    def __init__(self, states: Sequence[JointState]) -> None:
        raw = [serialize_message(state) for state in states]
        self._header = raw[0][:4]
        self._bodies = [message[12:] for message in raw]

    def message(self, index: int, stamp: bytes) -> bytes:
        """Return a joint state with that stamp, seconds and nanoseconds of 4 bytes each."""
        return self._header + stamp + self._bodies[index % len(self._bodies)]


def random_states(names: Sequence[str]) -> list[JointState]:
    """Return joint states of random numbers, the same for the same number of names."""
    draw = random.Random(len(names))
    return [
        JointState(
            name=list(names),
            position=[draw.uniform(-3.0, 3.0) for _ in names],
            velocity=[draw.uniform(-1.0, 1.0) for _ in names],
            effort=[draw.uniform(-9.0, 9.0) for _ in names],
        )
        for _ in range(STATES)
    ]


class Player(threading.Thread):
    """Publishes a number of joint states and notes when.

    Parameters
    ----------
    sent : dict of bytes to int
        Gets for the stamp of each message when it was published [ns, monotonic].
    """

    def __init__(
        self, publisher: Publisher, score: Score, pace: Pace, count: int, sent: dict[bytes, int]
    ) -> None:
        super().__init__(daemon=True)
        self._publisher = publisher
        self._score = score
        self._pace = pace
        self._count = count
        self._sent = sent
        self._stop_asked = False
        self.played = 0
        self.last_sent_ns = time.monotonic_ns()

    def stop(self) -> None:
        """End early, and wait for the thread."""
        self._stop_asked = True
        self.join()

    def run(self) -> None:
        """Publish on a grid; after a delay the grid moves on, since a burst would be unfair."""
        period = self._pace.period_ns
        reach = self._pace.jitter * period
        draw = random.Random(self._count)
        exact = time.time_ns()
        grid = time.monotonic_ns() + period
        for k in range(self._count):
            wait = grid + draw.uniform(-reach, reach) - time.monotonic_ns()
            if wait > 0:
                time.sleep(wait / NS)
            if self._stop_asked:
                return
            exact += period
            self._publish(k, exact if self._pace.exact_stamps else time.time_ns())
            grid = max(grid + period, self.last_sent_ns + period // 2)

    def _publish(self, k: int, stamp_ns: int) -> None:
        stamp = STAMP.pack(*divmod(stamp_ns, NS))
        message = self._score.message(k, stamp)
        self.last_sent_ns = time.monotonic_ns()
        self._sent[stamp] = self.last_sent_ns
        self._publisher.publish(message)
        self.played = k + 1
