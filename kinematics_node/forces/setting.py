# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The equations of motion at the state asked for: what every method solves.

    M v' + h = tau_act + tau_passive + J^T lambda,   J v' = gamma

with h of links and external wrenches, M with rotors. Brakes on axes of ball joints add rows of
their own behind those of the table.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.constraints.primitive import ROW_WIDTH
from kinematics_node.constraints.primitive import WEIGHT
from kinematics_node.dynamics.passive import angles_of
from kinematics_node.dynamics.passive import ball_armature
from kinematics_node.dynamics.passive import write_ball_efforts
from kinematics_node.dynamics.passive import write_passive_efforts
from kinematics_node.forces.kernels import evaluate
from kinematics_node.forces.plan import Plan
from kinematics_node.forces.solution import Question


@dataclass(eq=False)
class Passive:
    """What acts by itself along free axes, at one state.

    Attributes
    ----------
    efforts : array, shape (3, nv)
        Springs, dampers, friction.
    armature : array, shape (nv, nv) or (nv,)
        Inertia of rotors, a matrix where a ball joint has any.
    bias : array, shape (nv,)
        What rotors on ball joints take without acceleration.
    brakes, brake_bias : array, shapes (rows, nv), (rows,)
        Rows of brakes on ball joints, and their J' v.
    """

    efforts: Array
    armature: Array
    bias: Array
    brakes: Array
    brake_bias: Array

    def rotor(self, vdot: Array) -> Array:
        """Return the efforts with which the rotors resist accelerations."""
        inertial = self.armature * vdot if self.armature.ndim == 1 else self.armature @ vdot
        efforts: Array = -(inertial + self.bias)
        return efforts

    def add_armature(self, M: Array) -> None:
        """Add the rotors to a joint-space inertia."""
        M += np.diag(self.armature) if self.armature.ndim == 1 else self.armature


@dataclass(eq=False)
class Setting:
    """The terms of the equations at (q, v, vdot)."""

    passive: Passive
    along: Array
    X: Array
    F: Array
    records: Array
    J: Array
    M: Array
    phi: Array
    phi_dot: Array
    phi_ddot: Array


def passive_at(plan: Plan, q: Array, v: Array) -> Passive:
    """Return what acts by itself at a state."""
    nv = v.size
    table = plan.passive
    result = Passive(
        np.zeros((3, nv)), table.armature, np.zeros(nv), np.zeros((0, nv)), np.zeros(0)
    )
    if table.acts:
        write_passive_efforts(table.position, table.constants, q, v, result.efforts)
    if table.balls:
        add_balls(plan, q, v, result)
    return result


def add_balls(plan: Plan, q: Array, v: Array, passive: Passive) -> None:
    """Add what acts on ball joints, through virtual work of their angles."""
    armature = np.diag(passive.armature)
    rows, rates = [], []
    for joint, k, n in plan.passive.balls:
        at = angles_of(joint, q, v, k, n)
        write_ball_efforts(joint, at, passive.efforts, n)
        where = slice(n, n + 3)
        armature[where, where], passive.bias[where] = ball_armature(joint, at)
        for axis, along in zip(joint.axes, at.inverse, strict=True):
            if axis.braked:
                row = np.zeros(v.size)
                row[where] = along
                rows.append(row)
                rates.append(-float(along @ at.bias))
    passive.armature = armature
    if rows:
        passive.brakes, passive.brake_bias = np.array(rows), np.array(rates)


def setting_of(question: Question, vdot: Array, with_inertia: bool) -> Setting:
    """Return the terms of the equations at a question's state, and accelerations."""
    model, plan = question.model, question.plan
    rows, nv, links = plan.row_count, model.nv, len(model.links)
    passive = passive_at(plan, question.q, question.v)
    along, X, F = np.empty(nv), np.empty((links, 7)), np.empty((links, 6))
    records, rates, J = new_records(rows), np.zeros((rows, 2)), np.zeros((rows, nv))
    M = np.zeros((nv, nv) if with_inertia else (0, 0))
    table = plan.table
    evaluate(
        model.tree,
        model.placement,
        question.inertia,
        table.elements,
        table.geometry,
        table.support,
        table.coefficient,
        question.q,
        question.v,
        vdot,
        question.gravity,
        question.external,
        along,
        X,
        F,
        records,
        rates,
        J,
        M,
    )
    if with_inertia:
        passive.add_armature(M)
    phi, phi_dot, phi_ddot = records[:, 0].copy(), rates[:, 0].copy(), rates[:, 1].copy()
    phi[plan.rows_held[:, 1] != 0.0] = 0.0
    if passive.brakes.size:
        J = np.concatenate((J, passive.brakes))
        phi = np.concatenate((phi, np.zeros_like(passive.brake_bias)))
        phi_dot = np.concatenate((phi_dot, passive.brakes @ question.v))
        phi_ddot = np.concatenate((phi_ddot, passive.brakes @ vdot + passive.brake_bias))
    return Setting(passive, along, X, F, records, J, M, phi, phi_dot, phi_ddot)


def new_records(rows: int) -> Array:
    """Return records for rows, all of weight 1."""
    records = np.zeros((rows, ROW_WIDTH))
    records[:, WEIGHT] = 1.0
    return records


def row_scales(plan: Plan, rows: int) -> Array:
    """Return the scale of every row's multiplier; brakes of ball joints are moments."""
    extra = rows - plan.row_count
    if not extra:
        return plan.row_scale
    return np.concatenate((plan.row_scale, np.full(extra, plan.length)))
