# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Webots .proto and .wbt files into a ModelBuilder: solids, joints and shapes.

A PROTO's robot is the root link. A world is the root link of a .wbt; solids with Physics float in
it, the others are fixed to it. An end point that is a SolidReference closes a loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace

from kinematics_node.formats.resources import Resources
from kinematics_node.formats.vrml import Node
from kinematics_node.formats.vrml import parse_vrml
from kinematics_node.formats.webots_joint import joint_name
from kinematics_node.formats.webots_joint import JOINTS
from kinematics_node.formats.webots_joint import node_pose
from kinematics_node.formats.webots_joint import Placement
from kinematics_node.formats.webots_joint import read_joint
from kinematics_node.formats.webots_shapes import read_inertia
from kinematics_node.formats.webots_shapes import read_shapes
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Closure
from kinematics_node.model.elements import IDENTITY_POSE
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Link
from kinematics_node.model.elements import Pose
from kinematics_node.model.elements import X_AXIS
from kinematics_node.model.findings import Severity
from kinematics_node.model.joint_types import JointType
from kinematics_node.spatial import compose
from kinematics_node.spatial import invert

_BODIES = ('Solid', 'Robot')
_GROUPS = ('Pose', 'Transform', 'Group')
_SCENERY = (
    'WorldInfo',
    'Viewpoint',
    'Background',
    'TexturedBackground',
    'TexturedBackgroundLight',
    'DirectionalLight',
    'PointLight',
    'SpotLight',
    'Fog',
)
_DEVICES = [
    'Accelerometer',
    'Altimeter',
    'Camera',
    'Compass',
    'Connector',
    'Display',
    'DistanceSensor',
    'Emitter',
    'GPS',
    'Gyro',
    'InertialUnit',
    'LED',
    'Lidar',
    'LightSensor',
    'Microphone',
    'Pen',
    'Propeller',
    'Radar',
    'RangeFinder',
    'Receiver',
    'Skin',
    'Speaker',
    'TouchSensor',
    'Track',
    'Charger',
    'VacuumGripper',
]
_JOINT_DEVICES = ('PositionSensor', 'RotationalMotor', 'LinearMotor', 'Brake')


@dataclass
class _World:
    """What is shared while the nodes of a file are read."""

    builder: ModelBuilder
    resources: Resources | None
    taken: set[str] = field(default_factory=set)
    references: list[tuple[Node, Placement, str]] = field(default_factory=list)
    left_out: dict[tuple[str, str, Severity, str], list[Node]] = field(default_factory=dict)

    def leave_out(self, node: Node, code: str, severity: Severity, reason: str) -> None:
        """Note a node that is not used; those alike become one finding."""
        self.left_out.setdefault((node.type, code, severity, reason), []).append(node)

    def name(self, node: Node) -> str:
        """Return a link's name: its name, its DEF or its type, made unique."""
        wanted = node.text('name') or node.define or node.type.lower()
        name, number = wanted, 1
        while name in self.taken:
            number += 1
            name = f'{wanted}_{number}'
        self.taken.add(name)
        if name != wanted:
            message = f"is called '{name}', since '{wanted}' is taken; name solids differently"
            self.builder.report(
                'name-changed', Severity.INFO, f"link '{name}'", message, node.line
            )
        return name


def read_webots(text: str | bytes, resources: Resources | None = None) -> ModelBuilder:
    """Return a builder that holds what a .wbt or .proto text describes.

    Raises
    ------
    DescriptionError
        The text is not well-formed, or a number in it is malformed.
    """
    nodes, proto = parse_vrml(text)
    world = _World(ModelBuilder(proto or 'world'), resources)
    if proto and nodes[0].type in _BODIES:
        _add_solid(nodes[0], world)
    elif proto:
        raise nodes[0].refuse('a PROTO of a robot has a Robot or Solid as its body')
    else:
        world.builder.add_link(Link('world'))
        world.taken.add('world')
        _read_children(nodes, 'world', IDENTITY_POSE, world, top=True)
    _close_references(world)
    _report(world)
    return world.builder


def _add_solid(node: Node, world: _World) -> str:
    """Add a solid as a link, with everything below it, and return its name."""
    name = world.name(node)
    shapes = read_shapes(node, world.builder, world.resources, name)
    inertia = read_inertia(node, world.builder, name)
    world.builder.add_link(Link(name, inertia, tuple(shapes), node.line))
    _read_children(node.nodes('children'), name, IDENTITY_POSE, world)
    return name


def _read_children(
    nodes: list[Node], parent: str, X_LP: Pose, world: _World, *, top: bool = False
) -> None:
    """Read nodes that stand in a Pose X_LP of a link."""
    for node in nodes:
        if node.type in _BODIES:
            _attach_solid(node, parent, X_LP, world, top=top)
        elif node.type in JOINTS:
            _attach_joint(node, parent, X_LP, world)
        elif node.type in _GROUPS:
            if node.numbers('scale', (1.0, 1.0, 1.0)) != (1.0, 1.0, 1.0):
                reason = 'has a scale, which is ignored; scale what is in it by hand'
                world.leave_out(node, 'scale-ignored', Severity.WARNING, reason)
            X = compose(X_LP, node_pose(node)) if node.type != 'Group' else X_LP
            _read_children(node.nodes('children'), parent, X, world, top=top)
        elif node.type in _SCENERY or node.type in _DEVICES:
            reason = 'is ignored: it plays no part in kinematics'
            world.leave_out(node, 'element-ignored', Severity.INFO, reason)
        elif node.type not in ('Shape', 'Slot'):
            reason = 'is not known and is ignored; write the node that it stands for'
            world.leave_out(node, 'element-unknown', Severity.WARNING, reason)
        elif node.type == 'Slot':
            _read_children(node.nodes('endPoint'), parent, X_LP, world, top=top)


def _attach_solid(node: Node, parent: str, X_LP: Pose, world: _World, *, top: bool) -> None:
    """Add a solid without a joint node: fixed, or floating in a world if it has Physics."""
    name = _add_solid(node, world)
    free = top and node.node('physics') is not None
    kind = JointType.FLOATING if free else JointType.FIXED
    X_PF = compose(X_LP, node_pose(node))
    joint = Joint(f'{name}_joint', kind, parent, name, X_PF, line=node.line)
    world.builder.add_joint(joint)


def _attach_joint(node: Node, parent: str, X_LP: Pose, world: _World) -> None:
    for number in ('device', 'device2', 'device3'):
        for device in node.nodes(number):
            if device.type not in _JOINT_DEVICES:
                reason = 'is not known and is ignored; check its spelling'
                world.leave_out(device, 'element-unknown', Severity.WARNING, reason)
    end = node.node('endPoint')
    if end is None:
        reason = 'has no endPoint and is ignored; give it a Solid'
        world.leave_out(node, 'joint-empty', Severity.WARNING, reason)
        return
    if end.type == 'SolidReference':
        name = node.define or f'{end.text("solidName")}_closure'
        at = Placement(name, parent, end.text('solidName'), X_LP)
        world.references.append((node, at, end.text('solidName')))
        return
    if end.type not in _BODIES:
        raise node.refuse(f'its endPoint is a {end.type}; write the Solid that it stands for')
    child = _add_solid(end, world)
    at = Placement(joint_name(node, child), parent, child, X_LP)
    joint = read_joint(node, at, node_pose(end), world.builder.findings)
    world.builder.add_joint(_unique(joint, world))


def _unique(joint: Joint, world: _World) -> Joint:
    taken = {other.name for other in world.builder.joints.values()}
    name, number = joint.name, 1
    while name in taken:
        number += 1
        name = f'{joint.name}_{number}'
    return replace(joint, name=name)


def _close_references(world: _World) -> None:
    """Turn joints to a SolidReference into closures, at the anchor in the stored pose.

    Which frame on the other solid coincides follows from both solids' poses as they are stored.
    """
    if not world.references:
        return
    above = {joint.child: joint for joint in world.builder.joints.values()}
    for node, at, name in world.references:
        if name not in world.taken and name != '<static environment>':
            raise node.refuse(f"its SolidReference names '{name}', which is no solid of the file")
        other = 'world' if name == '<static environment>' else name
        if other not in world.taken:
            world.builder.add_link(Link(other))
            world.taken.add(other)
        model = read_joint(node, at, IDENTITY_POSE, world.builder.findings)
        X_WA, X_WB = _stored(at.parent, above), _stored(other, above)
        X_LB = compose(invert(X_WB), compose(X_WA, model.X_PF))
        first = model.axes[0].direction if model.axes else X_AXIS
        second = model.axes[-1].direction if model.type is JointType.UNIVERSAL else first
        world.builder.add_closure(
            Closure(
                at.name,
                model.type.name.lower(),
                at.parent,
                other,
                model.X_PF,
                X_LB,
                first,
                second,
                line=node.line,
            )
        )


def _stored(link: str, above: dict[str, Joint]) -> Pose:
    """Return the pose of a link in the root at zero."""
    X = IDENTITY_POSE
    while link in above:
        joint = above[link]
        X = compose(compose(joint.X_PF, joint.X_MC), X)
        link = joint.parent
    return X


def _report(world: _World) -> None:
    for (kind, code, severity, reason), nodes in world.left_out.items():
        first = nodes[0]
        message = f'{kind} {reason}'
        if len(nodes) > 1:
            message += f' ({len(nodes)} times)'
        world.builder.report(code, severity, first.label, message, first.line)
