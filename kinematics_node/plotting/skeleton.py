# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What there is to see of a state, as numbers: lines, anchors, axes, closures, loads.

    skeleton = skeleton_of(model, q, constraint_forces(model, q, frame='world'))

Points and directions are on the axes of the root link.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kinematics_node.compiled import Array
from kinematics_node.constraints.system import ConstraintSystem
from kinematics_node.constraints.table import element_gap
from kinematics_node.errors import ModelError
from kinematics_node.errors import ValueShapeError
from kinematics_node.fk import frame_poses
from kinematics_node.forces import ForceReport
from kinematics_node.forces import JointForce
from kinematics_node.kinematics.joint_motion import joint_frame
from kinematics_node.kinematics.joint_motion import load_axis
from kinematics_node.model.ball_joint import quaternion_to_angles
from kinematics_node.model.ball_joint import turned_axes
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Link
from kinematics_node.model.elements import Pose
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model
from kinematics_node.numeric import finite_vector
from kinematics_node.spatial import compose
from kinematics_node.spatial import position
from kinematics_node.spatial import rotate
from kinematics_node.spatial import rotation
from kinematics_node.spatial import transform_point

NEAR = 1e-9  # m: points nearer to each other are one


@dataclass(frozen=True, eq=False)
class LinkLines:
    """A link.

    Attributes
    ----------
    link : str
        Its name.
    segments : array, shape (n, 2, 3)
        Lines from the anchor of the joint that moves it (the root: from its origin) to the anchors
        of the joints and closures that it carries [m].
    reach : array, shape (2, 3), or None
        Where it carries none: from its anchor to its centre of mass, or to the middle of its
        shapes if it has no mass.
    """

    link: str
    segments: Array
    reach: Array | None


@dataclass(frozen=True, eq=False)
class Anchor:
    """The origin of a joint's frame M, a point (3,) [m]."""

    joint: str
    type: JointType
    point: Array


@dataclass(frozen=True, eq=False)
class Axis:
    """Axis 0, 1 or 2 of a joint as the joint's motion has turned it: a unit vector at a point."""

    joint: str
    number: int
    point: Array
    direction: Array


@dataclass(frozen=True, eq=False)
class Slide:
    """How far a prismatic or planar joint has moved: from the origin of F to that of M, (2, 3)."""

    joint: str
    segment: Array


@dataclass(frozen=True, eq=False)
class ClosureEnds:
    """The origins of a closure's frames A and B [m], and what is open between them.

    Attributes
    ----------
    name, type : str
        The closure.
    A, B : array, shape (3,)
        Where the origins are; a rod is between them.
    metres, radians : float
        By how much the closure is open.
    """

    name: str
    type: str
    A: Array
    B: Array
    metres: float
    radians: float

    @property
    def largest(self) -> float:
        """The larger of the two residuals."""
        return max(self.metres, self.radians)


@dataclass(frozen=True, eq=False)
class Load:
    """What the parent's side of a joint or closure puts on the child's side.

    Attributes
    ----------
    name : str
        The joint or closure.
    point : array, shape (3,)
        The anchor [m].
    force, torque : array, shape (3,)
        [N] and, about the anchor, [N m].
    force_determinate, torque_determinate : bool
        Whether statics determine all of it.
    """

    name: str
    point: Array
    force: Array
    torque: Array
    force_determinate: bool
    torque_determinate: bool


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Everything there is to see of a robot at one state."""

    robot: str
    links: tuple[LinkLines, ...]
    anchors: tuple[Anchor, ...]
    axes: tuple[Axis, ...]
    slides: tuple[Slide, ...]
    closures: tuple[ClosureEnds, ...]
    loads: tuple[Load, ...]


def skeleton_of(
    model: Model,
    q: ArrayLike,
    report: ForceReport | None = None,
    loads: Sequence[str] | None = None,
) -> Skeleton:
    """Return what there is to see of a robot at a state.

    Parameters
    ----------
    model : Model
        The robot.
    q : array_like, shape (nq,)
        Positions, as they are: loops are not closed here.
    report : ForceReport, optional
        What joints carry at q, on the axes frame='world'; no loads where it is left out.
    loads : sequence of str, optional
        The joints and closures whose loads are wanted; all that can move, and all closures, where
        it is left out.

    Raises
    ------
    ModelError
        The robot has no joints, or a closure cannot be made into rows.
    NameLookupError
        There is no joint or closure of that name.
    ValueShapeError
        A wrong count, a number that is not finite, or a report of another state or on other axes.
    """
    if not model.joints:
        raise ModelError(
            'it has no joints, so there is nothing to draw; give a robot of links and joints',
            element=f"robot '{model.name}'",
        )
    positions = finite_vector(q, model.coordinate_names, 'q')
    X = frame_poses(model, positions, [link.name for link in model.links])
    poses: list[Pose] = [tuple(row) for row in X.tolist()]
    X_WM = [poses[0], *(joint_frame(model.placement, i, X) for i in range(1, len(poses)))]
    X_WF = [compose(poses[model.link_index[j.parent]], j.X_PF) for j in model.joints]
    closures = _closures(model, positions, poses)
    return Skeleton(
        robot=model.name,
        links=tuple(_links(model, poses, X_WM, X_WF, closures)),
        anchors=tuple(
            Anchor(joint.name, joint.type, np.array(position(X_WM[k])))
            for k, joint in enumerate(model.joints, start=1)
        ),
        axes=tuple(_axes(model, positions, X_WF, X_WM)),
        slides=tuple(_slides(model, X_WF, X_WM)),
        closures=closures,
        loads=() if report is None else tuple(_loads(report, positions, loads)),
    )


def extent_of(skeleton: Skeleton) -> tuple[Array, Array]:
    """Return the lower and the upper corner (3,) of the box around everything but arrows [m]."""
    points = [anchor.point for anchor in skeleton.anchors]
    for link in skeleton.links:
        points += [*link.segments.reshape(-1, 3)]
        points += [] if link.reach is None else [*link.reach]
    for slide in skeleton.slides:
        points += [*slide.segment]
    for closure in skeleton.closures:
        points += [closure.A, closure.B]
    box = np.array(points)
    return box.min(axis=0), box.max(axis=0)


def _links(
    model: Model,
    poses: Sequence[Pose],
    X_WM: Sequence[Pose],
    X_WF: Sequence[Pose],
    closures: Sequence[ClosureEnds],
) -> Iterable[LinkLines]:
    ends: list[list[Array]] = [[] for _ in poses]
    for joint, X in zip(model.joints, X_WF, strict=True):
        if joint.type is not JointType.FLOATING:
            ends[model.link_index[joint.parent]].append(np.array(position(X)))
    for closure, drawn in zip(model.closures, closures, strict=True):
        ends[model.link_index[closure.link_A]].append(drawn.A)
        ends[model.link_index[closure.link_B]].append(drawn.B)
    for link, X_WB, X, others in zip(model.links, poses, X_WM, ends, strict=True):
        start = np.array(position(X))
        apart = [end for end in others if np.linalg.norm(end - start) > NEAR]
        middle = None if others else _middle(link)
        reach = None if middle is None else np.array((start, transform_point(X_WB, middle)))
        if reach is not None and np.linalg.norm(reach[1] - start) <= NEAR:
            reach = None
        if apart or reach is not None:
            segments = np.array([(start, end) for end in apart]).reshape(-1, 2, 3)
            yield LinkLines(link.name, segments, reach)


def _middle(link: Link) -> tuple[float, float, float] | None:
    """Return a link's centre of mass, or the middle of its shapes, in its frame."""
    if link.inertia is not None and link.inertia.mass > 0.0:
        return link.inertia.center
    if not link.geometry:
        return None
    x, y, z = np.mean([shape.X_BG[4:] for shape in link.geometry], axis=0).tolist()
    return x, y, z


def _axes(model: Model, q: Array, X_WF: Sequence[Pose], X_WM: Sequence[Pose]) -> Iterable[Axis]:
    for k, (joint, X) in enumerate(zip(model.joints, X_WF, strict=True)):
        own = [load_axis(model.placement, k + 1, n) for n in range(joint.type.axis_count)]
        turns = _angles(joint, q[model.coordinates_of(joint.name)])
        for n, axis in enumerate(turned_axes(own, turns)):
            direction = np.array(rotate(rotation(X), axis))
            yield Axis(joint.name, n, np.array(position(X_WM[k + 1])), direction)


def _angles(joint: Joint, numbers: Array) -> Sequence[float]:
    """Return the angles of those axes that carry others."""
    if joint.type is JointType.BALL:
        w, x, y, z = numbers.tolist()
        return quaternion_to_angles([axis.direction for axis in joint.axes], (w, x, y, z))
    angles: list[float] = numbers.tolist()
    return angles[: joint.type.axis_count]


def _slides(model: Model, X_WF: Sequence[Pose], X_WM: Sequence[Pose]) -> Iterable[Slide]:
    for k, joint in enumerate(model.joints):
        if joint.type in (JointType.PRISMATIC, JointType.PLANAR):
            yield Slide(joint.name, np.array((position(X_WF[k]), position(X_WM[k + 1]))))


def _closures(model: Model, q: Array, poses: Sequence[Pose]) -> tuple[ClosureEnds, ...]:
    if not model.closures:
        return ()
    system = ConstraintSystem(model)
    phi = system.evaluate(q).phi
    found = []
    for closure, element, rows in zip(
        model.closures, system.elements, system.slices, strict=False
    ):
        A = transform_point(poses[element.link_A], position(closure.X_LA))
        B = transform_point(poses[element.link_B], position(closure.X_LB))
        gap = element_gap(element, phi[rows])
        found.append(ClosureEnds(closure.name, closure.type, np.array(A), np.array(B), *gap))
    return tuple(found)


def _loads(report: ForceReport, q: Array, names: Sequence[str] | None) -> Iterable[Load]:
    if report.frame != 'world':
        raise ValueShapeError(
            f"loads are drawn on world axes; ask for frame='world', not '{report.frame}'"
        )
    if not np.array_equal(report.q, q):
        raise ValueShapeError('the report is of another state; ask for the forces at the q drawn')
    model = report.model
    if names is None:
        names = [joint.name for joint in model.joints if joint.type is not JointType.FIXED]
        names += [closure.name for closure in model.closures]
    for name in names:
        yield _load(report.load(name))


def _load(load: JointForce) -> Load:
    return Load(
        name=load.name,
        point=load.point,
        force=load.total[3:],
        torque=load.total[:3],
        force_determinate=not load.unknown[:, 3:].any(),
        torque_determinate=not load.unknown[:, :3].any(),
    )
