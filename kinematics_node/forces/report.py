# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""ForceReport: the answer, whose parts are worked out when they are looked at."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
import math
from types import MappingProxyType

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.dynamics.passive import REST_RATE
from kinematics_node.errors import NameLookupError
from kinematics_node.forces import loads
from kinematics_node.forces import wording
from kinematics_node.forces.indeterminacy import Indeterminacy
from kinematics_node.forces.indeterminacy import indeterminacy_of
from kinematics_node.forces.indeterminacy import SharedLoad
from kinematics_node.forces.labels import Labels
from kinematics_node.forces.labels import labels_of
from kinematics_node.forces.parts import Capacity
from kinematics_node.forces.parts import JointForce
from kinematics_node.forces.parts import Multiplier
from kinematics_node.forces.parts import Power
from kinematics_node.forces.plan import is_angle
from kinematics_node.forces.request import FRAMES
from kinematics_node.forces.solution import Extremes
from kinematics_node.forces.solution import Question
from kinematics_node.forces.solution import Solution
from kinematics_node.model.model import Model


class ForceReport:
    """Forces of all joints and closures at one state."""

    def __init__(
        self, question: Question, solution: Solution, names: tuple[str, ...] | None
    ) -> None:
        self._question, self._solution, self._names = question, solution, names

    @property
    def q(self) -> Array:
        """Positions, quaternions of unit length."""
        return self._question.q

    @property
    def v(self) -> Array:
        """Velocities."""
        return self._question.v

    @property
    def braced(self) -> int:
        """In how many ways actuators can brace against each other (inverse mode)."""
        return self._solution.braced

    @property
    def accelerations(self) -> Array:
        """v', as given (inverse) or found (forward), shape (nv,)."""
        found: Array = self._solution.vdot.copy()
        return found

    @property
    def wrenches(self) -> Array:
        """Total wrenches (joints, 6) of all joints in the model's order.

        (tau, f) about the anchors on the axes asked for; the same numbers as in `joints`.
        """
        found: Array = self._solution.total[1:].copy()
        return found

    @property
    def multiplier_values(self) -> Array:
        """Multipliers (rows,) of closures, couplings, mimics and brakes [N, N m]."""
        found: Array = self._solution.multipliers.copy()
        return found

    @property
    def model(self) -> Model:
        """The robot."""
        return self._question.model

    @property
    def mode(self) -> str:
        """'inverse' or 'forward'."""
        return self._question.mode

    @property
    def method(self) -> str:
        """'reduced' or 'augmented'."""
        return self._question.method

    @property
    def frame(self) -> str:
        """On whose axes wrenches are: 'parent', 'child' or 'world'."""
        return FRAMES[self._question.frame]

    @cached_property
    def actuated(self) -> tuple[str, ...]:
        """The velocity coordinates that are actuated."""
        names = self.model.velocity_names
        return tuple(names[k] for k in np.flatnonzero(self._question.actuated))

    @property
    def actuated_from(self) -> str:
        """Who says which coordinates are actuated."""
        return self._question.actuated_from

    @property
    def at_rest(self) -> bool:
        """Whether nothing moves or accelerates."""
        return not (self._question.v.any() or self._solution.vdot.any())

    @cached_property
    def efforts(self) -> Mapping[str, Array]:
        """Efforts along all velocity coordinates (nv,), by source."""
        return MappingProxyType(dict(zip(loads.SOURCES, self.efforts_table, strict=True)))

    @cached_property
    def efforts_table(self) -> Array:
        """The same numbers in one array (sources, nv), its rows in the order of `efforts`."""
        return loads.efforts_table(self._question, self._solution)

    @property
    def actuator_efforts(self) -> Array:
        """Efforts of the actuators, shape (nv,)."""
        found: Array = self._solution.actuator.copy()
        return found

    @cached_property
    def labels(self) -> Labels:
        """What is said of joints, closures and rows whatever they carry: names, types, links."""
        return labels_of(self.model)

    @cached_property
    def asked(self) -> tuple[list[int], list[int]]:
        """Numbers of the joints and of the closures asked for, or of all, in the model's order."""
        names, labels = self._names, self.labels
        if names is None:
            return list(range(len(labels.joints))), list(range(len(labels.closures)))
        joints, closures = self.model.joint_index, labels.closure_index
        return (
            sorted({joints[name] for name in names if name in joints}),
            sorted({closures[name] for name in names if name in closures}),
        )

    @property
    def joints(self) -> tuple[JointForce, ...]:
        """The joints asked for, or all, in the model's order."""
        return tuple(self.load(self.labels.joints[k].name) for k in self.asked[0])

    @property
    def closures(self) -> tuple[JointForce, ...]:
        """The closures asked for, or all."""
        return tuple(self.load(self.labels.closures[c].name) for c in self.asked[1])

    @cached_property
    def joint_wrenches(self) -> Array:
        """Anchor, total and constraint wrench of every joint, (links, 15), row 0 unused.

        On the axes asked for, moments about the anchor; the same numbers as in `joints`.
        """
        return loads.joint_wrenches(self._question, self._solution)

    @cached_property
    def closure_wrenches(self) -> Array:
        """Anchor, total and constraint wrench of every closure, (closures, 15), as of joints."""
        return loads.closure_wrenches(self._question, self._solution)

    @cached_property
    def _loads(self) -> dict[str, JointForce]:
        return {}

    def load(self, name: str) -> JointForce:
        """Return what a joint or closure carries.

        Raises
        ------
        NameLookupError
            There is no joint or closure of that name.
        """
        known = self._loads.get(name)
        if known is None:
            k = self.model.joint_index.get(name)
            if k is not None:
                known = loads.joint_load(self, k)
            else:
                closures = self.labels.closure_index
                if name not in closures:
                    raise NameLookupError('joint', name, (*self.model.joint_index, *closures))
                known = loads.closure_load(self, closures[name])
            self._loads[name] = known
        return known

    @property
    def base(self) -> Array:
        """The wrench (6,) that the world puts on the root link, about Wo on world axes."""
        wrench: Array = self._solution.total[0]
        return wrench

    @cached_property
    def indeterminacy(self) -> Indeterminacy:
        """What is not unique."""
        return indeterminacy_of(self._question, self._solution)

    @property
    def shared(self) -> tuple[SharedLoad, ...]:
        """Who shares loads that statics do not divide."""
        return self.indeterminacy.shared

    @property
    def determinate(self) -> bool:
        """Whether statics determine every wrench."""
        return not self.shared

    @cached_property
    def multipliers(self) -> tuple[Multiplier, ...]:
        """Multipliers of all rows, with their meaning."""
        return loads.multipliers_of(self)

    @cached_property
    def extremes(self) -> Extremes:
        """The largest numbers of the solution."""
        return self._solution.extremes

    @property
    def residual(self) -> float:
        """By how much constraints are open [m or rad]."""
        return self.extremes.phi

    @property
    def rate_residual(self) -> float:
        """How fast constraints open [m/s or rad/s]."""
        return self.extremes.phi_dot

    @property
    def acceleration_residual(self) -> float:
        """|J v' + J' v|: how far accelerations are from keeping constraints [m/s^2 or rad/s^2]."""
        return self.extremes.phi_ddot

    @property
    def unbalanced(self) -> Array:
        """What is missing for balance (nv,); zero where it is no more than rounding."""
        if self.held:
            return np.zeros(self.model.nv)
        found: Array = self._solution.unbalanced.copy()
        found[np.abs(found) <= self._rounding] = 0.0
        return found

    @cached_property
    def missing(self) -> tuple[tuple[str, float, str], ...]:
        """What is missing for balance: (coordinate, effort, unit), the largest first."""
        unbalanced, names, plan = self.unbalanced, self.model.velocity_names, self._question.plan
        return tuple(
            (names[k], float(unbalanced[k]), 'N m' if is_angle(self.model, int(k), plan) else 'N')
            for k in sorted(
                unbalanced.nonzero()[0], key=lambda k: (-float(f'{abs(unbalanced[k]):.6g}'), k)
            )
        )

    @property
    def held(self) -> bool:
        """Whether actuators, brakes and rows together balance the state."""
        return self.extremes.unbalanced <= self._rounding

    @property
    def _rounding(self) -> float:
        """What counts as no effort at all."""
        return wording.HELD * (1.0 + self.extremes.along)

    @cached_property
    def capacities(self) -> tuple[Capacity, ...]:
        """What static friction at rest, and stops that are touched, could hold besides."""
        return loads.capacities_of(self)

    @property
    def overloads(self) -> tuple[tuple[str, float, float], ...]:
        """Actuators beyond their limit: (coordinate, effort, limit)."""
        efforts, limits = self._solution.actuator, self.model.effort_limit
        # URDF writes 0 where nobody knows the limit.
        beyond = np.flatnonzero((np.abs(efforts) > limits) & (limits > 0.0)).tolist()
        return tuple(
            (self.model.velocity_names[k], float(efforts[k]), float(limits[k])) for k in beyond
        )

    @cached_property
    def power(self) -> Power:
        """The balance of power."""
        return loads.power_of(self)

    @cached_property
    def summary(self) -> str:
        """The answer in a few sentences."""
        return wording.summary_of(self)

    def rests(self, v: int) -> bool:
        """Return whether a velocity coordinate is at rest."""
        return math.fabs(self.v[v]) <= REST_RATE

    def parts(self) -> tuple[Question, Solution]:
        """Return the question and the solution in numbers, for code that works on them."""
        return self._question, self._solution
