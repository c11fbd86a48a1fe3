# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""A question, checked, and its solution in numbers: what every method takes and gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple
from typing import Protocol

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.errors import KinematicsError
from kinematics_node.errors import ValueShapeError
from kinematics_node.forces.plan import Mask
from kinematics_node.forces.plan import Plan
from kinematics_node.kinematics.poses import accept_positions
from kinematics_node.model.model import Model
from kinematics_node.numeric import refuse_not_finite


class SingularInertiaError(KinematicsError):
    """Forward mode where something can move that has no inertia.

    Attributes
    ----------
    coordinates : tuple of str
        The velocity coordinates whose acceleration nothing determines.
    """

    def __init__(self, coordinates: tuple[str, ...]) -> None:
        shown = ', '.join(f"'{name}'" for name in coordinates)
        super().__init__(
            f'no acceleration is determined at {shown}: nothing that moves there has inertia; '
            "give the links beyond it mass and inertia, or ask in mode 'inverse'"
        )
        self.coordinates = coordinates


class Conditions(NamedTuple):
    """All of a request but the state it is about, checked and resolved against a model.

    Attributes
    ----------
    plan : Plan
        What is known of the model.
    mode, method : str
        'inverse' or 'forward', 'reduced' or 'augmented'.
    frame : int
        On which axes wrenches are wanted: 0 parent, 1 child, 2 world.
    inertia : array, shape (links, 10)
        Of links with their payloads.
    external : array, shape (links, 6) or (0, 6)
        Wrenches on links about their origins on world axes.
    gravity : array, shape (3,)
        [m/s^2] on world axes.
    actuated, actuated_from : bool array, str
        Which coordinates are actuated, and who says so.
    alpha, beta : float
        Baumgarte's gains [1/s].
    table : int64 array
        Addresses of the plan's arrays, inertia, gravity, external and actuated, for the kernel.
    """

    plan: Plan
    mode: str
    method: str
    frame: int
    inertia: Array
    external: Array
    gravity: Array
    actuated: Mask
    actuated_from: str
    alpha: float
    beta: float
    table: Indices


class Question(NamedTuple):
    """What is asked about a state of a model.

    Attributes
    ----------
    model : Model
        The robot.
    conditions : Conditions
        All but the state.
    state : array, shape (nq + nv + nv,)
        Positions, velocities, and what is given besides.
    """

    model: Model
    conditions: Conditions
    state: Array

    @property
    def q(self) -> Array:
        """Positions."""
        return self.state[: self.model.nq]

    @property
    def v(self) -> Array:
        """Velocities."""
        return self.state[self.model.nq : self.model.nq + self.model.nv]

    @property
    def given(self) -> Array:
        """Accelerations (inverse) or efforts (forward), shape (nv,)."""
        return self.state[self.model.nq + self.model.nv :]

    @property
    def plan(self) -> Plan:
        """What is known of the model."""
        return self.conditions.plan

    @property
    def mode(self) -> str:
        """'inverse' or 'forward'."""
        return self.conditions.mode

    @property
    def method(self) -> str:
        """'reduced' or 'augmented'."""
        return self.conditions.method

    @property
    def frame(self) -> int:
        """On which axes wrenches are wanted."""
        return self.conditions.frame

    @property
    def inertia(self) -> Array:
        """Of links with their payloads."""
        return self.conditions.inertia

    @property
    def external(self) -> Array:
        """Wrenches on links."""
        return self.conditions.external

    @property
    def gravity(self) -> Array:
        """On world axes."""
        return self.conditions.gravity

    @property
    def actuated(self) -> Mask:
        """Which coordinates are actuated."""
        return self.conditions.actuated

    @property
    def actuated_from(self) -> str:
        """Who says so."""
        return self.conditions.actuated_from

    @property
    def alpha(self) -> float:
        """Baumgarte's gain of rates."""
        return self.conditions.alpha

    @property
    def beta(self) -> float:
        """Baumgarte's gain of residuals."""
        return self.conditions.beta


class Extremes(NamedTuple):
    """The largest numbers of a solution, without sign.

    Attributes
    ----------
    phi, phi_dot, phi_ddot : float
        Residuals, their rates, and |J v' + J' v|.
    along, unbalanced : float
        What all sources give together, and what is missing for balance.
    """

    phi: float
    phi_dot: float
    phi_ddot: float
    along: float
    unbalanced: float


class Solution(Protocol):
    """What a method found; arrays over velocity coordinates, rows and links.

    Attributes
    ----------
    vdot : array, shape (nv,)
        Accelerations.
    actuator, unbalanced : array, shape (nv,)
        Efforts of actuators, and what is missing for balance.
    along : array, shape (nv,)
        S^T F, what all sources along a joint's free axes give together.
    passive : array, shape (3, nv)
        Efforts of springs, dampers and friction.
    rotor : array, shape (nv,)
        What the rotors' own inertia takes.
    multipliers : array, shape (rows,)
        Of closures, couplings, mimics and brakes, then of brakes on ball joints.
    records, J : array, shapes (rows, ROW_WIDTH) and (rows, nv)
        The rows.
    phi, acceleration_residual : array, shape (rows,)
        Residuals, and J v' - gamma without Baumgarte's terms.
    phi_dot : array, shape (rows,)
        Rates of the residuals.
    total : array, shape (links, 6)
        Transmitted wrenches about Mo on the axes asked for.
    X, F : array, shapes (links, 7), (links, 6)
        Poses; transmitted wrenches about Co on world axes.
    freedom : array, shape (rows, k)
        Basis of what may be added to the multipliers without anybody noticing.
    braced : int
        Dimension of what actuators may brace against each other (inverse mode).
    extremes : Extremes
        The largest numbers.
    """

    @property
    def vdot(self) -> Array: ...

    @property
    def actuator(self) -> Array: ...

    @property
    def unbalanced(self) -> Array: ...

    @property
    def along(self) -> Array: ...

    @property
    def passive(self) -> Array: ...

    @property
    def rotor(self) -> Array: ...

    @property
    def multipliers(self) -> Array: ...

    @property
    def records(self) -> Array: ...

    @property
    def J(self) -> Array: ...

    @property
    def phi(self) -> Array: ...

    @property
    def phi_dot(self) -> Array: ...

    @property
    def acceleration_residual(self) -> Array: ...

    @property
    def total(self) -> Array: ...

    @property
    def X(self) -> Array: ...

    @property
    def F(self) -> Array: ...

    @property
    def freedom(self) -> Array: ...

    @property
    def braced(self) -> int: ...

    @property
    def extremes(self) -> Extremes: ...


@dataclass(frozen=True, eq=False)
class SolutionArrays:
    """A Solution in arrays of its own."""

    vdot: Array
    actuator: Array
    unbalanced: Array
    along: Array
    passive: Array
    rotor: Array
    multipliers: Array
    records: Array
    J: Array
    phi: Array
    phi_dot: Array
    acceleration_residual: Array
    total: Array
    X: Array
    F: Array
    freedom: Array
    braced: int

    @property
    def extremes(self) -> Extremes:
        """The largest numbers."""
        seconds = self.acceleration_residual
        of_each = (self.phi, self.phi_dot, seconds, self.along, self.unbalanced)
        return Extremes(*(float(np.abs(numbers).max(initial=0.0)) for numbers in of_each))


def refuse_unusable(model: Model, state: Array) -> None:
    """Bring quaternions to unit length; refuse a Question's state that cannot be used.

    Raises
    ------
    ValueShapeError
        A number that is not finite, or a quaternion without length.
    """
    refuse_not_finite(state, model.coordinate_names + 2 * model.velocity_names)
    bad = accept_positions(model.tree, state[: model.nq])
    if bad >= 0:
        name = model.coordinate_names[bad].rsplit('/', 1)[0]
        raise ValueShapeError(
            f"the quaternion of '{name}' has no length; give one of unit length, such as 1 0 0 0"
        )
