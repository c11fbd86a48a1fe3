# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What happens along a motion of one coordinate, as numbers: residuals, rank, a joint's load."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from numpy.typing import NDArray

from kinematics_node.compiled import Array
from kinematics_node.dof import dof_report
from kinematics_node.errors import NameLookupError
from kinematics_node.errors import ValueShapeError
from kinematics_node.forces import constraint_forces
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model
from kinematics_node.numeric import finite_vector
from kinematics_node.numeric import refuse_not_finite
from kinematics_node.solve import LoopSolver
from kinematics_node.solve import SolveResult
from kinematics_node.solving.measured import measured_joints

FEWEST = 2

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Motion:
    """Series along a motion, n values each; numbers are NaN where the loops stay open.

    Attributes
    ----------
    robot, coordinate, unit : str
        Whose coordinate goes from value to value, in 'rad' or 'm'.
    values : array, shape (n,)
        Of the coordinate.
    q : array, shape (n, nq)
        Positions, as far closed as they could be.
    closed : bool array
        Whether all loops and couplings are closed, and so everything below answered.
    residuals : Mapping of str to array, shape (n, 2)
        By how much each closure and coupling is open [m, rad].
    tolerance : float
        Residual up to which they count as closed [m, rad].
    rank, mobility : array
        Independent rows of closures and couplings, and the degrees of freedom they leave.
    smallest : array
        The smallest singular value that counts towards the rank, of rows scaled by the model's
        characteristic length; 0 where the rank is.
    singular : bool array
        Whether rows that are independent nearby are not so here.
    load : str
        The joint or closure whose load this is.
    force, torque : array
        Norms of force [N] and torque about the anchor [N m].
    force_determinate, torque_determinate : bool array
        Whether statics determine all of them.
    held : bool array
        Whether the pose is held.
    """

    robot: str
    coordinate: str
    unit: str
    values: Array
    q: Array
    closed: Flags
    residuals: Mapping[str, Array]
    tolerance: float
    rank: Array
    mobility: Array
    smallest: Array
    singular: Flags
    load: str
    force: Array
    torque: Array
    force_determinate: Flags
    torque_determinate: Flags
    held: Flags


def motion_along(
    model: Model,
    targets: ArrayLike,
    coordinate: str,
    values: ArrayLike,
    measured: Sequence[str],
    load: str,
    **request: Any,
) -> Motion:
    """Return what happens while one coordinate goes through some values, at rest at each.

    The first state is assembled, the others follow it on its assembly branch. Behind a gap, where
    the loops cannot be closed, it goes on from where they were least open.

    Parameters
    ----------
    model : Model
        The robot.
    targets : array_like, shape (n, nq)
        Positions: measured coordinates as they are to be, the others where to look for them first.
    coordinate : str
        What goes through the values: a coordinate, or an angle of a ball joint ('hip/axis1').
    values : array_like, shape (n,)
        Its values [rad or m].
    measured : sequence of str
        Joints or coordinates that keep the values of the targets.
    load : str
        A joint or closure.
    **request
        What acts on the robot, as constraint_forces takes it.

    Raises
    ------
    NameLookupError
        There is no joint, closure or coordinate of that name.
    ValueShapeError
        Fewer than two values, wrong counts, a number that is not finite.
    """
    numbers, rows = _checked(model, targets, coordinate, values)
    names = (*model.joint_index, *(closure.name for closure in model.closures))
    if load not in names:
        raise NameLookupError('joint', load, names)
    solver = LoopSolver(model, measured)
    walk = list(_walk(solver, rows))
    steps = [_step(model, result, measured, load, request) for result in walk]
    series = {key: np.array([step[key] for step in steps]) for key in steps[0]}
    return Motion(
        robot=model.name,
        coordinate=coordinate,
        unit=coordinate_unit(model, coordinate),
        values=numbers,
        q=np.array([result.q for result in walk]),
        closed=np.array([result.converged for result in walk]),
        residuals=_residuals(walk),
        tolerance=solver.options.tolerance,
        load=load,
        **series,
    )


def held_motors(model: Model, targets: ArrayLike, measured: Iterable[str]) -> tuple[str, ...]:
    """Return the motors that measured coordinates leave free, and that can stay as they are.

    A motion along one coordinate of several that are driven would otherwise be open to any motion
    of the other motors.

    Parameters
    ----------
    model : Model
        The robot.
    targets : array_like, shape (n, nq)
        States of the motion. The first one, its middle and its last one are tried, until the loops
        close at one that is not singular: at a dead centre the wrong coordinates look free.
    measured : iterable of str
        Joints or coordinates that are given.
    """
    given = list(measured)
    rows = np.asarray(targets)
    solver = LoopSolver(model, given)
    independent: set[str] = set()
    for n in (0, len(rows) // 2, len(rows) - 1):
        result = solver.assemble(rows[n])
        if result.converged:
            report = dof_report(model, result.q, measured=given)
            independent = set(report.independent)
            if not report.singular:
                break
    known = set(given)
    return tuple(
        joint.name
        for joint in model.joints
        if joint.actuated
        and joint.type.nv
        and joint.name not in known
        and known.isdisjoint(model.coordinate_names[model.coordinates_of(joint.name)])
        and independent.issuperset(model.velocity_names[model.velocities_of(joint.name)])
    )


def coordinate_unit(model: Model, name: str) -> str:
    """Return 'm' or 'rad' of a coordinate of q, or of an angle of a ball joint ('hip/axis1')."""
    joint, _, part = name.rpartition('/')
    if name in model.joint_index:
        return 'm' if model.joint(name).type is JointType.PRISMATIC else 'rad'
    is_length = joint in model.joint_index and (part.startswith('trans_') or part in ('x', 'y'))
    return 'm' if is_length else 'rad'


def _checked(
    model: Model, targets: ArrayLike, coordinate: str, values: ArrayLike
) -> tuple[Array, list[Array]]:
    """Return values and positions, as many of each."""
    numbers = np.array(values, float).reshape(-1)
    if numbers.size < FEWEST:
        raise ValueShapeError(f'a motion takes {FEWEST} values or more, not {numbers.size}')
    refuse_not_finite(numbers, [coordinate] * numbers.size)
    rows = [finite_vector(row, model.coordinate_names, 'q') for row in np.asarray(targets)]
    if len(rows) != numbers.size:
        raise ValueShapeError(
            f'there are {numbers.size} values and {len(rows)} states; give as many'
        )
    return numbers, rows


def _walk(solver: LoopSolver, targets: Sequence[Array]) -> Iterator[SolveResult]:
    """Close the loops at one target after the other."""
    unknown = solver.plan.arrays.saved
    result = solver.assemble(targets[0])
    assembled = result.converged
    yield result
    for target in targets[1:]:
        if result.converged:
            result = solver.solve(target, start=result.q)
        elif assembled:
            nearby = target.copy()
            nearby[unknown] = result.q[unknown]
            result = solver.solve(nearby)
        else:
            result = solver.assemble(target)
        assembled = assembled or result.converged
        yield result


def _step(
    model: Model, result: SolveResult, measured: Sequence[str], name: str, request: dict[str, Any]
) -> dict[str, float | bool]:
    """Return one value of each series."""
    if not result.converged:
        open_ = dict.fromkeys(('rank', 'mobility', 'smallest', 'force', 'torque'), float('nan'))
        never = ('singular', 'force_determinate', 'torque_determinate', 'held')
        return {**open_, **dict.fromkeys(never, False)}
    dof = dof_report(model, result.q)
    report = constraint_forces(
        model, result.q, measured=measured_joints(model, measured), **request
    )
    load = report.load(name)
    return {
        'rank': float(dof.loop_rank),
        'mobility': float(dof.mobility),
        'smallest': dof.above,
        'singular': dof.singular,
        'force': float(np.linalg.norm(load.total[3:])),
        'torque': float(np.linalg.norm(load.total[:3])),
        'force_determinate': not load.unknown[:, 3:].any(),
        'torque_determinate': not load.unknown[:, :3].any(),
        'held': report.held,
    }


def _residuals(walk: Sequence[SolveResult]) -> dict[str, Array]:
    return {
        first.name: np.array([(r.residuals[n].metres, r.residuals[n].radians) for r in walk])
        for n, first in enumerate(walk[0].residuals)
    }
