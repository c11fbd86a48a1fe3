# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Which joints a URDF names as actuated: <transmission>, old and new, and <ros2_control>."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace

from kinematics_node.formats.ignored import Ignored
from kinematics_node.formats.xml import child
from kinematics_node.formats.xml import children
from kinematics_node.formats.xml import Element
from kinematics_node.formats.xml import name_of
from kinematics_node.formats.xml import number_attribute
from kinematics_node.formats.xml import number_of
from kinematics_node.formats.xml import text_attribute
from kinematics_node.model.elements import Joint
from kinematics_node.model.findings import Severity
from kinematics_node.model.joint_types import JointType


@dataclass
class Drive:
    """What a description says about the drive of one joint."""

    element: Element
    actuated: bool
    gear_ratio: float = 1.0
    rotor_inertia: float = 0.0


_CONTROL_IGNORED = 'it configures hardware, not the model'


def read_transmission(element: Element, drives: dict[str, Drive], ignored: Ignored) -> None:
    """Note the joints of a <transmission>, with gear ratio and rotor where there is one joint.

    Raises
    ------
    DescriptionError
        A joint has no name, or a number is malformed.
    """
    # The last three are those of the PR2's gripper and wrist transmissions.
    tags = ('joint', 'flexJoint', 'rollJoint', 'gap_joint')
    joints = [joint for tag in tags for joint in children(element, tag)]
    if not joints:
        reason = 'names no <joint> and is ignored; name the joint that it drives'
        ignored.note('transmission-empty', Severity.WARNING, '<transmission>', reason, element)
    actuator = child(element, 'actuator')
    reduction = child(element, 'mechanicalReduction')
    if reduction is None and actuator is not None:
        reduction = child(actuator, 'mechanicalReduction')
    ratio = 1.0
    if reduction is not None and (reduction.text or '').strip():
        ratio = number_of(reduction, '<mechanicalReduction>', reduction.text or '')
    rotor = 0.0
    if actuator is not None:
        rotor = _value_of(actuator, 'drake:rotor_inertia', 0.0)
        ratio = _value_of(actuator, 'drake:gear_ratio', ratio)
    for inside in element:
        if name_of(inside) not in _TRANSMISSION_PARTS:
            ignored.unknown_element(inside)
    for joint in joints:
        name = text_attribute(joint, 'name')
        single = len(joints) == 1
        drives[name] = Drive(element, True, ratio if single else 1.0, rotor if single else 0.0)


_TRANSMISSION_PARTS = frozenset(
    [
        'joint',
        'type',
        'actuator',
        'mechanicalReduction',
        'leftActuator',
        'rightActuator',
        'flexJoint',
        'rollJoint',
        'gap_joint',
        'passive_joint',
        'use_simulated_gripper_joint',
        'simulated_actuated_joint',
        'compensator',
        'role',
    ]
)


def read_ros2_control(element: Element, drives: dict[str, Drive], ignored: Ignored) -> None:
    """Note the joints of a <ros2_control>: those with a command interface are actuated.

    Raises
    ------
    DescriptionError
        A joint has no name.
    """
    for inside in element:
        tag = name_of(inside)
        if tag == 'joint':
            name = text_attribute(inside, 'name')
            commanded = child(inside, 'command_interface') is not None
            if commanded or name not in drives:
                drives[name] = Drive(inside, commanded)
        elif tag in ('hardware', 'gpio', 'sensor', 'transmission', 'async', 'properties'):
            ignored.on_purpose(inside, _CONTROL_IGNORED)
        else:
            ignored.unknown_element(inside)


def with_drive(joint: Joint, drives: dict[str, Drive]) -> Joint:
    """Return a joint with what its drive says; as it is where no drive names it."""
    drive = drives.get(joint.name)
    if drive is None or joint.type is JointType.FIXED:
        return joint
    axes = joint.axes
    if len(axes) == 1 and drive.actuated:
        axis = replace(axes[0], gear_ratio=drive.gear_ratio, rotor_inertia=drive.rotor_inertia)
        axes = (axis,)
    return replace(joint, actuated=drive.actuated, axes=axes)


def report_dangling(drives: dict[str, Drive], joints: set[str], ignored: Ignored) -> None:
    """Note drives of joints that the description does not have."""
    for name, drive in drives.items():
        if name not in joints:
            reason = 'does not exist; rename it, or remove what drives it'
            ignored.note(
                'drive-dangling', Severity.WARNING, f"joint '{name}'", reason, drive.element
            )


def _value_of(parent: Element, name: str, default: float) -> float:
    element = child(parent, name)
    return default if element is None else number_attribute(element, 'value')
