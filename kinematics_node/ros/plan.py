# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""A plan: what to do with every message that has the same list of names.

A plan is made once for a list of names and then run at every message by compiled code: which
numbers go where in the state, which mimics follow, which links move, and the serialized answer.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinematics_node.compiled import Array
from kinematics_node.compiled import Ints
from kinematics_node.model.model import Model
from kinematics_node.ros import stream_kernels as kernels
from kinematics_node.ros.cdr import JointStateLayout
from kinematics_node.ros.cdr import TransformBuffer
from kinematics_node.ros.frames import layout_of
from kinematics_node.ros.sources import Source
from kinematics_node.ros.state_layout import StateLayout

NO_RATE = -1


@dataclass
class Plan:
    """What one list of names means for one model.

    Attributes
    ----------
    layout : JointStateLayout
        Where the fields of such a message are.
    program, factors : array
        What compiled code does with the message; see program_of.
    moving : int32 array, shape (links, 3)
        Links that move, with the places of their stamps and poses in the answer.
    answer : TransformBuffer
        The serialized answer.
    measured : frozenset of int
        What the message itself sets, as indices into the state.
    known : frozenset of int
        Coordinates that have a value after the message.
    written : frozenset of int
        Everything in the state that the message sets, itself or through mimics and angles.
    with_loops : tuple or None
        For a version of what loops show: what moves then, and the answer's layout.
    inputs : tuple of (int, str)
        For each number that is taken its place in the message, and its name.
    complaints : tuple of str
        What is wrong with the names, in sentences.
    whole : bool
        Whether it takes all that the message has to say, with no name left out.
    confirmed : bool
        Whether a message has been taken by this plan, so that what it sets really has a value.
    source : Source
        Who sends such messages; set by the stream.
    arrays : tuple of array
        What take_message works with; set by the stream.
    run : callable
        Takes the message that is loaded, as take_message; set by the stream.
    at_once : bool
        Whether run() writes the answer, too; set by the stream.
    """

    layout: JointStateLayout
    program: Ints
    factors: Array
    moving: Ints
    answer: TransformBuffer
    measured: frozenset[int]
    known: frozenset[int]
    written: frozenset[int]
    inputs: tuple[tuple[int, str], ...]
    complaints: tuple[str, ...]
    whole: bool
    confirmed: bool = False
    source: Source = field(default_factory=Source)
    with_loops: tuple[int, Ints, TransformBuffer] | None = None
    arrays: tuple[NDArray[Any], ...] = ()
    run: Callable[[], int] = lambda: kernels.OTHER_NAMES
    at_once: bool = False


@dataclass
class _Inputs:
    """Rows of a plan's inputs, while they are gathered."""

    rows: list[tuple[int, int, int]] = field(default_factory=list)
    ratios: list[tuple[float, float]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def add(
        self, name: str, source: int, target: int, rate: int, ratio: tuple[float, float]
    ) -> None:
        self.rows.append((source, target, rate))
        self.ratios.append(ratio)
        self.names.append(name)


def make_plan(
    states: StateLayout,
    layout: JointStateLayout,
    words: NDArray[np.int32],
    *,
    prefix: str = '',
    before: Collection[int] = frozenset(),
    measured_before: Collection[int] = frozenset(),
    excluded: Collection[str] = frozenset(),
) -> Plan:
    """Make the plan for a list of names.

    Parameters
    ----------
    states : StateLayout
        The names that the model knows.
    layout : JointStateLayout
        Where the fields of such a message are.
    words : array of int32
        The body of such a message.
    prefix : str
        Put in front of frame names.
    before, measured_before : collection of int
        State indices that have a value, and those that messages set themselves, up to now.
    excluded : collection of str
        Names to leave out, as if they were not in the message.
    """
    model = states.model
    inputs, complaints = _Inputs(), []
    sources = _sources(states, layout, excluded, complaints)
    # In the order of the state, so that the four numbers of a quaternion are neighbours.
    for target, source in sorted(sources.items()):
        inputs.add(
            layout.names[source], source, target, states.rate.get(target, NO_RATE), (1.0, 0.0)
        )
    measured = frozenset(sources)
    _add_masters(states, sources, measured | set(measured_before), layout, inputs)
    written = {row[1] for row in inputs.rows}
    mimics = _followers(model, states, written, measured | set(measured_before))
    written |= {row[0] for row, _ in mimics}
    rotations = _rotations(states, written, [row[1] for row in inputs.rows])
    written |= {row[0] + k for row in rotations for k in range(4)}
    known = frozenset(written | set(before))
    moving = [
        link
        for link in sorted({states.link[k] for k in written})
        if all(k in known for k in states.coordinates(link))
    ]
    places, answer = layout_of(model, moving, prefix)
    program, factors = program_of(layout, words, inputs, mimics, rotations)
    return Plan(
        layout=layout,
        program=program,
        factors=factors,
        moving=places,
        answer=answer,
        measured=measured,
        known=known,
        written=frozenset(written),
        inputs=tuple((row[0], name) for row, name in zip(inputs.rows, inputs.names, strict=True)),
        complaints=tuple(complaints),
        whole=not excluded,
    )


def program_of(
    layout: JointStateLayout,
    words: NDArray[np.int32],
    inputs: _Inputs,
    mimics: Sequence[tuple[tuple[int, ...], tuple[float, float]]],
    rotations: Sequence[tuple[int, int, int, int]],
) -> tuple[Ints, Array]:
    """Pack a plan for compiled code, which pays for each array that it is handed.

    The program is a head (see stream_kernels) and then the words of the names, their mask, rows
    of inputs, followers and rotations; factors are multiplier and offset of each input and then
    of each follower.
    """
    has_rates = layout.velocity_count == len(layout.names) > 0
    text = words[layout.text]
    at_text = kernels.HEAD
    at_inputs = at_text + 2 * len(text)
    at_followers = at_inputs + 3 * len(inputs.rows)
    at_rotations = at_followers + 4 * len(mimics)
    head = {
        kernels.POSITION: layout.position,
        kernels.VELOCITY: layout.velocity if has_rates else -1,
        kernels.POSITION_WORD: layout.count_words[0],
        kernels.POSITION_COUNT: layout.position_count,
        kernels.VELOCITY_WORD: layout.count_words[1],
        kernels.VELOCITY_COUNT: layout.velocity_count,
        kernels.TEXT_WORD: layout.text.start,
        kernels.TEXT_SIZE: len(text),
        kernels.TEXT: at_text,
        kernels.INPUTS: at_inputs,
        kernels.INPUT_COUNT: len(inputs.rows),
        kernels.FOLLOWERS: at_followers,
        kernels.FOLLOWER_COUNT: len(mimics),
        kernels.ROTATIONS: at_rotations,
        kernels.ROTATION_COUNT: len(rotations),
    }
    sections = [
        np.array([head[k] for k in range(kernels.HEAD)], np.int32),
        text,
        _mask(layout),
        _flat(inputs.rows),
        _flat([row for row, _ in mimics]),
        _flat(rotations),
    ]
    ratios = [*inputs.ratios, *(ratio for _, ratio in mimics)]
    return np.concatenate(sections), np.array(ratios, float).ravel()


def _sources(
    states: StateLayout,
    layout: JointStateLayout,
    excluded: Collection[str],
    complaints: list[str],
) -> dict[int, int]:
    """Map state indices to places in the message; the first of a name given twice counts."""
    sources: dict[int, int] = {}
    unknown, twice, without = [], [], []
    for place, name in enumerate(layout.names):
        target = states.index.get(name)
        if target is None:
            if name not in states.fixed:
                unknown.append(name)
        elif target in sources:
            twice.append(name)
        elif place >= layout.position_count:
            without.append(name)
        elif name not in excluded:
            sources[target] = place
    if unknown:
        complaints.append(f'joints that the model does not have: {listed(unknown)}')
    if twice:
        complaints.append(f'joints named twice, of which the first counts: {listed(twice)}')
    if without:
        complaints.append(f'joints without a position in the message: {listed(without)}')
    if layout.position_count > len(layout.names):
        complaints.append(
            f'{layout.position_count} positions for {len(layout.names)} names; '
            'the surplus is ignored'
        )
    if layout.velocity_count not in (0, len(layout.names)):
        complaints.append(
            f'{layout.velocity_count} velocities for {len(layout.names)} names; they are ignored'
        )
    _drop_incomplete_rotations(states, sources, complaints)
    return sources


def _drop_incomplete_rotations(
    states: StateLayout, sources: dict[int, int], complaints: list[str]
) -> None:
    """Leave out quaternions of which the message has only a part."""
    for link, joint in enumerate(states.model.joints, start=1):
        if joint.type.quaternion_offset != 0:
            continue
        parts = list(states.coordinates(link))[:4]
        given = [k for k in parts if k in sources]
        if 0 < len(given) < 4:
            complaints.append(f"joint '{joint.name}' with a part of its quaternion only")
            for k in given:
                del sources[k]


def _add_masters(
    states: StateLayout,
    sources: dict[int, int],
    measured: Collection[int],
    layout: JointStateLayout,
    inputs: _Inputs,
) -> None:
    """Let followers give their master back, where nobody measures the master itself.

    Of several followers the first in the order of the model speaks for the master.
    """
    model = states.model
    given: set[int] = set()
    for row, (multiplier, offset) in zip(model.mimic_index, model.mimic_ratio, strict=True):
        follower, master = int(row[0]), int(row[1])
        if follower in sources and master not in measured and master not in given and multiplier:
            source = sources[follower]
            ratio = (float(multiplier), float(offset))
            inputs.add(layout.names[source], source, master, states.rate[master], ratio)
            given.add(master)


def _followers(
    model: Model, states: StateLayout, written: Collection[int], measured: Collection[int]
) -> list[tuple[tuple[int, int, int, int], tuple[float, float]]]:
    """Find the mimics whose master the message sets and that nobody measures themselves."""
    rows = []
    for row, (multiplier, offset) in zip(model.mimic_index, model.mimic_ratio, strict=True):
        follower, master = int(row[0]), int(row[1])
        if master in written and follower not in measured:
            indices = (follower, master, states.rate[follower], states.rate[master])
            rows.append((indices, (float(multiplier), float(offset))))
    return rows


def _rotations(
    states: StateLayout, written: Collection[int], targets: Sequence[int]
) -> list[tuple[int, int, int, int]]:
    """Find the quaternions that the message sets, directly or by axis angles."""
    rows = []
    for link in sorted({states.link[k] for k in written}):
        if states.model.joints[link - 1].type.quaternion_offset != 0:
            continue
        start = states.coordinates(link)[0]
        angles = states.angles.get(link, kernels.NO_ANGLES)
        if start in written:
            rows.append((start, kernels.NO_ANGLES, link, targets.index(start)))
        elif angles != kernels.NO_ANGLES and any(angles + k in written for k in range(3)):
            rows.append((start, angles, link, kernels.NO_INPUT))
    return rows


def _mask(layout: JointStateLayout) -> NDArray[np.int32]:
    counts = np.full(4 * layout.text.stop, 0xFF, np.uint8)
    counts[list(layout.padding)] = 0
    return counts[4 * layout.text.start :].view(np.int32)


def _flat(rows: Sequence[tuple[int, ...]]) -> Ints:
    return np.array(rows, np.int32).ravel()


def unusable(states: StateLayout, plan: Plan, positions: Array) -> frozenset[str]:
    """Return the names of a message's positions that a plan's program refuses."""
    values = {name: float(positions[place]) for place, name in plan.inputs}
    bad = {name for name, value in values.items() if not abs(value) <= kernels.LARGEST}
    for joint in states.model.joints:
        if joint.type.quaternion_offset == 0:
            turn = [joint.name + suffix for suffix in joint.type.coordinate_suffixes[:4]]
            if turn[0] in values:
                square = sum(values[name] * values[name] for name in turn)
                if square < kernels.SHORTEST_QUATERNION**2:
                    bad.update(turn)
    return frozenset(bad)


def listed(names: Sequence[str]) -> str:
    """Return the first names in quotes, for a sentence."""
    return ', '.join(f"'{name}'" for name in names[:8]) + (', ...' if len(names) > 8 else '')
