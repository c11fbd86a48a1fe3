# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Idle motions: those that nobody outside notices, such as the spin of a rod with two ball ends.

A motion is idle if it moves no joint's or closure's anchor, no motor, no joint outside the loops,
and no body but such as connect exactly two others. What remains turns on the spot between its two
neighbours. These are linear conditions, so idle motions are a subspace of the mobility.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.constraints.kinds import Kind
from kinematics_node.constraints.table import Element
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model
from kinematics_node.spatial import invert

SEEN = 1e-6  # of a unit motion


@dataclass(frozen=True, eq=False)
class Bodies:
    """What idle motions leave alone, prepared once a model.

    Attributes
    ----------
    noticed : list of int
        Links of bodies that do not connect exactly two others.
    links : list of int
        The links of anchors: of joints that are not fixed, and of closures that are no welds.
    points : array, shape (anchors, 3)
        The anchors p_CP_C on those links.
    """

    noticed: list[int]
    links: list[int]
    points: Array


def idle_motions(
    J: Array, X: Array, bodies: Bodies, motions: Array, alone: Array, length: float
) -> Array:
    """Return orthonormal idle directions, shape (columns, idle), among the motions.

    Parameters
    ----------
    J : array, shape (links, 6, columns)
        Velocities of links about their origins for unit columns.
    X : array, shape (links, 7)
        Poses of links.
    bodies : Bodies
        What idle motions leave alone.
    motions : array, shape (columns, mobility)
        Orthonormal directions that the rows allow.
    alone : bool array, shape (columns,)
        Columns of motors, measured coordinates and joints outside the loops.
    length : float
        The characteristic length [m].
    """
    twists = J @ motions
    r = rotated(X[bodies.links, :4], bodies.points)
    w = twists[bodies.links, :3]
    anchors = twists[bodies.links, 3:] - cross_rows(r[:, :, None], w)
    mobility = motions.shape[1]
    rows = np.concatenate(
        (
            motions[alone],
            twists[bodies.noticed].reshape(-1, mobility),
            anchors.reshape(-1, mobility) / length,
        )
    )
    # The Gram matrix is far smaller than the rows; its eigenvalues are squares.
    sizes, directions = np.linalg.eigh(rows.T @ rows)
    idle: Array = motions @ directions[:, sizes < SEEN**2]
    return idle


def rotated(turns: Array, points: Array) -> Array:
    """Return points (n, 3) rotated by quaternions (n, 4)."""
    w, u = turns[:, :1], turns[:, 1:]
    along = (u * points).sum(axis=1, keepdims=True)
    across = cross_rows(u, points)
    real = w * w - (u * u).sum(axis=1, keepdims=True)
    return np.asarray(real * points + 2.0 * (along * u + w * across))


def cross_rows(a: Array, b: Array) -> Array:
    """Return the cross products of rows, for few rows much faster than NumPy's."""
    x, y, z = b[:, 0], b[:, 1], b[:, 2]
    return np.stack(
        (a[:, 1] * z - a[:, 2] * y, a[:, 2] * x - a[:, 0] * z, a[:, 0] * y - a[:, 1] * x), axis=1
    )


def bodies_of(model: Model, elements: Sequence[Element]) -> Bodies:
    """Return what idle motions of a model with these closures leave alone."""
    links, points = [], []
    for link, joint in enumerate(model.joints, start=1):
        if joint.type is not JointType.FIXED:
            links.append(link)
            points.append(invert(joint.X_MC)[4:])
    for element in elements:
        if element.kind not in (Kind.COUPLING, Kind.FIXED):
            links += [element.link_A, element.link_B]
            points += [element.X_LA[4:], element.X_LB[4:]]
    return Bodies(_noticed_links(model, elements), links, np.array(points).reshape(-1, 3))


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
