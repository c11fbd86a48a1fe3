# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""SDFormat into a ModelBuilder: one model's links, joints and frames.

Joints to the world make 'world' the root link. A joint whose child has a joint already closes a
loop and becomes a closure. Source: gazebosim/sdformat, sdf/1.12.
"""

from __future__ import annotations

from dataclasses import replace

from kinematics_node.errors import DescriptionError
from kinematics_node.formats.ignored import Ignored
from kinematics_node.formats.reading import Reading
from kinematics_node.formats.resources import Resources
from kinematics_node.formats.sdf_joint import placed
from kinematics_node.formats.sdf_joint import read_joint
from kinematics_node.formats.sdf_joint import SdfJoint
from kinematics_node.formats.sdf_poses import PoseGraph
from kinematics_node.formats.sdf_poses import read_pose
from kinematics_node.formats.urdf_link import turned_inertia
from kinematics_node.formats.xml import child
from kinematics_node.formats.xml import children
from kinematics_node.formats.xml import Element
from kinematics_node.formats.xml import name_of
from kinematics_node.formats.xml import number_of
from kinematics_node.formats.xml import refuse
from kinematics_node.formats.xml import required_child
from kinematics_node.formats.xml import text_attribute
from kinematics_node.formats.xml import vector_of
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Closure
from kinematics_node.model.elements import Frame
from kinematics_node.model.elements import Geometry
from kinematics_node.model.elements import Inertia
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Link
from kinematics_node.model.elements import X_AXIS
from kinematics_node.model.findings import Severity
from kinematics_node.model.joint_types import JointType
from kinematics_node.spatial import compose
from kinematics_node.spatial import invert
from kinematics_node.spatial import position
from kinematics_node.spatial import rotation

WORLD = 'world'
_LINK_IGNORED = ('gravity', 'enable_wind', 'self_collide', 'kinematic', 'must_be_base_link')
_SIMULATOR = ('velocity_decay', 'sensor', 'light', 'battery', 'projector', 'audio_sink', 'plugin')


def read_sdf(root: Element, resources: Resources | None = None) -> ModelBuilder:
    """Return a builder that holds the one model of an <sdf> element.

    Raises
    ------
    DescriptionError
        There is not exactly one model, or something in it cannot be read.
    """
    world = child(root, 'world')
    models = children(root if world is None else world, 'model')
    if len(models) != 1:
        raise DescriptionError(
            f'the SDF holds {len(models)} models; give a file with one', line=root.sourceline
        )
    model = models[0]
    reading = Reading(ModelBuilder(text_attribute(model, 'name')), resources=resources)
    graph = _frames(model)
    for element in model:
        _read_element(element, reading, graph)
    joints = [read_joint(e, graph, reading.ignored) for e in children(model, 'joint')]
    _connect(joints, reading, graph)
    reading.ignored.report(reading.builder)
    return reading.builder


def _frames(model: Element) -> PoseGraph:
    graph = PoseGraph(X_MW=invert(read_pose(model, '')[1]))
    for element in model:
        tag = name_of(element)
        if tag == 'link':
            graph.add(text_attribute(element, 'name'), element, '__model__')
        elif tag == 'joint':
            owner = (required_child(element, 'child').text or '').strip()
            graph.add(text_attribute(element, 'name'), element, owner)
        elif tag == 'frame':
            owner = (element.get('attached_to') or '').strip() or '__model__'
            graph.add(text_attribute(element, 'name'), element, owner)
    return graph


def _read_element(element: Element, reading: Reading, graph: PoseGraph) -> None:
    tag = name_of(element)
    if tag == 'link':
        reading.builder.add_link(_link(element, reading, graph))
    elif tag in ('plugin', 'static', 'self_collide', 'allow_auto_disable', 'enable_wind'):
        reading.ignored.on_purpose(element, 'it is for a simulator')
    elif tag == 'include':
        raise refuse(element, '<include> is not followed; write the models into one file')
    elif tag not in ('joint', 'frame', 'pose'):
        reading.ignored.unknown_element(element)


def _connect(joints: list[SdfJoint], reading: Reading, graph: PoseGraph) -> None:
    """Add joints between links, closures for second joints of a link, and frames."""
    builder = reading.builder
    links = {link.name for link in builder.links.values()}
    owner = _Owner(reading, graph, links)
    ends = [
        (j, owner.link_of(j.parent, j.element), owner.link_of(j.child, j.element)) for j in joints
    ]
    if any(parent == WORLD for _, parent, _ in ends) and WORLD not in links:
        builder.add_link(Link(WORLD))
    moved: set[str] = set()
    for sdf_joint, parent, below in ends:
        poses = (owner.pose_of(parent), graph.in_model(sdf_joint.joint.name), owner.pose_of(below))
        joint = placed(sdf_joint.joint, *poses)
        if below in moved:
            builder.add_closure(_as_closure(joint, parent, below, reading, sdf_joint))
        else:
            moved.add(below)
            builder.add_joint(replace(joint, parent=parent, child=below))
    for name, (_, _, element) in graph.edges.items():
        if name_of(element) == 'frame':
            link = owner.link_of(name, element)
            if link == WORLD and WORLD not in moved | links | {p for _, p, _ in ends}:
                reason = 'is fixed to the model alone, which has no link there, and is ignored'
                reading.ignored.note('frame-ignored', Severity.INFO, '<frame>', reason, element)
                continue
            X_BA = compose(invert(owner.pose_of(link)), graph.in_model(name))
            builder.add_frame(Frame(name, link, X_BA, element.sourceline))


class _Owner:
    """The link that a frame is fixed on."""

    def __init__(self, reading: Reading, graph: PoseGraph, links: set[str]) -> None:
        self._graph = graph
        self._links = links
        self._reading = reading

    def link_of(self, name: str, element: Element) -> str:
        """Return the link that a link, a frame or a joint's frame moves with."""
        seen: set[str] = set()
        while name not in self._links:
            if name in ('world', '__model__', ''):
                return WORLD
            if name in seen or name not in self._graph.edges:
                raise refuse(element, f"'{name}' is no link or frame of the model")
            seen.add(name)
            holder = self._graph.edges[name][2]
            if name_of(holder) == 'joint':
                name = (required_child(holder, 'child').text or '').strip()
            else:
                name = (holder.get('attached_to') or '').strip() or '__model__'
        return name

    def pose_of(self, link: str) -> tuple[float, float, float, float, float, float, float]:
        """Return the pose of a link in the model."""
        return self._graph.in_model(link)


def _as_closure(
    joint: Joint,
    parent: str,
    below: str,
    reading: Reading,
    source: SdfJoint,
) -> Closure:
    reason = f"closes a loop, since '{below}' has a joint already; it becomes a closure"
    reading.ignored.note('loop-closed', Severity.INFO, '<joint>', reason, source.element)
    axis = joint.axes[0].direction if joint.axes else X_AXIS
    second = joint.axes[1].direction if joint.type is JointType.UNIVERSAL else axis
    X_LB = invert(joint.X_MC)
    name = joint.type.name.lower()
    return Closure(
        joint.name, name, parent, below, joint.X_PF, X_LB, axis, second, line=joint.line
    )


def _link(element: Element, reading: Reading, graph: PoseGraph) -> Link:
    name = text_attribute(element, 'name')
    inertia, shapes = None, []
    for inside in element:
        tag = name_of(inside)
        if tag == 'inertial':
            inertia = _inertial(inside)
        elif tag in ('visual', 'collision'):
            shape = _shape(inside, tag, name, reading, graph)
            shapes += [shape] if shape is not None else []
        elif tag in _LINK_IGNORED or tag in _SIMULATOR:
            reading.ignored.on_purpose(inside, 'it is for a simulator')
        elif tag != 'pose':
            reading.ignored.unknown_element(inside)
    visuals = [shape for shape in shapes if shape.role == 'visual']
    collisions = [shape for shape in shapes if shape.role == 'collision']
    return Link(name, inertia, (*visuals, *collisions), element.sourceline)


def _inertial(element: Element) -> Inertia:
    _, X_BG = read_pose(element, '')
    mass_element, inertia = child(element, 'mass'), child(element, 'inertia')
    mass = 1.0
    if mass_element is not None:
        mass = number_of(mass_element, '<mass>', mass_element.text or '')
    moments = []
    for name in ('ixx', 'iyy', 'izz', 'ixy', 'ixz', 'iyz'):
        found = child(inertia, name) if inertia is not None else None
        absent = 1.0 if name in ('ixx', 'iyy', 'izz') else 0.0
        moments.append(
            absent if found is None else number_of(found, f'<{name}>', found.text or '')
        )
    turned = turned_inertia(tuple(moments), rotation(X_BG))
    return Inertia(mass, position(X_BG), turned)


def _shape(
    holder: Element, role: str, link: str, reading: Reading, graph: PoseGraph
) -> Geometry | None:
    ignored: Ignored = reading.ignored
    relative_to, X = read_pose(holder, link)
    X_BG = X
    if relative_to != link:
        X_BG = compose(invert(graph.in_model(link)), compose(graph.in_model(relative_to), X))
    geometry = child(holder, 'geometry')
    if geometry is None or len(geometry) == 0:
        reason = 'has no shape in a <geometry> and is ignored; add one, or remove it'
        ignored.note('geometry-empty', Severity.WARNING, f'<{role}>', reason, holder)
        return None
    shape = geometry[0]
    kind = name_of(shape)
    name = holder.get('name') or ''
    if kind == 'box':
        size = required_child(shape, 'size')
        return Geometry(role, kind, X_BG, vector_of(size, '<size>', size.text or ''), name=name)
    if kind in ('cylinder', 'capsule', 'sphere'):
        parts = ('radius',) if kind == 'sphere' else ('radius', 'length')
        found = [required_child(shape, part) for part in parts]
        numbers = tuple(number_of(x, f'<{name_of(x)}>', x.text or '') for x in found)
        return Geometry(role, kind, X_BG, numbers, name=name)
    if kind == 'mesh':
        address = (required_child(shape, 'uri').text or '').strip()
        scale = child(shape, 'scale')
        size3 = (1.0, 1.0, 1.0) if scale is None else vector_of(scale, '<scale>', scale.text or '')
        resources = reading.resources
        if resources is not None and resources.resolve(address) is None:
            what, reason = f"the file '{address}'", resources.reason(address)
            ignored.note('resource-missing', Severity.WARNING, what, reason, holder)
        return Geometry(role, kind, X_BG, size3, address, name)
    reason = 'is a shape that is not supported and is ignored'
    ignored.note('geometry-unknown', Severity.WARNING, f'<{kind}>', reason, shape)
    return None
