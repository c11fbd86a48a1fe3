# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The states that requests ask about: what they name, and for the rest what the stream left."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
import math

import numpy as np
from sensor_msgs.msg import JointState

from kinematics_node.compiled import Array
from kinematics_node.errors import NameLookupError
from kinematics_node.errors import ValueShapeError
from kinematics_node.model.ball_joint import angles_to_quaternion
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model
from kinematics_node.ros.latest import Latest
from kinematics_node.solve import SolveStatus
from kinematics_node.solving.kept import kept_solver
from kinematics_node.state import Source
from kinematics_node.state import State


@dataclass(frozen=True, eq=False)
class Asked:
    """One state that a request asks about, loops solved.

    Attributes
    ----------
    q, v, a : array
        Positions, rates, accelerations.
    effort : Mapping of str to float
        Efforts by joint, as far as the request gives them.
    worst : str
        The closure or coupling that is open the most; empty where all are closed.
    residual : float
        By how much it is open [m or rad].
    measured : tuple of str
        Coordinates that were given, by the request or by joint states.
    """

    q: Array
    v: Array
    a: Array
    effort: Mapping[str, float]
    worst: str
    residual: float
    measured: tuple[str, ...]


class States:
    """Makes the states of a request from the latest one."""

    def __init__(self, latest: Latest) -> None:
        self.latest = latest

    def of_message(self, message: JointState) -> Asked:
        """Return the state of a JointState; an empty one is the latest.

        Raises
        ------
        KinematicsError
            A name that the model does not have, wrong lengths, or a number that is not finite.
        """
        return self.of_numbers(
            message.name, message.position, message.velocity, (), message.effort
        )

    def of_numbers(
        self,
        names: Sequence[str],
        positions: Sequence[float],
        velocities: Sequence[float] = (),
        accelerations: Sequence[float] = (),
        efforts: Sequence[float] = (),
        keep_measured: bool = False,
    ) -> Asked:
        """Return the state of named numbers; all but positions may be empty.

        With keep_measured loops may move neither what is named nor what joint states measure.

        Raises
        ------
        KinematicsError
            As of of_message.
        """
        model = self.latest.model
        _check_lengths(names, positions, velocities, accelerations, efforts)
        start, given, moved = self._placed(names, positions)
        v, a = self.latest.v.copy() if not names else np.zeros(model.nv), np.zeros(model.nv)
        _set_rates(model, v, names, velocities, 'velocity')
        _set_rates(model, a, names, accelerations, 'acceleration')
        effort = dict(zip(names, map(float, efforts), strict=False))
        measured = frozenset(given) if names else self.latest.measured
        if keep_measured:
            measured |= self.latest.measured - moved
        q, worst, residual = start.copy(), '', 0.0
        if model.closures or model.couplings:
            with kept_solver(model, measured) as solver:
                if solver.step(q) != SolveStatus.CONVERGED:
                    # Not from where the robot is: then from anywhere.
                    result = solver.assemble(start)
                    q = result.q
                    if not result.converged and result.worst is not None:
                        worst, residual = result.worst.name, result.worst.largest
                # What is given at rest is at rest.
                if not worst and (v.any() or a.any()):
                    v, a = solver.motion(q, v, a)
        return Asked(q, v, a, effort, worst, residual, tuple(sorted(measured)))

    def _placed(
        self, names: Sequence[str], positions: Sequence[float]
    ) -> tuple[Array, Sequence[str], set[str]]:
        """Return the latest positions with named ones set, which are given, and which moved."""
        model = self.latest.model
        if not model.mimics and all(
            name in model.joint_index and name in model.coordinate_index for name in names
        ):
            # Nothing else moves along.
            q = self.latest.q.copy()
            q[[model.coordinate_index[name] for name in names]] = positions
            return q, names, set(names)
        state = State(model)
        state.set_positions(self.latest.q, Source.DEFAULT)
        given = _set_positions(state, dict(zip(names, positions, strict=True)))
        moved = np.flatnonzero(state.sources != Source.DEFAULT).tolist()
        return state.q, given, {model.coordinate_names[k] for k in moved}


def _check_lengths(names: Sequence[str], *lists: Sequence[float]) -> None:
    kinds = ('positions', 'velocities', 'accelerations', 'efforts')
    for kind, values in zip(kinds, lists, strict=True):
        if len(values) not in ((len(names),) if kind == 'positions' else (0, len(names))):
            raise ValueShapeError(f'the state has {len(values)} {kind} for {len(names)} names')
        for name, value in zip(names, values, strict=False):
            if not math.isfinite(value) and kind != 'efforts':
                raise ValueShapeError(f"'{name}' has {value} among its {kind}; it must be finite")
    if len(set(names)) < len(names):
        twice = next(name for name in names if list(names).count(name) > 1)
        raise ValueShapeError(f"the state names '{twice}' twice")


def _set_positions(state: State, values: dict[str, float]) -> list[str]:
    """Set named positions, axis angles of ball joints too; return the coordinates set."""
    model = state.model
    plain = {name: x for name, x in values.items() if name in model.coordinate_index}
    angles = {name: x for name, x in values.items() if name not in plain}
    given = list(plain)
    balls = [joint for joint in model.joints if joint.type is JointType.BALL] if angles else []
    for joint in balls:
        names = [f'{joint.name}/axis{k}' for k in (1, 2, 3)]
        if all(name in angles for name in names):
            axes = [axis.direction for axis in joint.axes]
            turns = [angles.pop(name) for name in names]
            state.set(joint.name, angles_to_quaternion(axes, turns))
            given += model.coordinate_names[model.coordinates_of(joint.name)]
    for name in angles:
        raise NameLookupError('coordinate', name, model.coordinate_names)
    state.set_coordinates(plain)
    return given


def _set_rates(
    model: Model, rates: Array, names: Sequence[str], values: Sequence[float], kind: str
) -> None:
    """Set named rates; numbers of a quaternion have no rate of their own and are passed over."""
    index = model.velocity_index
    for name, value in zip(names, values, strict=False):
        if name in index:
            rates[index[name]] = value
        elif value:
            raise ValueShapeError(
                f"'{name}' cannot take a {kind}; give those of a ball or floating joint as zero"
            )
