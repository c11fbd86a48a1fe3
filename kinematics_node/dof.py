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
from dataclasses import replace
from functools import lru_cache
from statistics import median
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.constraints.evaluate import Work
from kinematics_node.mobility.idle import idle_motions
from kinematics_node.mobility.mechanism import Mechanism
from kinematics_node.mobility.mechanism import mechanism_of
from kinematics_node.mobility.nearby import ranks_nearby
from kinematics_node.mobility.pivots import choose_independent
from kinematics_node.mobility.rank import Rank
from kinematics_node.mobility.rank import rank_of
from kinematics_node.mobility.report import Actuation
from kinematics_node.mobility.report import DofReport
from kinematics_node.mobility.report import ElementRows
from kinematics_node.mobility.report import JointRole
from kinematics_node.mobility.report import Mode
from kinematics_node.mobility.report import Role
from kinematics_node.mobility.roles import Flags
from kinematics_node.mobility.roles import independent_rank
from kinematics_node.mobility.roles import joint_roles
from kinematics_node.mobility.roles import modes_of
from kinematics_node.mobility.roles import MOVES
from kinematics_node.mobility.roles import moving
from kinematics_node.model.model import Model
from kinematics_node.numeric import finite_vector
from kinematics_node.solving.kept import kept_solver
from kinematics_node.solving.measured import measured_rates
from kinematics_node.solving.singular import closed_neighbours
from kinematics_node.solving.singular import LOST
from kinematics_node.solving.status import SolveStatus

__all__ = ['Actuation', 'DofReport', 'ElementRows', 'JointRole', 'Mode', 'Role', 'dof_report']

OPEN = 1e-8
OVERLAP = 1e-6  # of a combination of rows that says nothing new
NEIGHBOURS = 2
NONE = np.zeros(0, np.int64)


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
    given, known = None, None
    if measured is not None:
        given = tuple(measured)
        known = _columns(model, given)
    mechanism = mechanism_of(model)
    motors = mechanism.motors if actuated is None else tuple(actuated)
    with mechanism.lock:
        return _report(mechanism, model, _closed(model, mechanism, q, given), motors, known)


class Here(NamedTuple):
    """A configuration, the rows there, and whether it closes the loops."""

    q: Array
    work: Work
    closed: bool


class Named(NamedTuple):
    """The independent columns of named coordinates, and how many velocity coordinates they are."""

    columns: Indices
    rates: int


@lru_cache(maxsize=16)
def _columns(model: Model, names: tuple[str, ...]) -> Named:
    """Return the columns of joints or coordinates, a follower's being its master's."""
    rates = np.flatnonzero(measured_rates(model, names))
    columns = mechanism_of(model).column_of[rates].tolist()
    return Named(np.array(list(dict.fromkeys(columns)), np.int64), rates.size)


def _report(
    mechanism: Mechanism, model: Model, here: Here, motors: tuple[str, ...], given: Named | None
) -> DofReport:
    driven = _columns(model, motors)
    J = mechanism.rows(here.work)
    rank = rank_of(J, mechanism.parts, mechanism.apart)
    motions = rank.motions
    measured = given.columns if given else NONE
    idle = _idle(mechanism, model, here, motions, (measured, driven.columns))
    preferred = (measured, driven.columns, mechanism.marked)
    chosen, noticed = choose_independent(motions, idle, preferred)
    known = given.columns if given else np.array(chosen[:noticed], np.int64)
    nearby_rank, singular, moves = _look_around(mechanism, here.q, rank)
    driven_rank = independent_rank(motions, driven.columns)
    total = mechanism.tree_rows + J.shape[0]
    total_rank = mechanism.tree_rows + rank.rank
    bodies = len(model.links) - 1
    return DofReport(
        bodies=bodies,
        rows_by_kind=mechanism.rows_by_kind.copy(),
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
        independent=tuple(mechanism.column_names[j] for j in chosen),
        joints=joint_roles(mechanism, motions, idle, known, given is not None, moves),
        modes=modes_of(model, mechanism, motions, idle, chosen),
        idle=idle.shape[1],
        actuated=motors,
        actuated_rank=driven_rank,
        actuation=_actuation(driven.rates, driven_rank, motions.shape[1] - idle.shape[1]),
        q=here.q,
        closed=here.closed,
    )


def _idle(
    mechanism: Mechanism, model: Model, here: Here, motions: Array, noticed: Iterable[Indices]
) -> Array:
    """Return the idle directions among the motions, some columns being noticed in any case."""
    if not motions.shape[1] or not mechanism.in_loop.any():
        return motions[:, :0]
    alone = mechanism.alone.copy()
    for columns in noticed:
        alone[columns] = True
    rates = motions.T @ mechanism.spread.T
    return idle_motions(model, here.q, here.work, mechanism.bodies, rates, motions, alone)


def _closed(
    model: Model, mechanism: Mechanism, q: ArrayLike | None, given: tuple[str, ...] | None
) -> Here:
    """Return a configuration that closes the loops if one is found."""
    still = np.zeros(model.nv)
    if q is None:
        result = mechanism.solver.assemble(model.zero)
        return Here(result.q, mechanism.system.fill(result.q, still), result.converged)
    start = finite_vector(q, model.coordinate_names, 'q')
    work = mechanism.system.fill(start, still)
    if np.abs(work.records[:, 0]).max(initial=0.0) <= OPEN:
        return Here(start, work, True)
    solved = _close(model, mechanism, start, given)
    if solved is None:
        return Here(start, work, False)
    return Here(solved, mechanism.system.fill(solved, still), True)


def _close(
    model: Model, mechanism: Mechanism, start: Array, given: tuple[str, ...] | None
) -> Array | None:
    """Return where the loops close from a start on, given coordinates as they are if possible."""
    if given:
        with kept_solver(model, frozenset(given)) as solver:
            attempt = solver.solve(start)
        if attempt.converged:
            return attempt.q
    solved = start.copy()
    mechanism.solver.hold(None)
    return solved if mechanism.solver.step(solved) == SolveStatus.CONVERGED else None


def _look_around(mechanism: Mechanism, q: Array, rank: Rank) -> tuple[int | None, bool, Flags]:
    """Return the largest rank nearby, whether q is singular, and which columns move around it.

    It is singular if rows hold nearby that do not, or hardly, hold here.
    """
    moves = moving(rank.motions)
    if not mechanism.parts:
        return 0, False, moves
    near = closed_neighbours(mechanism.solver.plan, q, NEIGHBOURS)
    if not near.size:
        return None, False, moves
    around = ranks_nearby(mechanism.solver.plan, near)
    nearby = int(around.ranks.max())
    usual = median(around.above[around.ranks == nearby].tolist())
    weak = rank.rank == nearby > 0 and rank.above < LOST * usual
    moves[mechanism.plan_columns] |= (around.freedom > MOVES).any(axis=0)
    return nearby, rank.rank < nearby or weak, moves


def _actuation(motors: int, driven_rank: int, needed: int) -> Actuation:
    if not motors:
        return Actuation.UNKNOWN
    if driven_rank < needed:
        return Actuation.UNDER
    return Actuation.OVER if motors > driven_rank else Actuation.FULL


def _element_rows(mechanism: Mechanism, J: Array, rank: Rank) -> tuple[ElementRows, ...]:
    """Return how many rows of each element depend on those before, and whether any overlap."""
    if not rank.conflicts.shape[1]:
        return mechanism.sound
    new = _new_rows(mechanism, J, rank)
    found = []
    for element, rows in zip(mechanism.sound, mechanism.system.slices, strict=True):
        overlaps = bool(np.abs(rank.conflicts[rows]).max(initial=0.0) > OVERLAP)
        redundant = element.rows - new.get(rows.start, element.rows)
        found.append(replace(element, redundant=redundant, overlaps=overlaps))
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
