# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Joint states from nowhere: a player for demos, as a thread and as a node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
import signal
import threading
import time

from geometry_msgs.msg import Transform
import numpy as np
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from sensor_msgs.msg import MultiDOFJointState
from std_msgs.msg import String
from transforms3d.quaternions import mat2quat

from kinematics_node.errors import KinematicsError
from kinematics_node.formats.notation import SECTIONS
from kinematics_node.ros.demo.elements import Array
from kinematics_node.ros.demo.motion import Motion
from kinematics_node.ros.demo.robot import read_robot

SECOND = 1_000_000_000
RATE = 100.0
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


@dataclass(frozen=True)
class Sent:
    """A message that was published.

    Attributes
    ----------
    time : float
        Moment of the motion that it shows [s].
    published : int
        When it was published, which is its stamp too [ns].
    poses : bool
        Whether it is one of poses, not of numbers.
    """

    time: float
    published: int
    poses: bool


class Stage:
    """The publishers of a player, in any node."""

    def __init__(self, node: Node) -> None:
        self._states = node.create_publisher(JointState, 'joint_states', 10)
        self._poses = node.create_publisher(MultiDOFJointState, 'multi_dof_joint_states', 10)

    @property
    def has_audience(self) -> bool:
        """Whether somebody listens on both topics."""
        return all(p.get_subscription_count() > 0 for p in (self._states, self._poses))

    def show(self, motion: Motion, moment: float, sent: dict[int, Sent]) -> None:
        """Publish the state at a moment of the motion; note it in sent before it goes out."""
        if motion.names:
            at = np.array([moment])
            states = JointState(name=list(motion.names))
            states.position = motion.positions(at)[0].tolist()
            states.velocity = motion.velocities(at)[0].tolist()
            now = _stamp(states)
            sent[now] = Sent(moment, now, poses=False)
            self._states.publish(states)
        if motion.free:
            poses = MultiDOFJointState(joint_names=[joint.name for joint in motion.free])
            poses.transforms = [_transform(motion.pose(joint, moment)) for joint in motion.free]
            now = _stamp(poses)
            sent[now] = Sent(moment, now, poses=True)
            self._poses.publish(poses)


class Player(threading.Thread):
    """Plays a motion from a thread until it is stopped.

    Attributes
    ----------
    sent : dict of int to Sent
        Everything that was published, by stamp.
    """

    def __init__(self, stage: Stage, motion: Motion, rate: float) -> None:
        super().__init__(daemon=True)
        self.sent: dict[int, Sent] = {}
        self._stage, self._motion, self._period = stage, motion, 1.0 / rate
        self._ended = threading.Event()

    def run(self) -> None:
        """Publish on a grid; after a delay the grid moves on."""
        start = due = time.monotonic()
        while not self._ended.wait(max(due - time.monotonic(), 0.0)):
            self._stage.show(self._motion, time.monotonic() - start, self.sent)
            due = max(due + self._period, time.monotonic())

    def stop(self) -> None:
        """End the thread."""
        self._ended.set()
        self.join()


class PlayerNode(Node):
    """Plays whatever robot is described on the topic robot_description.

    Its parameters are the rate, and constraints in our notation as the node takes them.
    """

    def __init__(self) -> None:
        super().__init__('demo_player', automatically_declare_parameters_from_overrides=True)
        if not self.has_parameter('rate'):
            self.declare_parameter('rate', RATE)
        rate = float(self.get_parameter('rate').value)
        if not rate > 0.0:
            raise ValueError(f"parameter 'rate' is {rate}; it must be above 0 Hz")
        self._constraints = {
            f'{section}.{name}': parameter.value
            for section in SECTIONS
            for name, parameter in self.get_parameters_by_prefix(section).items()
        }
        self._motion: Motion | None = None
        self._stage = Stage(self)
        self._start = time.monotonic()
        self.create_subscription(String, 'robot_description', self._on_description, LATCHED)
        self.create_timer(1.0 / rate, self._play)

    def _on_description(self, message: String) -> None:
        try:
            self._motion = Motion(read_robot(message.data, self._constraints))
        except KinematicsError as error:
            self.get_logger().error(f'nothing is played: {error}')
            return
        self.get_logger().info(
            f'playing {len(self._motion.names)} positions and {len(self._motion.free)} poses'
        )

    def _play(self) -> None:
        if self._motion is not None:
            self._stage.show(self._motion, time.monotonic() - self._start, {})


def main(args: Sequence[str] | None = None) -> int:
    """Run the player as a node until it is interrupted."""
    # Python's own answer to Ctrl-C is a trace, and under launch Ctrl-C comes twice; rclpy's ends
    # the context, and with it the spinning.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    rclpy.init(args=args)
    node = None
    try:
        node = PlayerNode()
        rclpy.spin(node)
    except ValueError as error:
        rclpy.logging.get_logger('demo_player').fatal(str(error))
        return 1
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
    return 0


def _stamp(message: JointState | MultiDOFJointState) -> int:
    """Stamp a message with now, and return it [ns]."""
    now = time.time_ns()
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(now, SECOND)
    return now


def _transform(X: Array) -> Transform:
    transform = Transform()
    t, r = transform.translation, transform.rotation
    t.x, t.y, t.z = (float(x) for x in X[:3, 3])
    r.w, r.x, r.y, r.z = (float(x) for x in mat2quat(X[:3, :3]))
    return transform
