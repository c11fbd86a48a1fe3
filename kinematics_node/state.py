# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""State: a model plus numbers, read and written by name.

A state always satisfies the model's mimic joints, its quaternions have unit length, and every
number is finite. Positions are absolute and never clamped to limits; nothing accumulates.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
import math
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike
from numpy.typing import NDArray

from kinematics_node.compiled import Array
from kinematics_node.errors import NameLookupError
from kinematics_node.errors import ValueShapeError
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.mimic import MimicRows
from kinematics_node.model.model import Model
from kinematics_node.model.ranges import drawing_ranges
from kinematics_node.model.ranges import range_middles
from kinematics_node.numeric import finite_vector
from kinematics_node.numeric import number_of
from kinematics_node.numeric import numbers_of
from kinematics_node.numeric import refuse_not_finite

SHORTEST_QUATERNION = 1e-6
VALUE_NAMES = {
    JointType.REVOLUTE: 'an angle',
    JointType.CONTINUOUS: 'an angle',
    JointType.PRISMATIC: 'a length',
    JointType.UNIVERSAL: 'two angles',
    JointType.BALL: 'a quaternion (qw, qx, qy, qz)',
    JointType.PLANAR: '(x, y, theta)',
    JointType.FLOATING: 'a pose (qw, qx, qy, qz, x, y, z)',
}
RATE_NAMES = {
    JointType.REVOLUTE: 'a rate',
    JointType.CONTINUOUS: 'a rate',
    JointType.PRISMATIC: 'a speed',
    JointType.UNIVERSAL: 'two rates',
    JointType.BALL: 'an angular velocity (w_x, w_y, w_z)',
    JointType.PLANAR: '(x, y, theta) rates',
    JointType.FLOATING: 'a spatial velocity (w_x, w_y, w_z, v_x, v_y, v_z)',
}

_layouts: WeakKeyDictionary[Model, tuple[MimicRows, MimicRows, list[int]]] = WeakKeyDictionary()


class Source(IntEnum):
    """Where a coordinate's value comes from."""

    DEFAULT = 0
    MEASURED = 1
    MIMICKED = 2
    SOLVED = 3


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The numbers of a state at one moment, for State.restore."""

    q: Array
    v: Array
    sources: NDArray[np.int8]


class State:
    """Positions q and velocities v of a model, by name.

    Parameters
    ----------
    model : Model
        The robot; the state starts in its zero pose, at rest.

    Attributes
    ----------
    model : Model
        The robot.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._q = model.zero.copy()
        self._v = np.zeros(model.nv)
        self._sources = np.zeros(model.nq, np.int8)
        self._positions, self._rates, self._quaternions = _layout(model)
        self._positions.apply(self._q)

    @classmethod
    def default(cls, model: Model) -> State:
        """Return the state with every coordinate at zero, or mid-range where limits exclude zero.

        Followers stand where their masters put them.
        """
        state = cls(model)
        outside = (model.lower > 0.0) | (model.upper < 0.0)
        middle = np.where(outside, range_middles(model), state._q)
        state.set_positions(middle, Source.DEFAULT)
        return state

    @classmethod
    def random(cls, model: Model, rng: np.random.Generator, speed: float = 0.0) -> State:
        """Return a state drawn uniformly within the limits, those of followers included.

        Angles without limits are drawn from -pi..pi, lengths without limits from -1..1 m,
        rotations uniformly over all. Rates are drawn from -speed..speed and within their limits.
        """
        state = cls(model)
        lower, upper = drawing_ranges(model)
        q = rng.uniform(lower, upper)
        for joint, row in zip(model.joints, model.tree[1:], strict=True):
            if joint.type.quaternion_offset == 0:
                turn = rng.normal(size=4)
                q[row[2] : row[2] + 4] = turn / np.linalg.norm(turn)
        state.set_positions(q, Source.DEFAULT)
        bound = np.minimum(model.velocity_limit, speed)
        state.v = rng.uniform(-bound, bound)
        return state

    @property
    def q(self) -> Array:
        """Positions, shape (nq,), as a read-only view; assign a whole vector to change them."""
        return _read_only(self._q)

    @q.setter
    def q(self, value: ArrayLike) -> None:
        self.set_positions(value)

    @property
    def v(self) -> Array:
        """Velocities, shape (nv,), as a read-only view; assign a whole vector to change them."""
        return _read_only(self._v)

    @v.setter
    def v(self, value: ArrayLike) -> None:
        v = finite_vector(value, self.model.velocity_names, 'v')
        self._rates.apply(v)
        self._v = v

    @property
    def sources(self) -> NDArray[np.int8]:
        """Where each coordinate of q comes from, shape (nq,), as numbers of Source."""
        view: NDArray[np.int8] = self._sources.view()
        view.flags.writeable = False
        return view

    def source(self, joint: str) -> Source:
        """Return where a joint's position comes from; a fixed joint's is DEFAULT."""
        where = self.model.coordinates_of(joint)
        return Source(int(self._sources[where.start])) if where.stop > where.start else Source(0)

    def set_positions(self, q: ArrayLike, source: Source = Source.MEASURED) -> None:
        """Set the whole vector q, shape (nq,); followers take the values that their masters give.

        Raises
        ------
        ValueShapeError
            A wrong count, a number that is not finite, or a quaternion of no length.
        """
        new = finite_vector(q, self.model.coordinate_names, 'q')
        self._accept(new, range(self.model.nq), source)

    def set(self, joint: str, value: ArrayLike, source: Source = Source.MEASURED) -> None:
        """Set a joint's position.

        Parameters
        ----------
        joint : str
            Name of the joint. Setting a follower moves its master, and so all other followers.
        value : float or sequence of float
            An angle [rad] or length [m]; two angles of a universal joint; the quaternion (w first)
            of R_FM of a ball joint; (x, y, theta) of a planar joint; the pose X_FM (quaternion,
            then position) of a floating joint. Quaternions are normalised and keep the sign that
            is nearer to the last value.
        source : Source
            What to note about where the value comes from.

        Raises
        ------
        NameLookupError
            There is no joint of that name.
        ValueShapeError
            A wrong count, a number that is not finite, a quaternion of no length, or a follower
            whose multiplier is 0 and which therefore cannot move its master.
        """
        where = self.model.coordinates_of(joint)
        new = self._q.copy()
        new[where] = self._joint_numbers(joint, value, where, VALUE_NAMES)
        self._accept(new, range(where.start, where.stop), source)

    def get(self, joint: str) -> float | Array:
        """Return a joint's position: a number, or a copy of its coordinates as set() takes them.

        Raises
        ------
        NameLookupError
            There is no joint of that name.
        """
        return _number_or_copy(self._q[self.model.coordinates_of(joint)])

    def set_coordinates(
        self, values: Mapping[str, float], source: Source = Source.MEASURED
    ) -> None:
        """Set coordinates by name, all at once.

        Where a master and its follower are both given, the master counts; where several followers
        of one master are given without it, the last counts.

        Raises
        ------
        NameLookupError
            There is no coordinate of that name.
        ValueShapeError
            A number that is not finite, part of a quaternion, a quaternion of no length, or a
            lone follower whose multiplier is 0.
        """
        new, given = _written(self._q, values, self.model.coordinate_index, 'coordinate')
        self._refuse_part_quaternions(given)
        self._accept(new, given, source)

    def set_velocity(self, joint: str, value: ArrayLike) -> None:
        """Set a joint's velocity.

        Parameters
        ----------
        joint : str
            Name of the joint.
        value : float or sequence of float
            A rate [rad/s or m/s]; two rates of a universal joint; w_FM_M of a ball joint; the
            rates of (x, y, theta) of a planar joint; (w_FM_M, v_FMo_M) of a floating joint.

        Raises
        ------
        NameLookupError
            There is no joint of that name.
        ValueShapeError
            A wrong count, a number that is not finite, or a follower whose multiplier is 0.
        """
        where = self.model.velocities_of(joint)
        new = self._v.copy()
        new[where] = self._joint_numbers(joint, value, where, RATE_NAMES)
        self._rates.pull_masters(new, range(where.start, where.stop), self.model.velocity_names)
        self._rates.apply(new)
        self._v = new

    def get_velocity(self, joint: str) -> float | Array:
        """Return a joint's velocity: a number, or a copy of its rates as set_velocity takes them.

        Raises
        ------
        NameLookupError
            There is no joint of that name.
        """
        return _number_or_copy(self._v[self.model.velocities_of(joint)])

    def set_velocities(self, values: Mapping[str, float]) -> None:
        """Set velocity coordinates by name, all at once; masters count before followers.

        Raises
        ------
        NameLookupError
            There is no velocity coordinate of that name.
        ValueShapeError
            A number that is not finite, or a lone follower whose multiplier is 0.
        """
        new, given = _written(self._v, values, self.model.velocity_index, 'velocity coordinate')
        self._rates.pull_masters(new, given, self.model.velocity_names)
        self._rates.apply(new)
        self._v = new

    def coordinates(self) -> dict[str, float]:
        """Return every coordinate of q by name."""
        return dict(zip(self.model.coordinate_names, self._q.tolist(), strict=True))

    def copy(self) -> State:
        """Return an independent state with the same numbers."""
        twin = object.__new__(State)
        twin.__dict__.update(self.__dict__)
        twin._q, twin._v, twin._sources = self._q.copy(), self._v.copy(), self._sources.copy()
        return twin

    def snapshot(self) -> Snapshot:
        """Return the numbers as they are now, for restore()."""
        return Snapshot(self._q.copy(), self._v.copy(), self._sources.copy())

    def restore(self, snapshot: Snapshot) -> None:
        """Take back the numbers of a snapshot, exactly.

        Raises
        ------
        ValueShapeError
            The snapshot is of a model with other coordinates.
        """
        if snapshot.q.shape != self._q.shape or snapshot.v.shape != self._v.shape:
            raise ValueShapeError(
                f'the snapshot has {snapshot.q.size} positions and {snapshot.v.size} velocities, '
                f'this model {self._q.size} and {self._v.size}; restore it into a state of the '
                'model it was taken from'
            )
        self._q, self._v = snapshot.q.copy(), snapshot.v.copy()
        self._sources = snapshot.sources.copy()

    def _accept(self, q: Array, given: Sequence[int], source: Source) -> None:
        """Make q the state's positions once it satisfies mimics and quaternions."""
        self._positions.pull_masters(q, given, self.model.coordinate_names)
        self._normalise(q)
        self._positions.apply(q)
        sources = self._sources.copy()
        sources[self._positions.relatives(given)] = Source.MIMICKED
        sources[self._positions.counting(given)] = source
        self._q, self._sources = q, sources

    def _normalise(self, q: Array) -> None:
        """Bring quaternions to unit length, with the sign nearer to the state's present one."""
        for k in self._quaternions:
            turn, before = q[k : k + 4], self._q[k : k + 4]
            if np.array_equal(turn, before):
                continue
            length = math.sqrt(float(turn @ turn))
            if length < SHORTEST_QUATERNION:
                name = self.model.coordinate_names[k].rsplit('/', 1)[0]
                raise ValueShapeError(
                    f"joint '{name}': a quaternion of length {length:g} is no rotation; "
                    'give one of unit length, such as 1 0 0 0'
                )
            turn /= length if float(turn @ before) >= 0.0 else -length

    def _joint_numbers(
        self, joint: str, value: ArrayLike, where: slice, kinds: Mapping[JointType, str]
    ) -> Array:
        kind = self.model.joint(joint).type
        element = f"joint '{joint}'"
        if kind is JointType.FIXED:
            raise ValueShapeError(f'{element} is fixed and takes no value; leave it out')
        numbers = numbers_of(value, element).reshape(-1)
        if numbers.size != where.stop - where.start:
            raise ValueShapeError(
                f'{element} is {kind.name.lower()} and takes {kinds[kind]}, '
                f'not {numbers.size} numbers'
            )
        refuse_not_finite(numbers, [joint] * numbers.size)
        return numbers

    def _refuse_part_quaternions(self, given: Sequence[int]) -> None:
        touched = set(given)
        for k in self._quaternions:
            count = len(touched.intersection(range(k, k + 4)))
            if count not in (0, 4):
                name = self.model.coordinate_names[k].rsplit('/', 1)[0]
                raise ValueShapeError(
                    f"joint '{name}': {count} of 4 quaternion components are given; "
                    f'give all of {name}/rot_w, /rot_x, /rot_y, /rot_z'
                )


def _layout(model: Model) -> tuple[MimicRows, MimicRows, list[int]]:
    """Return the mimics of positions and of rates and where quaternions start, once a model."""
    layout = _layouts.get(model)
    if layout is None:
        multipliers, offsets = model.mimic_ratio.T
        has_quaternion = np.isin(model.tree[:, 1], (JointType.BALL, JointType.FLOATING))
        layout = _layouts[model] = (
            MimicRows(model.mimic_index, multipliers, offsets),
            MimicRows(model.mimic_rate_index, multipliers, np.zeros_like(offsets)),
            model.tree[has_quaternion, 2].tolist(),
        )
    return layout


def _written(
    numbers: Array, values: Mapping[str, float], index: Mapping[str, int], kind: str
) -> tuple[Array, list[int]]:
    """Return a copy of numbers with values written by name, and which were written."""
    new = numbers.copy()
    given: list[int] = []
    for name, value in values.items():
        k = index.get(name)
        if k is None:
            raise NameLookupError(kind, name, tuple(index))
        given.append(k)
        new[k] = number_of(value, f"{kind} '{name}'")
    return new, given


def _number_or_copy(numbers: Array) -> float | Array:
    return float(numbers[0]) if numbers.size == 1 else numbers.copy()


def _read_only(numbers: Array) -> Array:
    view: Array = numbers.view()
    view.flags.writeable = False
    return view
