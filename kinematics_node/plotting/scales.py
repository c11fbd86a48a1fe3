# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""How long arrows are drawn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
import math

import numpy as np

from kinematics_node.errors import ValueShapeError
from kinematics_node.model.joint_types import JointType
from kinematics_node.plotting.skeleton import extent_of
from kinematics_node.plotting.skeleton import Skeleton

AXIS_SHARE = 0.07  # of the diagonal of the robot
LOAD_SHARE = 0.3
FEW = 12  # joints: where there are more, their axes are shorter
SHORTEST_SHARE = 0.008
NEGLIGIBLE = 1e-9
STEPS = (1.0, 2.0, 5.0)


@dataclass(frozen=True)
class Scales:
    """Lengths of arrows; zero for none.

    Attributes
    ----------
    axis : float
        Of a joint's axis [m].
    force, torque : float
        Of loads [m/N, m/(N m)].
    shortest : float
        Arrows of loads that are shorter are left out [m].
    """

    axis: float
    force: float
    torque: float
    shortest: float


def scales_of(
    skeleton: Skeleton,
    axis: float | None = None,
    force: float | None = None,
    torque: float | None = None,
) -> Scales:
    """Return the scales of a picture, those not given so that arrows fit the robot.

    Raises
    ------
    ValueShapeError
        A scale that is negative or not finite.
    """
    for name, value in (('size of axes', axis), ('force scale', force), ('torque scale', torque)):
        if value is not None and not (math.isfinite(value) and value >= 0.0):
            raise ValueShapeError(f'the {name} is {value}; it must be positive, or 0 for none')
    lower, upper = extent_of(skeleton)
    diagonal = float(np.linalg.norm(upper - lower)) or 1.0
    room = LOAD_SHARE * diagonal
    moving = sum(anchor.type is not JointType.FIXED for anchor in skeleton.anchors)
    crowd = max(1.0, math.sqrt(moving / FEW))
    forces = [float(np.linalg.norm(load.force)) for load in skeleton.loads]
    torques = [float(np.linalg.norm(load.torque)) for load in skeleton.loads]
    # What is left by rounding beside all the rest is no load.
    rounding = NEGLIGIBLE * max([f * diagonal for f in forces] + torques, default=0.0)
    return Scales(
        axis=AXIS_SHARE * diagonal / crowd if axis is None else axis,
        force=arrow_scale([f for f in forces if f * diagonal > rounding], room)
        if force is None
        else force,
        torque=arrow_scale([t for t in torques if t > rounding], room)
        if torque is None
        else torque,
        shortest=SHORTEST_SHARE * diagonal,
    )


def arrow_scale(lengths: Iterable[float], room: float) -> float:
    """Return the largest round scale (1, 2 or 5 times a power of ten) at which arrows fit.

    Parameters
    ----------
    lengths : iterable of float
        Of the arrows, in their own unit.
    room : float
        How long the longest may become [m].

    Returns
    -------
    float
        [m per unit]; zero where there is nothing to scale.
    """
    longest = max(lengths, default=0.0)
    if not longest > 0.0 or not room > 0.0:
        return 0.0
    most = room / longest * (1.0 + 1e-9)
    power = 10.0 ** math.floor(math.log10(most))
    return max(step * power for step in STEPS if step * power <= most)
