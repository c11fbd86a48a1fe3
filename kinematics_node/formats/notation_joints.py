# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""'joints.<name>' of our notation: what it changes on a joint, or the joint that it makes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kinematics_node.formats.notation_axes import AXIS_KEYS
from kinematics_node.formats.notation_axes import AXIS_VALUES
from kinematics_node.formats.notation_axes import carried_over
from kinematics_node.formats.notation_axes import default_axes
from kinematics_node.formats.notation_axes import read_axes
from kinematics_node.formats.section import Section
from kinematics_node.formats.urdf_joint import TYPES
from kinematics_node.model.axis_checks import mended_axes
from kinematics_node.model.ball_joint import anchored_frames
from kinematics_node.model.ball_joint import zero_child_pose
from kinematics_node.model.ball_joint import zero_pose
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Mimic
from kinematics_node.model.elements import Pose
from kinematics_node.model.elements import SoftLimits
from kinematics_node.model.findings import Finding
from kinematics_node.model.findings import Severity
from kinematics_node.model.joint_types import JointType
from kinematics_node.spatial import compose
from kinematics_node.spatial import invert
from kinematics_node.spatial import pose
from kinematics_node.spatial import position
from kinematics_node.spatial import rotate
from kinematics_node.spatial import rotation

NO_TURN = (1.0, 0.0, 0.0, 0.0)
FRAME_KEYS = ('origin', 'child_origin', 'child_pose', 'anchor', 'axes_in', 'position')
JOINT_KEYS = (
    'type',
    'parent',
    'child',
    *FRAME_KEYS,
    *AXIS_KEYS,
    *AXIS_VALUES,
    'slide_damping',
    'mimic',
    'soft_limits',
    'actuated',
    'independent',
)


def apply_joint(
    name: str, section: Section, joint: Joint | None, findings: list[Finding]
) -> Joint:
    """Return a joint as the section changes it; without a joint, the one that it makes.

    Parameters
    ----------
    name : str
        The joint's name.
    section : Section
        Its keys.
    joint : Joint or None
        The joint of the model, if there is one.
    findings : list of Finding
        Receives what is noticed.

    Raises
    ------
    DescriptionError
        A key is unknown, a value malformed, or something is missing on a new joint.
    """
    section.check_keys(JOINT_KEYS)
    old, joint = joint, _typed(name, section, joint)
    keeps_axes = old is not None and old.type is joint.type and bool(old.axes)
    if 'parent' in section:
        joint = replace(joint, parent=section.text('parent'))
    if 'child' in section:
        joint = replace(joint, child=section.text('child'))
    joint = _framed(section, joint, keeps_axes=keeps_axes)
    notes: list[str] = []
    axes = read_axes(section, joint.type, joint.axes, notes)
    joint = mended_axes(replace(joint, axes=axes), findings)
    element = f"joint '{name}'"
    findings.extend(
        Finding('axes-parallel', Severity.WARNING, element, note, joint.line) for note in notes
    )
    return _with_rest(section, _from_position(section, joint))


def _typed(name: str, section: Section, joint: Joint | None) -> Joint:
    kind = TYPES[section.text('type', tuple(TYPES))] if 'type' in section else None
    if joint is None:
        for key in ('type', 'parent', 'child'):
            if key not in section:
                raise section.refuse(
                    key, 'is missing; the model has no joint of this name, and a new one needs it'
                )
        assert kind is not None
        parent, child = section.text('parent'), section.text('child')
        return Joint(name, kind, parent, child, axes=default_axes(kind))
    if kind is None or kind is joint.type:
        return joint if joint.axes else replace(joint, axes=default_axes(joint.type))
    return replace(
        joint,
        type=kind,
        axes=carried_over(joint.axes, kind),
        mimic=joint.mimic if kind.is_single_axis else None,
        soft_limits=joint.soft_limits if kind.is_single_axis else None,
    )


def _framed(section: Section, joint: Joint, *, keeps_axes: bool) -> Joint:
    """Return the joint with frames F and M where the section puts them.

    Axes that the joint keeps stay where they are; those of a new type are axes of F.
    """
    for key in ('anchor', 'child_pose', 'axes_in', 'position'):
        if key in section and ('origin' in section or 'child_origin' in section):
            raise section.refuse(
                key, "does not go with 'origin' and 'child_origin', which place both frames"
            )
    if 'origin' in section:
        joint = replace(joint, X_PF=section.pose('origin'))
    if 'child_origin' in section:
        joint = replace(joint, X_MC=section.pose('child_origin'))
    child = section.pose('child_pose') if 'child_pose' in section else None
    turn, old_turn = rotation(joint.X_PF), rotation(joint.X_PF)
    axes_in = 'parent' if 'anchor' in section else 'joint'
    if 'axes_in' in section:
        axes_in = section.text('axes_in', ('parent', 'joint'))
    if axes_in == 'parent':
        turn = NO_TURN
    if 'anchor' not in section and turn == old_turn:
        if child is None:
            return joint
        return replace(joint, X_MC=compose(invert(joint.X_PF), child))
    anchor = section.vector('anchor', position(joint.X_PF))
    stands = child if child is not None else zero_child_pose(joint)
    X_PF, X_MC = anchored_frames(stands, anchor, turn)
    turned = keeps_axes and turn != old_turn
    axes = _turned(joint.axes, old_turn) if turned else joint.axes
    return replace(joint, X_PF=X_PF, X_MC=X_MC, axes=axes)


def _turned(axes: tuple[Axis, ...], turn: tuple[float, float, float, float]) -> tuple[Axis, ...]:
    return tuple(replace(axis, direction=rotate(turn, axis.direction)) for axis in axes)


def _from_position(section: Section, joint: Joint) -> Joint:
    """Take the child's pose as the one at the given position, and find the pose at zero."""
    if 'position' not in section:
        return joint
    values = section.numbers('position')
    count = joint.type.axis_count
    if count == 0 or joint.type is JointType.PLANAR or len(values) != count:
        raise section.refuse(
            'position', f'has {len(values)} numbers; a {joint.type.name.lower()} joint has {count}'
        )
    stored = zero_child_pose(joint)
    turn, anchor = rotation(joint.X_PF), position(joint.X_PF)
    directions = [rotate(turn, axis.direction) for axis in joint.axes]
    if joint.type is JointType.PRISMATIC:
        back = _slid(stored, directions[0], -values[0])
    else:
        back = zero_pose(stored, directions, values, anchor)
    return replace(joint, X_MC=compose(invert(joint.X_PF), back))


def _slid(stored: Pose, axis: tuple[float, float, float], by: float) -> Pose:
    length = sum(x * x for x in axis) ** 0.5 or 1.0
    x, y, z = (p + by * a / length for p, a in zip(position(stored), axis, strict=True))
    return pose(rotation(stored), (x, y, z))


def _with_rest(section: Section, joint: Joint) -> Joint:
    if 'slide_damping' in section:
        numbers = section.numbers('slide_damping')
        if len(numbers) != 2 or joint.type is not JointType.PLANAR:
            raise section.refuse('slide_damping', 'is for planar joints; give [along x, along y]')
        joint = replace(joint, slide_damping=(numbers[0], numbers[1]))
    if 'mimic' in section:
        joint = replace(joint, mimic=_mimic(section))
    if 'soft_limits' in section:
        joint = replace(joint, soft_limits=_soft_limits(section))
    for key in ('actuated', 'independent'):
        if key in section:
            changes: dict[str, Any] = {key: section.flag(key)}
            joint = replace(joint, **changes)
    return joint


def _mimic(section: Section) -> Mimic | None:
    if section.values['mimic'] is False:
        return None
    inner = section.section('mimic')
    inner.check_keys(('joint', 'multiplier', 'offset'))
    multiplier, offset = inner.number('multiplier', 1.0), inner.number('offset', 0.0)
    return Mimic(inner.text('joint'), multiplier, offset)


def _soft_limits(section: Section) -> SoftLimits | None:
    if section.values['soft_limits'] is False:
        return None
    inner = section.section('soft_limits')
    keys = ('lower', 'upper', 'k_position', 'k_velocity')
    inner.check_keys(keys)
    lower, upper, k_position, k_velocity = (
        inner.number(key, 0.0, infinite=key in ('lower', 'upper')) for key in keys
    )
    return SoftLimits(lower, upper, k_position, k_velocity)
