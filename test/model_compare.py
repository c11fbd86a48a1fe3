# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Models compared by value, and poses of all links."""

from __future__ import annotations

from dataclasses import fields
from dataclasses import is_dataclass

import numpy as np

from kinematics_node.kinematics.poses import apply_mimics
from kinematics_node.kinematics.poses import forward_kinematics

COLLECTIONS = ('links', 'joints', 'frames', 'closures', 'couplings')


def assert_same_model(first, second, tolerance=1e-14):
    """Assert that two models have the same elements in the same order, apart from lines."""
    assert first.name == second.name
    for collection in COLLECTIONS:
        ours, theirs = getattr(first, collection), getattr(second, collection)
        assert [e.name for e in ours] == [e.name for e in theirs], collection
        for a, b in zip(ours, theirs, strict=True):
            _assert_same(a, b, f'{collection}.{a.name}', tolerance)


def _assert_same(a, b, where, tolerance):
    if is_dataclass(a):
        assert type(a) is type(b), where
        for field in fields(a):
            if field.name != 'line':
                _assert_same(
                    getattr(a, field.name),
                    getattr(b, field.name),
                    f'{where}.{field.name}',
                    tolerance,
                )
    elif isinstance(a, tuple):
        assert len(a) == len(b), where
        if len(a) == 7 and isinstance(a[0], float) and np.dot(a[:4], b[:4]) < 0.0:
            b = (*(-x for x in b[:4]), *b[4:])
        for n, (x, y) in enumerate(zip(a, b, strict=True)):
            _assert_same(x, y, f'{where}[{n}]', tolerance)
    elif isinstance(a, float):
        assert a == b or abs(a - b) <= tolerance * max(1.0, abs(a)), (where, a, b)
    else:
        assert a == b, (where, a, b)


def link_poses(model, q):
    """Return X_WC (links, 7) at coordinates q, mimics applied."""
    q = np.array(q, float)
    apply_mimics(model.mimic_index, model.mimic_ratio, q)
    poses = np.zeros((len(model.links), 7))
    forward_kinematics(model.tree, model.placement, q, poses)
    return poses


def matrix(pose):
    """Return the 4 by 4 matrix of a pose."""
    w, x, y, z = pose[:4]
    X = np.eye(4)
    X[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    X[:3, 3] = pose[4:]
    return X


def random_coordinates(model, rng):
    """Return random coordinates with unit quaternions."""
    q = rng.uniform(-1.0, 1.0, model.nq)
    for joint in model.joints:
        if joint.type.quaternion_offset == 0:
            at = model.coordinates_of(joint.name).start
            q[at : at + 4] /= np.linalg.norm(q[at : at + 4])
    return q
