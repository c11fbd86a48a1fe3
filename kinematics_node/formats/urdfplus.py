# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""URDF+: <loop> and <coupling> beside the joints of a <robot>.

Source: Chignoli, Slotine, Wensing and Kim, URDF+: an enhanced URDF for robots with kinematic loops
(arXiv 2411.19753, 2024), and its parser in mit-biomimetics/urdfdom.
"""

from __future__ import annotations

from kinematics_node.formats.reading import Reading
from kinematics_node.formats.urdf_link import read_origin
from kinematics_node.formats.xml import child
from kinematics_node.formats.xml import Element
from kinematics_node.formats.xml import name_of
from kinematics_node.formats.xml import number_attribute
from kinematics_node.formats.xml import refuse
from kinematics_node.formats.xml import required_child
from kinematics_node.formats.xml import text_attribute
from kinematics_node.formats.xml import vector_attribute
from kinematics_node.model.elements import Closure
from kinematics_node.model.elements import Coupling
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import X_AXIS
from kinematics_node.model.joint_types import JointType

LOOP_TYPES = ('planar', 'revolute', 'continuous', 'prismatic', 'fixed', 'ball', 'spherical')


def read_urdfplus_element(element: Element, reading: Reading) -> bool:
    """Read a <loop> or <coupling> into the reading; False where it is neither.

    Raises
    ------
    DescriptionError
        A part is missing or malformed, or the type is unknown.
    """
    tag = name_of(element)
    if tag == 'loop':
        reading.builder.add_closure(_loop(element, reading))
    elif tag == 'coupling':
        name = text_attribute(element, 'name')
        predecessor = text_attribute(required_child(element, 'predecessor'), 'link')
        successor = text_attribute(required_child(element, 'successor'), 'link')
        ratio_element = child(element, 'ratio')
        ratio = 1.0 if ratio_element is None else number_attribute(ratio_element, 'value')
        _note_unknown(element, ('predecessor', 'successor', 'ratio'), reading)
        reading.later.append(
            lambda: _add_coupling(element, name, (predecessor, successor), ratio, reading)
        )
    else:
        return False
    return True


def _loop(element: Element, reading: Reading) -> Closure:
    name = text_attribute(element, 'name')
    kind = text_attribute(element, 'type')
    if kind not in LOOP_TYPES:
        raise refuse(element, f"type '{kind}' is not known; use one of {', '.join(LOOP_TYPES)}")
    sides = [required_child(element, role) for role in ('predecessor', 'successor')]
    axis_element = child(element, 'axis')
    axis = X_AXIS if axis_element is None else vector_attribute(axis_element, 'xyz')
    _note_unknown(element, ('predecessor', 'successor', 'axis'), reading)
    return Closure(
        name=name,
        type='ball' if kind == 'spherical' else kind,
        link_A=text_attribute(sides[0], 'link'),
        link_B=text_attribute(sides[1], 'link'),
        X_LA=read_origin(sides[0], reading.ignored),
        X_LB=read_origin(sides[1], reading.ignored),
        axis_A=axis,
        axis_B=axis,
        line=element.sourceline,
    )


def _add_coupling(
    element: Element, name: str, links: tuple[str, str], ratio: float, reading: Reading
) -> None:
    """Add ratio * sum(q to the predecessor) - sum(q to the successor) = 0.

    Sums run from the nearest common ancestor of the two links.
    """
    known = {link.name for link in reading.builder.links.values()}
    for link in links:
        if link not in known:
            raise refuse(element, f"link '{link}' does not exist; name a link of the robot")
    to_predecessor, to_successor = (reading.path_from_root(link) for link in links)
    shared = 0
    for a, b in zip(to_predecessor, to_successor, strict=False):
        if a is not b:
            break
        shared += 1
    terms = [(joint.name, ratio) for joint in _moving(element, to_predecessor[shared:])]
    terms += [(joint.name, -1.0) for joint in _moving(element, to_successor[shared:])]
    if not terms:
        raise refuse(element, f"no joint moves between links '{links[0]}' and '{links[1]}'")
    reading.builder.add_coupling(Coupling(name, tuple(terms), 0.0, element.sourceline))


def _moving(element: Element, path: list[Joint]) -> list[Joint]:
    moving = [joint for joint in path if joint.type is not JointType.FIXED]
    for joint in moving:
        if not joint.type.is_single_axis:
            raise refuse(
                element,
                f"joint '{joint.name}' on the way is {joint.type.name.lower()}; a coupling takes "
                'joints with one coordinate',
            )
    return moving


def _note_unknown(element: Element, known: tuple[str, ...], reading: Reading) -> None:
    for inside in element:
        if name_of(inside) not in known:
            reading.ignored.unknown_element(inside)
    for attribute in element.keys():  # noqa: SIM118 (an element iterates over its children)
        if attribute not in ('name', 'type'):
            reading.ignored.unknown_attribute(element, attribute)
