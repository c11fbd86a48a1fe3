# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Mimics, couplings, closures and measured poses: what joints have to do with each other."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
import math

import numpy as np

from kinematics_node.checking.violation import Violation
from kinematics_node.checking.violation import ViolationKind
from kinematics_node.compiled import Array
from kinematics_node.constraints.augmented import joint_element
from kinematics_node.constraints.kinds import Kind
from kinematics_node.constraints.primitive import ROW_WIDTH
from kinematics_node.constraints.primitive import ZERO
from kinematics_node.constraints.rows import closure_rows
from kinematics_node.constraints.table import element_gap
from kinematics_node.mobility.mechanism import Mechanism
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model
from kinematics_node.spatial import compose
from kinematics_node.spatial import invert
from kinematics_node.spatial import Pose


def mimic_violations(model: Model, q: Array, tolerance: float) -> Iterator[tuple[int, Violation]]:
    """Yield followers that are not where their masters put them."""
    for (follower, mimic), (f, m) in zip(
        model.mimics.items(), model.mimic_index.tolist(), strict=True
    ):
        wanted = mimic.multiplier * q[:, m] + mimic.offset
        unit = 'm' if model.joint(follower).type is JointType.PRISMATIC else 'rad'
        for state in np.flatnonzero(np.abs(q[:, f] - wanted) > tolerance).tolist():
            value, bound = float(q[state, f]), float(wanted[state])
            gap = abs(value - bound)
            message = (
                f"joint '{follower}': position {value:.6g} {unit} is {gap:.3g} {unit} off the "
                f"{bound:.6g} {unit} at which '{mimic.master}' puts it"
            )
            kind = ViolationKind.MIMIC
            yield state, Violation(kind, follower, follower, value, bound, -gap, message)


def loop_violations(
    mechanism: Mechanism, q: Array, tolerance: float
) -> Iterator[tuple[int, Violation]]:
    """Yield couplings and closures that are not satisfied."""
    still = np.zeros(mechanism.model.nv)
    for state in range(q.shape[0]):
        phi = mechanism.system.fill(q[state], still).records[:, 0]
        for element, rows in zip(mechanism.system.elements, mechanism.system.slices, strict=True):
            metres, radians = element_gap(element, phi[rows])
            if max(metres, radians) <= tolerance:
                continue
            if element.kind is Kind.COUPLING:
                kind = ViolationKind.COUPLING
                message = f"coupling '{element.name}': its sum is {max(metres, radians):.3g} off"
            else:
                kind = ViolationKind.CLOSURE
                message = f"closure '{element.name}' is {gap_in_words(metres, radians)} open"
            value = max(metres, radians)
            margin = tolerance - value
            yield state, Violation(kind, element.name, '', value, tolerance, margin, message)


def pose_violations(
    model: Model, poses: Mapping[str, Sequence[float]], tolerance: float
) -> Iterator[Violation]:
    """Yield joints whose child is measured where the joint cannot put it.

    Poses are X_PC of the child in the parent link's frame, quaternion (w first) and position.
    """
    for name, numbers in poses.items():
        if name not in model.joint_index:
            message = f"there is no joint '{name}' to have a measured pose"
            kind = ViolationKind.UNKNOWN_NAME
            yield Violation(kind, name, '', math.nan, math.nan, math.nan, message)
            continue
        X_PC = pose_of(numbers)
        if X_PC is None:
            message = (
                f"joint '{name}': its measured pose is not seven finite numbers with a rotation"
            )
            kind = ViolationKind.NOT_FINITE
            yield Violation(kind, name, '', math.nan, math.nan, math.nan, message)
            continue
        k = model.joint_id(name)
        element = joint_element(model, k)
        if element is None:
            continue
        X_AB = compose(invert(element.X_LA), compose(X_PC, element.X_LB))
        rows = np.zeros((6, ROW_WIDTH))
        closure_rows(element.kind, X_AB, ZERO, ZERO, element.extra, rows, 0)
        metres, radians = element_gap(element, rows[: len(element.units), 0])
        value = max(metres, radians)
        if value > tolerance:
            message = (
                f"joint '{name}': the measured pose of '{model.joints[k].child}' is "
                f'{gap_in_words(metres, radians)} off what the joint allows'
            )
            kind = ViolationKind.ANCHOR
            yield Violation(kind, name, '', value, tolerance, tolerance - value, message)


def pose_of(numbers: Sequence[float]) -> Pose | None:
    """Return seven numbers as a pose with a unit quaternion; None if they are none."""
    values = [float(x) for x in numbers]
    if len(values) != 7 or not all(map(math.isfinite, values)):
        return None
    length = math.sqrt(sum(x * x for x in values[:4]))
    if length < 1e-6:
        return None
    w, x, y, z = (value / length for value in values[:4])
    return (w, x, y, z, values[4], values[5], values[6])


def gap_in_words(metres: float, radians: float) -> str:
    """Return a gap as people say it."""
    parts = [f'{metres:.3g} m'] if metres > 0.0 else []
    if radians > 0.0:
        parts.append(f'{radians:.3g} rad')
    return ' and '.join(parts)
