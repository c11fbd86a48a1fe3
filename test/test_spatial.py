# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Spatial functions, against matrices and each other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
import numpy as np
import pytest
from random_robots import random_pose
from random_robots import random_vector

from kinematics_node import spatial

seeds = settings(max_examples=40, deadline=None)
seed = st.integers(0, 10_000)


def matrix(X):
    """Return a pose as a homogeneous matrix."""
    T = np.eye(4)
    T[:3, :3] = spatial.rotation_rows(spatial.rotation(X))
    T[:3, 3] = spatial.position(X)
    return T


@seeds
@given(seed=seed)
def test_poses_compose_and_invert_as_matrices(seed):
    rng = np.random.default_rng(seed)
    X, Y, p = random_pose(rng), random_pose(rng), random_vector(rng)
    assert matrix(spatial.compose(X, Y)) == pytest.approx(matrix(X) @ matrix(Y), abs=1e-14)
    assert matrix(spatial.invert(X)) == pytest.approx(np.linalg.inv(matrix(X)), abs=1e-14)
    moved = matrix(X) @ [*p, 1.0]
    assert spatial.transform_point(X, p) == pytest.approx(moved[:3], abs=1e-14)


@seeds
@given(seed=seed)
def test_a_quaternion_rotates_as_its_matrix(seed):
    rng = np.random.default_rng(seed)
    q, v = spatial.rotation(random_pose(rng)), random_vector(rng)
    R = np.array(spatial.rotation_rows(q))
    assert pytest.approx(np.eye(3), abs=1e-14) == R @ R.T
    assert np.linalg.det(R) == pytest.approx(1.0)
    assert spatial.rotate(q, v) == pytest.approx(R @ v, abs=1e-14)
    assert spatial.rotate(spatial.conjugate(q), v) == pytest.approx(R.T @ v, abs=1e-14)


@pytest.mark.parametrize(
    ('axis', 'image'),
    [((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)), ((0.0, 0.0, 1.0), (-1.0, 0.0, 0.0))],
)
def test_a_quarter_turn_follows_the_right_hand(axis, image):
    quarter = spatial.axis_angle(axis, np.pi / 2)
    assert spatial.rotate(quarter, (0.0, 1.0, 0.0)) == pytest.approx(image, abs=1e-15)


@seeds
@given(seed=seed)
def test_vectors_are_numpys(seed):
    rng = np.random.default_rng(seed)
    a, b = random_vector(rng), random_vector(rng)
    assert spatial.add(a, b) == pytest.approx(np.add(a, b))
    assert spatial.subtract(a, b) == pytest.approx(np.subtract(a, b))
    assert spatial.scale(2.5, a) == pytest.approx(2.5 * np.array(a))
    assert spatial.cross(a, b) == pytest.approx(np.cross(a, b))
    assert spatial.dot(a, b) == pytest.approx(np.dot(a, b))
    assert spatial.norm(a) == pytest.approx(np.linalg.norm(a))


def test_arrays_are_read_and_written_in_place():
    rows = np.zeros((2, 9))
    X = (1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0)
    spatial.store_pose(X, rows, 1)
    assert spatial.load_pose(rows, 1, 0) == X
    assert not rows[0].any()
    numbers = np.arange(6.0)
    assert spatial.load_vector(numbers, 2) == (2.0, 3.0, 4.0)
    assert spatial.load_quaternion(numbers, 1) == (1.0, 2.0, 3.0, 4.0)
