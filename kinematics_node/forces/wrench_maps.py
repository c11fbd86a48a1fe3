# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""How joints' wrenches depend on multipliers, linearly.

A row puts its wrench on link B and the opposite on link A; what a joint transmits to the links
beyond it changes by the opposite of what the row puts on these.
"""

from __future__ import annotations

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.constraints.kinds import Kind
from kinematics_node.forces.plan import Plan
from kinematics_node.kinematics.joint_motion import joint_frame
from kinematics_node.kinematics.joint_motion import joint_rate_motion
from kinematics_node.kinematics.joint_motion import JOINT_RATES
from kinematics_node.model.model import Model
from kinematics_node.spatial import position
from kinematics_node.spatial import rotation
from kinematics_node.spatial import rotation_rows


def anchors(model: Model, X: Array) -> Array:
    """Return p_WoMo_W (links, 3) of every joint; Wo for the root."""
    points: Array = X[:, 4:7].copy()
    for i in range(1, len(model.links)):
        points[i] = position(joint_frame(model.placement, i, X))
    return points


def joint_maps(model: Model, plan: Plan, records: Array, X: Array) -> Array:
    """Return (links, 6, rows): each joint's wrench about Mo on world axes per unit multiplier."""
    beyond = np.zeros((len(model.links), records.shape[0]))
    links = np.arange(len(model.links))
    for element, rows in zip(plan.elements, plan.slices, strict=True):
        if element.kind is not Kind.COUPLING:
            on_A = (links <= element.link_A) & (element.link_A <= plan.last)
            on_B = (links <= element.link_B) & (element.link_B <= plan.last)
            beyond[:, rows] = (on_A.astype(float) - on_B.astype(float))[:, None]
    beyond[0] = 0.0
    maps = beyond[:, :, None] * records[None, :, 1:7]
    maps[:, :, :3] -= np.cross(anchors(model, X)[:, None, :], maps[:, :, 3:])
    return np.ascontiguousarray(maps.transpose(0, 2, 1))


def closure_maps(plan: Plan, records: Array, X: Array) -> list[Array]:
    """Return (6, rows) of each closure: its wrench on B about Bo on world axes."""
    maps = []
    for element, rows in zip(plan.elements, plan.slices, strict=True):
        if element.kind is Kind.COUPLING:
            break
        wrench = np.zeros((6, records.shape[0]))
        wrench[:, rows] = records[rows, 1:7].T
        wrench[:3] -= np.cross(closure_anchor(element.X_LB[4:], element.link_B, X), wrench[3:].T).T
        maps.append(wrench)
    return maps


def closure_anchor(p_LB: tuple[float, ...], link: int, X: Array) -> Array:
    """Return p_WoBo_W of a closure's frame B on a link."""
    R = np.array(rotation_rows(tuple(X[link, :4])))
    anchor: Array = X[link, 4:7] + R @ np.array(p_LB)
    return anchor


def free_directions(model: Model, q: Array, X: Array, i: int) -> Array:
    """Return S (6, nv of the joint) of the joint above link i, at Mo on world axes."""
    kind, k = int(model.tree[i, 1]), int(model.tree[i, 2])
    R = np.array(rotation_rows(rotation(joint_frame(model.placement, i, X))))
    columns = [
        np.concatenate([R @ np.array(part) for part in motion])
        for motion in (
            joint_rate_motion(kind, model.placement, i, q, k, n) for n in range(JOINT_RATES[kind])
        )
    ]
    S: Array = np.array(columns).T.reshape(6, -1)
    return S


def constraint_projector(S: Array) -> Array:
    """Return P (6, 6): the part of a wrench that does no work along the free motion S."""
    P: Array = np.eye(6) - S @ np.linalg.pinv(S)
    return P


def wrench_stack(
    model: Model, plan: Plan, records: Array, J: Array, q: Array, X: Array, at_zero: Array
) -> tuple[Array, Array]:
    """Return (C, c): constraint wrenches of joints and closures, C multipliers + c, as forces.

    Moments are divided by the characteristic length; couplings and brakes count with the largest
    effort they put on a coordinate. The sum of squares is what minimum norm means here: it does
    not depend on which joint of a loop was cut. at_zero (links, 6) holds the joints' wrenches
    about Mo on world axes with all multipliers zero.
    """
    weight = np.array((1.0 / plan.length,) * 3 + (1.0,) * 3)
    maps = joint_maps(model, plan, records, X)
    if J.shape[0] > maps.shape[2]:
        maps = np.pad(maps, ((0, 0), (0, 0), (0, J.shape[0] - maps.shape[2])))
    blocks, constants = [], []
    for i in np.flatnonzero(np.abs(maps).max(axis=(1, 2), initial=0.0) > 0.0):
        P = weight[:, None] * constraint_projector(free_directions(model, q, X, int(i)))
        blocks.append(P @ maps[i])
        constants.append(P @ at_zero[i])
    for wrench in closure_maps(plan, records, X):
        blocks.append(np.zeros((6, J.shape[0])))
        blocks[-1][:, : records.shape[0]] = weight[:, None] * wrench
    plain = [
        rows.start
        for element, rows in zip(plan.elements, plan.slices, strict=True)
        if element.kind is Kind.COUPLING
    ]
    plain += range(records.shape[0], J.shape[0])
    efforts = np.zeros((len(plain), J.shape[0]))
    efforts[range(len(plain)), plain] = np.abs(J[plain] / plan.rate_scale).max(axis=1, initial=0.0)
    blocks.append(efforts)
    C = np.concatenate(blocks)
    c = np.zeros(C.shape[0])
    if constants:
        first = np.concatenate(constants)
        c[: first.size] = first
    return C, c
