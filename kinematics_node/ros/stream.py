# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The streaming path: bytes of joint states in, bytes of transforms out.

One Stream belongs to one model and one frame prefix. It knows nothing of nodes: it is handed
messages and gives back answers, so that it can be exchanged for a new one between two messages.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from functools import partial
import time
from typing import TYPE_CHECKING

import numpy as np

from kinematics_node.addresses import table_of
from kinematics_node.compiled import Array
from kinematics_node.compiled import Ints
from kinematics_node.model.model import Model
from kinematics_node.ros import cdr
from kinematics_node.ros.cdr import TransformBuffer
from kinematics_node.ros.complaints import Complaints
from kinematics_node.ros.frames import layout_of
from kinematics_node.ros.loop_blocks import LoopOptions
from kinematics_node.ros.outputs import CompleteState
from kinematics_node.ros.outputs import transforms_of
from kinematics_node.ros.plan import listed
from kinematics_node.ros.plan import make_plan
from kinematics_node.ros.plan import Plan
from kinematics_node.ros.plan import unusable
from kinematics_node.ros.rate import Gate
from kinematics_node.ros.rate import SECOND
from kinematics_node.ros.sources import Sources
from kinematics_node.ros.state_layout import StateLayout
from kinematics_node.ros.stream_kernels import NO_STAMP
from kinematics_node.ros.stream_kernels import OTHER_NAMES
from kinematics_node.ros.stream_kernels import take_bound
from kinematics_node.ros.stream_kernels import UNUSABLE
from kinematics_node.ros.stream_kernels import write_transforms

if TYPE_CHECKING:
    from kinematics_node.ros.loops import Loops

MOST_PLANS = 64


@dataclass(frozen=True)
class Options:
    """How a stream answers: frame prefix, interval between answers [ns], stamps or not, loops."""

    prefix: str = ''
    interval: int = 0
    ignore_timestamp: bool = False
    loops: LoopOptions = field(default_factory=LoopOptions)


class Stream:
    """Takes joint states and answers with transforms.

    Attributes
    ----------
    state : array
        Coordinates q of the model, then axis angles of ball joints.
    v : array, shape (nv,)
        Rates; NaN where nobody gave one.
    known, measured : set of int
        State indices that have a value, and those that messages set themselves.
    stamp : int
        Stamp of the last message taken [ns].
    loops : Loops or None
        What closes the model's loops; None where it has none.
    sources : Sources
        Who was heard, and when.
    """

    def __init__(
        self,
        model: Model,
        options: Options,
        complaints: Complaints,
        now: Callable[[], int] = time.time_ns,
    ) -> None:
        self.model = model
        self._now = now
        self.options = options
        self.complaints = complaints
        self.states = StateLayout(model)
        self.sources = Sources(self.states)
        self.state: Array = np.zeros(self.states.size)
        self.state[: model.nq] = model.zero
        self.v: Array = np.full(model.nv, np.nan)
        self.known: set[int] = set()
        self.measured: set[int] = set()
        self.stamp = 0
        self._plans: list[Plan] = []
        self._partial: dict[tuple[bytes, frozenset[str]], Plan] = {}
        self._gates: dict[bytes, Gate] = {}
        self._gated = options.interval > 0 and not options.ignore_timestamp
        self.loops: Loops | None = None
        if model.closures or model.couplings:
            # A robot without loops starts without the solver.
            from kinematics_node.ros.loops import Loops

            self.loops = Loops(model, options.loops, complaints)
        self._input = cdr.Buffer(1024)

    def take(self, message: bytes) -> bytes | None:
        """Take a serialized JointState; return a serialized TFMessage, if one is due.

        None where nothing is to be published: too soon, no joint of the model, malformed.
        """
        # Few calls: between two messages the caches forget, and each costs a microsecond or two.
        size = len(message)
        if size > self._input.size:
            self._make_room(size)
        self._input.memory[:size] = message
        for plan in self._plans:
            if size >= plan.layout.end and (stamp := plan.run()) != OTHER_NAMES:
                break
        else:
            new = self._new_plan(message)
            if new is None:
                return None
            plan, stamp = new, new.run()
        source = plan.source
        source.count += 1
        source.last = time.monotonic_ns()
        if stamp == UNUSABLE:
            source.refused += 1
            plan = self._partial_plan(plan)
            stamp = plan.run()
        if not plan.confirmed:
            self._confirm(plan)
        is_written = plan.at_once and stamp > NO_STAMP
        if stamp <= NO_STAMP:
            stamp = self._taken_as_now(stamp)
        if stamp < self.stamp - SECOND:
            self._complain_of_clock()
        self.stamp = stamp
        return plan.answer.buffer.bytes.tobytes() if is_written else self._answer(plan)

    def take_named(
        self, names: Sequence[str], values: Sequence[float], stamp: tuple[int, int]
    ) -> bytes | None:
        """Take coordinates by name, in the same way as a message."""
        return self.take(bytes(cdr.joint_state_buffer(names, values, (), stamp).memory))

    def adopt(self, other: Stream) -> None:
        """Take over the state of the stream before, by name, where this model has the name."""
        same = {
            j.name
            for j in self.model.joints
            if (k := other.model.joint_index.get(j.name)) is not None
            and other.model.joints[k].type is j.type
        }
        for name, k in self.states.index.items():
            before = other.states.index.get(name)
            if before not in other.known | other.measured or self.states.joint(k) not in same:
                continue
            self.state[k] = other.state[before]
            self.known.add(k)
            if before in other.measured:
                self.measured.add(k)
            if k in self.states.rate and before in other.states.rate:
                self.v[self.states.rate[k]] = other.v[other.states.rate[before]]
        self._apply_mimics()
        self.stamp = other.stamp
        self.sources.adopt(other.sources)
        self._measure_loops()

    def shown(self) -> set[int]:
        """Return the state indices that have a value: given, followed, or solved and closed."""
        if self.loops is None:
            return self.known
        solved, hidden = self.loops.values()
        return (self.known | solved) - hidden

    def rates(self) -> Array:
        """Return v, with the rates of what loops solve; NaN where nothing is known."""
        if self.loops is not None:
            self.loops.rates(self.state, self.v)
        return self.v

    def _measure_loops(self) -> None:
        """Tell the loops which coordinates in q are given from outside."""
        if self.loops is not None:
            self.loops.measure(self.states.given(self.measured, self.known), self.state)

    def _apply_mimics(self) -> None:
        """Let followers follow that nobody measures, and whose master is known."""
        for row, (multiplier, offset) in zip(
            self.model.mimic_index, self.model.mimic_ratio, strict=True
        ):
            follower, master = int(row[0]), int(row[1])
            if master in self.known and follower not in self.measured:
                self.state[follower] = multiplier * self.state[master] + offset
                self.known.add(follower)

    def warm_up(self) -> None:
        """Run every kernel of the path once, so that none is compiled at the first message."""
        trial = Stream(self.model, self.options, Complaints(), self._now)
        names, values = trial.model.coordinate_names, list(trial.model.zero)
        stamp = divmod(self._now(), SECOND)
        message = bytes(cdr.joint_state_buffer(names, values, values, stamp).memory)
        trial.take(message)
        if trial.loops is not None:
            trial.loops.warm_up()
        CompleteState(trial.model, trial.known).serialize(trial.state, trial.v, trial.stamp)

    def everything(self) -> bytes | None:
        """Return a TFMessage of all joints whose position is known.

        It is stamped just after the last message. The time of now may be far from the stamps that
        come in, as when a bag is played, and TF listeners would then refuse all that follows.
        """
        shown = self.shown()
        links = [
            link
            for link, joint in enumerate(self.model.joints, start=1)
            if joint.type.nq and shown.issuperset(self.states.coordinates(link))
        ]
        if not links:
            return None
        stamp = self.stamp + 1
        return transforms_of(self.model, links, self.options.prefix, self.state, stamp)

    def _make_room(self, size: int) -> None:
        """Make the input larger; plans, which read from it, are made anew."""
        self._input = cdr.Buffer(2 * size)
        self._plans = []
        self._partial.clear()

    def _partial_plan(self, plan: Plan) -> Plan:
        """Return the plan for what can be used of the loaded message."""
        first = plan.layout.position
        bad = unusable(self.states, plan, self._input.doubles[first:])
        self.complaints.repeated(
            'unusable', f'joint states hold positions that cannot be used: {listed(sorted(bad))}'
        )
        bad |= self.states.siblings(bad)
        key = (plan.program.tobytes(), bad)
        if key not in self._partial:
            if len(self._partial) >= MOST_PLANS:
                self._partial.clear()
            self._partial[key] = self._make(plan.layout, bad)
        return self._partial[key]

    def _confirm(self, plan: Plan) -> None:
        """Note what a plan has set; plans that were made knowing less are made anew."""
        plan.confirmed = True
        if not (plan.known <= self.known and plan.measured <= self.measured):
            self.known |= plan.known
            self.measured |= plan.measured
            self._measure_loops()
            self._plans = [plan] if plan.whole else []
            self._partial.clear()

    def _answer(self, plan: Plan) -> bytes | None:
        """Return the answer where it is not written at once: loops, a gate, a stamp of now."""
        moving, transforms = plan.moving, plan.answer
        if self.loops is not None:
            self.loops.solve(self.state)
            moving, transforms = self._with_loops(plan, self.loops)
        if not len(moving):
            return None
        if self._gated and not self._gate(plan).passes(self.stamp, time.monotonic_ns()):
            return None
        answer = transforms.buffer
        write_transforms(
            self.model.tree,
            self.model.placement,
            self.state,
            moving,
            *divmod(self.stamp, SECOND),
            answer.words,
            answer.doubles,
        )
        return answer.bytes.tobytes()

    def _with_loops(self, plan: Plan, loops: Loops) -> tuple[Ints, TransformBuffer]:
        """Return what moves with a message when loops move along, and the answer's layout."""
        if plan.with_loops is None or plan.with_loops[0] != loops.version:
            links = loops.links_with(plan.written)
            moving = sorted(links.union(plan.moving[:, 0].tolist()))
            layout = layout_of(self.model, moving, self.options.prefix)
            plan.with_loops = (loops.version, *layout)
        return plan.with_loops[1:]

    def _taken_as_now(self, what: int) -> int:
        """Return the time [ns] of a message without one: its stamp is zero, or is no time."""
        if what == NO_STAMP:
            self.complaints.once(
                'zero-stamp', 'joint states with stamp 0 come in; they are taken as of now'
            )
        else:
            seconds, nanoseconds = self._input.words[:2].tolist()
            self.complaints.repeated(
                'no-stamp',
                f'joint states with a stamp that is no time ({seconds} s, '
                f'{nanoseconds & 0xFFFFFFFF} ns) come in; they are taken as of now',
            )
        return self._now()

    def _complain_of_clock(self) -> None:
        self.complaints.repeated(
            'clock-back', 'stamps of joint states went back; publishing goes on from there'
        )

    def _gate(self, plan: Plan) -> Gate:
        """Return the gate of the joints that a plan moves, whatever the order of their names."""
        key = plan.moving[:, 0].tobytes()
        gate = self._gates.get(key)
        if gate is None:
            if len(self._gates) >= MOST_PLANS:
                self._gates.clear()
            gate = self._gates[key] = Gate(self.options.interval)
        return gate

    def _new_plan(self, message: bytes) -> Plan | None:
        try:
            layout = cdr.joint_state_layout(message)
        except cdr.MalformedMessage as error:
            self.sources.malformed += 1
            self.complaints.repeated('malformed', f'a joint state cannot be read: {error}')
            return None
        plan = self._make(layout, frozenset())
        for complaint in plan.complaints:
            self.complaints.repeated(complaint, f'joint states hold {complaint}')
        self._plans = [plan, *self._plans][:MOST_PLANS]
        return plan

    def _make(self, layout: cdr.JointStateLayout, excluded: frozenset[str]) -> Plan:
        plan = make_plan(
            self.states,
            layout,
            self._input.words,
            prefix=self.options.prefix,
            before=self.known,
            measured_before=self.measured,
            excluded=excluded,
        )
        plan.source = self.sources.of(layout.names)
        plan.at_once = len(plan.moving) > 0 and self.loops is None and not self._gated
        buffer = plan.answer.buffer
        # They are kept with the plan for as long as it may run.
        plan.arrays = (
            self.model.tree,
            self.model.placement,
            plan.program,
            plan.factors,
            plan.moving if plan.at_once else plan.moving[:0],
            self._input.words,
            self._input.doubles,
            self.state,
            self.v,
            buffer.words,
            buffer.doubles,
        )
        plan.run = partial(take_bound, table_of(plan.arrays))
        return plan
