# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""ConstraintSystem: all rows of a model at a configuration, in tree coordinates.

    Phi(q) = 0,   Phi' = J v,   J v' = gamma,   gamma = -J' v - 2 alpha Phi' - beta^2 Phi

(the last two terms: Baumgarte, Computer Methods in Applied Mechanics and Engineering 1, 1972).
Residuals are in m and rad.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kinematics_node.compiled import Array
from kinematics_node.constraints.evaluate import evaluate_rows
from kinematics_node.constraints.evaluate import Work
from kinematics_node.constraints.table import model_elements
from kinematics_node.constraints.table import pack
from kinematics_node.model.model import Model
from kinematics_node.numeric import finite_vector


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of all closures, then of all couplings, at one configuration.

    Attributes
    ----------
    phi : array, shape (rows,)
        Residuals [m or rad].
    jacobian : array, shape (rows, nv)
        Phi' = jacobian v.
    wrench : array, shape (rows, 6)
        What a unit multiplier puts on link B, and its opposite on link A: (tau, f) about Wo on W's
        axes; zero for couplings, which act on coordinates.
    phi_dot : array, shape (rows,)
        Phi'.
    gamma : array, shape (rows,)
        The right side of J v' = gamma.
    """

    phi: Array
    jacobian: Array
    wrench: Array
    phi_dot: Array
    gamma: Array


class ConstraintSystem:
    """The closures and couplings of a model as rows; mimic joints are left to the caller.

    Parameters
    ----------
    model : Model
        The robot.

    Attributes
    ----------
    elements : tuple of Element
        Closures, then couplings, in the model's order.
    slices : tuple of slice
        Where each element's rows are.
    units : str
        Unit of each row, 'm' or 'r'.

    Raises
    ------
    ModelError
        A closure or coupling that cannot be made into rows.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.elements = model_elements(model)
        self.units = ''.join(element.units for element in self.elements)
        self._table = pack(self.elements)
        self.slices = tuple(slice(int(row[3]), int(row[4])) for row in self._table.elements)

    @property
    def row_count(self) -> int:
        """Number of rows."""
        return self._table.row_count

    def evaluate(
        self, q: ArrayLike, v: ArrayLike | None = None, alpha: float = 0.0, beta: float = 0.0
    ) -> Rows:
        """Return the rows at positions q and velocities v (at rest without).

        Parameters
        ----------
        q, v : array_like, shapes (nq,) and (nv,)
            Positions, as they are (followers are not set), and velocities.
        alpha, beta : float
            Baumgarte's damping and stiffness [1/s].

        Raises
        ------
        ValueShapeError
            A wrong count, or a number that is not finite.
        """
        model = self.model
        positions = finite_vector(q, model.coordinate_names, 'q')
        velocities = np.zeros(model.nv)
        if v is not None:
            velocities = finite_vector(v, model.velocity_names, 'v')
        work = self.fill(positions, velocities)
        phi, phi_dot = work.records[:, 0].copy(), work.rates[:, 0]
        gamma = -work.rates[:, 1] - 2.0 * alpha * phi_dot - beta * beta * phi
        return Rows(phi, work.J, work.records[:, 1:7].copy(), phi_dot.copy(), gamma)

    def fill(self, q: Array, v: Array) -> Work:
        """Return new arrays filled at q and v, which are trusted; mutable, and the caller's."""
        work = Work(self.model, self.row_count)
        table = self._table
        evaluate_rows(
            self.model.tree,
            self.model.placement,
            table.elements,
            table.geometry,
            table.support,
            table.coefficient,
            q,
            v,
            True,
            work.X,
            work.V,
            work.A,
            work.S,
            work.records,
            work.rates,
            work.J,
        )
        return work
