# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""From a builder's elements to an immutable Model: order, checks, flat arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
import math
from types import MappingProxyType

import numpy as np

from kinematics_node.errors import ModelError
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import Closure
from kinematics_node.model.elements import Coupling
from kinematics_node.model.elements import Frame
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Link
from kinematics_node.model.elements import Mimic
from kinematics_node.model.elements import X_AXIS
from kinematics_node.model.elements import Y_AXIS
from kinematics_node.model.elements import Z_AXIS
from kinematics_node.model.findings import Finding
from kinematics_node.model.findings import Severity
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.mimic import flatten_mimics
from kinematics_node.model.model import Model

UNIT_TOLERANCE = 1e-6
ZERO_AXIS = 1e-9
_DEFAULT_AXES = (X_AXIS, Y_AXIS, Z_AXIS)


@dataclass(frozen=True)
class Elements:
    """Everything a builder holds, in the order of the description."""

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    frames: tuple[Frame, ...] = ()
    closures: tuple[Closure, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    findings: tuple[Finding, ...] = ()


def finalize(elements: Elements) -> Model:
    """Check the elements, order them from the root outward and pack them for the kernels.

    Raises
    ------
    ModelError
        Duplicate or dangling names, no or several roots, two parents, a cycle, a zero axis.
    MimicError
        Mimic joints that follow each other in a ring.
    """
    findings = list(elements.findings)
    _check_names(elements)
    joints = [_with_unit_axes(joint, findings) for joint in elements.joints]
    links, joints = _depth_first(elements.links, joints)
    flat = flatten_mimics({joint.name: joint for joint in joints})
    findings += flat.findings
    layout = _Layout(joints)
    followers = [(name, mimic) for name, mimic in flat.mimics.items()]
    model = Model(
        name=elements.name,
        links=tuple(links),
        joints=tuple(joints),
        frames=elements.frames,
        closures=elements.closures,
        couplings=elements.couplings,
        mimics=MappingProxyType(flat.mimics),
        findings=tuple(dict.fromkeys(findings)),
        tree=_tree(links, joints, layout),
        placement=_placement(joints),
        mimic_index=_pairs(followers, layout.index),
        mimic_rate_index=_pairs(followers, layout.rate_index),
        mimic_ratio=np.array([[m.multiplier, m.offset] for _, m in followers]).reshape(-1, 2),
        inertia=_inertia(links),
        lower=_per_coordinate(joints, 'lower', -math.inf),
        upper=_per_coordinate(joints, 'upper', math.inf),
        velocity_limit=_per_rate(joints, 'velocity'),
        effort_limit=_per_rate(joints, 'effort'),
        zero=layout.zero,
        coordinate_names=tuple(layout.names),
        velocity_names=tuple(layout.rate_index),
        link_index=MappingProxyType({link.name: i for i, link in enumerate(links)}),
        joint_index=MappingProxyType({joint.name: k for k, joint in enumerate(joints)}),
        coordinate_index=MappingProxyType(layout.index),
        velocity_index=MappingProxyType(layout.rate_index),
    )
    for value in vars(model).values():
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
    return model


class _Layout:
    """Where each joint's coordinates are in q and v."""

    def __init__(self, joints: Sequence[Joint]) -> None:
        self.names = [j.name + suffix for j in joints for suffix in j.type.coordinate_suffixes]
        self.index = {name: i for i, name in enumerate(self.names)}
        rates = [j.name + suffix for j in joints for suffix in j.type.velocity_suffixes]
        self.rate_index = {name: i for i, name in enumerate(rates)}
        _refuse_shared_names(self.names)
        _refuse_shared_names(rates)
        nq = np.array([j.type.nq for j in joints], np.int32)
        nv = np.array([j.type.nv for j in joints], np.int32)
        self.q_start = np.concatenate(([0], np.cumsum(nq)[:-1])) if joints else np.zeros(0)
        self.v_start = np.concatenate(([0], np.cumsum(nv)[:-1])) if joints else np.zeros(0)
        self.zero = np.zeros(len(self.names))
        for joint, start in zip(joints, self.q_start, strict=True):
            if joint.type.quaternion_offset == 0:
                self.zero[int(start)] = 1.0


def _refuse_shared_names(names: Sequence[str]) -> None:
    """Refuse a joint that is called like a coordinate of another, such as 'hip/axis1'."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ModelError(
                'the name is also that of a coordinate of another joint; rename one of the two',
                element=f"joint '{name}'",
            )
        seen.add(name)


def _pairs(followers: Sequence[tuple[str, Mimic]], index: dict[str, int]) -> np.ndarray:
    """Return the coordinates of each follower and its master."""
    rows = [[index[name], index[mimic.master]] for name, mimic in followers]
    return np.array(rows, np.int32).reshape(-1, 2)


def _check_names(elements: Elements) -> None:
    for kind, items in (
        ('link', elements.links),
        ('joint', elements.joints),
        ('closure', elements.closures),
        ('coupling', elements.couplings),
    ):
        seen: set[str] = set()
        for item in items:
            if not item.name:
                raise ModelError(f'a {kind} has no name; give it one', element=kind)
            if item.name in seen:
                raise ModelError(
                    'the name is used twice; rename one',
                    element=f"{kind} '{item.name}'",
                    line=item.line,
                )
            seen.add(item.name)
    links = {link.name for link in elements.links}
    if not links:
        raise ModelError('the model has no link; a robot needs at least one')
    for joint in elements.joints:
        for role, name in (('parent', joint.parent), ('child', joint.child)):
            if name not in links:
                raise ModelError(
                    f"{role} link '{name}' does not exist; add it, or name another",
                    element=f"joint '{joint.name}'",
                    line=joint.line,
                )
    frames: set[str] = set()
    for frame in elements.frames:
        if frame.name in links or frame.name in frames:
            raise ModelError(
                'the name is that of another frame or link; frames and links share their names',
                element=f"frame '{frame.name}'",
                line=frame.line,
            )
        frames.add(frame.name)
        if frame.link not in links:
            raise ModelError(
                f"link '{frame.link}' does not exist; add it, or name another",
                element=f"frame '{frame.name}'",
                line=frame.line,
            )
    for closure in elements.closures:
        for name in (closure.link_A, closure.link_B):
            if name not in links:
                raise ModelError(
                    f"link '{name}' does not exist; add it, or name another",
                    element=f"closure '{closure.name}'",
                    line=closure.line,
                )


def _with_unit_axes(joint: Joint, findings: list[Finding]) -> Joint:
    """Normalise the axes of a joint, with a finding where they were not of unit length."""
    if joint.type in (JointType.FIXED, JointType.FLOATING):
        return replace(joint, axes=()) if joint.axes else joint
    element = f"joint '{joint.name}'"
    kind = joint.type.name.lower()
    axes = joint.axes or tuple(map(Axis, _DEFAULT_AXES[: joint.type.axis_count]))
    if len(axes) != joint.type.axis_count:
        raise ModelError(
            f'a {kind} joint has {joint.type.axis_count} axes, not {len(axes)}; give all',
            element=element,
            line=joint.line,
        )
    unit: list[Axis] = []
    for axis in axes:
        length = math.sqrt(sum(x * x for x in axis.direction))
        if not length > ZERO_AXIS or not math.isfinite(length):
            raise ModelError(
                f'axis {_spell(axis.direction)} has no direction; give a vector such as 0 0 1',
                element=element,
                line=joint.line,
            )
        if abs(length - 1.0) > UNIT_TOLERANCE:
            findings.append(
                Finding(
                    'axis-not-unit',
                    Severity.WARNING,
                    element,
                    f'axis {_spell(axis.direction)} has length {length:.6g}; it was normalised',
                    joint.line,
                )
            )
        if length != 1.0:
            x, y, z = axis.direction
            axis = replace(axis, direction=(x / length, y / length, z / length))
        unit.append(axis)
    return replace(joint, axes=tuple(unit))


def _spell(vector: Sequence[float]) -> str:
    return ' '.join(f'{x:g}' for x in vector)


def _depth_first(links: Sequence[Link], joints: Sequence[Joint]) -> tuple[list[Link], list[Joint]]:
    """Order links and joints from the root outward, children in the order of the description."""
    by_name = {link.name: link for link in links}
    joint_above: dict[str, Joint] = {}
    below: dict[str, list[Joint]] = {}
    for joint in joints:
        other = joint_above.setdefault(joint.child, joint)
        if other is not joint:
            raise ModelError(
                f"is the child of two joints, '{other.name}' and '{joint.name}'; "
                'keep one and describe the other as a closure',
                element=f"link '{joint.child}'",
                line=joint.line,
            )
        below.setdefault(joint.parent, []).append(joint)
    root = _single_root(links, joint_above)
    ordered_links = [by_name[root]]
    ordered_joints: list[Joint] = []
    stack = list(reversed(below.get(root, [])))
    while stack:
        joint = stack.pop()
        ordered_joints.append(joint)
        ordered_links.append(by_name[joint.child])
        stack.extend(reversed(below.get(joint.child, [])))
    if len(ordered_links) < len(links):
        reached = {link.name for link in ordered_links}
        raise _cycle([x for x in by_name if x not in reached], joint_above)
    return ordered_links, ordered_joints


def _single_root(links: Sequence[Link], joint_above: dict[str, Joint]) -> str:
    roots = [link.name for link in links if link.name not in joint_above]
    if not roots:
        raise _cycle([link.name for link in links], joint_above, 'no link is a root: ')
    if len(roots) > 1:
        shown = ', '.join(f"'{name}'" for name in roots[:6]) + (', ...' if roots[6:] else '')
        raise ModelError(
            f'there are {len(roots)} root links ({shown}); connect all but one by joints',
            element=f"link '{roots[1]}'",
            line=next(link.line for link in links if link.name == roots[1]),
        )
    return roots[0]


def _cycle(
    unreached: Sequence[str], joint_above: dict[str, Joint], before: str = ''
) -> ModelError:
    """Return the error that names the joints of a ring among links that no root reaches."""
    seen: dict[str, int] = {}
    name = unreached[0]
    trail: list[Joint] = []
    while name not in seen:
        seen[name] = len(trail)
        trail.append(joint_above[name])
        name = joint_above[name].parent
    ring = trail[seen[name] :][::-1]
    names = ', '.join(f"'{joint.name}'" for joint in ring)
    return ModelError(
        f'{before}joints {names} form a cycle; make one of them a closure',
        element=f"joint '{ring[0].name}'",
        line=ring[0].line,
    )


def _tree(links: Sequence[Link], joints: Sequence[Joint], layout: _Layout) -> np.ndarray:
    index = {link.name: i for i, link in enumerate(links)}
    tree = np.zeros((len(links), 4), np.int32)
    tree[0, 0] = -1
    for k, joint in enumerate(joints):
        tree[k + 1] = (
            index[joint.parent],
            int(joint.type),
            layout.q_start[k],
            layout.v_start[k],
        )
    return tree


def _placement(joints: Sequence[Joint]) -> np.ndarray:
    placement = np.zeros((len(joints) + 1, 23))
    placement[:, 0] = placement[:, 7] = 1.0
    for k, joint in enumerate(joints):
        placement[k + 1, 0:7] = joint.X_PF
        placement[k + 1, 7:14] = joint.X_MC
        for n, axis in enumerate(joint.axes):
            placement[k + 1, 14 + 3 * n : 17 + 3 * n] = axis.direction
    return placement


def _inertia(links: Sequence[Link]) -> np.ndarray:
    inertia = np.zeros((len(links), 10))
    for i, link in enumerate(links):
        if link.inertia is not None:
            inertia[i] = (link.inertia.mass, *link.inertia.center, *link.inertia.rotational)
    return inertia


def _per_coordinate(joints: Sequence[Joint], bound: str, absent: float) -> np.ndarray:
    """Position limits exist for coordinates that are angles or lengths about their own axis."""
    values: list[float] = []
    for joint in joints:
        if joint.type in (JointType.BALL, JointType.FLOATING, JointType.PLANAR):
            values += [absent] * joint.type.nq
        elif joint.type is JointType.CONTINUOUS:
            values.append(absent)
        else:
            values += [getattr(axis.limits, bound) for axis in joint.axes]
    return np.array(values, float)


def _per_rate(joints: Sequence[Joint], bound: str) -> np.ndarray:
    values: list[float] = []
    for joint in joints:
        if len(joint.axes) == joint.type.nv:
            values += [getattr(axis.limits, bound) for axis in joint.axes]
        else:
            values += [math.inf] * joint.type.nv
    return np.array(values, float)
