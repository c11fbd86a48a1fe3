# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The solution that is read out of the buffer of a compiled answer."""

from __future__ import annotations

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.constraints.primitive import ROW_WIDTH
from kinematics_node.forces.answer import extremes_in
from kinematics_node.forces.answer import transmit
from kinematics_node.forces.layout import ACTUATOR
from kinematics_node.forces.layout import ALONG
from kinematics_node.forces.layout import ROTOR
from kinematics_node.forces.layout import SPRINGS
from kinematics_node.forces.layout import UNBALANCED
from kinematics_node.forces.layout import WIDTH
from kinematics_node.forces.request import MODES
from kinematics_node.forces.solution import Extremes
from kinematics_node.forces.solution import Question


class PackedSolution:
    """A Solution whose numbers stand in one buffer, as cut() has it.

    Parameters
    ----------
    question : Question
        What was asked.
    buffer : array
        Where it was answered. In forward mode what joints transmit is written when somebody looks
        at it.
    """

    __slots__ = ('_buffer', '_is_whole', '_question')
    braced = 0

    def __init__(self, question: Question, buffer: Array) -> None:
        self._question, self._buffer = question, buffer
        self._is_whole = question.conditions.mode == 'inverse'

    def _coordinates(self, first: int) -> Array:
        nv = self._question.model.nv
        return self._buffer[first * nv : (first + 1) * nv]

    def _links_part(self, first: int, width: int) -> Array:
        model = self._question.model
        start = WIDTH * model.nv + first * len(model.links)
        return self._buffer[start : start + width * len(model.links)].reshape(-1, width)

    def _rows_part(self, first: int, width: int) -> Array:
        model, rows = self._question.model, self._question.plan.row_count
        start = WIDTH * model.nv + 19 * len(model.links) + first * rows
        return self._buffer[start : start + width * rows].reshape(rows, width)

    def _complete(self) -> None:
        """Write what joints transmit, if that has not been done."""
        if not self._is_whole:
            write_transmitted(self._question, self._buffer)
            self._is_whole = True

    @property
    def vdot(self) -> Array:
        """Accelerations."""
        return self._buffer[self._question.conditions.plan.vdot_at]

    @property
    def passive(self) -> Array:
        """Efforts of springs, dampers and friction."""
        nv = self._question.model.nv
        return self._buffer[SPRINGS * nv : ACTUATOR * nv].reshape(3, nv)

    @property
    def actuator(self) -> Array:
        """Efforts of actuators."""
        return self._coordinates(ACTUATOR)

    @property
    def unbalanced(self) -> Array:
        """What is missing for balance."""
        return self._coordinates(UNBALANCED)

    @property
    def rotor(self) -> Array:
        """What the rotors' own inertia takes."""
        return self._coordinates(ROTOR)

    @property
    def along(self) -> Array:
        """S^T F."""
        self._complete()
        return self._coordinates(ALONG)

    @property
    def total(self) -> Array:
        """Wrenches about Mo on the axes asked for."""
        self._complete()
        return self._buffer[self._question.conditions.plan.total_at].reshape(-1, 6)

    @property
    def F(self) -> Array:
        """Wrenches about Co on world axes."""
        self._complete()
        return self._links_part(6, 6)

    @property
    def X(self) -> Array:
        """Poses."""
        return self._links_part(12, 7)

    @property
    def records(self) -> Array:
        """The rows."""
        return self._rows_part(0, ROW_WIDTH)

    @property
    def phi(self) -> Array:
        """Residuals; a brake has none."""
        return np.where(self._question.plan.rows_held[:, 1] != 0.0, 0.0, self.records[:, 0])

    @property
    def phi_dot(self) -> Array:
        """Rates of the residuals."""
        return self._rows_part(ROW_WIDTH, 2)[:, 0]

    @property
    def acceleration_residual(self) -> Array:
        """J v' + J' v."""
        found = self._rows_part(ROW_WIDTH, 2)[:, 1]
        # The kernel has it at the accelerations given, which in forward mode are none.
        return found if self._question.mode == 'inverse' else found + self.J @ self.vdot

    @property
    def J(self) -> Array:
        """The Jacobian."""
        return self._rows_part(ROW_WIDTH + 2, self._question.model.nv)

    @property
    def multipliers(self) -> Array:
        """Of closures, couplings, mimics and brakes."""
        return self._rows_part(ROW_WIDTH + 2 + self._question.model.nv, 1)[:, 0]

    @property
    def extremes(self) -> Extremes:
        """The largest numbers."""
        self._complete()
        question = self._question
        return Extremes(
            *extremes_in(
                self._buffer,
                MODES.index(question.mode),
                question.plan.rows_held,
                question.model.nv,
                len(question.model.links),
            )
        )

    @property
    def freedom(self) -> Array:
        """Nothing: the multipliers are unique."""
        return np.zeros((self._question.plan.row_count, 0))


def write_transmitted(question: Question, buffer: Array) -> None:
    """Write what joints transmit into the buffer of a forward answer."""
    model, plan = question.model, question.plan
    transmit(
        model.tree,
        model.placement,
        plan.table.elements,
        question.frame,
        question.inertia,
        question.q,
        question.v,
        question.gravity,
        question.external,
        plan.row_count,
        buffer,
    )
