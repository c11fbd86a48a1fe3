# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The balance of power: what bodies take up, against what gravity and the outside put in."""

from __future__ import annotations

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import Ints
from kinematics_node.compiled import kernel
from kinematics_node.dynamics.inverse import move_links


@kernel
def powers_on_links(
    tree: Ints,
    placement: Array,
    inertia: Array,
    q: Array,
    v: Array,
    vdot: Array,
    gravity: Array,
    external: Array,
) -> tuple[float, float, float]:
    """Return the growth of kinetic energy, and the powers of gravity and external wrenches [W].

    Both kinds of net wrenches, with gravity and without it, are those that the answer is made of:
    the balance checks them.
    """
    links = tree.shape[0]
    X, V, A = np.empty((links, 7)), np.empty((links, 6)), np.empty((links, 6))
    inertial, net = np.empty((links, 6)), np.empty((links, 6))
    move_links(tree, placement, inertia, q, v, vdot, np.zeros(3), X, V, A, inertial)
    move_links(tree, placement, inertia, q, v, vdot, gravity, X, V, A, net)
    kinetic, falling, outside = 0.0, 0.0, 0.0
    for i in range(links):
        for k in range(6):
            kinetic += inertial[i, k] * V[i, k]
            falling += (inertial[i, k] - net[i, k]) * V[i, k]
    for i in range(external.shape[0]):
        for k in range(6):
            outside += external[i, k] * V[i, k]
    return kinetic, falling, outside
