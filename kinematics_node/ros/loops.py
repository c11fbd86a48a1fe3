# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Closed loops in the stream: solved after each message, shown while they are closed.

Loops that share unknown coordinates form a block. A block is shown from its first solution on;
when it can no longer be closed it stays where it was for the hold time, and then is not shown
until it closes again. Blocks do not wait for each other.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterable
import time

import numpy as np
from numpy.typing import NDArray

from kinematics_node.compiled import Array
from kinematics_node.compiled import Ints
from kinematics_node.compiled import kernel
from kinematics_node.model.model import Model
from kinematics_node.ros.complaints import Complaints
from kinematics_node.ros.loop_blocks import Block
from kinematics_node.ros.loop_blocks import LoopOptions
from kinematics_node.ros.loop_blocks import Outcome
from kinematics_node.ros.rate import SECOND
from kinematics_node.solve import LoopSolver
from kinematics_node.solve import SolveStatus
from kinematics_node.solving.plan import ELEMENTS
from kinematics_node.solving.plan import FOLLOWERS
from kinematics_node.solving.plan import ITERATIONS
from kinematics_node.solving.plan import SAVED
from kinematics_node.solving.plan import STATUS

# Pause between two searches for a first solution [ns]; each may take a while.
ASSEMBLY_PAUSE = SECOND // 2


class Loops:
    """The closures and couplings of a model in a stream.

    Attributes
    ----------
    blocks : list of Block
        What is solved together, with how it went.
    shown : tuple of Block
        The blocks that are closed, or were within the hold time.
    version : int
        Counts the changes of what is shown.
    """

    def __init__(self, model: Model, options: LoopOptions, complaints: Complaints) -> None:
        self.model = model
        self.options = options
        self.complaints = complaints
        self.blocks: list[Block] = []
        self.shown: tuple[Block, ...] = ()
        self.version = 0
        self._links = _links_of_coordinates(model)
        self._q: Array = np.array(model.zero)
        # Where each block was closed last: from there on a long way is walked.
        self._closed: Array = np.array(model.zero)
        self._given: Ints = np.zeros(0, np.int32)
        self._solved: Ints = np.zeros(0, np.int32)
        self._solver: LoopSolver | None = None
        self._assembled = False
        self._next_assembly = 0
        self._all_closed = False
        self._closed_at = 0

    def measure(self, measured: Collection[int], state: Array) -> None:
        """Take note of which coordinates in q are measured; solutions go on from the state."""
        self._q[:] = self._closed[:] = state[: self.model.nq]
        mask = np.zeros(self.model.nq, bool)
        mask[list(measured)] = True
        # Followers of what is measured stand in loops as it does, and must move with it.
        for follower, master in self.model.mimic_index:
            mask[follower] |= mask[master]
        self._given = np.flatnonzero(mask).astype(np.int32)
        self._solver = LoopSolver(self.model, mask)
        self._assembled = self._all_closed = False
        self._next_assembly = 0
        good = {name: block.good for block in self.blocks for name in block.names}
        self.blocks = self._make_blocks(self._solver, mask)
        for block in self.blocks:
            block.good = good.get(block.names[0])
            self._complain_of_missing(block)
        ready = [block.solved for block in self.blocks if block.ready]
        self._solved = np.concatenate([np.zeros(0, np.int32), *ready])
        self._show(time.monotonic_ns())

    def warm_up(self) -> None:
        """Run every kernel once, as a first message and later ones would."""
        solver = LoopSolver(self.model, ())
        found = solver.assemble(self.model.zero).q
        solver.solve(self.model.zero, start=found)
        solver.step(found)
        solver.step_rates(found, np.zeros(self.model.nv))
        take_given(found, self._given, self._q)
        give_solved(found, self._solved, self._q)

    def solve(self, state: Array) -> None:
        """Solve from the measured coordinates in the state; write what is closed into it."""
        solver = self._solver
        if solver is None or not any(block.ready for block in self.blocks):
            return
        if self._all_closed and take_given(state, self._given, self._q) <= solver.options.jump:
            solver.step(self._q)
        elif not self._from_afar(solver, state):
            return
        now = time.monotonic_ns()
        # One look tells that all is well, as it nearly always is.
        if not solver.plan.work.outcome[:, STATUS].any() and len(self.shown) == len(self.blocks):
            self._closed_at = now
            self._all_closed = True
            self._closed[:] = self._q
            give_solved(self._q, self._solved, state)
        else:
            self._judge_each(solver, state, now)

    def rates(self, state: Array, v: Array) -> None:
        """Fill in the rates of solved coordinates, where all measured ones are known."""
        solver = self._solver
        if solver is None or not self.shown or not np.isfinite(v[solver.plan.measured]).all():
            return
        rates = np.where(np.isfinite(v), v, 0.0)
        solver.step_rates(self._q, rates)
        for solved in (solver.plan.arrays.column_v, solver.plan.arrays.followers[:, 2]):
            v[solved] = rates[solved]

    def links_with(self, written: Collection[int]) -> frozenset[int]:
        """Return the links that loops move with some coordinates, those shown only."""
        return frozenset().union(
            *(block.links for block in self.shown if not block.given.isdisjoint(written))
        )

    def values(self) -> tuple[frozenset[int], frozenset[int]]:
        """Return the coordinates that loops give, those that are shown and those that are not."""
        self._show(time.monotonic_ns())
        shown = frozenset(k for block in self.shown for k in block.solved.tolist())
        every = frozenset(k for block in self.blocks for k in block.solved.tolist())
        return shown, every - shown

    def outcomes(self) -> list[Outcome]:
        """Return how each block stands after the last message."""
        if self._solver is None:
            return []
        work, now = self._solver.plan.work, time.monotonic_ns()
        self._date_blocks()
        # Where the last solve left nothing to judge, blocks were not told how it went.
        well = not work.outcome[:, STATUS].any()
        found = []
        for number, block in enumerate(self.blocks):
            left = float(np.abs(work.rows[block.rows, 0]).max(initial=0.0))
            found.append(
                Outcome(
                    names=block.names,
                    standing=self._standing(block, now),
                    status=SolveStatus.CONVERGED if well else block.status,
                    residual=left if well else block.residual,
                    iterations=int(work.outcome[number, ITERATIONS]),
                    missing=block.missing,
                )
            )
        return found

    def is_singular(self) -> bool | None:
        """Tell whether the last solution is singular; None without one. Costs many solves."""
        if self._solver is None or self._next_assembly == 0:
            return None
        result = self._solver.report(self._q)
        return result.singular if result.converged else None

    def _standing(self, block: Block, now: int) -> str:
        if not block.ready or self._next_assembly == 0:
            return 'waiting'
        if block.good is None:
            return 'never closed'
        if block.good == self._closed_at:
            return 'closed'
        return 'held' if now - block.good <= self.options.hold else 'stopped'

    def _from_afar(self, solver: LoopSolver, state: Array) -> bool:
        """Solve after something unusual: a first pose, a jump, a loop that is open."""
        take_given(state, self._given, self._q)
        far = float(np.abs(self._q - self._closed)[self._given].max(initial=0.0))
        if self._assembled and far > solver.options.jump:
            self._q[:] = solver.solve(self._q, start=self._closed).q
        elif self._assembled:
            solver.step(self._q)
        elif time.monotonic_ns() >= self._next_assembly:
            result = solver.assemble(self._q)
            self._q[:] = result.q
            # So that what is noted of each block is of this pose, and not of the last one tried.
            solver.step(self._q)
            self._assembled = self._can_go_on(solver)
            self._next_assembly = time.monotonic_ns() + ASSEMBLY_PAUSE
        else:
            return False
        return True

    def _can_go_on(self, solver: LoopSolver) -> bool:
        """Tell whether looking further for a first pose would help no block."""
        rows = np.abs(solver.plan.work.rows[:, 0])
        return all(
            rows[block.rows].max(initial=0.0) <= self.options.tolerance
            for block in self.blocks
            if block.ready and len(block.solved)
        )

    def _judge_each(self, solver: LoopSolver, state: Array, now: int) -> None:
        """Note how each block came out of the last solve, and write those that are closed."""
        work = solver.plan.work
        self._date_blocks()
        for number, block in enumerate(self.blocks):
            if block.ready:
                block.status = SolveStatus(int(work.outcome[number, STATUS]))
                block.residual = float(np.abs(work.rows[block.rows, 0]).max(initial=0.0))
                self._judge(block, now)
        open_blocks = [block for block in self.blocks if block.ready and block.good != now]
        if self.options.project and open_blocks:
            self._project(solver, state, now)
        for block in self.blocks:
            if block.good == now:
                give_solved(self._q, block.solved, state)
                around = [*block.solved.tolist(), *block.given]
                self._closed[around] = self._q[around]
            elif block.good is not None:
                give_solved(state, block.solved, self._q)
        self._closed_at = now
        self._all_closed = all(block.good == now for block in self.blocks)
        self._show(now)

    def _judge(self, block: Block, now: int) -> None:
        converged = block.status is SolveStatus.CONVERGED
        contradicted = block.status in (SolveStatus.STALLED, SolveStatus.CONTRADICTED)
        if converged or (contradicted and block.residual <= self.options.tolerance):
            block.good = now
            return
        result = f'its frames stay for {self.options.hold / SECOND:g} s and then stop'
        if not len(block.solved):
            result = 'all of it is measured, and published as it is'
        self.complaints.repeated(
            f'open-{block.names}',
            f'loop {_quoted(block.names)} cannot be closed ({block.status.name.lower()}, residual '
            f'{block.residual:.3g}); {result}',
        )

    def _project(self, solver: LoopSolver, state: Array, now: int) -> None:
        """Move the measured coordinates, too, to where all loops close."""
        result = solver.project_measured(self._q)
        if result.converged:
            self._q[:] = result.q
            give_solved(self._q, self._given, state)
            for block in self.blocks:
                if block.ready:
                    block.good, block.status, block.residual = now, result.status, 0.0

    def _date_blocks(self) -> None:
        """Write into the blocks when they were closed last; while all is well nobody does."""
        if self._all_closed:
            for block in self.blocks:
                block.good = self._closed_at

    def _show(self, now: int) -> None:
        """Note which blocks are shown at a time."""
        self._date_blocks()
        shown = tuple(
            block
            for block in self.blocks
            if block.good is not None and now - block.good <= self.options.hold
        )
        if [block.names for block in shown] != [block.names for block in self.shown]:
            self.version += 1
        self.shown = shown

    def _make_blocks(self, solver: LoopSolver, mask: NDArray[np.bool_]) -> list[Block]:
        measured = frozenset(self._given.tolist())
        arrays = solver.plan.arrays
        blocks = []
        for row in arrays.blocks:
            saved = arrays.saved[row[SAVED] : row[SAVED + 1]].tolist()
            followers = arrays.followers[row[FOLLOWERS] : row[FOLLOWERS + 1], 0].tolist()
            solved = sorted({*saved, *followers} - measured)
            first, last = int(row[ELEMENTS]), int(row[ELEMENTS + 1])
            elements = solver.plan.elements[first:last]
            around = self._whole_joints({v for e in elements for v, _, _ in e.support})
            blocks.append(
                Block(
                    names=tuple(e.name for e in elements),
                    solved=np.array(solved, np.int32),
                    given=frozenset(around & measured),
                    missing=self._missing_motors(around, mask),
                    links=frozenset(self._links[k] for k in solved),
                    rows=slice(solver.plan.slices[first].start, solver.plan.slices[last - 1].stop),
                )
            )
        return blocks

    def _whole_joints(self, rates: Iterable[int]) -> set[int]:
        """Return all coordinates of the joints that some rates belong to, and of their masters."""
        moved = self.model.tree[1:, 3]
        # Joints without rates share their number with the next one that has some, which is last.
        links = {int(np.flatnonzero(moved <= v)[-1]) + 1 for v in rates}
        masters = {self._links[int(f)]: self._links[int(m)] for f, m in self.model.mimic_index}
        links |= {masters[link] for link in links if link in masters}
        return {k for k, link in self._links.items() if link in links}

    def _missing_motors(self, around: Iterable[int], mask: NDArray[np.bool_]) -> tuple[str, ...]:
        links = sorted({self._links[k] for k in around})
        joints = (self.model.joints[link - 1] for link in links)
        return tuple(
            joint.name
            for joint in joints
            if joint.actuated and not mask[self.model.coordinates_of(joint.name)].all()
        )

    def _complain_of_missing(self, block: Block) -> None:
        if block.missing:
            motors = ', '.join(f"'{name}'" for name in block.missing)
            self.complaints.once(
                f'missing-{block.missing}-{block.names}',
                f'loop {_quoted(block.names)} waits for motors that nobody measures yet: {motors}',
            )


@kernel
def take_given(state: Array, given: Ints, q: Array) -> float:
    """Write the given coordinates of a state into q; return how far the farthest moved."""
    far = 0.0
    for i in range(given.shape[0]):
        k = given[i]
        far = max(far, abs(state[k] - q[k]))
        q[k] = state[k]
    return far


@kernel
def give_solved(q: Array, solved: Ints, state: Array) -> None:
    """Write the solved coordinates of q into a state."""
    for i in range(solved.shape[0]):
        state[solved[i]] = q[solved[i]]


def _links_of_coordinates(model: Model) -> dict[int, int]:
    links: dict[int, int] = {}
    for link, joint in enumerate(model.joints, start=1):
        start = int(model.tree[link, 2])
        links.update(dict.fromkeys(range(start, start + joint.type.nq), link))
    return links


def _quoted(names: tuple[str, ...]) -> str:
    shown = ', '.join(f"'{name}'" for name in names[:4])
    return shown + (', ...' if len(names) > 4 else '')
