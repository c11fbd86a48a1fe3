# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Idle motions: those that nobody outside notices, such as the spin of a rod with two ball ends.

A motion is idle if it moves no joint's or closure's anchor, no motor, no joint outside the loops,
and no body but such as connect exactly two others. What remains turns on the spot between its two
neighbours. These are linear conditions, so idle motions are a subspace of the mobility.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.compiled import leaf
from kinematics_node.constraints.kinds import Kind
from kinematics_node.constraints.table import Element
from kinematics_node.kinematics.velocity import link_velocities
from kinematics_node.kinematics.velocity import load_spatial
from kinematics_node.kinematics.velocity import shift_velocity
from kinematics_node.mobility.linear import length_of
from kinematics_node.mobility.linear import make_orthogonal
from kinematics_node.mobility.linear import write_identity
from kinematics_node.mobility.tables import Flags
from kinematics_node.mobility.tables import Tables
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model
from kinematics_node.spatial import invert
from kinematics_node.spatial import load_quaternion
from kinematics_node.spatial import load_vector
from kinematics_node.spatial import rotate
from kinematics_node.spatial import scale

SEEN = 1e-6  # of a unit motion


class Bodies(NamedTuple):
    """What idle motions leave alone, prepared once a model: points on links.

    Those are the origins of bodies that do not connect exactly two others, then anchors: of joints
    that are not fixed, and of closures that are no welds.

    Attributes
    ----------
    origins : int
        How many of the points are origins of bodies, which may not turn either.
    links : int64 array, shape (points,)
        The link of each point.
    points : array, shape (points, 3)
        Where they are on their links, p_CP_C.
    weight : array, shape (points,)
        1 for origins, 1 / characteristic length for anchors.
    """

    origins: int
    links: Indices
    points: Array
    weight: Array


@leaf
def write_idle(
    motions: Array, seen: Array, alone: Flags, gram: Array, turned: Array, idle: Array
) -> int:
    """Write orthonormal idle directions (columns, idle) among the motions; return how many.

    Seen is what each motion shows besides the rates of the columns that are left alone. The Gram
    matrix is far smaller than that; its eigenvalues are squares.
    """
    mobility, count = motions.shape[1], 0
    for a in range(mobility):
        for b in range(a, mobility):
            shown = 0.0
            for k in range(seen.shape[1]):
                shown += seen[a, k] * seen[b, k]
            for column in range(motions.shape[0]):
                if alone[column]:
                    shown += motions[column, a] * motions[column, b]
            gram[a, b] = gram[b, a] = shown
    write_identity(turned, mobility)
    make_orthogonal(gram, mobility, mobility, turned, mobility)
    for a in range(mobility):
        if length_of(gram, a) < SEEN**2:
            for column in range(motions.shape[0]):
                idle[column, count] = 0.0
                for b in range(mobility):
                    idle[column, count] += motions[column, b] * turned[a, b]
            count += 1
    return count


@leaf
def write_seen(
    tables: Tables, q: Array, motions: Array, v: Array, X: Array, V: Array, seen: Array
) -> None:
    """Write what of each motion is seen: how points move and, after that, how origins turn."""
    points = tables.links.shape[0]
    for m in range(motions.shape[1]):
        for k in range(v.shape[0]):
            v[k] = tables.fold[k] * motions[tables.column_of[k], m]
        link_velocities(tables.tree, tables.placement, q, v, X, V)
        for n in range(points):
            link = tables.links[n]
            w, u = load_spatial(V, link)
            r = rotate(load_quaternion(X[link], 0), load_vector(tables.points[n], 0))
            moved = scale(tables.point_weight[n], shift_velocity(w, u, r))
            for axis in range(3):
                seen[m, 3 * n + axis] = moved[axis]
                if n < tables.origins:
                    seen[m, 3 * (points + n) + axis] = w[axis]


def bodies_of(model: Model, elements: Sequence[Element], length: float) -> Bodies:
    """Return what idle motions of a model with these closures leave alone."""
    links = _noticed_links(model, elements)
    origins = len(links)
    points: list[Sequence[float]] = [(0.0, 0.0, 0.0)] * origins
    for link, joint in enumerate(model.joints, start=1):
        if joint.type is not JointType.FIXED:
            links.append(link)
            points.append(invert(joint.X_MC)[4:])
    for element in elements:
        if element.kind not in (Kind.COUPLING, Kind.FIXED):
            links += [element.link_A, element.link_B]
            points += [element.X_LA[4:], element.X_LB[4:]]
    weight = np.full(len(links), 1.0 / length)
    weight[:origins] = 1.0
    return Bodies(
        origins=origins,
        links=np.array(links, np.int64),
        points=np.array(points).reshape(-1, 3),
        weight=weight,
    )


def _noticed_links(model: Model, elements: Sequence[Element]) -> list[int]:
    """Return the links of bodies that do not connect exactly two others."""
    body = list(range(len(model.links)))

    def root(link: int) -> int:
        while body[link] != link:
            link = body[link]
        return link

    joins = []
    for link, joint in enumerate(model.joints, start=1):
        joins.append((int(model.tree[link, 0]), link, joint.type is JointType.FIXED))
    for element in elements:
        if element.kind is not Kind.COUPLING:
            joins.append((element.link_A, element.link_B, element.kind is Kind.FIXED))
    for a, b, rigid in joins:
        if rigid:
            body[root(a)] = root(b)
    degree = [0] * len(body)
    for a, b, rigid in joins:
        if not rigid:
            degree[root(a)] += 1
            degree[root(b)] += 1
    return [link for link in range(len(body)) if degree[root(link)] != 2]
