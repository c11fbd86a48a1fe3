# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The shapes of a Webots solid, and its inertia from Physics and bounding object.

Without a mass or an inertia matrix Webots takes those of the bounding object at uniform density.
Source: Webots, docs/reference/physics.md.
"""

from __future__ import annotations

from collections.abc import Iterator
import math

import numpy as np

from kinematics_node.formats.resources import Resources
from kinematics_node.formats.vrml import Node
from kinematics_node.formats.webots_joint import node_pose
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Geometry
from kinematics_node.model.elements import IDENTITY_POSE
from kinematics_node.model.elements import Inertia
from kinematics_node.model.elements import Pose
from kinematics_node.model.findings import Severity
from kinematics_node.spatial import compose
from kinematics_node.spatial import position
from kinematics_node.spatial import rotation
from kinematics_node.spatial import rotation_rows

DEFAULT_DENSITY = 1000.0
_GROUPS = ('Pose', 'Transform', 'Group')


def read_shapes(
    solid: Node, builder: ModelBuilder, resources: Resources | None, link: str
) -> list[Geometry]:
    """Return the visual shapes of a solid's children and the collision shapes of its bounds.

    Raises
    ------
    DescriptionError
        A number is malformed.
    """
    shapes: list[Geometry] = []
    for role, name in (('visual', 'children'), ('collision', 'boundingObject')):
        for node, X in _geometries(solid.nodes(name), IDENTITY_POSE):
            shape = _shape(node, role, X)
            if shape is None:
                message = f'{node.type} is a shape that is not supported and is ignored'
                element = f"link '{link}'"
                builder.report('geometry-unknown', Severity.INFO, element, message, node.line)
                continue
            if shape.resource and resources and resources.resolve(shape.resource) is None:
                message = f"the file '{shape.resource}' {resources.reason(shape.resource)}"
                element = f"link '{link}'"
                builder.report('resource-missing', Severity.WARNING, element, message, node.line)
            shapes.append(shape)
    return shapes


def read_inertia(solid: Node, builder: ModelBuilder, link: str) -> Inertia | None:
    """Return the inertia of a solid with Physics; None without.

    Raises
    ------
    DescriptionError
        A number is malformed.
    """
    physics = solid.node('physics')
    if physics is None:
        return None
    mass = physics.number('mass', -1.0)
    density = physics.number('density', DEFAULT_DENSITY)
    bounds = [
        shape
        for node, X in _geometries(solid.nodes('boundingObject'), IDENTITY_POSE)
        if (shape := _shape(node, 'collision', X)) is not None
    ]
    body = _uniform(bounds)
    if body is None:
        if mass > 0.0:
            message = 'its moments of inertia are not known; give an inertiaMatrix'
        else:
            message = 'its mass is not known; give a mass, or a bounding object of simple shapes'
        builder.report(
            'inertia-missing', Severity.WARNING, f"link '{link}'", message, physics.line
        )
        body = Inertia(1.0)
    factor = mass / body.mass if mass > 0.0 else density
    if mass <= 0.0 and not bounds:
        factor = 0.0
    i = tuple(factor * moment for moment in body.rotational)
    center = body.center
    written = physics.fields.get('centerOfMass')
    if written:
        x, y, z = physics.numbers('centerOfMass', (0.0, 0.0, 0.0))
        center = (x, y, z)
    if physics.fields.get('inertiaMatrix'):
        i = physics.numbers('inertiaMatrix', (0.0,) * 6)
    return Inertia(factor * body.mass, center, (i[0], i[1], i[2], i[3], i[4], i[5]))


def _geometries(nodes: list[Node], X: Pose) -> Iterator[tuple[Node, Pose]]:
    """Yield every geometry node with its pose in the solid, other solids left out."""
    for node in nodes:
        if node.type in _GROUPS:
            inner = compose(X, node_pose(node)) if node.type != 'Group' else X
            yield from _geometries(node.nodes('children'), inner)
        elif node.type == 'Shape':
            yield from ((geometry, X) for geometry in node.nodes('geometry'))
        elif node.type in _KINDS or node.type in _UNSUPPORTED:
            yield node, X


_KINDS = {'Box': 'box', 'Sphere': 'sphere', 'Cylinder': 'cylinder', 'Capsule': 'capsule'}
_KINDS['Mesh'] = 'mesh'
_UNSUPPORTED = ('Cone', 'Plane', 'IndexedFaceSet', 'IndexedLineSet', 'ElevationGrid', 'PointSet')


def _shape(node: Node, role: str, X: Pose) -> Geometry | None:
    kind = _KINDS.get(node.type)
    if kind is None:
        return None
    if kind == 'mesh':
        return Geometry(role, kind, X, (1.0, 1.0, 1.0), node.text('url'), node.define)
    if kind == 'box':
        size = node.numbers('size', (2.0, 2.0, 2.0))
    elif kind == 'sphere':
        size = (node.number('radius', 1.0),)
    else:
        size = (node.number('radius', 1.0), node.number('height', 2.0))
    return Geometry(role, kind, X, size, name=node.define)


def _uniform(shapes: list[Geometry]) -> Inertia | None:
    """Return the inertia of shapes at density 1, each counted whole; None without a volume."""
    parts = [(*_volume(shape), shape) for shape in shapes if shape.kind != 'mesh']
    total = sum(volume for volume, _, _ in parts)
    if not total > 0.0:
        return None
    points = [np.array(position(shape.X_BG)) for _, _, shape in parts]
    volumes = np.array([volume for volume, _, _ in parts])
    center = volumes @ np.array(points) / total
    inertia = np.zeros((3, 3))
    for (volume, moments, shape), point in zip(parts, points, strict=True):
        rows = np.array(rotation_rows(rotation(shape.X_BG)))
        away = point - center
        inertia += rows @ np.diag(moments) @ rows.T
        inertia += volume * (away @ away * np.eye(3) - np.outer(away, away))
    x, y, z = center.tolist()
    i = inertia.tolist()
    moments6 = (i[0][0], i[1][1], i[2][2], i[0][1], i[0][2], i[1][2])
    return Inertia(total, (x, y, z), moments6)


def _volume(shape: Geometry) -> tuple[float, tuple[float, float, float]]:
    """Return volume and principal moments of a shape of density 1; cylinders stand along z."""
    if shape.kind == 'box':
        x, y, z = shape.size
        v = x * y * z
        return v, (v * (y * y + z * z) / 12, v * (x * x + z * z) / 12, v * (x * x + y * y) / 12)
    if shape.kind == 'sphere':
        (r,) = shape.size
        v = 4.0 / 3.0 * math.pi * r**3
        return v, (0.4 * v * r * r,) * 3
    r, h = shape.size
    v = math.pi * r * r * h
    side, along = v * (3.0 * r * r + h * h) / 12.0, 0.5 * v * r * r
    if shape.kind == 'cylinder':
        return v, (side, side, along)
    caps = 4.0 / 3.0 * math.pi * r**3
    # Two half balls, their centres of mass 3r/8 beyond the cylinder's ends.
    side += caps * (0.4 * r * r + 0.25 * h * h + 0.375 * r * h)
    return v + caps, (side, side, along + 0.4 * caps * r * r)
