# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The parts of an answer: a joint's load, a multiplier, what could hold, power."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kinematics_node.compiled import Array

COMPONENTS = ('tau_x', 'tau_y', 'tau_z', 'f_x', 'f_y', 'f_z')


@dataclass(frozen=True, eq=False)
class JointForce:
    """The wrench that the parent's side of a joint or closure puts on the child's side.

    Attributes
    ----------
    name, type : str
        The joint or closure, and its type.
    parent, child : str
        The links that it connects; a closure's link A and link B.
    frame : str
        The link on whose axes everything here is given.
    point : array, shape (3,)
        The anchor, about which moments are taken, in that link's frame [m]: the origin of the
        joint's frame M on the child, of a closure's frame B on link B.
    total : array, shape (6,)
        (tau, f): everything that passes through the joint [N m, N].
    constraint : array, shape (6,)
        Its part that does no work along the joint's free motion.
    efforts : Mapping of str to array
        Along the joint's velocity coordinates, by source: actuator, spring, damper, friction,
        brake, coupling, rotor, unbalanced. Together they are what `total` has along them.
    determinate : bool
        Whether statics determine the wrench.
    unknown : array, shape (k, 6)
        Directions in which the wrench is not determined.
    unknown_components : tuple of str
        The components of the wrench that are not determined.
    shared_with : tuple of str
        The joints and closures that carry what this one does not.
    """

    name: str
    type: str
    parent: str
    child: str
    frame: str
    point: Array
    total: Array
    constraint: Array
    efforts: Mapping[str, Array]
    determinate: bool
    unknown: Array
    unknown_components: tuple[str, ...]
    shared_with: tuple[str, ...]


@dataclass(frozen=True)
class Multiplier:
    """The multiplier of one row.

    Attributes
    ----------
    element : str
        The closure, coupling, mimic joint or braked axis.
    group : str
        Which of these it is: 'closure', 'coupling', 'mimic', 'brake'.
    meaning : str
        What a positive value is.
    value : float
        [unit].
    unit : str
        'N' or 'N m'.
    determinate : bool
        Whether the value is unique.
    """

    element: str
    group: str
    meaning: str
    value: float
    unit: str
    determinate: bool


@dataclass(frozen=True)
class Capacity:
    """What an axis at rest could hold besides what is computed, from lower to upper.

    Attributes
    ----------
    axis : str
        The axis, by the name of its coordinate.
    source : str
        'static friction', 'lower stop' or 'upper stop'.
    lower, upper : float
        Bounds of the effort along the axis [N m or N].
    """

    axis: str
    source: str
    lower: float
    upper: float


@dataclass(frozen=True)
class Power:
    """The balance of power [W] at a state.

    Attributes
    ----------
    kinetic : float
        Growth of the links' kinetic energy.
    sources : Mapping of str to float
        Power of gravity, external wrenches, closures, and of every source of efforts.
    residual : float
        kinetic less all sources; zero but for rounding.
    """

    kinetic: float
    sources: Mapping[str, float]
    residual: float
