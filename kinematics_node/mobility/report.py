# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What a DOF report holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

from kinematics_node.compiled import Array


class Role(IntEnum):
    """What a joint is to the others."""

    FIXED = 0
    """It has no coordinates."""
    FREE = 1
    """Nothing given determines it: it may be chosen."""
    MEASURED = 2
    """It is given."""
    DEPENDENT = 3
    """Given coordinates determine it through loops and couplings."""
    IDLE = 4
    """It moves, but in ways that nothing outside notices, such as a rod's spin."""
    LOCKED = 5
    """Loops keep it from moving."""
    MIMICKING = 6
    """It follows another joint."""


class Actuation(IntEnum):
    """Motors against the mobility that somebody notices."""

    UNKNOWN = 0
    """The description names no motors."""
    UNDER = 1
    """Some motion is driven by no motor."""
    FULL = 2
    """Every motion is driven, and no two motors fight."""
    OVER = 3
    """Every motion is driven, by more motors than it takes."""


class JointRole(NamedTuple):
    """One joint: its rows c, its role and, where it depends on others, the coordinates it does."""

    joint: str
    type: str
    rows: int
    role: Role
    depends_on: tuple[str, ...] = ()


@dataclass(frozen=True)
class ElementRows:
    """One closure or coupling.

    Attributes
    ----------
    name, kind : str
        The closure or coupling and its kind.
    rows : int
        Its rows c.
    redundant : int
        How many of them say nothing that the rows before have not said.
    overlaps : bool
        Whether some of its rows depend on others, whichever come first.
    """

    name: str
    kind: str
    rows: int
    redundant: int
    overlaps: bool


class Mode(NamedTuple):
    """One of the independent motions: a unit rate of its coordinate, the others at rest.

    Attributes
    ----------
    coordinate : str
        The independent velocity coordinate.
    rates : Mapping of str to float
        Every velocity coordinate that moves, with its rate.
    joints : tuple of str
        The joints that move.
    idle : bool
        Whether nothing outside notices it.
    """

    coordinate: str
    rates: Mapping[str, float]
    joints: tuple[str, ...]
    idle: bool


@dataclass(frozen=True, eq=False)
class DofReport:
    """How many ways a mechanism can move, and which.

    Attributes
    ----------
    bodies : int
        Moving links n, so that there are 6 n coordinates.
    rows_by_kind : Mapping of str to int
        Sum of c of tree joints, closures ('revolute closure'), couplings and mimics.
    rows, gruebler : int
        Sum of all c, and 6 n - rows, which may be negative.
    rank, mobility : int
        Independent rows among them, and 6 n - rank.
    loop_rows, loop_rank : int
        Those of closures and couplings alone; those of tree joints and mimics are independent.
    threshold, above, below : float
        What counted as zero among singular values of the scaled loop rows, and those next to it.
    certain : bool
        Whether both keep clear of the threshold, by a factor of 100.
    redundant : int
        Rows that say nothing new, rows - rank.
    elements : tuple of ElementRows
        Closures, then couplings.
    nearby_rank : int or None
        Largest rank in configurations nearby that close the loops; None where none was found.
    singular : bool
        Whether rows that are independent nearby are not, or hardly, so here.
    independent : tuple of str
        Suggested independent velocity coordinates, as many as the mobility: measured ones first,
        then motors, then what is best conditioned; idle ones last.
    joints : tuple of JointRole
        Every joint.
    modes : tuple of Mode
        A basis of the mobility, one for each independent coordinate.
    idle : int
        Dimension of the motions that nothing outside notices.
    actuated : tuple of str
        Motors.
    actuated_rank : int
        Independent motions that they drive.
    actuation : Actuation
        Motors against mobility - idle.
    q : array, shape (nq,)
        The configuration, closed where it could be.
    closed : bool
        Whether it closes the loops.
    """

    bodies: int
    rows_by_kind: Mapping[str, int]
    rows: int
    gruebler: int
    rank: int
    mobility: int
    loop_rows: int
    loop_rank: int
    threshold: float
    above: float
    below: float
    certain: bool
    redundant: int
    elements: tuple[ElementRows, ...]
    nearby_rank: int | None
    singular: bool
    independent: tuple[str, ...]
    joints: tuple[JointRole, ...]
    modes: tuple[Mode, ...]
    idle: int
    actuated: tuple[str, ...]
    actuated_rank: int
    actuation: Actuation
    q: Array
    closed: bool

    @cached_property
    def message(self) -> str:
        """All this in a few sentences."""
        from kinematics_node.mobility.summary import summarise

        return summarise(self)
