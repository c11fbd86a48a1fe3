# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Which wrenches statics determine, and what is shared where it does not.

What may be added to the multipliers without anybody noticing moves some joints' wrenches and not
others: its image under the map from multipliers to a wrench is that wrench's unknown part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.forces.algebra import sparse_basis
from kinematics_node.forces.setting import row_scales
from kinematics_node.forces.solution import Question
from kinematics_node.forces.solution import Solution
from kinematics_node.forces.wrench_maps import closure_maps
from kinematics_node.forces.wrench_maps import joint_maps

NEGLIGIBLE = 1e-7


@dataclass(frozen=True)
class SharedLoad:
    """Loads that statics do not divide among some joints.

    Attributes
    ----------
    members : tuple of str
        Joints and closures whose wrenches share the unknown.
    dimension : int
        In how many independent ways load may be moved among them.
    """

    members: tuple[str, ...]
    dimension: int


@dataclass(eq=False)
class Indeterminacy:
    """What is not unique in a solution.

    Attributes
    ----------
    joints, closures : array, shapes (links, 6, k), (closures, 6, k)
        Change of each wrench about its anchor on world axes, along k independent ways.
    rows : bool array, shape (rows,)
        Multipliers that are not unique.
    shared : tuple of SharedLoad
        Who shares with whom.
    length : float
        Characteristic length [m].
    """

    joints: Array
    closures: Array
    rows: Array
    shared: tuple[SharedLoad, ...]
    length: float

    @property
    def ways(self) -> int:
        """In how many independent ways multipliers may change without anybody noticing."""
        return int(self.joints.shape[2])


def indeterminacy_of(question: Question, solution: Solution) -> Indeterminacy:
    """Return what is not unique in a solution."""
    model, plan = question.model, question.plan
    count, rows = len(model.links), solution.records.shape[0]
    closures, freedom = len(model.closures), solution.freedom
    if not freedom.shape[1]:
        unique = np.zeros(freedom.shape[0], bool)
        joints = np.zeros((count, 6, 0))
        return Indeterminacy(joints, np.zeros((closures, 6, 0)), unique, (), plan.length)
    scale = row_scales(plan, freedom.shape[0])
    freedom = sparse_basis(freedom / scale[:, None]) * scale[:, None]
    on_table = freedom[:rows]
    joints = joint_maps(model, plan, solution.records, solution.X) @ on_table
    maps = closure_maps(plan, solution.records, solution.X)
    at_closures = np.array([wrench @ on_table for wrench in maps])
    at_closures = at_closures.reshape(closures, 6, freedom.shape[1])
    free_rows = np.abs(freedom / scale[:, None]).max(axis=1) > NEGLIGIBLE
    found = Indeterminacy(joints, at_closures, free_rows, (), plan.length)
    found.shared = shared_loads(question, found)
    return found


def as_forces(wrenches: Array, length: float) -> Array:
    """Return wrenches (..., 6, k) with moments divided by the characteristic length."""
    scaled: Array = wrenches.copy()
    scaled[..., :3, :] /= length
    return scaled


def unknown_directions(change: Array, length: float) -> Array:
    """Return a basis (rows, 6) of the unknown part of one wrench, the largest entry of each 1."""
    if not change.size or np.abs(as_forces(change, length)).max() < NEGLIGIBLE:
        return np.zeros((0, 6))
    U, s, _ = np.linalg.svd(as_forces(change, length), full_matrices=False)
    basis = sparse_basis(U[:, s > NEGLIGIBLE * s[0]])
    basis[:3] *= length
    basis[np.abs(basis) < NEGLIGIBLE] = 0.0
    largest = np.abs(basis).argmax(axis=0)
    directions: Array = (basis / basis[largest, range(basis.shape[1])]).T
    return directions


def shared_loads(question: Question, found: Indeterminacy) -> tuple[SharedLoad, ...]:
    """Return the groups of joints and closures whose wrenches share unknowns."""
    names = [joint.name for joint in question.model.joints]
    names += [closure.name for closure in question.model.closures]
    changes = np.concatenate((found.joints[1:], found.closures))
    touched = np.abs(as_forces(changes, found.length)).max(axis=1) > NEGLIGIBLE
    groups: list[tuple[set[int], int]] = []
    for way in touched.T:
        members, dimension = set(np.flatnonzero(way).tolist()), 1
        if not members:
            continue
        apart = []
        for others, count in groups:
            if members & others:
                members, dimension = members | others, dimension + count
            else:
                apart.append((others, count))
        groups = [*apart, (members, dimension)]
    return tuple(
        SharedLoad(tuple(names[k] for k in sorted(members)), dimension)
        for members, dimension in groups
    )
