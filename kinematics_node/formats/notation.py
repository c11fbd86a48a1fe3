# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Our own notation: joints.*, closures.*, couplings.*, frames.* and links.* by name.

The complete notation: whatever a dialect can say about joints and closures, this can. It comes
from a YAML file, from the node's parameters, or from a mapping, nested or flat.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import replace
from typing import Any

from kinematics_node.formats.notation_joints import apply_joint
from kinematics_node.formats.notation_joints import JOINT_KEYS
from kinematics_node.formats.parameter_tree import gather
from kinematics_node.formats.parameter_tree import parameters_of
from kinematics_node.formats.section import Section
from kinematics_node.formats.yaml_text import line_of
from kinematics_node.formats.yaml_text import parse_yaml
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Closure
from kinematics_node.model.elements import Coupling
from kinematics_node.model.elements import Frame
from kinematics_node.model.elements import Geometry
from kinematics_node.model.elements import Pose
from kinematics_node.model.elements import X_AXIS
from kinematics_node.model.findings import Finding
from kinematics_node.model.findings import Severity
from kinematics_node.spatial import compose

SECTIONS = ('joints', 'frames', 'links', 'closures', 'couplings')
CLOSURE_TYPES = {
    'ball': 'ball',
    'spherical': 'ball',
    'point': 'ball',
    'fixed': 'fixed',
    'weld': 'fixed',
    'revolute': 'revolute',
    'continuous': 'continuous',
    'prismatic': 'prismatic',
    'universal': 'universal',
    'planar': 'planar',
    'distance': 'distance',
}
CLOSURE_KEYS = (
    'type',
    'link_A',
    'link_B',
    'frame_A',
    'frame_B',
    'origin_A',
    'origin_B',
    'axis',
    'axis_A',
    'axis_B',
    'length',
)
COUPLING_KEYS = ('terms', 'joints', 'coefficients', 'offset')
FRAME_KEYS = ('link', 'origin')
LINK_KEYS = ('shapes',)
SHAPE_KEYS = ('role', 'kind', 'origin', 'size', 'resource', 'name')


@dataclass
class _Names:
    """Where the elements of a builder are, by name."""

    links: dict[str, int]
    joints: dict[str, int]
    frames: dict[str, int]
    closures: dict[str, int]
    couplings: dict[str, int]


def apply_notation(builder: ModelBuilder, source: str | bytes | Mapping[str, Any]) -> None:
    """Apply our notation to a builder: change the joints that it names, add what it describes.

    Parameters
    ----------
    builder : ModelBuilder
        The robot; findings go into it too. Where an error is raised it is left half changed.
    source : str, bytes or mapping
        The text of a YAML file, or a mapping: nested, flat ('joints.caster.anchor'), or in the
        form of a ROS parameter file.

    Raises
    ------
    DescriptionError
        A key is unknown or a value malformed; the error names element, line and remedy.
    """
    mapping = parse_yaml(source) if isinstance(source, (str, bytes)) else source
    parameters, is_ros = parameters_of(mapping)
    if not is_ros:
        _report_unknown(builder, parameters)
    _apply_joints(builder, parameters)
    names = _names(builder)
    for name, section in _sections(parameters, 'frames', 'frame', names.frames, FRAME_KEYS):
        frame = _frame(name, section, names)
        _store(builder.frames, names.frames.get(name), frame, builder.add_frame)
    for name, section in _sections(parameters, 'links', 'link', names.links, LINK_KEYS):
        _apply_link(builder, name, section, names)
    names = _names(builder)
    for name, section in _sections(
        parameters, 'closures', 'closure', names.closures, CLOSURE_KEYS
    ):
        identity = names.closures.get(name)
        old = builder.closures[identity] if identity is not None else None
        closure = _closure(name, section, old, names, builder)
        _store(builder.closures, identity, closure, builder.add_closure)
    for name, section in _sections(
        parameters, 'couplings', 'coupling', names.couplings, COUPLING_KEYS
    ):
        coupling = _coupling(name, section, builder)
        _store(builder.couplings, names.couplings.get(name), coupling, builder.add_coupling)


def _store(store: dict[int, Any], identity: int | None, element: Any, add: Any) -> None:
    if identity is None:
        add(element)
    else:
        store[identity] = element


def _names(builder: ModelBuilder) -> _Names:
    return _Names(
        *(
            {element.name: identity for identity, element in store.items()}
            for store in (
                builder.links,
                builder.joints,
                builder.frames,
                builder.closures,
                builder.couplings,
            )
        )
    )


def _sections(
    parameters: Mapping[str, Any],
    section: str,
    element: str,
    names: Mapping[str, int],
    keys: tuple[str, ...],
) -> list[tuple[str, Section]]:
    gathered = gather(parameters, section, names, keys)
    return [(name, Section(f"{element} '{name}'", values)) for name, values in gathered.items()]


def _report_unknown(builder: ModelBuilder, parameters: Mapping[str, Any]) -> None:
    for key in parameters:
        if str(key).split('.', 1)[0] not in SECTIONS:
            builder.report(
                'key-unknown',
                Severity.WARNING,
                f"key '{key}'",
                f'is not known and is ignored; use {", ".join(SECTIONS)}',
                line_of(parameters, key),
            )


def _apply_joints(builder: ModelBuilder, parameters: Mapping[str, Any]) -> None:
    by_name = {joint.name: identity for identity, joint in builder.joints.items()}
    findings: list[Finding] = []
    for name, section in _sections(parameters, 'joints', 'joint', by_name, JOINT_KEYS):
        identity = by_name.get(name)
        old = builder.joints[identity] if identity is not None else None
        joint = apply_joint(name, section, old, findings)
        _store(builder.joints, identity, joint, builder.add_joint)
    builder.findings.extend(findings)


def _frame(name: str, section: Section, names: _Names) -> Frame:
    section.check_keys(FRAME_KEYS)
    link = section.text('link')
    if link not in names.links:
        raise section.refuse('link', f"is '{link}', which is no link of the model")
    origin = section.pose('origin') if 'origin' in section else Frame(name, link).X_BA
    return Frame(name, link, origin)


def _apply_link(builder: ModelBuilder, name: str, section: Section, names: _Names) -> None:
    """Put shapes that URDF cannot say where they stood among those of a link."""
    section.check_keys(LINK_KEYS)
    if name not in names.links:
        raise section.refuse('shapes', 'belongs to no link of the model; check its name')
    identity = names.links[name]
    link = builder.links[identity]
    geometry = list(link.geometry)
    shapes = section.section('shapes')
    for number in sorted(shapes.values, key=int):
        inner = shapes.section(number)
        inner.check_keys(SHAPE_KEYS)
        geometry.insert(int(number), _shape(inner))
    builder.links[identity] = replace(link, geometry=tuple(geometry))


def _shape(inner: Section) -> Geometry:
    shape = Geometry(
        inner.text('role', ('visual', 'collision')),
        inner.text('kind', ('box', 'cylinder', 'sphere', 'capsule', 'mesh')),
        size=inner.numbers('size'),
        resource=inner.text('resource') if 'resource' in inner else '',
        name=inner.text('name') if 'name' in inner else '',
    )
    return replace(shape, X_BG=inner.pose('origin')) if 'origin' in inner else shape


def _closure(
    name: str, section: Section, old: Closure | None, names: _Names, builder: ModelBuilder
) -> Closure:
    section.check_keys(CLOSURE_KEYS)
    kind = (
        CLOSURE_TYPES[section.text('type', tuple(CLOSURE_TYPES))]
        if old is None or 'type' in section
        else old.type
    )
    sides = [_closure_side(side, section, old, names, builder) for side in 'AB']
    axis = section.vector('axis', old.axis_A if old else X_AXIS)
    axis_A = section.vector('axis_A', axis)
    if 'axis_B' in section:
        axis_B = section.vector('axis_B')
    else:
        axis_B = old.axis_B if old and 'axis' not in section else axis_A
    length = section.number('length', old.length if old else 0.0)
    if kind == 'distance' and not length > 0.0:
        raise section.refuse('length', f'is {length:g}; give the length of the rod [m]')
    (link_A, X_LA), (link_B, X_LB) = sides
    return Closure(name, kind, link_A, link_B, X_LA, X_LB, axis_A, axis_B, length)


def _closure_side(
    side: str, section: Section, old: Closure | None, names: _Names, builder: ModelBuilder
) -> tuple[str, Pose]:
    link_key, frame_key, origin_key = f'link_{side}', f'frame_{side}', f'origin_{side}'
    if link_key in section:
        link = section.text(link_key)
        if link not in names.links:
            raise section.refuse(link_key, f"is '{link}', which is no link of the model")
        base = Frame('', link)
    elif frame_key in section:
        name = section.text(frame_key)
        found = find_frame(name, names.links, names.joints, names.frames, builder)
        if found is None:
            raise section.refuse(
                frame_key, f"is '{name}', which is no link, joint or frame of the model"
            )
        base = found
    elif old is not None:
        base = Frame('', getattr(old, link_key), getattr(old, f'X_L{side}'))
        if origin_key in section:
            base = Frame('', base.link)
    else:
        raise section.refuse(link_key, 'is missing; name the link on this side of the closure')
    origin = section.pose(origin_key) if origin_key in section else None
    return base.link, base.X_BA if origin is None else compose(base.X_BA, origin)


def find_frame(
    name: str,
    links: Mapping[str, int],
    joints: Mapping[str, int],
    frames: Mapping[str, int],
    builder: ModelBuilder,
) -> Frame | None:
    """Return the frame that a link, a frame or a joint names; a joint's is that of its child."""
    if name in links:
        return Frame(name, name)
    if name in frames:
        return builder.frames[frames[name]]
    if name in joints:
        return Frame(name, builder.joints[joints[name]].child)
    return None


def _coupling(name: str, section: Section, builder: ModelBuilder) -> Coupling:
    section.check_keys(COUPLING_KEYS)
    if 'terms' in section:
        terms = _terms(section)
    else:
        joints, numbers = section.names('joints'), section.numbers('coefficients')
        if len(joints) != len(numbers):
            raise section.refuse(
                'coefficients', f'has {len(numbers)} numbers for {len(joints)} joints'
            )
        terms = list(zip(joints, numbers, strict=True))
    known = {
        joint.name + suffix
        for joint in builder.joints.values()
        if joint.type.quaternion_offset < 0
        for suffix in joint.type.coordinate_suffixes
    }
    for coordinate, _ in terms:
        if coordinate not in known:
            key = 'terms' if 'terms' in section else 'joints'
            raise section.refuse(
                key, f"names '{coordinate}', which is no joint with one coordinate"
            )
    if not terms:
        raise section.refuse('joints', 'is empty; name at least one joint')
    return Coupling(name, tuple(terms), section.number('offset', 0.0))


def _terms(section: Section) -> list[tuple[str, float]]:
    """Return the terms of {joint: coefficient}; levels that dots made are joined again."""
    terms: list[tuple[str, float]] = []
    pending = [('', section.section('terms'))]
    while pending:
        before, inner = pending.pop(0)
        for key, value in inner.values.items():
            if isinstance(value, Mapping):
                pending.append((f'{before}{key}.', inner.section(key)))
            else:
                terms.append((f'{before}{key}', inner.number(key)))
    return terms
