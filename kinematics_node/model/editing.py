# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Edits of a builder's tree: new parents, fixed poses, inserted axes, merging, another root."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
import math
from typing import Any
from typing import TYPE_CHECKING

from kinematics_node.errors import ModelError
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import IDENTITY_POSE
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Mimic
from kinematics_node.model.elements import Pose
from kinematics_node.model.elements import Vector
from kinematics_node.model.inertia import inertia_in_frame
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.references import chain_above
from kinematics_node.model.references import joint_above
from kinematics_node.model.references import zero_pose
from kinematics_node.spatial import compose
from kinematics_node.spatial import conjugate
from kinematics_node.spatial import invert
from kinematics_node.spatial import pose
from kinematics_node.spatial import rotate
from kinematics_node.spatial import rotation
from kinematics_node.spatial import scale

if TYPE_CHECKING:
    from kinematics_node.model.builder import ModelBuilder

SHORTEST_AXIS = 1e-9


def reparent(builder: ModelBuilder, link: int, parent: int, keep: str) -> None:
    """Hang a link with its joint on another parent, keeping its world pose or its joint."""
    name, new = builder.links[link].name, builder.links[parent].name
    if keep not in ('world', 'joint'):
        raise ModelError(f"keep is '{keep}'; give 'world' or 'joint'", element=f"link '{name}'")
    identity = _moving_joint(builder, name)
    _refuse_cycle(builder, name, new)
    joint = builder.joints[identity]
    X_PF = joint.X_PF
    if keep == 'world':
        X_WP = zero_pose(builder, builder.link_id(joint.parent))
        X_PF = compose(compose(invert(zero_pose(builder, parent)), X_WP), X_PF)
    builder.joints[identity] = replace(joint, parent=new, X_PF=X_PF)


def fix(builder: ModelBuilder, link: int, X_PC: Pose, parent: int | None) -> int:
    """Make the joint above a link a fixed one with a given pose."""
    name = builder.links[link].name
    identity = joint_above(builder, name)
    if identity is None:
        if parent is None:
            raise ModelError(
                'has no joint to fix; say which link is its parent', element=f"link '{name}'"
            )
        above = builder.links[parent].name
        _refuse_cycle(builder, name, above)
        joint_name = unused_name(builder, f'{name}_fixed')
        return builder.add_joint(Joint(joint_name, JointType.FIXED, above, name, X_PF=X_PC))
    joint = builder.joints[identity]
    if parent is not None and builder.links[parent].name != joint.parent:
        raise ModelError(
            f"hangs on '{joint.parent}' by joint '{joint.name}'; reparent it first",
            element=f"link '{name}'",
        )
    builder.joints[identity] = Joint(
        joint.name, JointType.FIXED, joint.parent, name, X_PF=X_PC, line=joint.line
    )
    return identity


def insert_axis(
    builder: ModelBuilder, link: int, point_W: Vector, direction_W: Vector, type: JointType
) -> int:
    """Make the fixed joint above a link move about or along an axis given in the world."""
    name = builder.links[link].name
    identity = _moving_joint(builder, name)
    joint = builder.joints[identity]
    element = f"joint '{joint.name}'"
    if joint.type is not JointType.FIXED:
        raise ModelError(
            f'is {joint.type.name.lower()}; only a fixed joint takes an axis', element=element
        )
    if not type.is_single_axis:
        raise ModelError(f'a {type.name.lower()} joint has not one axis', element=element)
    length = math.sqrt(sum(x * x for x in direction_W))
    if not length > SHORTEST_AXIS or not all(map(math.isfinite, (*direction_W, *point_W))):
        raise ModelError(
            f'point {point_W} and direction {direction_W} are no axis; '
            'give finite numbers and a vector such as 0 0 1',
            element=element,
        )
    X_WB = zero_pose(builder, link)
    X_WN = pose(rotation(X_WB), point_W)
    X_WP = zero_pose(builder, builder.link_id(joint.parent))
    axis = scale(1.0 / length, rotate(conjugate(rotation(X_WB)), direction_W))
    move_link_frame(builder, link, compose(invert(X_WN), X_WB))
    builder.joints[identity] = replace(
        joint,
        type=type,
        X_PF=compose(invert(X_WP), X_WN),
        X_MC=IDENTITY_POSE,
        axes=(Axis(axis),),
    )
    return identity


def move_link_frame(builder: ModelBuilder, link: int, X_NB: Pose) -> None:
    """Express everything on a link B in a new link frame N; the joint above is not touched."""
    body = builder.links[link]

    def moved(X_BA: Pose) -> Pose:
        return compose(X_NB, X_BA)

    builder.links[link] = replace(
        body,
        inertia=None if body.inertia is None else inertia_in_frame(body.inertia, X_NB),
        geometry=tuple(replace(shape, X_BG=moved(shape.X_BG)) for shape in body.geometry),
    )
    for k, joint in builder.joints.items():
        if joint.parent == body.name:
            builder.joints[k] = replace(joint, X_PF=moved(joint.X_PF))
    for k, frame in builder.frames.items():
        if frame.link == body.name:
            builder.frames[k] = replace(frame, X_BA=moved(frame.X_BA))
    for k, closure in builder.closures.items():
        if closure.link_A == body.name:
            closure = replace(closure, X_LA=moved(closure.X_LA))
        if closure.link_B == body.name:
            closure = replace(closure, X_LB=moved(closure.X_LB))
        builder.closures[k] = closure


def merge(builder: ModelBuilder, other: ModelBuilder, prefix: str, parent: int, X_PC: Pose) -> int:
    """Add another builder's elements under a prefix, its root fixed to a link."""
    children = {joint.child for joint in other.joints.values()}
    roots = [link.name for link in other.links.values() if link.name not in children]
    if len(roots) != 1:
        raise ModelError(
            f"the model to merge, '{other.name}', has {len(roots)} root links; it needs one"
        )
    _refuse_taken_names(builder, other, prefix)
    for link in list(other.links.values()):
        builder.add_link(replace(link, name=prefix + link.name))
    for joint in list(other.joints.values()):
        builder.add_joint(_prefixed(joint, prefix))
    for frame in list(other.frames.values()):
        builder.add_frame(replace(frame, name=prefix + frame.name, link=prefix + frame.link))
    for closure in list(other.closures.values()):
        builder.add_closure(
            replace(
                closure,
                name=prefix + closure.name,
                link_A=prefix + closure.link_A,
                link_B=prefix + closure.link_B,
            )
        )
    for coupling in list(other.couplings.values()):
        terms = tuple((prefix + term, factor) for term, factor in coupling.terms)
        builder.add_coupling(replace(coupling, name=prefix + coupling.name, terms=terms))
    builder.findings.extend(other.findings)
    root, above = prefix + roots[0], builder.links[parent].name
    name = unused_name(builder, f'{root}_fixed')
    return builder.add_joint(Joint(name, JointType.FIXED, above, root, X_PF=X_PC))


def reroot(builder: ModelBuilder, link: int) -> None:
    """Turn round the joints between a link and its root."""
    for identity in chain_above(builder, builder.links[link].name):
        builder.joints[identity] = turned_round(builder.joints[identity])


def turned_round(joint: Joint) -> Joint:
    """Return the joint with parent and child exchanged, X_CP = X_CM X_MF(q) X_FP.

    The inverse of a turn about an axis is the turn about the reversed axis; the inverse of turns
    one after the other takes them in the reverse order. A plane's normal stays.
    """
    axes = joint.axes or (Axis(),) * joint.type.axis_count
    if joint.type is not JointType.PLANAR:
        axes = tuple(
            replace(axis, direction=scale(-1.0, axis.direction)) for axis in reversed(axes)
        )
    return replace(
        joint,
        parent=joint.child,
        child=joint.parent,
        X_PF=invert(joint.X_MC),
        X_MC=invert(joint.X_PF),
        axes=axes,
    )


def unused_name(builder: ModelBuilder, wanted: str) -> str:
    """Return the wanted joint name, or that with the first number that makes it new."""
    taken = {joint.name for joint in builder.joints.values()}
    name, number = wanted, 2
    while name in taken:
        name, number = f'{wanted}_{number}', number + 1
    return name


def _moving_joint(builder: ModelBuilder, link: str) -> int:
    identity = joint_above(builder, link)
    if identity is None:
        raise ModelError('is a root and has no joint; fix it first', element=f"link '{link}'")
    return identity


def _refuse_cycle(builder: ModelBuilder, link: str, parent: str) -> None:
    above = [builder.joints[k].parent for k in chain_above(builder, parent)]
    if parent == link or link in above:
        raise ModelError(
            f"cannot hang on '{parent}', which is the link itself or below it",
            element=f"link '{link}'",
        )


def _refuse_taken_names(builder: ModelBuilder, other: ModelBuilder, prefix: str) -> None:
    frames = {link.name for link in builder.links.values()}
    frames |= {frame.name for frame in builder.frames.values()}
    stores: tuple[tuple[str, set[str], Mapping[int, Any]], ...] = (
        ('link', frames, other.links),
        ('frame', frames, other.frames),
        ('joint', {e.name for e in builder.joints.values()}, other.joints),
        ('closure', {e.name for e in builder.closures.values()}, other.closures),
        ('coupling', {e.name for e in builder.couplings.values()}, other.couplings),
    )
    for kind, ours, theirs in stores:
        for element in theirs.values():
            if prefix + element.name in ours:
                raise ModelError(
                    'the name is taken; merge under another prefix',
                    element=f"{kind} '{prefix + element.name}'",
                )


def _prefixed(joint: Joint, prefix: str) -> Joint:
    mimic = joint.mimic
    if mimic is not None:
        mimic = Mimic(prefix + mimic.master, mimic.multiplier, mimic.offset)
    return replace(
        joint,
        name=prefix + joint.name,
        parent=prefix + joint.parent,
        child=prefix + joint.child,
        mimic=mimic,
    )
