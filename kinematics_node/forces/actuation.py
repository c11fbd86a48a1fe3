# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Which coordinates are actuated, and who says so."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kinematics_node.errors import ValueShapeError
from kinematics_node.forces.plan import Mask
from kinematics_node.forces.plan import Plan
from kinematics_node.forces.request import coordinates_named
from kinematics_node.model.model import Model


def actuated_coordinates(
    model: Model, plan: Plan, actuated: Iterable[str] | None, measured: Iterable[str] | None
) -> tuple[Mask, str]:
    """Return which velocity coordinates are actuated, and where that is known from.

    The request counts first, then what the description says, then the measured joints, then all
    single-axis joints that follow none. A braked axis is held by its brake and not by its motor.

    Raises
    ------
    NameLookupError
        There is no joint of that name.
    ValueShapeError
        A fixed joint is asked to be actuated.
    """
    if actuated is not None:
        return named(model, plan, actuated), 'the request'
    if measured is not None and not plan.described:
        return named(model, plan, measured), 'the measured joints'
    return plan.actuated, plan.actuated_from


def named(model: Model, plan: Plan, names: Iterable[str]) -> Mask:
    """Return the coordinates of joints, or single coordinates, by name; not those of brakes."""
    mask = np.zeros(model.nv, bool)
    for name in names:
        where = coordinates_named(model, name)
        if where.start == where.stop:
            raise ValueShapeError(f"joint '{name}' is fixed and cannot be actuated; leave it out")
        mask[where] = True
    mask &= ~plan.braked
    # As the plan's own: a kernel is compiled anew for an array that may be written.
    mask.setflags(write=False)
    return mask
