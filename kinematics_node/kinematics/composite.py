# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The inertia of a subtree, frozen in one configuration."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinematics_node.compiled import Array
from kinematics_node.errors import ValueShapeError
from kinematics_node.kinematics.poses import accept_positions
from kinematics_node.kinematics.poses import forward_kinematics
from kinematics_node.model.elements import Inertia
from kinematics_node.model.inertia import combined
from kinematics_node.model.inertia import inertia_in_frame
from kinematics_node.model.model import Model
from kinematics_node.numeric import finite_vector
from kinematics_node.spatial import compose
from kinematics_node.spatial import invert


def composite_inertia(model: Model, q: ArrayLike, link: str) -> Inertia:
    """Return the inertia of a link and everything that hangs on it, in the link's frame.

    Parameters
    ----------
    model : Model
        The robot.
    q : array_like, shape (nq,)
        Positions, at which the subtree is taken as one rigid body.
    link : str
        The link at the top of the subtree; the root for the whole robot.

    Raises
    ------
    NameLookupError
        There is no link of that name.
    ValueShapeError
        A wrong count, or a number that is not finite.
    """
    top = model.link_id(link)
    X_WC = np.empty((len(model.links), 7))
    forward_kinematics(model.tree, model.placement, _positions(model, q), X_WC)
    X_TW = invert(tuple(X_WC[top].tolist()))
    bodies = []
    for i in range(top, end_of_subtree(model, top)):
        inertia = model.links[i].inertia
        if inertia is not None:
            bodies.append(inertia_in_frame(inertia, compose(X_TW, tuple(X_WC[i].tolist()))))
    return combined(bodies)


def end_of_subtree(model: Model, top: int) -> int:
    """Return the first link after the contiguous range that hangs on a link."""
    end = top + 1
    while end < len(model.links) and model.tree[end, 0] >= top:
        end += 1
    return end


def _positions(model: Model, q: ArrayLike) -> Array:
    numbers = finite_vector(q, model.coordinate_names, 'q')
    bad = accept_positions(model.tree, numbers)
    if bad >= 0:
        raise ValueShapeError(f"'{model.coordinate_names[bad]}': the quaternion has no length")
    return numbers
