# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""URDF into a ModelBuilder, with every dialect that shares its <robot>.

lxml gives structure, lines and checks, urdf_parser_py the standard elements; each dialect has a
reader of its own. What no reader understands is a finding.
"""

from __future__ import annotations

from kinematics_node.errors import DescriptionError
from kinematics_node.formats.actuation import read_ros2_control
from kinematics_node.formats.actuation import read_transmission
from kinematics_node.formats.actuation import report_dangling
from kinematics_node.formats.actuation import with_drive
from kinematics_node.formats.constraint import read_constraint_element
from kinematics_node.formats.drake import read_drake_element
from kinematics_node.formats.reading import Reading
from kinematics_node.formats.resources import Resources
from kinematics_node.formats.urdf_joint import read_joint
from kinematics_node.formats.urdf_link import read_link
from kinematics_node.formats.urdfplus import read_urdfplus_element
from kinematics_node.formats.xml import Element
from kinematics_node.formats.xml import name_of
from kinematics_node.formats.xml import parse_xml
from kinematics_node.formats.xml import refuse
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.findings import Severity


def read_urdf(text: str | bytes, resources: Resources | None = None) -> ModelBuilder:
    """Return a builder that holds what a URDF document describes.

    Parameters
    ----------
    text : str or bytes
        The document.
    resources : Resources, optional
        Where files are; with it, meshes that are not there become findings.

    Raises
    ------
    DescriptionError
        The document cannot be read; the error names element, line and remedy.
    """
    return read_robot(parse_xml(text), resources)


def read_robot(root: Element, resources: Resources | None = None) -> ModelBuilder:
    """Return a builder that holds what a <robot> element describes; the element is used up.

    Raises
    ------
    DescriptionError
        The element is no <robot>, or something in it cannot be read.
    """
    if name_of(root) != 'robot':
        raise DescriptionError(
            f'the root element is <{name_of(root)}>; URDF has <robot>', line=root.sourceline
        )
    reading = Reading(ModelBuilder(_robot_name(root)), resources=resources)
    builder, ignored = reading.builder, reading.ignored
    _check_robot_attributes(root, reading)
    for element in list(root):
        tag = name_of(element)
        if tag == 'link':
            builder.add_link(read_link(element, ignored, resources))
        elif tag == 'joint':
            reading.joints.append(read_joint(element, ignored))
        else:
            _read_other(element, tag, reading)
    for joint in reading.joints:
        builder.add_joint(with_drive(joint, reading.drives))
    for finish in reading.later:
        finish()
    report_dangling(reading.drives, {joint.name for joint in reading.joints}, ignored)
    ignored.report(builder)
    return builder


_IGNORED = {
    'gazebo': 'it is for Gazebo',
    'material': 'colours and textures play no part in kinematics',
    'mujoco': 'it is for MuJoCo',
    'sensor': 'sensors play no part in kinematics',
    'group': 'planning groups play no part in kinematics',
}


_DIALECTS = (read_drake_element, read_urdfplus_element, read_constraint_element)


def _read_other(element: Element, tag: str, reading: Reading) -> None:
    ignored = reading.ignored
    if tag == 'transmission':
        read_transmission(element, reading.drives, ignored)
    elif tag == 'ros2_control':
        read_ros2_control(element, reading.drives, ignored)
    elif tag in _IGNORED:
        ignored.on_purpose(element, _IGNORED[tag])
    elif tag.startswith('xacro:'):
        raise refuse(element, f'<{tag}> is left over from xacro; run xacro over the file first')
    elif not any(read(element, reading) for read in _DIALECTS):
        ignored.unknown_element(element)


def _robot_name(root: Element) -> str:
    return (root.get('name') or '').strip() or 'robot'


def _check_robot_attributes(root: Element, reading: Reading) -> None:
    for name, value in root.items():
        if name == 'version' and value.strip() != '1.0':
            what, reason = f"version '{value}'", 'is not 1.0; it is read as 1.0'
            reading.ignored.note('version-unknown', Severity.WARNING, what, reason, root)
        elif name not in ('name', 'version'):
            reading.ignored.unknown_attribute(root, name)
    if not (root.get('name') or '').strip():
        what, reason = 'the robot', "has no name and is called 'robot'; name it"
        reading.ignored.note('name-missing', Severity.WARNING, what, reason, root)
