# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Modes, and the role of every joint, from what the rows allow."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.mobility.mechanism import Mechanism
from kinematics_node.mobility.nearby import length_of
from kinematics_node.mobility.nearby import make_orthogonal
from kinematics_node.mobility.report import JointRole
from kinematics_node.mobility.report import Mode
from kinematics_node.mobility.report import Role
from kinematics_node.model.model import Model

Flags = NDArray[np.bool_]

MOVES = 1e-6  # of a unit motion: a coordinate that moves less does not move


def independent_rank(motions: Array, columns: Indices) -> int:
    """Return how many independent motions a set of coordinates shows."""
    if not columns.size or not motions.shape[1]:
        return 0
    shown = motions[columns]
    make_orthogonal(shown, *shown.shape)
    return sum(length_of(shown, i) > MOVES for i in range(columns.size))


def moving(motions: Array) -> Flags:
    """Return which coordinates move in some of the motions."""
    return np.asarray((np.abs(motions) > MOVES).any(axis=1))


def modes_of(
    model: Model, mechanism: Mechanism, motions: Array, idle: Array, chosen: list[int]
) -> tuple[Mode, ...]:
    """Return one mode for each chosen coordinate."""
    if not chosen:
        return ()
    basis = motions @ np.linalg.inv(motions[chosen])
    noticed = basis - idle @ (idle.T @ basis)
    is_idle = (noticed * noticed).sum(axis=0) < MOVES**2 * (basis * basis).sum(axis=0)
    rates = (mechanism.spread @ basis / mechanism.scale[chosen]).T
    shown = np.abs(rates / mechanism.all_scale) > MOVES
    table = zip(chosen, is_idle.tolist(), rates.tolist(), shown.tolist(), strict=True)
    return tuple(
        Mode(
            coordinate=mechanism.column_names[column],
            rates=dict(compress(zip(model.velocity_names, moved, strict=True), visible)),
            joints=tuple(dict.fromkeys(compress(mechanism.joint_of, visible))),
            idle=unseen,
        )
        for column, unseen, moved, visible in table
    )


def joint_roles(
    mechanism: Mechanism,
    motions: Array,
    idle: Array,
    given: Indices,
    measured: bool,
    moves: Flags,
) -> tuple[JointRole, ...]:
    """Return the role of every joint where the rates of some columns are given.

    They are measured, or merely chosen. moves says of each column whether it moves here or in
    configurations nearby; what is at rest here only is not locked.
    """
    U, s, Vt = np.linalg.svd(motions[given])
    rank = int((s > MOVES).sum())
    unknown = motions @ Vt[rank:].T
    noticed = unknown - idle @ (idle.T @ unknown)
    inverse = (Vt[:rank].T / s[:rank]) @ U[:, :rank].T
    of_columns = np.empty((len(moves), 4 + given.size))
    of_columns[:, 0] = moves
    of_columns[:, 1] = 1.0
    of_columns[given, 1] = 0.0
    of_columns[:, 2] = moving(noticed)
    of_columns[:, 3] = moving(unknown)
    of_columns[:, 4:] = np.abs(motions @ inverse) > MOVES
    of_joints = mechanism.belongs @ of_columns > 0.0
    return _roles_told(mechanism, tuple(given.tolist()), measured, of_joints.tobytes())


# They hardly ever change from one configuration to the next.
@lru_cache(maxsize=16)
def _roles_told(
    mechanism: Mechanism, given: Sequence[int], measured: bool, flags: bytes
) -> tuple[JointRole, ...]:
    """Return roles from flags of each joint.

    Those are whether it moves, is open to question, moves where given columns rest, noticed by
    somebody or at all; and which of the given columns move it.
    """
    names = [mechanism.column_names[j] for j in given]
    of_joints = np.frombuffer(flags, bool).reshape(-1, 4 + len(given)).tolist()
    roles = []
    for joint, (moved, asked, free, idles, *effects) in zip(
        mechanism.joints, of_joints, strict=True
    ):
        if joint.settled is not None:
            roles.append(joint.settled)
            continue
        needs: tuple[str, ...] = ()
        if not moved:
            role = Role.LOCKED
        elif not asked:
            role = Role.MEASURED if measured else Role.FREE
        elif free:
            role = Role.FREE
        else:
            role = Role.IDLE if idles else Role.DEPENDENT
            needs = tuple(compress(names, effects))
        roles.append(JointRole(joint.name, joint.type, joint.rows, role, needs))
    return tuple(roles)
