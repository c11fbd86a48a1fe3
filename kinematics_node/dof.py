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
from functools import lru_cache
from statistics import median
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.mobility.analysis import analyse
from kinematics_node.mobility.mechanism import Mechanism
from kinematics_node.mobility.mechanism import mechanism_of
from kinematics_node.mobility.rank import CLEAR
from kinematics_node.mobility.report import Actuation
from kinematics_node.mobility.report import DofReport
from kinematics_node.mobility.report import ElementRows
from kinematics_node.mobility.report import JointRole
from kinematics_node.mobility.report import Mode
from kinematics_node.mobility.report import Role
from kinematics_node.mobility.tables import Found
from kinematics_node.mobility.tables import new_found
from kinematics_node.model.model import Model
from kinematics_node.numeric import finite_vector
from kinematics_node.solving.kept import kept_solver
from kinematics_node.solving.measured import measured_rates
from kinematics_node.solving.singular import LOST
from kinematics_node.solving.singular import steps_around
from kinematics_node.solving.status import SolveStatus

__all__ = ['Actuation', 'DofReport', 'ElementRows', 'JointRole', 'Mode', 'Role', 'dof_report']

OPEN = 1e-8
NEIGHBOURS = 3  # where the first are unlike q, or cannot be reached
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
        return _report(mechanism, q, given, known, motors)


class Named(NamedTuple):
    """The independent columns of named coordinates, and how many velocity coordinates they are."""

    columns: Indices
    rates: int


@lru_cache(maxsize=16)
def _columns(model: Model, names: tuple[str, ...]) -> Named:
    """Return the columns of joints or coordinates, a follower's being its master's."""
    rates = np.flatnonzero(measured_rates(model, names))
    return Named(mechanism_of(model).columns_of(rates), rates.size)


@lru_cache(maxsize=16)
def _steps(columns: int) -> Array:
    """Return where to look around; nowhere where nothing is in a loop."""
    return steps_around(NEIGHBOURS if columns else 0, columns)


def _report(
    mechanism: Mechanism,
    q: ArrayLike | None,
    measured: tuple[str, ...] | None,
    known: Named | None,
    motors: tuple[str, ...],
) -> DofReport:
    driven = _columns(mechanism.model, motors)
    here, closed, found = _analysed(mechanism, q, measured, known, driven)
    rank, mobility, idle, driven_rank, near = found.counts.tolist()
    threshold, above, below = found.numbers.tolist()
    total = mechanism.tree_rows + mechanism.system.row_count
    total_rank = mechanism.tree_rows + rank
    bodies = len(mechanism.model.links) - 1
    names, chosen = mechanism.column_names, found.chosen[:mobility].tolist()
    given = known.columns.tolist() if known else chosen[: mobility - idle]
    looped = mechanism.tables.parts.size > 0
    nearby_rank, singular = _compared(found, rank, above, near) if looped else (0, False)
    return DofReport(
        bodies=bodies,
        rows=total,
        gruebler=6 * bodies - total,
        rank=total_rank,
        mobility=6 * bodies - total_rank,
        loop_rows=mechanism.system.row_count,
        loop_rank=rank,
        threshold=threshold,
        above=above if rank else 0.0,
        below=below,
        certain=above > CLEAR * threshold and below * CLEAR <= threshold,
        redundant=total - total_rank,
        redundant_rows=found.redundant,
        overlaps=found.overlaps,
        nearby_rank=nearby_rank,
        singular=singular,
        independent=tuple([names[column] for column in chosen]),
        given=tuple([names[column] for column in given]),
        roles=found.roles,
        depends=found.depends[:, : len(given)],
        rates=found.rates[:mobility],
        idle_modes=found.idle[:mobility],
        idle=idle,
        actuated=motors,
        actuated_rank=driven_rank,
        actuation=_actuation(driven.rates, driven_rank, mobility - idle),
        q=here,
        closed=closed,
        mechanism=mechanism,
    )


def _analysed(
    mechanism: Mechanism,
    q: ArrayLike | None,
    measured: tuple[str, ...] | None,
    known: Named | None,
    driven: Named,
) -> tuple[Array, bool, Found]:
    """Return a configuration that closes the loops if one is found, whether, and its analysis."""
    model, closed = mechanism.model, True
    if q is None:
        result = mechanism.solver.assemble(model.zero)
        here, closed = result.q, result.converged
    else:
        here = finite_vector(q, model.coordinate_names, 'q')
    plan = mechanism.solver.plan
    steps = _steps(plan.arrays.scale.size)
    found = new_found(mechanism.tables, len(steps))
    columns = known.columns if known else NONE
    rest = (columns, driven.columns, known is not None, found)
    fixed = (mechanism.tables, plan.arrays, plan.work, steps)
    if not analyse(*fixed, here, OPEN if q is not None else np.inf, *rest):
        solved = _close(mechanism, here, measured)
        here, closed = (here, False) if solved is None else (solved, True)
        analyse(*fixed, here, np.inf, *rest)
    return here, closed, found


def _close(mechanism: Mechanism, start: Array, given: tuple[str, ...] | None) -> Array | None:
    """Return where the loops close from a start on, given coordinates as they are if possible."""
    if given:
        with kept_solver(mechanism.model, frozenset(given)) as solver:
            attempt = solver.solve(start)
        if attempt.converged:
            return attempt.q
    solved = start.copy()
    mechanism.solver.hold(None)
    return solved if mechanism.solver.step(solved) == SolveStatus.CONVERGED else None


def _compared(found: Found, rank: int, above: float, near: int) -> tuple[int | None, bool]:
    """Return the largest rank nearby, and whether the configuration is singular.

    It is if rows hold nearby that do not, or hardly, hold here.
    """
    if not near:
        return None, False
    ranks, values = found.near_ranks[:near].tolist(), found.near_above[:near].tolist()
    nearby = max(ranks)
    usual = median(value for r, value in zip(ranks, values, strict=True) if r == nearby)
    weak = rank == nearby > 0 and above < LOST * usual
    return nearby, rank < nearby or weak


def _actuation(motors: int, driven_rank: int, needed: int) -> Actuation:
    if not motors:
        return Actuation.UNKNOWN
    if driven_rank < needed:
        return Actuation.UNDER
    return Actuation.OVER if motors > driven_rank else Actuation.FULL
