# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Plans: which rows, links and unknowns belong together, as arrays for the kernels.

Closures and couplings that share an unknown coordinate, directly or through others, form a block;
blocks are solved one after the other, so that cost grows with their number and not with its cube.
Rows only see relative motion: a block's links are placed from their nearest common ancestor on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
import math
from typing import NamedTuple

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.compiled import Ints
from kinematics_node.constraints.kinds import Kind
from kinematics_node.constraints.primitive import ROW_WIDTH
from kinematics_node.constraints.primitive import WEIGHT
from kinematics_node.constraints.reduction import mimic_reduction
from kinematics_node.constraints.reduction import Reduction
from kinematics_node.constraints.table import characteristic_length
from kinematics_node.constraints.table import Element
from kinematics_node.constraints.table import model_elements
from kinematics_node.constraints.table import pack
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model

# Columns of the block table: root link, and [start, end) in the plan's lists.
ROOT, LINKS, ELEMENTS, ROWS, COLUMNS, MOVES, SAVED, FOLLOWERS = 0, 1, 3, 5, 7, 9, 11, 13
BLOCK_WIDTH = 15
# Kinds of moves: one number, a rotation, the position of a floating joint.
NUMBER, TURN, SHIFT = 0, 1, 2
# Rows of a block's vectors: multipliers, right side, step; way to a held posture, and of that what
# the rows see: as residuals and as a step.
MULTIPLIERS, RIGHT, STEP, POSTURE, SEEN, VISIBLE = 0, 1, 2, 3, 4, 5
# Columns of a block's outcome.
STATUS, ITERATIONS = 0, 1


class Plan(NamedTuple):
    """What the kernels take.

    Attributes
    ----------
    tree, placement : arrays
        The model's.
    blocks : int64 array, shape (blocks, BLOCK_WIDTH)
        Per block its root link and where its entries start and end in the other lists.
    links : int64 array
        Links to place, parents first.
    elements, geometry, support, coefficient : arrays
        The table of constraints/table.py, block by block; columns count within a block.
    column_v : int64 array, shape (columns,)
        Velocity coordinate of each column.
    scale : array, shape (columns,)
        Rate per unit of a column: the characteristic length for lengths, 1 for angles.
    moves : int64 array, shape (moves, 3)
        Kind, coordinate in q, first column.
    saved : int64 array
        Coordinates of q that a step changes.
    followers : int64 array, shape (followers, 4)
        Follower and master in q, follower and master in v.
    ratios : array, shape (followers, 2)
        Multiplier and offset.
    """

    tree: Ints
    placement: Array
    blocks: Indices
    links: Indices
    elements: Indices
    geometry: Array
    support: Indices
    coefficient: Array
    column_v: Indices
    scale: Array
    moves: Indices
    saved: Indices
    followers: Indices
    ratios: Array


class Work(NamedTuple):
    """The kernels' memory, allocated once a plan.

    Attributes
    ----------
    X, S : arrays
        Poses of links; twists of unit rates.
    rows : array, shape (rows, ROW_WIDTH)
        Residuals, wrench directions, weights (1 / characteristic length for metres), targets.
    J, H, L : arrays
        Weighted Jacobian, its Gram matrix and the factor of that, of the block at hand.
    vectors : array, shape (6, largest of rows and columns of a block)
        Multipliers, right side, step, and what a held posture needs.
    before : array, shape (nq,)
        Coordinates before a step.
    held : array, shape (nq,)
        The posture that undetermined coordinates are drawn to; NaN in held[0] for none.
    outcome : int64 array, shape (blocks, 2)
        Status and iterations of each block.
    """

    X: Array
    S: Array
    rows: Array
    J: Array
    H: Array
    L: Array
    vectors: Array
    before: Array
    held: Array
    outcome: Indices


@dataclass(frozen=True, eq=False)
class LoopPlan:
    """A plan and what its entries are called.

    Attributes
    ----------
    elements : tuple of Element
        In the order of the plan's rows.
    slices : tuple of slice
        Where each element's rows are.
    measured : bool array, shape (nv,)
        Velocity coordinates that are given, or follow given ones.
    length : float
        The model's characteristic length [m].
    is_length : bool array, shape (nv,)
        Velocity coordinates that are lengths, and not angles.
    reduction : Reduction
        How mimic joints follow.
    """

    arrays: Plan
    work: Work
    elements: tuple[Element, ...]
    slices: tuple[slice, ...]
    measured: np.ndarray
    length: float
    is_length: np.ndarray
    reduction: Reduction


def plan_loops(model: Model, measured: np.ndarray) -> LoopPlan:
    """Return the plan of a model's loops where some velocity coordinates are measured.

    Parameters
    ----------
    model : Model
        The robot.
    measured : bool array, shape (nv,)
        Which are measured; a measured follower measures its master, and the other way round.

    Raises
    ------
    ModelError
        A closure or coupling that cannot be made into rows.
    """
    reduction = mimic_reduction(model)
    given = _with_masters(measured, reduction)
    length = characteristic_length(model)
    builder = _Builder(model, reduction, given, length)
    for elements in _components(model_elements(model), reduction, given):
        builder.add_block(elements)
    return builder.finish()


def _with_masters(measured: np.ndarray, reduction: Reduction) -> np.ndarray:
    given: np.ndarray = measured.copy()
    for follower, (master, multiplier) in reduction.masters.items():
        if measured[follower] and multiplier != 0.0:
            given[master] = True
    for follower, (master, multiplier) in reduction.masters.items():
        given[follower] = given[master] or multiplier == 0.0
    return given


def _unknowns(element: Element, reduction: Reduction, given: np.ndarray) -> set[int]:
    masters = (reduction.masters.get(v, (v, 1.0))[0] for v, _, _ in element.support)
    return {v for v in masters if not given[v]}


def _components(
    elements: Sequence[Element], reduction: Reduction, given: np.ndarray
) -> list[list[Element]]:
    """Group elements that share unknowns; each without unknowns is a group of its own."""
    groups: list[tuple[set[int], list[int]]] = []
    for n, element in enumerate(elements):
        unknowns, members = _unknowns(element, reduction, given), [n]
        apart = []
        for group in groups:
            if unknowns & group[0]:
                unknowns |= group[0]
                members = group[1] + members
            else:
                apart.append(group)
        groups = [*apart, (unknowns, members)]
    groups.sort(key=lambda group: min(group[1]))
    return [[elements[n] for n in sorted(members)] for _, members in groups]


class _Builder:
    """Gathers blocks into the arrays of a plan."""

    def __init__(
        self, model: Model, reduction: Reduction, given: np.ndarray, length: float
    ) -> None:
        self.model, self.reduction, self.given, self.length = model, reduction, given, length
        self.is_length = lengths_of(model)
        self.blocks: list[list[int]] = []
        self.links: list[int] = []
        self.elements: list[Element] = []
        self.weight: list[float] = []
        self.moves: list[tuple[int, int, int]] = []
        self.column_v: list[int] = []
        self.saved: list[int] = []
        self.followers: list[tuple[int, int, int, int]] = []
        self.ratios: list[tuple[float, float]] = []
        self.columns: dict[int, tuple[int, float]] = {}
        self.largest = (1, 1)

    def add_block(self, elements: list[Element]) -> None:
        """Add the elements of one block and the unknowns that move them."""
        before = [len(x) for x in self._lists()]
        unknowns = sorted(set().union(*(self._unknowns(e) for e in elements)))
        root = self._place(elements)
        self.elements += elements
        for element in elements:
            self.weight += self._weights(element)
        for column, v in enumerate(unknowns):
            self.columns[v] = (column, self._scale(v))
            self.column_v.append(v)
        self._move(unknowns)
        self._follow(set(unknowns))
        block = [root]
        for start, entries in zip(before, self._lists(), strict=True):
            block += [start, len(entries)]
        self.blocks.append(block)
        rows = sum(len(element.units) for element in elements)
        self.largest = (max(self.largest[0], rows), max(self.largest[1], len(unknowns)))

    def finish(self) -> LoopPlan:
        """Return the plan of all blocks."""
        model = self.model
        for follower, (master, multiplier) in self.reduction.masters.items():
            if master in self.columns:
                column, scale = self.columns[master]
                self.columns[follower] = (column, multiplier * scale)
        table = pack(self.elements, self.columns)
        plan = Plan(
            tree=model.tree,
            placement=model.placement,
            blocks=np.array(self.blocks, np.int64).reshape(-1, BLOCK_WIDTH),
            links=np.array(self.links, np.int64),
            elements=table.elements,
            geometry=table.geometry,
            support=table.support,
            coefficient=table.coefficient,
            column_v=np.array(self.column_v, np.int64),
            scale=np.array([self._scale(v) for v in self.column_v], float),
            moves=np.array(self.moves, np.int64).reshape(-1, 3),
            saved=np.array(self.saved, np.int64),
            followers=np.array(self.followers, np.int64).reshape(-1, 4),
            ratios=np.array(self.ratios, float).reshape(-1, 2),
        )
        return LoopPlan(
            arrays=plan,
            work=self._work(),
            elements=tuple(self.elements),
            slices=tuple(slice(int(e[3]), int(e[4])) for e in table.elements),
            measured=self.given,
            length=self.length,
            is_length=self.is_length,
            reduction=self.reduction,
        )

    def _lists(self) -> tuple[Sequence[object], ...]:
        """Return the lists in the order of the block table's columns."""
        return (
            self.links,
            self.elements,
            self.weight,
            self.column_v,
            self.moves,
            self.saved,
            self.followers,
        )

    def _unknowns(self, element: Element) -> set[int]:
        return _unknowns(element, self.reduction, self.given)

    def _scale(self, v: int) -> float:
        return self.length if self.is_length[v] else 1.0

    def _weights(self, element: Element) -> list[float]:
        if element.kind is not Kind.COUPLING:
            return [1.0 / self.length if unit == 'm' else 1.0 for unit in element.units]
        return [1.0 / math.hypot(*(k * self._scale(v) for v, _, k in element.support))]

    def _place(self, elements: list[Element]) -> int:
        """List the links between the closures' frames and their common ancestor; return it."""
        ends = [e for element in elements for e in _ends(element)]
        if not ends:
            return 0
        parents = self.model.tree[:, 0]
        chains = [_ancestors(end, parents) for end in ends]
        root = max(set(chains[0]).intersection(*chains[1:]))
        self.links += sorted({link for chain in chains for link in chain if link > root})
        return root

    def _move(self, unknowns: list[int]) -> None:
        """List how the unknowns move coordinates of q; a position before its rotation."""
        wanted = set(unknowns)
        for joint, row in zip(self.model.joints, self.model.tree[1:].tolist(), strict=True):
            _, _, q, v = row
            if joint.type.quaternion_offset < 0:
                for n in range(joint.type.nv):
                    if v + n in wanted:
                        self.moves.append((NUMBER, q + n, self.columns[v + n][0]))
                        self.saved.append(q + n)
                continue
            if joint.type is JointType.FLOATING and v + 3 in wanted:
                self.moves.append((SHIFT, q, self.columns[v + 3][0]))
                self.saved += range(q + 4, q + 7)
            if v in wanted:
                self.moves.append((TURN, q, self.columns[v][0]))
                self.saved += range(q, q + 4)

    def _follow(self, unknowns: set[int]) -> None:
        for name, mimic in self.model.mimics.items():
            v_f, v_m = (self.model.velocities_of(n).start for n in (name, mimic.master))
            if v_m in unknowns:
                q_f, q_m = (self.model.coordinates_of(n).start for n in (name, mimic.master))
                self.followers.append((q_f, q_m, v_f, v_m))
                self.ratios.append((mimic.multiplier, mimic.offset))
                self.saved.append(q_f)

    def _work(self) -> Work:
        model = self.model
        m, n = self.largest
        rows = np.zeros((len(self.weight), ROW_WIDTH))
        rows[:, WEIGHT] = self.weight
        return Work(
            X=np.zeros((len(model.links), 7)),
            S=np.zeros((model.nv, 6)),
            rows=rows,
            J=np.zeros((m, n)),
            H=np.zeros((m, m)),
            L=np.zeros((m, m)),
            vectors=np.zeros((6, max(m, n))),
            before=np.zeros(model.nq),
            held=np.full(max(model.nq, 1), math.nan),
            outcome=np.zeros((len(self.blocks), 2), np.int64),
        )


def lengths_of(model: Model) -> np.ndarray:
    """Return which velocity coordinates are lengths, shape (nv,)."""
    flags: list[bool] = []
    for joint in model.joints:
        if joint.type is JointType.PRISMATIC:
            flags.append(True)
        elif joint.type is JointType.PLANAR:
            flags += [True, True, False]
        elif joint.type is JointType.FLOATING:
            flags += [False] * 3 + [True] * 3
        else:
            flags += [False] * joint.type.nv
    return np.array(flags, bool)


def _ends(element: Element) -> tuple[int, ...]:
    return () if element.kind is Kind.COUPLING else (element.link_A, element.link_B)


def _ancestors(link: int, parents: np.ndarray) -> list[int]:
    chain = [link]
    while link > 0:
        link = int(parents[link])
        chain.append(link)
    return chain
