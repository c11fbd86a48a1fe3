# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Who refers to whom in a builder: the joint above a link, the chain, removal and renaming."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from typing import TYPE_CHECKING

from kinematics_node.errors import ModelError
from kinematics_node.errors import NameLookupError
from kinematics_node.model.elements import IDENTITY_POSE
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Mimic
from kinematics_node.model.elements import Pose
from kinematics_node.spatial import compose

if TYPE_CHECKING:
    from kinematics_node.model.builder import ModelBuilder


def joint_above(builder: ModelBuilder, link: str) -> int | None:
    """Return the id of the joint whose child a link is, or None for a root."""
    for identity, joint in builder.joints.items():
        if joint.child == link:
            return identity
    return None


def chain_above(builder: ModelBuilder, link: str) -> list[int]:
    """Return the ids of the joints from a link up to its root.

    Raises
    ------
    ModelError
        They form a cycle.
    """
    above = {joint.child: identity for identity, joint in builder.joints.items()}
    chain: list[int] = []
    name = link
    while name in above:
        identity = above[name]
        if identity in chain:
            raise ModelError(
                'the joints above it form a cycle; make one of them a closure',
                element=f"link '{link}'",
            )
        chain.append(identity)
        name = builder.joints[identity].parent
    return chain


def zero_pose(builder: ModelBuilder, link: int) -> Pose:
    """Return X_WB of a link where every joint is at zero."""
    X_WB = IDENTITY_POSE
    for identity in reversed(chain_above(builder, builder.links[link].name)):
        joint = builder.joints[identity]
        X_WB = compose(compose(X_WB, joint.X_PF), joint.X_MC)
    return X_WB


def remove(builder: ModelBuilder, identity: int) -> None:
    """Remove an element that nothing else refers to; with a link goes the joint above it."""
    store = _store_of(builder, identity)
    name = store[identity].name
    if store is builder.links:
        holders = list(_on_link(builder, name))
        _refuse_removal('link', name, holders)
        above = joint_above(builder, name)
        if above is not None:
            remove(builder, above)
    elif store is builder.joints:
        _refuse_removal('joint', name, list(_on_joint(builder, name)))
    del store[identity]


def rename(builder: ModelBuilder, identity: int, name: str) -> None:
    """Rename an element and every reference to it."""
    store = _store_of(builder, identity)
    old = store[identity].name
    kind = next(kind for kind, s in _stores(builder) if s is store)
    if not name:
        raise ModelError('the new name is empty; give one', element=f"{kind} '{old}'")
    if name == old:
        return
    rivals: list[dict[int, Any]] = [store]
    if kind in ('link', 'frame'):
        rivals = [builder.links, builder.frames]
    if any(element.name == name for rival in rivals for element in rival.values()):
        raise ModelError(f"the name '{name}' is taken", element=f"{kind} '{old}'")
    store[identity] = replace(store[identity], name=name)
    if kind == 'link':
        _replace_link(builder, old, name)
    elif kind == 'joint':
        _replace_joint(builder, old, name)


def rename_coordinate(coordinate: str, old: str, new: str) -> str:
    """Return a coordinate's name after its joint was renamed: 'old/axis1' to 'new/axis1'."""
    if coordinate == old or coordinate.startswith(old + '/'):
        return new + coordinate[len(old) :]
    return coordinate


def _stores(builder: ModelBuilder) -> tuple[tuple[str, dict[int, Any]], ...]:
    return (
        ('link', builder.links),
        ('joint', builder.joints),
        ('frame', builder.frames),
        ('closure', builder.closures),
        ('coupling', builder.couplings),
    )


def _store_of(builder: ModelBuilder, identity: int) -> dict[int, Any]:
    for _, store in _stores(builder):
        if identity in store:
            return store
    known = tuple(str(k) for _, store in _stores(builder) for k in store)
    raise NameLookupError('element', str(identity), known)


def _refuse_removal(kind: str, name: str, holders: list[str]) -> None:
    if holders:
        shown = ', '.join(holders[:4]) + (', ...' if len(holders) > 4 else '')
        raise ModelError(
            f'cannot be removed while it is used by {shown}; remove those first',
            element=f"{kind} '{name}'",
        )


def _on_link(builder: ModelBuilder, name: str) -> Iterator[str]:
    """Name what hangs on a link: its children, frames, closures, and users of its own joint."""
    for joint in builder.joints.values():
        if joint.parent == name:
            yield f"child link '{joint.child}'"
    for frame in builder.frames.values():
        if frame.link == name:
            yield f"frame '{frame.name}'"
    for closure in builder.closures.values():
        if name in (closure.link_A, closure.link_B):
            yield f"closure '{closure.name}'"
    above = joint_above(builder, name)
    if above is not None:
        yield from _on_joint(builder, builder.joints[above].name)


def _on_joint(builder: ModelBuilder, name: str) -> Iterator[str]:
    """Name what counts on a joint's coordinates: mimics and couplings."""
    for joint in builder.joints.values():
        if joint.mimic is not None and joint.mimic.master == name:
            yield f"the mimic of joint '{joint.name}'"
    for coupling in builder.couplings.values():
        if any(term == name or term.startswith(name + '/') for term, _ in coupling.terms):
            yield f"coupling '{coupling.name}'"


def _replace_link(builder: ModelBuilder, old: str, new: str) -> None:
    def moved(name: str) -> str:
        return new if name == old else name

    for k, joint in builder.joints.items():
        builder.joints[k] = replace(joint, parent=moved(joint.parent), child=moved(joint.child))
    for k, frame in builder.frames.items():
        builder.frames[k] = replace(frame, link=moved(frame.link))
    for k, closure in builder.closures.items():
        builder.closures[k] = replace(
            closure, link_A=moved(closure.link_A), link_B=moved(closure.link_B)
        )


def _replace_joint(builder: ModelBuilder, old: str, new: str) -> None:
    for k, joint in builder.joints.items():
        builder.joints[k] = with_master_renamed(joint, old, new)
    for k, coupling in builder.couplings.items():
        terms = tuple((rename_coordinate(term, old, new), c) for term, c in coupling.terms)
        builder.couplings[k] = replace(coupling, terms=terms)


def with_master_renamed(joint: Joint, old: str, new: str) -> Joint:
    """Return a joint whose mimic follows the joint's new name."""
    if joint.mimic is None or joint.mimic.master != old:
        return joint
    return replace(joint, mimic=Mimic(new, joint.mimic.multiplier, joint.mimic.offset))
