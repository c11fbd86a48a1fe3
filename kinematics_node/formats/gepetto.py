# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The robot.yaml beside a URDF in Gepetto's example-parallel-robots.

Pairs of frames that coincide, types of joints that URDF cannot say, and the names of motors.
Source: Gepetto/example-parallel-robots, loader_tools.py, and toolbox-parallel-robots.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kinematics_node.formats.notation import find_frame
from kinematics_node.formats.notation_axes import carried_over
from kinematics_node.formats.section import Section
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Closure
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import X_AXIS
from kinematics_node.model.elements import Y_AXIS
from kinematics_node.model.elements import Z_AXIS
from kinematics_node.model.findings import Severity
from kinematics_node.model.joint_types import JointType

KEYS = ('closed_loop', 'type', 'name_mot', 'joint_name', 'joint_type')
_LETTERS = {'X': X_AXIS, 'Y': Y_AXIS, 'Z': Z_AXIS}


def is_gepetto(mapping: Mapping[str, Any]) -> bool:
    """Return whether a side-car is in this form rather than in our notation."""
    return any(key in mapping for key in ('closed_loop', 'name_mot', 'joint_name'))


def apply_gepetto(builder: ModelBuilder, mapping: Mapping[str, Any]) -> None:
    """Apply a robot.yaml to a builder.

    Raises
    ------
    DescriptionError
        A name is not in the model, lists that belong together differ in length, or a type is
        unknown.
    """
    section = Section('robot.yaml', mapping)
    for key in mapping:
        if key not in KEYS:
            message = f'is not known and is ignored; use {", ".join(KEYS)}'
            builder.report(
                'key-unknown', Severity.WARNING, f"key '{key}'", message, section.line(key)
            )
    joints = {joint.name: identity for identity, joint in builder.joints.items()}
    if 'joint_name' in section:
        _retype(builder, section, joints)
    if 'closed_loop' in section:
        _close(builder, section, joints)
    if 'name_mot' in section:
        _actuate(builder, section, joints)


def _retype(builder: ModelBuilder, section: Section, joints: Mapping[str, int]) -> None:
    names, types = section.names('joint_name'), section.names('joint_type')
    if len(names) != len(types):
        raise section.refuse('joint_type', f'has {len(types)} entries for {len(names)} joints')
    for name, written in zip(names, types, strict=True):
        if name not in joints:
            raise section.refuse('joint_name', f"names '{name}', which is no joint of the model")
        identity = joints[name]
        builder.joints[identity] = _as(section, builder.joints[identity], written)


def _as(section: Section, joint: Joint, written: str) -> Joint:
    """Return a joint as another type; its origin stays its anchor, its frame that of its axes."""
    if written == 'SPHERICAL':
        return _retyped(joint, JointType.BALL)
    if written == 'FIXED':
        return _retyped(joint, JointType.FIXED)
    letters = written.removeprefix('UJOINT_')
    if written.startswith('UJOINT_') and len(letters) == 2 and set(letters) <= set('XYZ'):
        if letters[0] != letters[1]:
            joint = _retyped(joint, JointType.UNIVERSAL)
            axes = tuple(
                replace(axis, direction=_LETTERS[letter])
                for axis, letter in zip(joint.axes, letters, strict=True)
            )
            return replace(joint, axes=axes)
    raise section.refuse(
        'joint_type', f"has '{written}'; use SPHERICAL, FIXED or UJOINT_ and two of X, Y, Z"
    )


def _retyped(joint: Joint, kind: JointType) -> Joint:
    axes = carried_over(joint.axes, kind)
    return replace(joint, type=kind, axes=axes, mimic=None, soft_limits=None)


def _close(builder: ModelBuilder, section: Section, joints: Mapping[str, int]) -> None:
    pairs = section.values['closed_loop']
    types = section.names('type') if 'type' in section else ('6d',) * len(pairs or ())
    if not isinstance(pairs, (list, tuple)) or len(types) != len(pairs):
        raise section.refuse('type', f'has {len(types)} entries for the pairs of closed_loop')
    links = {link.name: identity for identity, link in builder.links.items()}
    frames = {frame.name: identity for identity, frame in builder.frames.items()}
    for pair, written in zip(pairs, types, strict=True):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise section.refuse('closed_loop', f'holds {pair}; give pairs [frame A, frame B]')
        sides = []
        for name in pair:
            frame = find_frame(name, links, joints, frames, builder)
            if frame is None:
                raise section.refuse(
                    'closed_loop', f"names '{name}', which is no link, joint or frame of the model"
                )
            sides.append(frame)
        if written not in ('3d', '3D', '6d', '6D'):
            message = f"type '{written}' is taken as 6d; write 3d or 6d"
            builder.report(
                'closure-type', Severity.WARNING, f"closure '{pair[0]}C{pair[1]}'", message
            )
        A, B = sides
        kind = 'ball' if written in ('3d', '3D') else 'fixed'
        name = f'{pair[0]}C{pair[1]}'
        builder.add_closure(
            Closure(name, kind, A.link, B.link, A.X_BA, B.X_BA, line=section.line('closed_loop'))
        )


def _actuate(builder: ModelBuilder, section: Section, joints: Mapping[str, int]) -> None:
    motors = set(section.names('name_mot'))
    for name in sorted(motors - set(joints)):
        message = 'is named as a motor and does not exist; rename it, or remove it'
        line = section.line('name_mot')
        builder.report('drive-dangling', Severity.WARNING, f"joint '{name}'", message, line)
    for name, identity in joints.items():
        joint = builder.joints[identity]
        if joint.type is not JointType.FIXED:
            builder.joints[identity] = replace(joint, actuated=name in motors)
