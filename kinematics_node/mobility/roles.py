# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Independent coordinates, modes, and the role of every joint, from what the rows allow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.mobility.mechanism import Mechanism
from kinematics_node.mobility.report import JointRole
from kinematics_node.mobility.report import Mode
from kinematics_node.mobility.report import Role
from kinematics_node.model.model import Model

MOVES = 1e-6  # of a unit motion: a coordinate that moves less does not move
PIVOT = 1e-3  # of a unit motion: a coordinate that shows less of it is no good choice


def choose_independent(
    motions: Array, idle: Array, preferred: Sequence[Sequence[int]]
) -> tuple[list[int], int]:
    """Return columns whose rates determine all motions, and how many come before idle ones.

    Greedy pivoting: always the coordinate that shows most of what is still undetermined, from the
    groups in order, and from all columns at last. Motions that somebody notices come first.
    """
    noticed = motions - idle @ (idle.T @ motions)
    chosen: list[int] = []
    everything = range(motions.shape[0])
    for part, wanted in ((noticed, motions.shape[1] - idle.shape[1]), (motions, motions.shape[1])):
        rest = part.copy()
        for column in chosen:
            rest = _without(rest, column)
        for group, least in (*((g, PIVOT) for g in preferred), (everything, 0.0)):
            columns = np.array(group, int)
            while len(chosen) < wanted and columns.size:
                sizes = (rest[columns] ** 2).sum(axis=1)
                best = int(sizes.argmax())
                if sizes[best] <= least * least:
                    break
                chosen.append(int(columns[best]))
                rest = _without(rest, chosen[-1])
    return chosen, motions.shape[1] - idle.shape[1]


def _without(motions: Array, column: int) -> Array:
    """Return the motions less those that a coordinate shows."""
    direction = motions[column]
    size = float(direction @ direction)
    return motions if size <= 0.0 else motions - np.outer(motions @ direction, direction) / size


def independent_rank(motions: Array, columns: Sequence[int]) -> int:
    """Return how many independent motions a set of coordinates shows."""
    if not columns or not motions.shape[1]:
        return 0
    return int((np.linalg.svd(motions[list(columns)], compute_uv=False) > MOVES).sum())


def modes_of(
    model: Model, mechanism: Mechanism, motions: Array, idle: Array, chosen: Sequence[int]
) -> tuple[Mode, ...]:
    """Return one mode for each chosen coordinate."""
    if not chosen:
        return ()
    columns = list(chosen)
    basis = motions @ np.linalg.inv(motions[columns])
    sizes = np.linalg.norm(basis, axis=0)
    is_idle = np.linalg.norm(basis - idle @ (idle.T @ basis), axis=0) < MOVES * sizes
    scaled = mechanism.scale[:, None] * basis
    rates = (mechanism.reduction.T @ scaled / mechanism.scale[columns]).T
    shown = np.abs(rates / mechanism.all_scale) > MOVES
    modes = []
    for j, column in enumerate(columns):
        visible = np.flatnonzero(shown[j]).tolist()
        moved = rates[j, visible].tolist()
        names = {model.velocity_names[v]: rate for v, rate in zip(visible, moved, strict=True)}
        joints = tuple(dict.fromkeys(mechanism.joint_of[v] for v in visible))
        name = model.velocity_names[mechanism.reduction.independent[column]]
        modes.append(Mode(name, names, joints, bool(is_idle[j])))
    return tuple(modes)


def joint_roles(
    model: Model,
    mechanism: Mechanism,
    motions: Array,
    idle: Array,
    given: Sequence[int],
    measured: bool,
    nearby: np.ndarray,
) -> tuple[JointRole, ...]:
    """Return the role of every joint where the rates of some columns are given.

    They are measured, or merely chosen. nearby says of each column whether it moves in
    configurations nearby; what is at rest here only is not locked.
    """
    shown = motions[list(given)]
    U, s, Vt = np.linalg.svd(shown)
    rank = int((s > MOVES).sum())
    unknown = motions @ Vt[rank:].T
    noticed = unknown - idle @ (idle.T @ unknown)
    moves, open_, free = (_moving(part) for part in (motions, unknown, noticed))
    inverse = (Vt[:rank].T / s[:rank]) @ U[:, :rank].T
    effect = (np.abs(motions @ inverse) > MOVES).tolist()
    names = [model.velocity_names[mechanism.reduction.independent[j]] for j in given]
    known = set(given)
    roles = []
    for joint in mechanism.joints:
        columns = joint.columns
        needs: tuple[str, ...] = ()
        if joint.master:
            role, needs = Role.MIMICKING, (joint.master,)
        elif not columns:
            role = Role.FIXED
        elif not any(moves[j] or nearby[j] for j in columns):
            role = Role.LOCKED
        elif known.issuperset(columns):
            role = Role.MEASURED if measured else Role.FREE
        elif any(free[j] for j in columns):
            role = Role.FREE
        else:
            role = Role.IDLE if any(open_[j] for j in columns) else Role.DEPENDENT
            needs = tuple(
                names[k] for k in range(len(names)) if any(effect[j][k] for j in columns)
            )
        roles.append(JointRole(joint.name, joint.type, joint.rows, role, needs))
    return tuple(roles)


def _moving(motions: Array) -> list[bool]:
    flags: list[bool] = np.any(np.abs(motions) > MOVES, axis=1).tolist()
    return flags
