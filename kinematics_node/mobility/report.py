# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What a DOF report holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import compress
from typing import NamedTuple
from typing import TYPE_CHECKING

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.mobility.tables import Flags

if TYPE_CHECKING:
    from kinematics_node.mobility.mechanism import Mechanism


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


class ElementRows(NamedTuple):
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
    redundant_rows, overlaps : int64 array, bool array, shape (elements,)
        The same of each element, closures before couplings; see ElementRows.
    nearby_rank : int or None
        Largest rank in configurations nearby that close the loops; None where none was found.
    singular : bool
        Whether rows that are independent nearby are not, or hardly, so here.
    independent : tuple of str
        Suggested independent velocity coordinates, as many as the mobility: measured ones first,
        then motors, then what is best conditioned; idle ones last.
    given : tuple of str
        Velocity coordinates with respect to which roles are told.
    roles : int64 array, shape (joints,)
        The Role of every joint.
    depends : bool array, shape (joints, given)
        On which of the given coordinates each joint depends.
    rates : array, shape (mobility, nv)
        A basis of the mobility: rates of all velocity coordinates, zero for those that rest, where
        one independent coordinate after the other moves at a unit rate.
    idle_modes : bool array, shape (mobility,)
        Of each of these motions, whether nothing outside notices it.
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
    mechanism : Mechanism
        The names of all this.
    """

    bodies: int
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
    redundant_rows: Indices
    overlaps: Flags
    nearby_rank: int | None
    singular: bool
    independent: tuple[str, ...]
    given: tuple[str, ...]
    roles: Indices
    depends: Flags
    rates: Array
    idle_modes: Flags
    idle: int
    actuated: tuple[str, ...]
    actuated_rank: int
    actuation: Actuation
    q: Array
    closed: bool
    mechanism: Mechanism

    @property
    def rows_by_kind(self) -> dict[str, int]:
        """Sum of c of tree joints, closures ('revolute closure'), couplings and mimics."""
        return self.mechanism.rows_by_kind.copy()

    @cached_property
    def elements(self) -> tuple[ElementRows, ...]:
        """Closures, then couplings."""
        counts = zip(self.redundant_rows.tolist(), self.overlaps.tolist(), strict=True)
        return tuple(
            element._replace(redundant=redundant, overlaps=overlaps)
            for element, (redundant, overlaps) in zip(self.mechanism.sound, counts, strict=True)
        )

    @cached_property
    def joints(self) -> tuple[JointRole, ...]:
        """Every joint."""
        told = zip(self.mechanism.joints, self.roles.tolist(), self.depends.tolist(), strict=True)
        return tuple(
            joint.settled
            or JointRole(
                joint.name, joint.type, joint.rows, Role(role), tuple(compress(self.given, needs))
            )
            for joint, role, needs in told
        )

    @cached_property
    def modes(self) -> tuple[Mode, ...]:
        """The basis of the mobility, one for each independent coordinate."""
        names, joint_of = self.mechanism.model.velocity_names, self.mechanism.joint_of
        moved = zip(self.independent, self.rates.tolist(), self.idle_modes.tolist(), strict=True)
        return tuple(
            Mode(
                coordinate=coordinate,
                rates={name: rate for name, rate in zip(names, rates, strict=True) if rate},
                joints=tuple(dict.fromkeys(compress(joint_of, rates))),
                idle=idle,
            )
            for coordinate, rates, idle in moved
        )

    @cached_property
    def message(self) -> str:
        """All this in a few sentences."""
        from kinematics_node.mobility.summary import summarise

        return summarise(self)
