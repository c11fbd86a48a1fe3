# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Drake's own tags in a URDF: joints, constraints and frames.

Names are matched as they are written, 'drake:joint'. Source: RobotLocomotion/drake,
multibody/parsing/parsing_doxygen.h and detail_urdf_parser.cc.
"""

from __future__ import annotations

from dataclasses import replace

from kinematics_node.formats.reading import Reading
from kinematics_node.formats.rotations import make_pose
from kinematics_node.formats.urdf_joint import read_joint
from kinematics_node.formats.xml import Element
from kinematics_node.formats.xml import name_of
from kinematics_node.formats.xml import number_attribute
from kinematics_node.formats.xml import refuse
from kinematics_node.formats.xml import required_child
from kinematics_node.formats.xml import text_attribute
from kinematics_node.formats.xml import vector_attribute
from kinematics_node.model.elements import Closure
from kinematics_node.model.elements import Frame
from kinematics_node.model.elements import Pose
from kinematics_node.model.elements import X_AXIS
from kinematics_node.model.elements import Y_AXIS
from kinematics_node.model.elements import Z_AXIS
from kinematics_node.model.elements import ZERO
from kinematics_node.model.findings import Severity

_REMEDIES = {
    'screw': 'it is not supported; write a prismatic and a continuous joint with a massless link '
    'between, and a coupling of the two',
    'curvilinear': 'it is not supported; use a prismatic or a revolute joint for each piece',
}
_PLAIN = ('revolute', 'continuous', 'prismatic', 'fixed', 'floating')
_FORCES = 'it is a force, not a constraint; give springs and dampers on joint axes instead'
_FORCE_ELEMENTS = (
    'drake:linear_spring_damper',
    'drake:linear_bushing_rpy',
    'drake:tendon_constraint',
)


def read_drake_element(element: Element, reading: Reading) -> bool:
    """Read one of Drake's elements into the reading; False where it is none of Drake's.

    Raises
    ------
    DescriptionError
        A part is missing or malformed, or the joint type is not supported.
    """
    tag = name_of(element)
    if tag == 'drake:joint':
        _read_joint(element, reading)
    elif tag in ('drake:ball_constraint', 'drake:distance_constraint'):
        _read_constraint(element, tag, reading)
    elif tag == 'frame':
        reading.builder.add_frame(_frame(element))
    elif tag in _FORCE_ELEMENTS:
        reason = f'is ignored: {_FORCES}'
        reading.ignored.note('force-ignored', Severity.WARNING, f'<{tag}>', reason, element)
    elif tag.startswith('drake:'):
        reading.ignored.on_purpose(element, 'it says nothing about joints')
    else:
        return False
    return True


def _read_joint(element: Element, reading: Reading) -> None:
    kind = text_attribute(element, 'type')
    if kind in _REMEDIES:
        raise refuse(element, f"type '{kind}': {_REMEDIES[kind]}")
    if kind in _PLAIN:
        raise refuse(element, f"type '{kind}' is written as <joint>, not as <drake:joint>")
    joint = read_joint(element, reading.ignored)
    if kind == 'ball':
        # Drake's angles are roll, pitch, yaw with R = Rz Ry Rx: about z first, carried y, then x.
        directions = (Z_AXIS, Y_AXIS, X_AXIS)
        axes = tuple(
            replace(axis, direction=direction)
            for axis, direction in zip(joint.axes, directions, strict=True)
        )
        joint = replace(joint, axes=axes)
    reading.joints.append(joint)


def _read_constraint(element: Element, tag: str, reading: Reading) -> None:
    """Read a point or distance closure; Drake gives constraints no names, so they are counted."""

    def part(suffix: str) -> Element:
        return required_child(element, f'{tag}_{suffix}')

    links = [text_attribute(part(f'body_{side}'), 'name') for side in 'AB']
    points = [vector_attribute(part(suffix), 'value') for suffix in ('p_AP', 'p_BQ')]
    length = 0.0
    if tag == 'drake:distance_constraint':
        length = number_attribute(part('distance'), 'value')
        if not length > 0.0:
            raise refuse(element, f'the distance is {length:g}; give a length above zero [m]')
        reason = 'is held as a rigid rod: stiffness and damping of a closure are not modelled'
        reading.ignored.note('compliance-ignored', Severity.WARNING, f'<{tag}>', reason, element)
    kind = tag.removeprefix('drake:')
    taken = {closure.name for closure in reading.builder.closures.values()}
    number = 1
    while f'{kind}_{number}' in taken:
        number += 1
    reading.builder.add_closure(
        Closure(
            name=(element.get('name') or '').strip() or f'{kind}_{number}',
            type='distance' if length else 'ball',
            link_A=links[0],
            link_B=links[1],
            X_LA=make_pose(points[0]),
            X_LB=make_pose(points[1]),
            length=length,
            line=element.sourceline,
        )
    )


def _frame(element: Element) -> Frame:
    X_BA: Pose = make_pose(
        vector_attribute(element, 'xyz', ZERO), vector_attribute(element, 'rpy', ZERO)
    )
    name, link = text_attribute(element, 'name'), text_attribute(element, 'link')
    return Frame(name, link, X_BA, element.sourceline)
