# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The augmented method: six coordinates a body, every joint a set of rows, dense matrices.

    [ M   -Phi_q^T ] [ a      ]   [ Q_e   ]
    [ Phi_q   0    ] [ lambda ] = [ gamma ]

as textbooks print it (Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, 1989,
section 11.2; here multipliers push, and so have the opposite sign). It is for teaching and for
checking: with the reduced method it shares poses, velocities and the formulas of rows, but neither
inertia nor the recursion of forces.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.constraints.augmented import about_point
from kinematics_node.constraints.augmented import AugmentedSystem
from kinematics_node.constraints.augmented import Bodies
from kinematics_node.constraints.augmented import coordinate_rate
from kinematics_node.constraints.kinds import Kind
from kinematics_node.dynamics.inverse import move_links
from kinematics_node.dynamics.inverse import project
from kinematics_node.forces.algebra import constrained_accelerations
from kinematics_node.forces.algebra import ordered_least_squares
from kinematics_node.forces.reduced import loosest
from kinematics_node.forces.setting import new_records
from kinematics_node.forces.setting import Passive
from kinematics_node.forces.setting import passive_at
from kinematics_node.forces.solution import Question
from kinematics_node.forces.solution import refuse_unusable
from kinematics_node.forces.solution import SingularInertiaError
from kinematics_node.forces.solution import Solution
from kinematics_node.forces.solution import SolutionArrays
from kinematics_node.forces.wrench_maps import anchors
from kinematics_node.forces.wrench_maps import closure_anchor
from kinematics_node.model.model import Model
from kinematics_node.spatial import rotation_rows


@dataclass(eq=False)
class BodyEquations:
    """The textbook's terms, over bodies (links but the root) and all rows.

    Attributes
    ----------
    M : array, shape (6 bodies, 6 bodies)
        Inertia about link origins on world axes.
    load : array, shape (6 bodies,)
        External wrenches and gravity, less what velocities need.
    effort : array, shape (6 bodies, nv)
        What a unit effort along each coordinate puts on the bodies.
    effort_bias : array, shape (nv,)
        v' = effort^T a + effort_bias.
    Phi_q, phi, phi_dot, gamma : array
        Rows: tree joints, closures, couplings, mimics, brakes.
    scale : array, shape (rows,)
        Of each row's multiplier.
    wrench : array, shape (rows, 6)
        What a unit multiplier puts on link B, about Wo on world axes; zero for rows on
        coordinates.
    tree_rows : int
        How many rows are those of tree joints.
    """

    M: Array
    load: Array
    effort: Array
    effort_bias: Array
    Phi_q: Array
    phi: Array
    phi_dot: Array
    gamma: Array
    scale: Array
    wrench: Array
    tree_rows: int
    columns: Array
    bodies: Bodies
    passive: Passive
    body_scale: Array


def solve_augmented(question: Question) -> Solution:
    """Return the solution of a question in coordinates of bodies.

    Raises
    ------
    SingularInertiaError
        Forward mode, and something without inertia is free to move.
    """
    refuse_unusable(question.model, question.state)
    system = AugmentedSystem(question.model)
    equations = equations_of(question, system)
    if question.mode == 'inverse':
        return solve_inverse(question, system, equations)
    return solve_forward(question, system, equations)


def equations_of(question: Question, system: AugmentedSystem) -> BodyEquations:
    """Return the textbook's terms at a question's state."""
    model, plan = question.model, question.plan
    rows = system.evaluate(question.q, question.v, question.alpha, question.beta)
    X, V = body_motion(question, np.zeros(model.nv))[:2]
    bodies = Bodies(question.q, question.v, X, V)
    M, load = body_inertia(question, X, V)
    effort, bias = effort_columns(question, bodies)
    passive = passive_at(plan, question.q, question.v)
    scale = np.array([plan.length if unit == 'r' else 1.0 for unit in system.units])
    brakes = np.flatnonzero(plan.braked)
    held = np.concatenate((effort[:, brakes].T, passive.brakes @ effort.T))
    held_bias = np.concatenate((bias[brakes], passive.brakes @ bias + passive.brake_bias))
    held_rate = np.concatenate((question.v[brakes], passive.brakes @ question.v))
    wrench = row_wrenches(system, rows.jacobian, X)
    extra = held.shape[0]
    return BodyEquations(
        M=M,
        load=load,
        effort=effort,
        effort_bias=bias,
        Phi_q=np.concatenate((rows.jacobian, held)),
        phi=np.concatenate((rows.phi, np.zeros(extra))),
        phi_dot=np.concatenate((rows.phi_dot, held_rate)),
        gamma=np.concatenate((rows.gamma, -held_bias - 2.0 * question.alpha * held_rate)),
        scale=np.concatenate((scale, np.full(extra, plan.length))),
        wrench=np.concatenate((wrench, np.zeros((extra, 6)))),
        tree_rows=sum(len(e.units) for e in system.elements[: system.joint_element_count]),
        columns=rows.body_velocities,
        bodies=bodies,
        passive=passive,
        body_scale=np.tile((plan.length,) * 3 + (1.0,) * 3, len(model.links) - 1),
    )


def body_motion(question: Question, vdot: Array) -> tuple[Array, Array, Array]:
    """Return poses, velocities and accelerations of links at tree accelerations vdot."""
    model, links = question.model, len(question.model.links)
    X, V, A, F = (np.empty((links, width)) for width in (7, 6, 6, 6))
    state = (question.q, question.v, vdot, np.zeros(3))
    move_links(model.tree, model.placement, question.inertia, *state, X, V, A, F)
    return X, V, A


def body_inertia(question: Question, X: Array, V: Array) -> tuple[Array, Array]:
    """Return M and the load of all bodies, from Newton's and Euler's laws about link origins."""
    count = len(question.model.links) - 1
    M, load = np.zeros((6 * count, 6 * count)), np.zeros((count, 6))
    for n in range(count):
        m, cx, cy, cz, xx, yy, zz, xy, xz, yz = question.inertia[n + 1]
        R = np.array(rotation_rows(tuple(X[n + 1, :4])))
        c, w = R @ np.array((cx, cy, cz)), V[n + 1, :3]
        about_center = R @ np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))) @ R.T
        c_cross = np.cross(np.eye(3), c)  # c_cross @ x = c x x
        block = M[6 * n : 6 * n + 6, 6 * n : 6 * n + 6]
        block[:3, :3] = about_center - m * c_cross @ c_cross
        block[:3, 3:], block[3:, :3] = m * c_cross, -m * c_cross
        block[3:, 3:] = m * np.eye(3)
        f = m * (question.gravity - np.cross(w, np.cross(w, c)))
        load[n, 3:] = f
        load[n, :3] = np.cross(c, f) - np.cross(w, about_center @ w)
    if question.external.size:
        load += question.external[1:]
    return M, load.reshape(-1)


def effort_columns(question: Question, bodies: Bodies) -> tuple[Array, Array]:
    """Return what unit efforts put on the bodies, and the bias of the rates they work on."""
    model = question.model
    effort = np.zeros((model.nv, len(model.links), 6))
    bias = np.zeros(model.nv)
    for v, link in enumerate(question.plan.link_of):
        wrench, bias[v] = coordinate_rate(model, int(link), v, bodies)
        for body, sign in ((int(model.tree[link, 0]), -1.0), (int(link), 1.0)):
            effort[v, body] += sign * about_point(wrench, bodies.X[body, 4:7])
    return effort[:, 1:].reshape(model.nv, -1).T, bias


def row_wrenches(system: AugmentedSystem, jacobian: Array, X: Array) -> Array:
    """Return what unit multipliers put on link B, about Wo on world axes."""
    wrench = np.zeros((jacobian.shape[0], 6))
    for element, rows in zip(system.elements, system.slices, strict=True):
        if element.kind is Kind.COUPLING:
            continue
        link, sign = (element.link_B, 1.0) if element.link_B else (element.link_A, -1.0)
        wrench[rows] = sign * jacobian[rows, 6 * link - 6 : 6 * link]
        wrench[rows, :3] += np.cross(X[link, 4:7], wrench[rows, 3:])
    return wrench


def constraint_stack(question: Question, system: AugmentedSystem, at: BodyEquations) -> Array:
    """Return C: constraint wrenches of all joints and closures about their anchors, as forces."""
    model, plan = question.model, question.plan
    points = anchors(model, at.bodies.X)
    weight = np.array((1.0 / plan.length,) * 3 + (1.0,) * 3)
    blocks = []
    for n, (element, rows) in enumerate(zip(system.elements, system.slices, strict=True)):
        if element.kind is Kind.COUPLING:
            continue
        point = points[element.link_B]
        if n >= system.joint_element_count:
            point = closure_anchor(element.X_LB[4:], element.link_B, at.bodies.X)
        block = np.zeros((6, at.scale.size))
        block[:, rows] = (weight * about_point(at.wrench[rows], point)).T
        blocks.append(block)
    plain = np.flatnonzero(~at.wrench.any(axis=1))
    efforts = np.zeros((plain.size, at.scale.size))
    J = at.Phi_q[plain] @ at.columns / plan.rate_scale
    efforts[range(plain.size), plain] = np.abs(J).max(axis=1, initial=0.0)
    return np.concatenate((*blocks, efforts))


def solve_inverse(question: Question, system: AugmentedSystem, at: BodyEquations) -> Solution:
    """Return efforts and multipliers for given accelerations, by ordered least squares."""
    plan, nv, rows = question.plan, question.model.nv, at.scale.size
    a = body_motion(question, question.given)[2][1:].reshape(-1)
    known = at.passive.efforts.sum(axis=0) + at.passive.rotor(question.given)
    needed = at.M @ a - at.load - at.effort @ known
    A = np.concatenate((at.Phi_q.T * at.scale, at.effort * plan.rate_scale), axis=1)
    efforts = np.concatenate((np.zeros((nv, rows)), np.eye(nv)), axis=1)
    C = constraint_stack(question, system, at)
    wrenches = np.concatenate((C * at.scale, np.zeros((C.shape[0], nv))), axis=1)
    none = np.zeros(nv)
    x, freedom = ordered_least_squares(
        A / at.body_scale[:, None],
        needed / at.body_scale,
        (
            (efforts[~question.actuated], none[~question.actuated]),
            (efforts[question.actuated], none[question.actuated]),
            (wrenches, np.zeros(C.shape[0])),
        ),
    )
    braced = freedom[1].shape[1] - freedom[2].shape[1]
    found = x[rows:] * plan.rate_scale
    actuator = np.where(question.actuated, found, 0.0)
    free = freedom[1][:rows] * at.scale[:, None]
    multipliers = x[:rows] * at.scale
    return assemble(
        question, at, question.given, a, actuator, found - actuator, multipliers, free, braced
    )


def solve_forward(question: Question, system: AugmentedSystem, at: BodyEquations) -> Solution:
    """Return accelerations and multipliers for given efforts."""
    passive, model = at.passive, question.model
    armature = passive.armature
    rotors = np.diag(armature) if armature.ndim == 1 else armature
    driving = question.given + passive.efforts.sum(axis=0) - passive.bias
    driving -= rotors @ at.effort_bias
    force = at.load + at.effort @ driving
    M = at.M + at.effort @ rotors @ at.effort.T
    d, s = at.body_scale, at.scale
    scaled, loose = constrained_accelerations(
        M / np.outer(d, d), at.Phi_q * s[:, None] / d, force / d, at.gamma * s
    )
    if loose.size:
        vdot = np.linalg.lstsq(at.columns, loose / d[:, None], rcond=None)[0]
        names = loosest(model.velocity_names, vdot * question.plan.rate_scale[:, None])
        raise SingularInertiaError(names)
    a = scaled / d
    C = constraint_stack(question, system, at)
    A = (at.Phi_q * s[:, None] / d).T
    none = np.zeros(C.shape[0])
    x, freedom = ordered_least_squares(A, (M @ a - force) / d, ((C * s, none),))
    vdot = at.effort.T @ a + at.effort_bias
    unbalanced = np.zeros(model.nv)
    free = freedom[0] * s[:, None]
    return assemble(question, at, vdot, a, question.given, unbalanced, x * s, free, 0)


def assemble(
    question: Question,
    at: BodyEquations,
    vdot: Array,
    a: Array,
    actuator: Array,
    unbalanced: Array,
    multipliers: Array,
    freedom: Array,
    braced: int,
) -> Solution:
    """Return a solution in the order of the reduced method's rows."""
    model, rows = question.model, slice(at.tree_rows, None)
    rotor = at.passive.rotor(vdot)
    sources = actuator + unbalanced + at.passive.efforts.sum(axis=0) + rotor
    F = transmitted(question, at, sources, multipliers)
    along, total = np.empty(model.nv), np.empty_like(F)
    X = at.bodies.X
    project(model.tree, model.placement, question.q, X, F, question.frame, along, total)
    table_rows = question.plan.row_count
    records = new_records(table_rows)
    records[:, 0] = at.phi[rows][:table_rows]
    records[:, 1:7] = at.wrench[rows][:table_rows]
    open_gamma = at.gamma + 2.0 * question.alpha * at.phi_dot + question.beta**2 * at.phi
    return SolutionArrays(
        vdot=vdot,
        actuator=actuator,
        unbalanced=unbalanced,
        along=along,
        passive=at.passive.efforts,
        rotor=rotor,
        multipliers=multipliers[rows].copy(),
        records=records,
        J=at.Phi_q[rows] @ at.columns,
        phi=at.phi[rows],
        phi_dot=at.phi_dot[rows],
        acceleration_residual=(at.Phi_q @ a - open_gamma)[rows],
        total=total,
        X=X,
        F=F,
        freedom=freedom[rows],
        braced=braced,
    )


def transmitted(
    question: Question, at: BodyEquations, sources: Array, multipliers: Array
) -> Array:
    """Return the wrenches (links, 6) of all joints about Co on world axes, and of the world."""
    model, X = question.model, at.bodies.X
    F = np.zeros((len(model.links), 6))
    plain = np.flatnonzero(~at.wrench.any(axis=1))
    # Rows on coordinates push along them as efforts do.
    along = sources + (at.Phi_q[plain] @ at.columns).T @ multipliers[plain]
    children = row_children(model)
    for v, link in enumerate(question.plan.link_of):
        F[link] += along[v] * at.effort[6 * link - 6 : 6 * link, v]
    for r, link in enumerate(children):
        F[link] += multipliers[r] * about_point(at.wrench[r], X[link, 4:7])
    F[0] = base_wrench(question, at, F, multipliers)
    return F


def row_children(model: Model) -> list[int]:
    """Return the child link of every row of a tree joint."""
    children = []
    for k, joint in enumerate(model.joints):
        children += [k + 1] * joint.type.constraint_rows
    return children


def base_wrench(question: Question, at: BodyEquations, F: Array, multipliers: Array) -> Array:
    """Return what the world puts on the root link, which balances all that its joints take."""
    model, X = question.model, at.bodies.X
    m, center = float(question.inertia[0, 0]), question.inertia[0, 1:4]
    weight = m * question.gravity
    base = -np.concatenate((np.cross(center, weight), weight))
    for link in range(1, len(model.links)):
        if model.tree[link, 0] == 0:
            base += F[link]
            base[:3] += np.cross(X[link, 4:7], F[link, 3:])
    if question.external.size:
        base -= question.external[0]
    for element, rows in zip(question.plan.elements, question.plan.slices, strict=True):
        where = slice(at.tree_rows + rows.start, at.tree_rows + rows.stop)
        wrench = multipliers[where] @ at.wrench[where]
        base += wrench * (float(element.link_A == 0) - float(element.link_B == 0))
    return base
