# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What urdf_parser_py may be given: elements checked and stripped to what it knows.

urdf_parser_py writes to stderr about names that it does not know and answers a bad number with a
bare AssertionError. It therefore only sees elements that have passed through here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from enum import Enum

from kinematics_node.formats.ignored import Ignored
from kinematics_node.formats.xml import Element
from kinematics_node.formats.xml import name_of
from kinematics_node.formats.xml import number_attribute
from kinematics_node.formats.xml import refuse
from kinematics_node.formats.xml import text_attribute
from kinematics_node.formats.xml import vector_attribute
from kinematics_node.model.findings import Severity


class Kind(Enum):
    """How an attribute is written."""

    TEXT = 'text'
    NUMBER = 'number'
    BOUND = 'number or inf'
    VECTOR = 'three numbers'


@dataclass(frozen=True)
class Tag:
    """Attributes and children of an element, and which of them must be there.

    What is 'elsewhere' is read by another reader, or ignored with a finding of its own.
    """

    attributes: Mapping[str, Kind] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    children: Mapping[str, Tag] = field(default_factory=dict)
    elsewhere: tuple[str, ...] = ()
    ignored: Mapping[str, str] = field(default_factory=dict)


_N, _B, _T, _V = Kind.NUMBER, Kind.BOUND, Kind.TEXT, Kind.VECTOR
# Numbers of these two are checked where they are read, which is here and not in urdf_parser_py.
ORIGIN = Tag({'xyz': _T, 'rpy': _T})
_MOMENTS = ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')
INERTIAL = Tag(
    children={
        'origin': ORIGIN,
        'mass': Tag({'value': _T}, ('value',)),
        'inertia': Tag(dict.fromkeys(_MOMENTS, _T), _MOMENTS),
    }
)
JOINT = Tag(
    {'name': _T, 'type': _T},
    ('name', 'type'),
    {
        'origin': ORIGIN,
        'axis': Tag({'xyz': _V}, ('xyz',), elsewhere=('expressed_in',)),
        'parent': Tag({'link': _T}, ('link',)),
        'child': Tag({'link': _T}, ('link',)),
        'limit': Tag(
            {'lower': _B, 'upper': _B, 'effort': _B, 'velocity': _B},
            elsewhere=('twist', 'drake:acceleration', 'acceleration', 'deceleration', 'jerk'),
        ),
        'dynamics': Tag({'damping': _N, 'friction': _N}),
        'safety_controller': Tag(
            {'k_velocity': _N, 'k_position': _N, 'soft_lower_limit': _B, 'soft_upper_limit': _B},
            ('k_velocity',),
        ),
        'mimic': Tag({'joint': _T, 'multiplier': _N, 'offset': _N}, ('joint',)),
    },
    elsewhere=('independent', 'axis2', 'drake:screw_thread_pitch'),
    ignored={
        'calibration': 'reference positions of sensors play no part in kinematics',
        'joint_properties': 'it repeats what <dynamics> says',
        'physics': 'it is for a simulator',
    },
)
LINK = Tag(
    {'name': _T},
    ('name',),
    elsewhere=('inertial', 'visual', 'collision'),
    ignored={
        'contact': 'it is for a simulator',
        'self_collision_checking': 'it is for a simulator',
        'self_filter': 'it is for a sensor filter',
        'type': 'the type of a link plays no part in kinematics',
    },
)


def strip_unknown(element: Element, tag: Tag, ignored: Ignored) -> None:
    """Check an element's attributes and children, and remove what the tag does not list.

    Raises
    ------
    DescriptionError
        A required attribute is missing, or a number or vector is malformed.
    """
    for name in tag.required:
        text_attribute(element, name)
    for name, value in element.items():
        kind = tag.attributes.get(name)
        if kind is None:
            _drop_attribute(element, name, tag, ignored)
        elif not value.strip():
            raise refuse(
                element, f"attribute '{name}' of <{name_of(element)}> is empty; fill it in"
            )
        elif kind is Kind.VECTOR:
            vector_attribute(element, name)
        elif kind is not Kind.TEXT:
            number_attribute(element, name, infinite=kind is Kind.BOUND)
    seen: set[str] = set()
    for child in list(element):
        name = name_of(child)
        known = tag.children.get(name)
        if known is None:
            _drop_child(child, name, tag, ignored)
        elif name in seen:
            ignored.repeated(child)
            element.remove(child)
        else:
            seen.add(name)
            strip_unknown(child, known, ignored)


def _drop_attribute(element: Element, name: str, tag: Tag, ignored: Ignored) -> None:
    del element.attrib[name]
    if name in tag.ignored:
        what = f"attribute '{name}' of <{name_of(element)}>"
        reason = f'is ignored: {tag.ignored[name]}'
        ignored.note('attribute-ignored', Severity.INFO, what, reason, element)
    elif name not in tag.elsewhere:
        ignored.unknown_attribute(element, name)


def _drop_child(child: Element, name: str, tag: Tag, ignored: Ignored) -> None:
    if name in tag.ignored:
        ignored.on_purpose(child, tag.ignored[name])
    elif name not in tag.elsewhere:
        ignored.unknown_element(child)
    parent = child.getparent()
    if parent is not None:
        parent.remove(child)
