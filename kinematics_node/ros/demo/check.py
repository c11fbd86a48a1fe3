# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Every frame and value that is heard against the demo's own computation."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field

from geometry_msgs.msg import TransformStamped
import numpy as np
from sensor_msgs.msg import JointState
from std_msgs.msg import Header
from tf2_msgs.msg import TFMessage

from kinematics_node.ros.demo import expected
from kinematics_node.ros.demo.elements import Array
from kinematics_node.ros.demo.elements import DemoRobot
from kinematics_node.ros.demo.loops import gaps
from kinematics_node.ros.demo.loops import Loop
from kinematics_node.ros.demo.loops import open_loops
from kinematics_node.ros.demo.loops import pose_between
from kinematics_node.ros.demo.loops import remainder
from kinematics_node.ros.demo.motion import Motion
from kinematics_node.ros.demo.player import SECOND
from kinematics_node.ros.demo.player import Sent

# Largest difference of a coordinate [m] or of an entry of a rotation matrix that counts as none.
TOLERANCE = 1e-9
MOST_NAMED = 6


@dataclass
class Frame:
    """A frame that should come, and what came; last is X_PC as it came last."""

    parent: str
    count: int = 0
    deviation: float = 0.0
    wrong_parent: str = ''
    last: Array = field(default_factory=lambda: np.full((4, 4), np.nan))

    def compare(self, heard: Array, X_PC: Array) -> None:
        """Compare poses with what they should be, both as matrices."""
        self.count += len(heard)
        self.last = heard[-1]
        difference = float(np.abs(heard - X_PC).max())
        self.deviation = max(self.deviation, difference if np.isfinite(difference) else np.inf)


@dataclass
class Value:
    """A coordinate that should come in the complete state, and what came."""

    count: int = 0
    last: float = np.nan
    wanted: float = np.nan
    deviation: float = 0.0

    def compare(self, value: float, wanted: float) -> None:
        """Compare a value with what it should be."""
        self.count += 1
        self.last, self.wanted = value, wanted
        difference = abs(value - wanted)
        self.deviation = max(self.deviation, difference if np.isfinite(difference) else np.inf)


class Check:
    """What has come so far, and whether it is right.

    What is played, and what follows it, is compared with what was sent. Joints in loops are where
    the node says, in the complete state of the same stamp: TF must agree with that by the demo's
    own forward kinematics, and the frames that TF then has must close the loops.

    Attributes
    ----------
    moving, static : dict of str to Frame
        Frames by name.
    values, rates : dict of str to Value
        Positions and velocities of the joints with one number an axis, by name; positions of the
        coordinates in loops, which are as they come.
    loops : dict of str to Loop
        Closures and couplings by name.
    latencies : list of float
        From publication of a JointState to arrival of its transforms [s]; of a MultiDOFJointState
        where the robot moves by nothing else.
    answered : int
        Messages whose transforms came.
    states : int
        Complete states that came.
    others : set of str
        Frames that the demo's computation does not know.
    """

    def __init__(self, robot: DemoRobot, motion: Motion, sent: Mapping[int, Sent]) -> None:
        self._robot, self._motion, self._sent = robot, motion, sent
        self._static_poses = expected.static_poses(robot)
        self.static = {joint.child: Frame(joint.parent) for joint in robot.static}
        self.moving = {joint.child: Frame(joint.parent) for joint in robot.moving}
        self._solved_names = [name for joint in robot.solved for name in joint.coordinates]
        names = [*motion.names, *(joint.name for joint in robot.followers)]
        self.values = {name: Value() for name in (*names, *self._solved_names)}
        self.rates = {name: Value() for name in names}
        self.loops = {e.name: Loop() for e in (*robot.closures, *robot.couplings)}
        self._solved: dict[int, dict[str, float]] = {}
        self._waiting: list[tuple[Sent, TFMessage]] = []
        self.latencies: list[float] = []
        self.answered = 0
        self.states = 0
        self._moments = 0
        self.others: set[str] = set()

    def take_static(self, heard: Iterable[tuple[TFMessage, int]]) -> None:
        """Compare what came on /tf_static."""
        transforms = [(0, t) for message, _ in heard for t in message.transforms]
        self._compare(transforms, self.static, self._static_poses)

    def take_transforms(self, heard: Iterable[tuple[TFMessage, int]]) -> None:
        """Compare what came on /tf in answer to messages that were sent.

        Where there are loops, transforms wait for the complete state of their stamp.
        """
        answers: dict[bool, list[tuple[Sent, TFMessage]]] = {False: [], True: []}
        for message, received in heard:
            sent = self._sent_at(message.transforms[0].header) if message.transforms else None
            if sent is not None:
                self._waiting.append((sent, message))
                self.answered += 1
                if not (sent.poses and self._motion.names):
                    self.latencies.append((received - sent.published) / SECOND)
        arrived, self._waiting = self._waiting, []
        for sent, message in arrived:
            if self._solved_names and not sent.poses and sent.published not in self._solved:
                self._waiting.append((sent, message))
            else:
                answers[sent.poses].append((sent, message))
        for of_poses, group in answers.items():
            if group:
                self._take_answers(group, of_poses)

    def _take_answers(self, group: Sequence[tuple[Sent, TFMessage]], of_poses: bool) -> None:
        sent = [one for one, _ in group]
        transforms = [(k, t) for k, (_, m) in enumerate(group) for t in m.transforms]
        if of_poses:
            poses = expected.free_poses(self._motion, [one.time for one in sent])
            self._compare(transforms, self.moving, poses)
            return
        poses = expected.value_poses(self._robot, self._values_at(sent))
        heard = self._compare(transforms, self.moving, poses)
        self._moments += len(group)
        X_PC = {name: frame.last[np.newaxis] for name, frame in self.static.items()}
        for name, (rows, X) in heard.items():
            X_PC[name] = np.full((len(group), 4, 4), np.nan)
            X_PC[name][rows] = X
        for closure in self._robot.closures:
            X_AB = pose_between(self._robot, closure, X_PC)
            came = np.isfinite(X_AB).all(axis=(1, 2))
            self.loops[closure.name].note(*gaps(closure, X_AB[came]))

    def take_states(self, heard: Iterable[tuple[JointState, int]]) -> None:
        """Compare complete states that came in answer to joint states."""
        for message, _ in heard:
            sent = self._sent_at(message.header)
            if sent is None or sent.poses:
                continue
            self.states += 1
            values = dict(zip(message.name, message.position, strict=False))
            solved = {name: values[name] for name in self._solved_names if name in values}
            self._solved[sent.published] = solved
            wanted = {name: float(v[0]) for name, v in self._values_at([sent]).items()}
            _compare_values(self.values, values, wanted)
            for coupling in self._robot.couplings:
                left = np.array([remainder(coupling, values)])
                if np.isfinite(left).all():
                    self.loops[coupling.name].note(left, np.zeros(1))
            if message.velocity:
                rates = dict(zip(message.name, message.velocity, strict=False))
                self._compare_rates(sent, rates)

    def _compare_rates(self, sent: Sent, rates: Mapping[str, float]) -> None:
        solved = {n: np.array([rates[n]]) for n in self._solved_names if n in rates}
        played = self._motion.velocities(np.array([sent.time]))
        wanted = expected.joint_rates(self._robot, self._motion.names, played, solved)
        _compare_values(self.rates, rates, {name: float(v[0]) for name, v in wanted.items()})

    def problems(self) -> list[str]:
        """Return what is missing or wrong, in sentences."""
        found: list[str] = []
        for kind, frames in (('moving', self.moving), ('static', self.static)):
            missing = [name for name, frame in frames.items() if not frame.count]
            if missing:
                found.append(
                    f'{len(missing)} of {len(frames)} {kind} frames never came: {_named(missing)}'
                )
            found += _wrong_frames(frames)
        found += _wrong_values(self.values, 'positions on ~/joint_states')
        velocities = {name: rate for name, rate in self.rates.items() if rate.count}
        found += _wrong_values(velocities, 'velocities on ~/joint_states')
        return found + open_loops(self.loops, self._moments)

    def pose_in_root(self, name: str) -> Array:
        """Return the pose of a frame in the root, from the transforms that came last."""
        X_WC = np.eye(4)
        while (frame := self.moving.get(name) or self.static.get(name)) is not None:
            X_WC, name = frame.last @ X_WC, frame.parent
        return X_WC

    def worst(self, things: Iterable[Frame | Value]) -> float:
        """Return the largest deviation so far."""
        return max((thing.deviation for thing in things), default=0.0)

    def _sent_at(self, header: Header) -> Sent | None:
        return self._sent.get(header.stamp.sec * SECOND + header.stamp.nanosec)

    def _values_at(self, sent: Sequence[Sent]) -> dict[str, Array]:
        """Return what coordinates should be: as sent, and in loops as the node says."""
        played = self._motion.positions(np.array([one.time for one in sent]))
        states = [self._solved.get(one.published, {}) for one in sent]
        solved = {
            name: np.array([state.get(name, np.nan) for state in states])
            for name in self._solved_names
        }
        return expected.joint_values(self._robot, self._motion.names, played, solved)

    def _compare(
        self,
        transforms: Iterable[tuple[int, TransformStamped]],
        frames: Mapping[str, Frame],
        poses: Mapping[str, Array],
    ) -> dict[str, tuple[list[int], Array]]:
        """Compare transforms, each with the number of its row among the expected poses.

        Returns those rows, and the poses as they were heard, by frame.
        """
        heard: dict[str, tuple[list[int], list[tuple[float, ...]]]] = {}
        for row, transform in transforms:
            name, frame = transform.child_frame_id, frames.get(transform.child_frame_id)
            if frame is None or name not in poses:
                self.others.add(name)
                continue
            if transform.header.frame_id != frame.parent:
                frame.wrong_parent = transform.header.frame_id
            rows, numbers = heard.setdefault(name, ([], []))
            rows.append(row)
            t, r = transform.transform.translation, transform.transform.rotation
            numbers.append((t.x, t.y, t.z, r.x, r.y, r.z, r.w))
        compared: dict[str, tuple[list[int], Array]] = {}
        for name, (rows, numbers) in heard.items():
            compared[name] = rows, expected.matrices(np.array(numbers))
            frames[name].compare(compared[name][1], poses[name][rows])
        return compared


def _compare_values(
    values: Mapping[str, Value], heard: Mapping[str, float], wanted: Mapping[str, float]
) -> None:
    for name, number in heard.items():
        if name in values:
            values[name].compare(number, wanted.get(name, np.nan))


def _wrong_frames(frames: Mapping[str, Frame]) -> list[str]:
    found = [
        f"frame '{name}' came below '{frame.wrong_parent}' instead of '{frame.parent}'"
        for name, frame in frames.items()
        if frame.wrong_parent
    ]
    off = [name for name, frame in frames.items() if frame.deviation > TOLERANCE]
    if off:
        worst = max(off, key=lambda name: frames[name].deviation)
        found.append(
            f"{len(off)} frames differ from the independent computation, '{worst}' most, "
            f'by {frames[worst].deviation:.3g}'
        )
    return found


def _wrong_values(values: Mapping[str, Value], what: str) -> list[str]:
    found = []
    missing = [name for name, value in values.items() if not value.count]
    if missing:
        found.append(f'{len(missing)} {what} never came: {_named(missing)}')
    off = [name for name, value in values.items() if value.deviation > TOLERANCE]
    if off:
        worst = max(off, key=lambda name: values[name].deviation)
        found.append(
            f"{len(off)} {what} differ from what is expected, '{worst}' most, "
            f'by {values[worst].deviation:.3g}'
        )
    return found


def _named(names: Sequence[str]) -> str:
    more = ', ...' if len(names) > MOST_NAMED else ''
    return ', '.join(f"'{name}'" for name in names[:MOST_NAMED]) + more
