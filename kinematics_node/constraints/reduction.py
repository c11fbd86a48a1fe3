# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Mimic joints as a substitution: followers are folded into their masters' columns.

With q_follower = k q_master + b the rates are v = T u, u being the rates of the coordinates that
follow nobody; the columns of a Jacobian become J T. A mimic is thus exact to rounding, costs no
row, and a follower in a loop moves its master's unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.model.model import Model


@dataclass(frozen=True, eq=False)
class Reduction:
    """Which velocity coordinates are independent of mimics, and how the others follow.

    Attributes
    ----------
    independent : tuple of int
        Velocity coordinates that follow nobody, in order; column j of T belongs to independent[j].
    masters : dict of int to (int, float)
        For each following velocity coordinate its master's and the multiplier.
    T : array, shape (nv, independent)
        v = T u.
    """

    independent: tuple[int, ...]
    masters: dict[int, tuple[int, float]]
    T: Array


def mimic_reduction(model: Model) -> Reduction:
    """Return how the model's mimic joints reduce its velocity coordinates."""
    masters = {}
    for follower, mimic in model.mimics.items():
        v = model.velocities_of(follower).start
        masters[v] = (model.velocities_of(mimic.master).start, mimic.multiplier)
    independent = tuple(v for v in range(model.nv) if v not in masters)
    column = {v: j for j, v in enumerate(independent)}
    T = np.zeros((model.nv, len(independent)))
    for v in range(model.nv):
        master, factor = masters.get(v, (v, 1.0))
        T[v, column[master]] = factor
    return Reduction(independent, masters, T)
