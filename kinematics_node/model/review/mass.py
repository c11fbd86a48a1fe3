# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Mass: inertias that no body has, or not one of this size, and moving links without mass."""

from __future__ import annotations

from collections.abc import Iterator
import math

from kinematics_node.model.elements import Geometry
from kinematics_node.model.elements import Inertia
from kinematics_node.model.elements import Link
from kinematics_node.model.findings import Finding
from kinematics_node.model.findings import Severity
from kinematics_node.model.inertia import inertia_faults
from kinematics_node.model.inertia import principal_moments
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model

LIGHTEST = 0.1
HEAVIEST = 1e5
SPREAD = 10.0


def review_mass(model: Model) -> Iterator[Finding]:
    """Look at the inertia of every link, by itself and against its shapes."""
    for link in model.links:
        yield from _possible(link)
        yield from _to_scale(link)
        yield from _collides_without_mass(link)
    yield from _moves_without_mass(model)


def _warning(link: Link, code: str, message: str) -> Finding:
    return Finding(code, Severity.WARNING, f"link '{link.name}'", message, link.line)


def _possible(link: Link) -> Iterator[Finding]:
    if link.inertia is not None:
        for fault in inertia_faults(link.inertia):
            yield _warning(link, fault.code, fault.message)


def _collides_without_mass(link: Link) -> Iterator[Finding]:
    collides = any(shape.role == 'collision' for shape in link.geometry)
    if collides and (link.inertia is None or link.inertia.mass == 0.0):
        yield _warning(
            link,
            'massless-collision',
            'has a collision shape but no mass, so that any touch throws it; give it an inertia, '
            'or take the shape away',
        )


def _to_scale(link: Link) -> Iterator[Finding]:
    """Compare mass and inertia with the shapes whose size is known."""
    inertia = link.inertia
    shapes = [shape for shape in link.geometry if shape.role == 'collision' and _volume(shape)]
    shapes = shapes or [shape for shape in link.geometry if _volume(shape)]
    if inertia is None or not inertia.mass > 0.0 or not shapes or inertia_faults(inertia):
        return
    volume = sum(_volume(shape) for shape in shapes)
    density = inertia.mass / volume
    if not LIGHTEST <= density <= HEAVIEST:
        yield _warning(
            link,
            'mass-scale',
            f'mass {inertia.mass:.4g} kg in {volume:.4g} m^3 is {density:.4g} kg/m^3; check the '
            'units (read a thousand times too long, a body has 10^-9 of its density)',
        )
    reach = max(_half_diagonal(shape) for shape in shapes)
    gyration = _gyration(inertia)
    if gyration > SPREAD * reach:
        yield _warning(
            link,
            'inertia-scale',
            f'its radius of gyration is {gyration:.4g} m but its shapes reach only {reach:.4g} m; '
            'check the units of the inertia (kg m^2)',
        )


def _gyration(inertia: Inertia) -> float:
    """Return sqrt(I / m) of the largest principal moment [m]."""
    return math.sqrt(max(float(principal_moments(inertia)[2]), 0.0) / inertia.mass)


def _volume(shape: Geometry) -> float:
    """Return the volume of a simple shape [m^3], 0 where it is unknown."""
    sizes = shape.size
    if not all(x > 0.0 and math.isfinite(x) for x in sizes):
        return 0.0
    if shape.kind == 'box' and len(sizes) == 3:
        return sizes[0] * sizes[1] * sizes[2]
    if shape.kind == 'sphere' and len(sizes) == 1:
        return 4.0 / 3.0 * math.pi * sizes[0] ** 3
    if shape.kind in ('cylinder', 'capsule') and len(sizes) == 2:
        ends = 4.0 / 3.0 * math.pi * sizes[0] ** 3 if shape.kind == 'capsule' else 0.0
        return math.pi * sizes[0] ** 2 * sizes[1] + ends
    return 0.0


def _half_diagonal(shape: Geometry) -> float:
    """Return how far a simple shape reaches from its centre [m]."""
    if shape.kind == 'box':
        return 0.5 * math.sqrt(sum(x * x for x in shape.size))
    if shape.kind == 'sphere':
        return shape.size[0]
    if shape.kind == 'capsule':
        return shape.size[0] + 0.5 * shape.size[1]
    return math.hypot(shape.size[0], 0.5 * shape.size[1])


def _moves_without_mass(model: Model) -> Iterator[Finding]:
    """Report moving bodies (links joined by fixed joints) that have no mass at all."""
    body = list(range(len(model.links)))
    for i in range(1, len(model.links)):
        if model.tree[i, 1] == JointType.FIXED:
            body[i] = body[int(model.tree[i, 0])]
    mass = [0.0] * len(model.links)
    for i, link in enumerate(model.links):
        mass[body[i]] += 0.0 if link.inertia is None else link.inertia.mass
    if not any(mass):
        if model.joints:
            yield Finding(
                'massless-model',
                Severity.INFO,
                f"model '{model.name}'",
                'no link has mass; poses can be computed, forces cannot',
            )
        return
    for i in range(1, len(model.links)):
        if body[i] == i and mass[i] == 0.0:
            joint = model.joints[i - 1]
            yield _warning(
                model.links[i],
                'massless-movable',
                f"moves by joint '{joint.name}' but neither it nor what is fixed to it has mass, "
                'so that a force on it has no finite answer; give it an inertia',
            )
