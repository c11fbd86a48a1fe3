# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels that assemble rows: residuals, wrench directions, Jacobian and rates.

Element tables (see table.py) list closures and couplings; a kernel works on the elements first to
last. All is expressed in a common frame N, which is W, or any link that the loops have in common:
rows only see relative motion. Wrench directions are about No, on N's axes; S holds for every
velocity coordinate the twist (w, v) about No, on N's axes, that its unit rate gives its link.
"""

from __future__ import annotations

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.compiled import inlined
from kinematics_node.compiled import Ints
from kinematics_node.compiled import leaf
from kinematics_node.constraints.coupling import coupling_row
from kinematics_node.constraints.distance import distance_row
from kinematics_node.constraints.fixed import fixed_rows
from kinematics_node.constraints.kinds import Kind
from kinematics_node.constraints.planar import planar_rows
from kinematics_node.constraints.point import point_rows
from kinematics_node.constraints.primitive import WEIGHT
from kinematics_node.constraints.primitive import ZERO
from kinematics_node.constraints.prismatic import prismatic_rows
from kinematics_node.constraints.revolute import revolute_rows
from kinematics_node.constraints.universal import universal_rows
from kinematics_node.kinematics.joint_motion import child_pose
from kinematics_node.kinematics.joint_motion import joint_frame
from kinematics_node.kinematics.joint_motion import joint_rate_motion
from kinematics_node.kinematics.joint_motion import JOINT_RATES
from kinematics_node.kinematics.poses import ROOT_POSE
from kinematics_node.kinematics.velocity import load_spatial
from kinematics_node.kinematics.velocity import shift_acceleration
from kinematics_node.kinematics.velocity import shift_velocity
from kinematics_node.kinematics.velocity import store_spatial
from kinematics_node.spatial import add
from kinematics_node.spatial import compose
from kinematics_node.spatial import conjugate
from kinematics_node.spatial import cross
from kinematics_node.spatial import dot
from kinematics_node.spatial import invert
from kinematics_node.spatial import load_pose
from kinematics_node.spatial import Pose
from kinematics_node.spatial import position
from kinematics_node.spatial import rotate
from kinematics_node.spatial import rotation
from kinematics_node.spatial import scale
from kinematics_node.spatial import store_pose
from kinematics_node.spatial import subtract
from kinematics_node.spatial import Vector

FIXED = int(Kind.FIXED)
REVOLUTE = int(Kind.REVOLUTE)
PRISMATIC = int(Kind.PRISMATIC)
UNIVERSAL = int(Kind.UNIVERSAL)
BALL = int(Kind.BALL)
PLANAR = int(Kind.PLANAR)
DISTANCE = int(Kind.DISTANCE)
COUPLING = int(Kind.COUPLING)


@leaf
def place_links(
    root: int,
    links: Indices,
    first: int,
    last: int,
    tree: Ints,
    placement: Array,
    q: Array,
    X: Array,
    S: Array,
) -> None:
    """Write poses X_NC and twists S of links[first:last], parents first, N being the root link."""
    store_pose(ROOT_POSE, X, root)
    for n in range(first, last):
        i = links[n]
        store_pose(compose(load_pose(X, tree[i, 0], 0), child_pose(tree, placement, i, q)), X, i)
        X_NM = joint_frame(placement, i, X)
        kind = tree[i, 1]
        for column in range(JOINT_RATES[kind]):
            w, v = joint_rate_motion(kind, placement, i, q, tree[i, 2], column)
            w = rotate(rotation(X_NM), w)
            v = add(rotate(rotation(X_NM), v), cross(position(X_NM), w))
            store_spatial(w, v, S, tree[i, 3] + column)


@inlined
def closure_rows(
    kind: int, X_AB: Pose, w: Vector, u: Vector, extra: float, rows: Array, r: int
) -> None:
    """Write a closure's rows in A, at rest where w and u are zero."""
    if kind == FIXED:
        fixed_rows(X_AB, w, rows, r)
    elif kind == REVOLUTE:
        revolute_rows(X_AB, w, rows, r)
    elif kind == BALL:
        point_rows(X_AB, rows, r)
    elif kind == UNIVERSAL:
        universal_rows(X_AB, w, extra, rows, r)
    elif kind == PRISMATIC:
        prismatic_rows(X_AB, w, rows, r)
    elif kind == PLANAR:
        planar_rows(X_AB, w, rows, r)
    else:
        distance_row(X_AB, u, extra, rows, r)


@inlined
def express_in_common_frame(rows: Array, first: int, last: int, X_NA: Pose, p_NB: Vector) -> None:
    """Turn wrench directions, given at Bo in A, into those about No in N."""
    for r in range(first, last):
        f = rotate(rotation(X_NA), (rows[r, 4], rows[r, 5], rows[r, 6]))
        tau = add(
            rotate(rotation(X_NA), (rows[r, 1], rows[r, 2], rows[r, 3])),
            cross(p_NB, f),
        )
        rows[r, 1], rows[r, 2], rows[r, 3] = tau
        rows[r, 4], rows[r, 5], rows[r, 6] = f


@leaf
def write_rows(
    elements: Indices,
    geometry: Array,
    support: Indices,
    coefficient: Array,
    first: int,
    last: int,
    q: Array,
    X: Array,
    rows: Array,
) -> None:
    """Write residuals and wrench directions of the elements, at rest, from the poses X."""
    for e in range(first, last):
        r = elements[e, 3]
        if elements[e, 0] == COUPLING:
            lowest, highest = elements[e, 5], elements[e, 6]
            coupling_row(geometry[e, 14], support, coefficient, lowest, highest, q, rows, r)
            continue
        X_NA = compose(load_pose(X, elements[e, 1], 0), load_pose(geometry, e, 0))
        X_NB = compose(load_pose(X, elements[e, 2], 0), load_pose(geometry, e, 7))
        X_AB = compose(invert(X_NA), X_NB)
        closure_rows(elements[e, 0], X_AB, ZERO, ZERO, geometry[e, 14], rows, r)
        express_in_common_frame(rows, r, elements[e, 4], X_NA, position(X_NB))


@leaf
def write_jacobian(
    elements: Indices,
    support: Indices,
    coefficient: Array,
    first: int,
    last: int,
    base: int,
    rows: Array,
    S: Array,
    J: Array,
) -> None:
    """Add the weighted Jacobian of the elements into J, which is zero; row base comes first.

    Only the joints on the two ways from A's and B's link to their nearest common ancestor have
    columns. Column and factor stand in the support: factors scale a coordinate, or fold a follower
    into its master; a column of -1 is left out.
    """
    for e in range(first, last):
        for n in range(elements[e, 5], elements[e, 6]):
            column = support[n, 2]
            if column < 0:
                continue
            share = coefficient[n, 0] * coefficient[n, 1]
            if elements[e, 0] == COUPLING:
                r = elements[e, 3]
                J[r - base, column] += rows[r, WEIGHT] * share
                continue
            i = support[n, 0]
            for r in range(elements[e, 3], elements[e, 4]):
                along = (
                    rows[r, 1] * S[i, 0]
                    + rows[r, 2] * S[i, 1]
                    + rows[r, 3] * S[i, 2]
                    + rows[r, 4] * S[i, 3]
                    + rows[r, 5] * S[i, 4]
                    + rows[r, 6] * S[i, 5]
                )
                J[r - base, column] += rows[r, WEIGHT] * share * along


@inlined
def relative_motion(
    X_NA: Pose, X_NB: Pose, X: Array, V: Array, A: Array, link_A: int, link_B: int
) -> tuple[Vector, Vector, Vector, Vector]:
    """Return (w, u) of B in A, and their derivatives taken in A, all on A's axes.

    V and A hold velocities and accelerations of links as velocity.py gives them.
    """
    w_A, v_A = load_spatial(V, link_A)
    w_B, v_B = load_spatial(V, link_B)
    alpha_A, a_A = load_spatial(A, link_A)
    alpha_B, a_B = load_spatial(A, link_B)
    p_B = subtract(position(X_NB), (X[link_B, 4], X[link_B, 5], X[link_B, 6]))
    p_A = subtract(position(X_NB), (X[link_A, 4], X[link_A, 5], X[link_A, 6]))
    w = subtract(w_B, w_A)
    u = subtract(shift_velocity(w_B, v_B, p_B), shift_velocity(w_A, v_A, p_A))
    alpha = subtract(subtract(alpha_B, alpha_A), cross(w_A, w))
    a = subtract(
        shift_acceleration(alpha_B, w_B, a_B, p_B), shift_acceleration(alpha_A, w_A, a_A, p_A)
    )
    a = subtract(a, scale(2.0, cross(w_A, u)))
    R_AN = conjugate(rotation(X_NA))
    return rotate(R_AN, w), rotate(R_AN, u), rotate(R_AN, alpha), rotate(R_AN, a)


@leaf
def write_rates(
    elements: Indices,
    geometry: Array,
    support: Indices,
    coefficient: Array,
    q: Array,
    v: Array,
    vdot: Array,
    X: Array,
    V: Array,
    A: Array,
    rows: Array,
    rates: Array,
) -> None:
    """Write rows as write_rows does, and (phi', phi'') of each into rates, for all elements."""
    for e in range(elements.shape[0]):
        r = elements[e, 3]
        if elements[e, 0] == COUPLING:
            lowest, highest = elements[e, 5], elements[e, 6]
            coupling_row(geometry[e, 14], support, coefficient, lowest, highest, q, rows, r)
            rates[r, 0] = rates[r, 1] = 0.0
            for n in range(lowest, highest):
                rates[r, 0] += coefficient[n, 0] * v[support[n, 0]]
                rates[r, 1] += coefficient[n, 0] * vdot[support[n, 0]]
            continue
        link_A, link_B = elements[e, 1], elements[e, 2]
        X_NA = compose(load_pose(X, link_A, 0), load_pose(geometry, e, 0))
        X_NB = compose(load_pose(X, link_B, 0), load_pose(geometry, e, 7))
        w, u, w_dot, u_dot = relative_motion(X_NA, X_NB, X, V, A, link_A, link_B)
        X_AB = compose(invert(X_NA), X_NB)
        closure_rows(elements[e, 0], X_AB, w, u, geometry[e, 14], rows, r)
        for k in range(r, elements[e, 4]):
            tau = (rows[k, 1], rows[k, 2], rows[k, 3])
            f = (rows[k, 4], rows[k, 5], rows[k, 6])
            rates[k, 0] = dot(tau, w) + dot(f, u)
            rates[k, 1] = dot(tau, w_dot) + dot(f, u_dot) + rows[k, 7]
        express_in_common_frame(rows, r, elements[e, 4], X_NA, position(X_NB))
