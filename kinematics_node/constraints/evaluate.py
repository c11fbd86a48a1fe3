# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""All rows of a table at once, in W: the kernel behind both views, and its arrays."""

from __future__ import annotations

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.compiled import Ints
from kinematics_node.compiled import kernel
from kinematics_node.constraints.primitive import ROW_WIDTH
from kinematics_node.constraints.primitive import WEIGHT
from kinematics_node.constraints.rows import place_links
from kinematics_node.constraints.rows import write_jacobian
from kinematics_node.constraints.rows import write_rates
from kinematics_node.kinematics.velocity import link_accelerations
from kinematics_node.kinematics.velocity import link_velocities
from kinematics_node.model.model import Model


class Work:
    """Arrays for evaluate_rows.

    Attributes
    ----------
    X, V, A : array, shapes (links, 7), (links, 6) and (links, 6)
        Poses, velocities and accelerations of links.
    S : array, shape (nv, 6)
        The twist about Wo that each unit rate gives its link.
    records : array, shape (rows, ROW_WIDTH)
        Residuals, wrench directions about Wo, quadratic terms.
    rates : array, shape (rows, 2)
        Phi' and Phi''.
    J : array, shape (rows, nv)
        The Jacobian.
    """

    def __init__(self, model: Model, rows: int) -> None:
        links = len(model.links)
        self.X, self.V, self.A = np.zeros((links, 7)), np.zeros((links, 6)), np.zeros((links, 6))
        self.S = np.zeros((model.nv, 6))
        self.records, self.rates = np.zeros((rows, ROW_WIDTH)), np.zeros((rows, 2))
        self.J = np.zeros((rows, model.nv))


@kernel
def evaluate_rows(
    tree: Ints,
    placement: Array,
    elements: Indices,
    geometry: Array,
    support: Indices,
    coefficient: Array,
    q: Array,
    v: Array,
    in_tree: bool,
    X: Array,
    V: Array,
    A: Array,
    S: Array,
    records: Array,
    rates: Array,
    J: Array,
) -> None:
    """Write everything about all rows; Phi'' is that of v' = 0.

    Without in_tree it is that of bodies whose own coordinates do not accelerate: A stays as it is.
    """
    links = np.arange(tree.shape[0])
    vdot = np.zeros(v.shape[0])
    records[:, WEIGHT] = 1.0
    place_links(0, links, 1, links.shape[0], tree, placement, q, X, S)
    link_velocities(tree, placement, q, v, X, V)
    if in_tree:
        link_accelerations(tree, placement, q, v, vdot, X, V, A)
    write_rates(elements, geometry, support, coefficient, q, v, vdot, X, V, A, records, rates)
    count = elements.shape[0]
    write_jacobian(elements, support, coefficient, 0, count, 0, records, S, J)
