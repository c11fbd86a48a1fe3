# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What there is to see of a state: anchors, axes, closure residuals, forces and torques."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from visualization_msgs.msg import Marker

from kinematics_node.compiled import Array
from kinematics_node.constraints.system import ConstraintSystem
from kinematics_node.dynamics.inverse import PARENT
from kinematics_node.errors import KinematicsError
from kinematics_node.fk import frame_poses
from kinematics_node.forces import constraint_forces
from kinematics_node.forces import ForceReport
from kinematics_node.forces.joint_wrenches import CONSTRAINT
from kinematics_node.forces.joint_wrenches import POINT
from kinematics_node.forces.joint_wrenches import TOTAL
from kinematics_node.model.ball_joint import quaternion_to_angles
from kinematics_node.model.ball_joint import turned_axes
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model
from kinematics_node.ros.complaints import Complaints
from kinematics_node.ros.frames import frame_id
from kinematics_node.ros.marker_options import MarkerOptions
from kinematics_node.ros.marker_shapes import arrow
from kinematics_node.ros.marker_shapes import Color
from kinematics_node.ros.marker_shapes import line
from kinematics_node.ros.marker_shapes import sphere
from kinematics_node.ros.stream import Stream
from kinematics_node.spatial import compose
from kinematics_node.spatial import invert
from kinematics_node.spatial import position
from kinematics_node.spatial import rotate
from kinematics_node.spatial import rotation
from kinematics_node.spatial import Vector

AXIS_COLORS: tuple[Color, ...] = ((0.9, 0.2, 0.2), (0.2, 0.8, 0.2), (0.3, 0.4, 1.0))
FORCE_COLOR: Color = (1.0, 0.5, 0.0)
TORQUE_COLOR: Color = (0.7, 0.2, 0.9)
ANCHOR = 0.4
# Arrows shorter than this are not seen [m].
SHORTEST = 1e-3
# A residual so many times the tolerance is all red.
RED = 10.0
AXES = 3


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A copy of what a stream knows, for a thread to work on while the stream goes on.

    Attributes
    ----------
    q : array, shape (nq,)
        Positions.
    known : frozenset of int
        Coordinates that have a value.
    measured : tuple of str
        Joints that are measured.
    ready : frozenset of str
        Closures of which enough is measured.
    prefix : str
        Of frames.
    tolerance : float
        Residual up to which a loop counts as closed [m, rad].
    """

    model: Model
    q: Array
    known: frozenset[int]
    measured: tuple[str, ...]
    ready: frozenset[str]
    prefix: str
    tolerance: float

    @classmethod
    def of(cls, stream: Stream) -> Snapshot:
        """Copy a stream's state."""
        model, loops = stream.model, stream.loops
        blocks = [block for block in loops.blocks if block.ready] if loops is not None else []
        given = stream.states.given(stream.measured, stream.known)
        return cls(
            model=model,
            q=stream.state[: model.nq].copy(),
            known=frozenset(stream.shown()),
            measured=tuple(sorted({stream.states.joint(k) for k in given})),
            ready=frozenset(name for block in blocks for name in block.names),
            prefix=stream.options.prefix,
            tolerance=stream.options.loops.tolerance,
        )

    def frame(self, link: str) -> str:
        """Return a link's frame as TF has it."""
        return frame_id(self.prefix, link)


class Scene:
    """Makes the markers of one model, the same number for the same thing every time."""

    def __init__(self, model: Model, complaints: Complaints) -> None:
        self.model = model
        self._complaints = complaints
        self._system = ConstraintSystem(model)
        # The axes of a ball joint go on from where they were, rather than turn over.
        self._angles: dict[int, Vector] = {}

    def markers(self, shot: Snapshot, options: MarkerOptions) -> list[Marker]:
        """Return everything there is to see."""
        return [
            *self._joints(shot, options),
            *self._closures(shot, options),
            *self._forces(shot, options),
        ]

    def _joints(self, shot: Snapshot, options: MarkerOptions) -> Iterator[Marker]:
        """Draw anchors, and the axes as the joint's motion has turned them."""
        for k, joint in enumerate(self.model.joints):
            if joint.type not in (JointType.BALL, JointType.UNIVERSAL):
                continue
            frame, anchor = shot.frame(joint.parent), position(joint.X_PF)
            yield sphere('anchors', k, frame, anchor, ANCHOR * options.size)
            where = self.model.coordinates_of(joint.name)
            if not shot.known.issuperset(range(where.start, where.stop)):
                continue
            for n, axis in enumerate(self._turned_axes(k, shot.q[where].tolist())):
                along = rotate(rotation(joint.X_PF), axis)
                along = tuple(options.size * x for x in along)
                number = AXES * k + n
                yield arrow('axes', number, frame, anchor, along, AXIS_COLORS[n], options.size)

    def _turned_axes(self, k: int, numbers: Sequence[float]) -> list[Vector]:
        """Return a joint's axes in F: each is carried by the turns about those before it."""
        joint = self.model.joints[k]
        axes = [axis.direction for axis in joint.axes]
        angles = numbers
        if joint.type is JointType.BALL:
            w, x, y, z = numbers
            near = self._angles.get(k, (0.0, 0.0, 0.0))
            angles = self._angles[k] = quaternion_to_angles(axes, (w, x, y, z), near)
        return turned_axes(axes, angles)

    def _closures(self, shot: Snapshot, options: MarkerOptions) -> Iterator[Marker]:
        """Draw each closure's anchor on link A, and the way from there to its frame B."""
        if not self.model.closures:
            return
        phi = self._system.evaluate(shot.q).phi
        for c, closure in enumerate(self.model.closures):
            frame, A = shot.frame(closure.link_A), position(closure.X_LA)
            yield sphere('closures', c, frame, A, ANCHOR * options.size)
            if closure.name not in shot.ready:
                continue
            X_WA, X_WB = frame_poses(self.model, shot.q, [closure.link_A, closure.link_B])
            X_AB = compose(invert(tuple(X_WA.tolist())), tuple(X_WB.tolist()))
            B = position(compose(X_AB, closure.X_LB))
            left = float(np.abs(phi[self._system.slices[c]]).max(initial=0.0))
            color = residual_color(left, shot.tolerance)
            yield line('residuals', c, frame, (A, B), color, options.size)

    def _forces(self, shot: Snapshot, options: MarkerOptions) -> Iterator[Marker]:
        """Draw what holds the state at rest: forces of the parent's side on the child's side."""
        whole = len(shot.known.intersection(range(self.model.nq))) == self.model.nq
        if not whole or not (options.force_scale or options.torque_scale):
            return
        try:
            report = constraint_forces(self.model, shot.q, measured=shot.measured or None)
        except KinematicsError as error:
            self._complaints.repeated('marker-forces', f'no forces are drawn: {error}')
            return
        for number, (link, point, wrench) in enumerate(loads_of(report)):
            frame = shot.frame(self.model.links[link].name)
            for space, three, scale, color in (
                ('forces', wrench[3:], options.force_scale, FORCE_COLOR),
                ('torques', wrench[:3], options.torque_scale, TORQUE_COLOR),
            ):
                along = scale * three
                if np.linalg.norm(along) >= SHORTEST:
                    yield arrow(space, number, frame, point, along.tolist(), color, options.size)


def loads_of(report: ForceReport) -> Iterator[tuple[int, Array, Array]]:
    """Return parent link, anchor and (tau, f) on that link's axes, of joints, then of closures."""
    carriers = (*report.labels.joints, *report.labels.closures)
    numbers = (*report.joint_wrenches[1:], *report.closure_wrenches)
    for carrier, row in zip(carriers, numbers, strict=True):
        yield carrier.axes[PARENT], row[POINT:TOTAL], row[TOTAL:CONSTRAINT]


def residual_color(residual: float, tolerance: float) -> Color:
    """Return green for a closed loop, yellow and then red for one that is open."""
    open_by = residual / (RED * tolerance) if tolerance else float(residual > 0.0)
    share = min(open_by, 1.0)
    return (min(2.0 * share, 1.0), min(2.0 - 2.0 * share, 1.0), 0.0)
