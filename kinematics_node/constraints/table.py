# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Closures and couplings of a model, packed into a few arrays for the kernels of rows.py."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
import math

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices
from kinematics_node.constraints.kinds import Kind
from kinematics_node.constraints.kinds import kind_of
from kinematics_node.errors import ModelError
from kinematics_node.errors import NameLookupError
from kinematics_node.kinematics.joint_motion import plane_rotation
from kinematics_node.model.elements import Closure
from kinematics_node.model.elements import Coupling
from kinematics_node.model.elements import IDENTITY_POSE
from kinematics_node.model.elements import Pose
from kinematics_node.model.elements import Vector
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model
from kinematics_node.spatial import compose

SHORTEST_AXIS = 1e-9


@dataclass(frozen=True)
class Element:
    """One closure or coupling, resolved against a model.

    The support lists (velocity coordinate, position coordinate, coefficient): of a coupling its
    terms, of a closure the joints on the two ways to the nearest common ancestor, with +1 on B's
    and -1 on A's side. extra is a rod's length [m], the cosine between a cross' axes, or a
    coupling's offset. The unit is that of a coupling's row, 'm' or 'r'.
    """

    name: str
    kind: Kind
    link_A: int
    link_B: int
    X_LA: Pose
    X_LB: Pose
    extra: float
    support: tuple[tuple[int, int, float], ...]
    ancestor: int = 0
    unit: str = 'r'

    @property
    def units(self) -> str:
        """Unit of each row, 'm' or 'r'."""
        return self.unit if self.kind is Kind.COUPLING else self.kind.units


@dataclass(frozen=True, eq=False)
class Table:
    """Elements as arrays.

    Attributes
    ----------
    elements : int64 array, shape (elements, 7)
        Kind, links A and B, first row and the one after the last, first and last of support.
    geometry : array, shape (elements, 15)
        X_LA, X_LB (axes turned to z) and extra.
    support : int64 array, shape (supports, 3)
        Velocity coordinate, position coordinate, column of the Jacobian (-1: none).
    coefficient : array, shape (supports, 2)
        Sign or coefficient, and factor of the column.
    """

    elements: Indices
    geometry: Array
    support: Indices
    coefficient: Array
    row_count: int


def model_elements(model: Model) -> tuple[Element, ...]:
    """Return a model's closures, then its couplings, resolved.

    Raises
    ------
    ModelError
        A type that cannot close a loop, an axis or a rod without length, a coupled coordinate that
        is not there or not a plain number.
    """
    closures = tuple(closure_element(model, closure) for closure in model.closures)
    return closures + tuple(coupling_element(model, coupling) for coupling in model.couplings)


def closure_element(model: Model, closure: Closure) -> Element:
    """Return a closure resolved against a model."""
    kind = kind_of(closure)
    where = f"closure '{closure.name}'"
    if kind is Kind.DISTANCE and not (closure.length > 0.0 and math.isfinite(closure.length)):
        raise ModelError(f'length {closure.length:g} must be positive, in metres', element=where)
    turn_A = turn_B = None
    if kind in (Kind.REVOLUTE, Kind.UNIVERSAL, Kind.PLANAR):
        turn_A = z_turned_to(closure.axis_A, where)
        turn_B = z_turned_to(closure.axis_B, where)
    elif kind is Kind.PRISMATIC:
        turn_A = turn_B = z_turned_to(closure.axis_A, where)
    link_A, link_B = model.link_index[closure.link_A], model.link_index[closure.link_B]
    ancestor, support = closure_support(model, link_A, link_B)
    return Element(
        name=closure.name,
        kind=kind,
        link_A=link_A,
        link_B=link_B,
        X_LA=compose(closure.X_LA, turn_A) if turn_A else closure.X_LA,
        X_LB=compose(closure.X_LB, turn_B) if turn_B else closure.X_LB,
        extra=closure.length if kind is Kind.DISTANCE else 0.0,
        support=support,
        ancestor=ancestor,
    )


def z_turned_to(axis: Vector, where: str) -> Pose:
    """Return the pose of a frame whose z axis is along an axis."""
    length = math.sqrt(sum(x * x for x in axis))
    if not length > SHORTEST_AXIS or not math.isfinite(length):
        raise ModelError(f'axis {axis} has no direction; give one such as 0 0 1', element=where)
    x, y, z = axis
    turn = plane_rotation((x / length, y / length, z / length))
    return (turn[0], turn[1], turn[2], turn[3], 0.0, 0.0, 0.0)


def closure_support(
    model: Model, link_A: int, link_B: int
) -> tuple[int, tuple[tuple[int, int, float], ...]]:
    """Return the nearest common ancestor of two links and the support of a closure of them."""
    below_A, below_B = [], []
    a, b = link_A, link_B
    while a != b:
        if a > b:  # links are ordered parents first, so the larger one is no ancestor
            below_A.append(a)
            a = int(model.tree[a, 0])
        else:
            below_B.append(b)
            b = int(model.tree[b, 0])
    support = []
    for links, sign in ((below_A, -1.0), (below_B, 1.0)):
        for link in reversed(links):
            _, _, q, v = model.tree[link]
            joint = model.joints[link - 1].type
            for n in range(joint.nv):
                support.append((int(v) + n, int(q) + n if joint.nq == joint.nv else -1, sign))
    return a, tuple(support)


def coupling_element(model: Model, coupling: Coupling) -> Element:
    """Return a coupling resolved against a model."""
    where = f"coupling '{coupling.name}'"
    if not coupling.terms or not any(k for _, k in coupling.terms):
        raise ModelError('couples nothing; give it at least one term', element=where)
    support = []
    unit = ''
    for name, k in coupling.terms:
        try:
            v, q, term_unit = plain_coordinate(model, name)
        except NameLookupError as error:
            raise ModelError(str(error), element=where) from None
        if v < 0:
            raise ModelError(
                f"coordinate '{name}' belongs to a rotation or a free pose, which no plain number "
                'describes; couple angles and lengths',
                element=where,
            )
        unit = unit or term_unit
        support.append((v, q, float(k)))
    return Element(
        coupling.name,
        Kind.COUPLING,
        0,
        0,
        IDENTITY_POSE,
        IDENTITY_POSE,
        coupling.offset,
        tuple(support),
        unit=unit,
    )


def plain_coordinate(model: Model, name: str) -> tuple[int, int, str]:
    """Return (v, q, unit) of a coordinate whose rate is its derivative; v is -1 if it is not.

    Raises
    ------
    NameLookupError
        There is no coordinate of that name.
    """
    q = model.coordinate_index.get(name)
    if q is None:
        raise NameLookupError('coordinate', name, model.coordinate_names)
    link = int(np.flatnonzero((model.tree[:, 2] <= q) & _moves(model))[-1])
    joint = model.joints[link - 1].type
    n = q - int(model.tree[link, 2])
    if joint.nq != joint.nv:
        return -1, q, 'r'
    is_length = joint is JointType.PRISMATIC or (joint is JointType.PLANAR and n < 2)
    return int(model.tree[link, 3]) + n, q, 'm' if is_length else 'r'


def pack(
    elements: Sequence[Element], columns: Mapping[int, tuple[int, float]] | None = None
) -> Table:
    """Return elements as arrays.

    Parameters
    ----------
    elements : sequence of Element
        In the order in which their rows are to come.
    columns : mapping of int to (int, float), optional
        Column and factor of each velocity coordinate; those left out have none. Without it, every
        coordinate is its own column.
    """
    integers: list[tuple[int, ...]] = []
    numbers: list[tuple[float, ...]] = []
    support: list[tuple[int, int, int]] = []
    coefficient: list[tuple[float, float]] = []
    row = 0
    for element in elements:
        first, start = row, len(support)
        row += len(element.units)
        for v, q, k in element.support:
            column, factor = (v, 1.0) if columns is None else columns.get(v, (-1, 0.0))
            support.append((v, q, column))
            coefficient.append((k, factor))
        integers.append(
            (element.kind, element.link_A, element.link_B, first, row, start, len(support))
        )
        numbers.append((*element.X_LA, *element.X_LB, element.extra))
    return Table(
        np.array(integers, np.int64).reshape(-1, 7),
        np.array(numbers, float).reshape(-1, 15),
        np.array(support, np.int64).reshape(-1, 3),
        np.array(coefficient, float).reshape(-1, 2),
        row,
    )


def characteristic_length(model: Model) -> float:
    """Return the length [m] that makes metres and radians comparable.

    It is the root mean square of the model's own distances: of joints and closure frames from the
    origins of the links they are on, those that are not zero; 1 m where there are none. An angle
    of one radian moves points at such a distance by as much.
    """
    offsets = [*model.placement[1:, 4:7], *model.placement[1:, 11:14]]
    for closure in model.closures:
        offsets += [np.array(closure.X_LA[4:]), np.array(closure.X_LB[4:])]
    squares = np.array([float(p @ p) for p in offsets])
    squares = squares[squares > 1e-12]
    return math.sqrt(float(squares.mean())) if squares.size else 1.0


def element_gap(element: Element, phi: Array) -> tuple[float, float]:
    """Return an element's residuals as a length [m] and as an angle [rad]; 0 where it holds none.

    Rows of orientation are 2 sin(angle / 2), or the cosine of a cross' axes.
    """
    metres = radians = 0.0
    for x, unit in zip(phi.tolist(), element.units, strict=True):
        if unit == 'm':
            metres = math.hypot(metres, x)
        else:
            radians = math.hypot(radians, x)
    if element.kind is Kind.UNIVERSAL:
        radians = math.asin(min(radians, 1.0))
    elif element.kind is not Kind.COUPLING:
        radians = 2.0 * math.asin(min(0.5 * radians, 1.0))
    return metres, radians


def _moves(model: Model) -> np.ndarray:
    return np.array([False, *(joint.type.nq > 0 for joint in model.joints)])
