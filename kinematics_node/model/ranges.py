# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Ranges of coordinates: where to draw positions from, and the middle of limits."""

from __future__ import annotations

import math

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model


def drawing_ranges(model: Model) -> tuple[Array, Array]:
    """Return the ranges to draw q from: limits, narrowed where a follower's would be left."""
    lower, upper = model.lower.copy(), model.upper.copy()
    for (f, m), (multiplier, offset) in zip(model.mimic_index, model.mimic_ratio, strict=True):
        if multiplier != 0.0:
            ends = sorted(((bound - offset) / multiplier) for bound in (lower[f], upper[f]))
            low, high = max(lower[m], ends[0]), min(upper[m], ends[1])
            if low <= high:
                lower[m], upper[m] = low, high
    reach = _reach(model)
    both_open = np.isinf(lower) & np.isinf(upper)
    below = np.where(both_open, -reach, np.where(np.isinf(lower), upper - 2.0 * reach, lower))
    above = np.where(both_open, reach, np.where(np.isinf(upper), lower + 2.0 * reach, upper))
    return np.minimum(below, above), np.maximum(below, above)


def range_middles(model: Model) -> Array:
    """Return the middle of each coordinate's limits, the one end that is finite, or zero."""
    low = np.where(np.isinf(model.lower), model.upper, model.lower)
    high = np.where(np.isinf(model.upper), model.lower, model.upper)
    unlimited = np.isinf(low)
    return 0.5 * (np.where(unlimited, 0.0, low) + np.where(unlimited, 0.0, high))


def _reach(model: Model) -> Array:
    """Return how far to draw coordinates without limits from zero: pi rad or 1 m."""
    reach = np.full(model.nq, math.pi)
    for joint, row in zip(model.joints, model.tree[1:], strict=True):
        if joint.type is JointType.PRISMATIC:
            reach[row[2]] = 1.0
        elif joint.type is JointType.PLANAR:
            reach[row[2] : row[2] + 2] = 1.0
        elif joint.type is JointType.FLOATING:
            reach[row[2] + 4 : row[2] + 7] = 1.0
    return reach
