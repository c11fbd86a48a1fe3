# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Geometry roles: what is seen but not touched, impossible sizes, meshes that mirror."""

from __future__ import annotations

from collections.abc import Iterator
import math

from kinematics_node.model.elements import Geometry
from kinematics_node.model.elements import Link
from kinematics_node.model.findings import Finding
from kinematics_node.model.findings import Severity
from kinematics_node.model.model import Model


def review_geometry(model: Model) -> Iterator[Finding]:
    """Look at the shapes of every link."""
    for link in model.links:
        roles = {shape.role for shape in link.geometry}
        if 'visual' in roles and 'collision' not in roles:
            yield Finding(
                'visual-without-collision',
                Severity.INFO,
                f"link '{link.name}'",
                'is seen but has no collision shape, so that planners pass through it',
                link.line,
            )
        for shape in link.geometry:
            yield from _size(link, shape)


def _size(link: Link, shape: Geometry) -> Iterator[Finding]:
    element = f"{shape.role} of link '{link.name}'"
    shown = ' '.join(f'{x:g}' for x in shape.size)
    if shape.kind == 'mesh':
        if any(x == 0.0 or not math.isfinite(x) for x in shape.size):
            sentence = f'mesh scale {shown} flattens the shape; give factors such as 0.001'
            yield Finding('mesh-scale-zero', Severity.ERROR, element, sentence, link.line)
        elif math.prod(shape.size or (1.0,)) < 0.0:
            sentence = f'mesh scale {shown} mirrors the shape and turns its faces inside out'
            yield Finding('mesh-mirrored', Severity.INFO, element, sentence, link.line)
    elif any(not x > 0.0 or not math.isfinite(x) for x in shape.size):
        sentence = f'{shape.kind} with size {shown}; every size must be positive'
        yield Finding('geometry-size', Severity.WARNING, element, sentence, link.line)
