# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The reduced method: coordinates of the spanning tree, and rows for what closes loops.

Where rows are independent, compiled factors answer; where they are not, null spaces say what is
unique and what is not, and the least constraint wrenches are chosen among the rest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.dynamics.inverse import inverse_dynamics
from kinematics_node.dynamics.inverse import WORLD
from kinematics_node.forces.algebra import constrained_accelerations
from kinematics_node.forces.algebra import ordered_least_squares
from kinematics_node.forces.answer import answer_at
from kinematics_node.forces.answer import FORWARD
from kinematics_node.forces.answer import INVERSE
from kinematics_node.forces.answer import REFUSED
from kinematics_node.forces.kernels import add_multipliers
from kinematics_node.forces.kernels import UNIQUE
from kinematics_node.forces.packed import PackedSolution
from kinematics_node.forces.setting import row_scales
from kinematics_node.forces.setting import Setting
from kinematics_node.forces.setting import setting_of
from kinematics_node.forces.solution import Question
from kinematics_node.forces.solution import refuse_unusable
from kinematics_node.forces.solution import SingularInertiaError
from kinematics_node.forces.solution import Solution
from kinematics_node.forces.solution import SolutionArrays
from kinematics_node.forces.wrench_maps import wrench_stack


def solve_reduced(question: Question) -> Solution:
    """Return the solution of a question in coordinates of the tree.

    Raises
    ------
    ValueShapeError
        A number that is not finite, or a quaternion without length.
    SingularInertiaError
        Forward mode, and something without inertia is free to move.
    """
    conditions = question.conditions
    plan, inverse = conditions.plan, conditions.mode == 'inverse'
    if plan.passive.balls:
        refuse_unusable(question.model, question.state)
        return solve_inverse(question) if inverse else solve_forward(question)
    buffer = np.empty(plan.answer_size)
    status = answer_at(
        conditions.table,
        INVERSE if inverse else FORWARD,
        conditions.frame,
        conditions.alpha,
        conditions.beta,
        question.state,
        buffer,
    )
    if status == UNIQUE:
        return PackedSolution(question, buffer)
    if status == REFUSED:
        refuse_unusable(question.model, question.state)
    return solve_inverse(question) if inverse else solve_forward(question)


def solve_inverse(question: Question) -> Solution:
    """Return efforts and multipliers for given accelerations, unique or not."""
    setting = setting_of(question, question.given, with_inertia=False)
    rotor = setting.passive.rotor(question.given)
    needed = setting.along - setting.passive.efforts.sum(axis=0) - rotor
    multipliers, freedom, braced = balance_freely(question, setting, needed)
    rest = needed - setting.J.T @ multipliers
    actuator = np.where(question.actuated, rest, 0.0)
    return finish(
        question, setting, question.given, actuator, rest - actuator, multipliers, freedom, braced
    )


def balance_freely(
    question: Question, setting: Setting, needed: Array
) -> tuple[Array, Array, int]:
    """Return multipliers where they are not unique: (multipliers, freedom, braced).

    What cannot be balanced is made small first, then the actuators' efforts, then the constraint
    wrenches; moments count as forces at the characteristic length.
    """
    plan, rows, nv = question.plan, setting.J.shape[0], needed.size
    scale = row_scales(plan, rows)
    A = np.concatenate(((setting.J * scale[:, None] / plan.rate_scale).T, np.eye(nv)), axis=1)
    efforts = np.concatenate((np.zeros((nv, rows)), np.eye(nv)), axis=1)
    C, c = stack_of(question, setting, setting.F)
    wrenches = np.concatenate((C * scale, np.zeros((C.shape[0], nv))), axis=1)
    none = np.zeros(nv)
    x, freedom = ordered_least_squares(
        A,
        needed / plan.rate_scale,
        (
            (efforts[~question.actuated], none[~question.actuated]),
            (efforts[question.actuated], none[question.actuated]),
            (wrenches, c),
        ),
    )
    braced = freedom[1].shape[1] - freedom[2].shape[1]
    return x[:rows] * scale, freedom[1][:rows] * scale[:, None], braced


def stack_of(question: Question, setting: Setting, F: Array) -> tuple[Array, Array]:
    """Return the constraint wrenches as a function of the multipliers, F being those at zero."""
    model, X = question.model, setting.X
    at_zero, spare = np.empty_like(F), np.empty(model.nv)
    zero = np.zeros(setting.records.shape[0])
    add_multipliers(
        model.tree,
        model.placement,
        question.plan.table.elements,
        question.q,
        setting.records,
        zero,
        WORLD,
        spare,
        at_zero,
        X,
        F,
    )
    return wrench_stack(model, question.plan, setting.records, setting.J, question.q, X, at_zero)


def solve_forward(question: Question) -> Solution:
    """Return accelerations and multipliers for given efforts."""
    model = question.model
    setting = setting_of(question, np.zeros(model.nv), with_inertia=True)
    gamma = -setting.phi_ddot - 2.0 * question.alpha * setting.phi_dot
    gamma -= question.beta * question.beta * setting.phi
    passive = setting.passive
    driving = question.given + passive.efforts.sum(axis=0) - setting.along - passive.bias
    vdot = accelerate_freely(question, setting, driving, gamma)
    move(question, setting, vdot)
    multipliers, freedom = multipliers_freely(question, setting, driving, vdot)
    setting.phi_ddot += setting.J @ vdot
    return finish(
        question, setting, vdot, question.given, np.zeros(model.nv), multipliers, freedom, 0
    )


def move(question: Question, setting: Setting, vdot: Array) -> None:
    """Write what the joints transmit at accelerations vdot, without rows, into the setting."""
    model = question.model
    total = np.empty_like(setting.F)
    inverse_dynamics(
        model.tree,
        model.placement,
        question.inertia,
        question.q,
        question.v,
        vdot,
        question.gravity,
        question.external,
        WORLD,
        setting.along,
        total,
        setting.X,
        setting.F,
    )


def accelerate_freely(question: Question, setting: Setting, driving: Array, gamma: Array) -> Array:
    """Return accelerations where rows are redundant or links have no mass."""
    plan, scale = question.plan, row_scales(question.plan, setting.J.shape[0])
    d = plan.rate_scale
    J = setting.J * scale[:, None] / d
    M = setting.M / np.outer(d, d)
    a, loose = constrained_accelerations(M, J, driving / d, gamma * scale)
    if loose.size:
        raise SingularInertiaError(loosest(question.model.velocity_names, loose))
    vdot: Array = a / d
    return vdot


def loosest(names: Sequence[str], loose: Array) -> tuple[str, ...]:
    """Return the names, up to four, that move most in directions (columns) without inertia."""
    share = np.abs(loose).max(axis=1)
    return tuple(names[k] for k in np.flatnonzero(share > 0.3 * share.max())[:4])


def multipliers_freely(
    question: Question, setting: Setting, driving: Array, vdot: Array
) -> tuple[Array, Array]:
    """Return the multipliers with the least constraint wrenches, and what may be added to them."""
    plan, scale = question.plan, row_scales(question.plan, setting.J.shape[0])
    C, c = stack_of(question, setting, setting.F)
    missing = (setting.M @ vdot - driving) / plan.rate_scale
    A = (setting.J * scale[:, None] / plan.rate_scale).T
    x, freedom = ordered_least_squares(A, missing, ((C * scale, c),))
    return x * scale, freedom[0] * scale[:, None]


def finish(
    question: Question,
    setting: Setting,
    vdot: Array,
    actuator: Array,
    unbalanced: Array,
    multipliers: Array,
    freedom: Array,
    braced: int,
) -> Solution:
    """Return the solution, with the wrenches that follow from the multipliers."""
    model, rows = question.model, setting.records.shape[0]
    total = np.empty_like(setting.F)
    add_multipliers(
        model.tree,
        model.placement,
        question.plan.table.elements,
        question.q,
        setting.records,
        multipliers if multipliers.size == rows else multipliers[:rows].copy(),
        question.frame,
        setting.along,
        total,
        setting.X,
        setting.F,
    )
    return SolutionArrays(
        vdot=vdot,
        actuator=actuator,
        unbalanced=unbalanced,
        along=setting.along,
        passive=setting.passive.efforts,
        rotor=setting.passive.rotor(vdot),
        multipliers=multipliers,
        records=setting.records,
        J=setting.J,
        phi=setting.phi,
        phi_dot=setting.phi_dot,
        acceleration_residual=setting.phi_ddot,
        total=total,
        X=setting.X,
        F=setting.F,
        freedom=freedom,
        braced=braced,
    )
