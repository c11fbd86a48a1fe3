# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The DOF report: how many ways a mechanism can move, which, and who decides them.

Gruebler's count 6 n - sum(c) takes every row for independent. The mobility 6 n - rank does not:
rank is that of all rows at a configuration. Tree joints' rows and mimics' are always independent,
so only the rows of closures and couplings need singular values; rows in metres and lengths among
the coordinates are scaled by the model's characteristic length, so that one threshold serves.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from kinematics_node.compiled import Array
from kinematics_node.constraints.evaluate import Work
from kinematics_node.constraints.table import Element
from kinematics_node.mobility.idle import idle_motions
from kinematics_node.mobility.mechanism import Mechanism
from kinematics_node.mobility.mechanism import mechanism_of
from kinematics_node.mobility.mechanism import Rank
from kinematics_node.mobility.mechanism import rank_of
from kinematics_node.mobility.report import Actuation
from kinematics_node.mobility.report import DofReport
from kinematics_node.mobility.report import ElementRows
from kinematics_node.mobility.report import JointRole
from kinematics_node.mobility.report import Mode
from kinematics_node.mobility.report import Role
from kinematics_node.mobility.roles import choose_independent
from kinematics_node.mobility.roles import independent_rank
from kinematics_node.mobility.roles import joint_roles
from kinematics_node.mobility.roles import modes_of
from kinematics_node.mobility.roles import MOVES
from kinematics_node.mobility.summary import summarise
from kinematics_node.model.model import Model
from kinematics_node.numeric import finite_vector
from kinematics_node.solving.measured import measured_rates
from kinematics_node.solving.singular import closed_neighbours
from kinematics_node.solving.singular import LOST
from kinematics_node.solving.solver import LoopSolver

__all__ = ['Actuation', 'DofReport', 'ElementRows', 'JointRole', 'Mode', 'Role', 'dof_report']

OPEN = 1e-8
OVERLAP = 1e-6  # of a combination of rows that says nothing new
NEIGHBOURS = 2


def dof_report(
    model: Model,
    q: ArrayLike | None = None,
    *,
    measured: Iterable[str] | None = None,
    actuated: Iterable[str] | None = None,
) -> DofReport:
    """Return the degrees of freedom of a model at a configuration.

    Parameters
    ----------
    model : Model
        The robot.
    q : array_like, shape (nq,), optional
        The configuration; without it, a first assembly from the zero pose. One that leaves loops
        open is closed, with its measured coordinates as they are if that can be done.
    measured : iterable of str, optional
        Joints or coordinates that are given. Without it, roles are told with respect to the
        suggested independent coordinates.
    actuated : iterable of str, optional
        Motors, by joint or coordinate; by default those of the description.

    Raises
    ------
    ModelError
        A closure or coupling that cannot be made into rows.
    NameLookupError, ValueShapeError
        Names the model does not have, a wrong count or a number that is not finite.
    """
    motors = _motors(model, actuated)
    given = None
    if measured is not None:
        given = np.flatnonzero(measured_rates(model, list(measured))).tolist()
    mechanism = mechanism_of(model)
    with mechanism.lock:
        return _report(mechanism, model, q, motors, given)


def _report(
    mechanism: Mechanism,
    model: Model,
    q: ArrayLike | None,
    motors: list[str],
    given: list[int] | None,
) -> DofReport:
    driven = np.flatnonzero(measured_rates(model, motors)).tolist()
    configuration, closed = _closed(model, mechanism, q, given)
    work = mechanism.system.fill(configuration, np.zeros(model.nv))
    J = mechanism.rows(work)
    rank = rank_of(J, mechanism.parts)
    motions = rank.motions
    driven_columns = _columns(mechanism, driven)
    given_columns = _columns(mechanism, given or [])
    idle = _idle(model, mechanism, work, motions, driven_columns + given_columns)
    marked = _columns(mechanism, _marked(model))
    chosen, noticed = choose_independent(motions, idle, (given_columns, driven_columns, marked))
    known = chosen[:noticed] if given is None else given_columns
    nearby_rank, singular, moves_nearby = _look_around(mechanism, configuration, rank)
    driven_rank = independent_rank(motions, driven_columns)
    tree_rows = mechanism.tree_rows
    total = sum(tree_rows.values()) + J.shape[0]
    total_rank = sum(tree_rows.values()) + rank.rank
    bodies = len(model.links) - 1
    report = DofReport(
        bodies=bodies,
        rows_by_kind=tree_rows | _loop_rows(mechanism.system.elements),
        rows=total,
        gruebler=6 * bodies - total,
        rank=total_rank,
        mobility=6 * bodies - total_rank,
        loop_rows=J.shape[0],
        loop_rank=rank.rank,
        threshold=rank.threshold,
        above=rank.above,
        below=rank.below,
        certain=rank.certain,
        redundant=total - total_rank,
        elements=_element_rows(mechanism, J, rank),
        nearby_rank=nearby_rank,
        singular=singular,
        independent=tuple(
            model.velocity_names[mechanism.reduction.independent[j]] for j in chosen
        ),
        joints=joint_roles(
            model, mechanism, motions, idle, known, given is not None, moves_nearby
        ),
        modes=modes_of(model, mechanism, motions, idle, chosen),
        idle=idle.shape[1],
        actuated=tuple(motors),
        actuated_rank=driven_rank,
        actuation=_actuation(driven, driven_rank, motions.shape[1] - idle.shape[1]),
        q=configuration,
        closed=closed,
    )
    return replace(report, message=summarise(report))


def _idle(
    model: Model, mechanism: Mechanism, work: Work, motions: Array, noticed: list[int]
) -> Array:
    """Return the idle directions among the motions, some columns being noticed in any case."""
    if not motions.shape[1] or not mechanism.in_loop.any():
        return motions[:, :0]
    alone = mechanism.alone.copy()
    alone[noticed] = True
    J = mechanism.link_columns(model, work)
    return idle_motions(J, work.X, mechanism.bodies, motions, alone, mechanism.length)


def _motors(model: Model, actuated: Iterable[str] | None) -> list[str]:
    if actuated is not None:
        return list(actuated)
    return [joint.name for joint in model.joints if joint.actuated and joint.type.nv]


def _marked(model: Model) -> list[int]:
    """Return the velocity coordinates of joints that the description calls independent."""
    return [
        v
        for joint, row in zip(model.joints, model.tree[1:].tolist(), strict=True)
        if joint.independent
        for v in range(row[3], row[3] + joint.type.nv)
    ]


def _columns(mechanism: Mechanism, coordinates: Sequence[int]) -> list[int]:
    """Return the independent columns of velocity coordinates, a follower's being its master's."""
    index = {v: j for j, v in enumerate(mechanism.reduction.independent)}
    masters = mechanism.reduction.masters
    found = {index[masters.get(v, (v, 1.0))[0]]: None for v in coordinates}
    return list(found)


def _closed(
    model: Model, mechanism: Mechanism, q: ArrayLike | None, given: list[int] | None
) -> tuple[Array, bool]:
    """Return a configuration that closes the loops if one is found, and whether it does."""
    if q is None:
        result = mechanism.solver.assemble(model.zero)
        return result.q, result.converged
    start = finite_vector(q, model.coordinate_names, 'q')
    if not mechanism.system.row_count:
        return start, True
    phi = mechanism.system.fill(start, np.zeros(model.nv)).records[:, 0]
    if np.abs(phi).max() <= OPEN:
        return start, True
    if given:
        mask = np.zeros(model.nq, bool)
        mask[[k for v in given for k in _positions_of(model, v)]] = True
        attempt = LoopSolver(model, mask).solve(start)
        if attempt.converged:
            return attempt.q, True
    solved = start.copy()
    mechanism.solver.hold(None)
    return (solved, True) if mechanism.solver.step(solved) == 0 else (start, False)


def _positions_of(model: Model, v: int) -> range:
    """Return the coordinates of q that a velocity coordinate moves."""
    moving = [link for link in range(1, len(model.links)) if model.joints[link - 1].type.nv]
    link = max(link for link in moving if model.tree[link, 3] <= v)
    joint, k = model.joints[link - 1].type, int(model.tree[link, 2])
    n = v - int(model.tree[link, 3])
    if joint.quaternion_offset < 0:
        return range(k + n, k + n + 1)
    return range(k, k + 4) if n < 3 else range(k + 4, k + 7)


def _look_around(
    mechanism: Mechanism, q: Array, rank: Rank
) -> tuple[int | None, bool, np.ndarray]:
    """Return the largest rank nearby, whether q is singular, and which columns move nearby.

    It is singular if rows hold nearby that do not, or hardly, hold here.
    """
    near = closed_neighbours(mechanism.solver.plan, q, NEIGHBOURS)
    if not near:
        return None, False, np.zeros(len(mechanism.scale), bool)
    still = np.zeros(mechanism.in_loop.size)
    ranks = [
        rank_of(mechanism.rows(mechanism.system.fill(p, still)), mechanism.parts) for p in near
    ]
    nearby = max(r.rank for r in ranks)
    usual = float(np.median([r.above for r in ranks if r.rank == nearby]))
    weak = rank.rank == nearby > 0 and rank.above < LOST * usual
    moves = np.any([np.abs(r.motions).max(axis=1, initial=0.0) > MOVES for r in ranks], axis=0)
    return nearby, rank.rank < nearby or weak, moves


def _actuation(driven: list[int], driven_rank: int, needed: int) -> Actuation:
    if not driven:
        return Actuation.UNKNOWN
    if driven_rank < needed:
        return Actuation.UNDER
    return Actuation.OVER if len(driven) > driven_rank else Actuation.FULL


def _loop_rows(elements: Sequence[Element]) -> dict[str, int]:
    rows: dict[str, int] = {}
    for element in elements:
        kind = element.kind.name.lower()
        kind = kind if kind == 'coupling' else f'{kind} closure'
        rows[kind] = rows.get(kind, 0) + len(element.units)
    return rows


def _element_rows(mechanism: Mechanism, J: Array, rank: Rank) -> tuple[ElementRows, ...]:
    """Return how many rows of each element depend on those before, and whether any overlap."""
    new = _new_rows(mechanism, J, rank) if rank.conflicts.shape[1] else {}
    found = []
    for element, rows in zip(mechanism.system.elements, mechanism.system.slices, strict=True):
        count = len(element.units)
        overlaps = bool(np.abs(rank.conflicts[rows]).max(initial=0.0) > OVERLAP)
        redundant = count - new.get(rows.start, count)
        kind = element.kind.name.lower()
        found.append(ElementRows(element.name, kind, count, redundant, overlaps))
    return tuple(found)


def _new_rows(mechanism: Mechanism, J: Array, rank: Rank) -> dict[int, int]:
    """Return, by an element's first row, how many of its rows say what those before do not."""
    new: dict[int, int] = {}
    for part in mechanism.parts:
        told = np.zeros((0, len(part.columns)))
        for rows in mechanism.system.slices:
            if rows.start not in part.rows:
                continue
            own = J[rows][:, part.columns]
            own = own - (own @ told.T) @ told
            _, s, Vt = np.linalg.svd(own, full_matrices=False)
            new[rows.start] = int((s > rank.threshold).sum())
            told = np.concatenate((told, Vt[: new[rows.start]]))
    return new
