# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Inertia: closed forms, Pinocchio, scaling laws, and what no body has."""

from __future__ import annotations

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
import numpy as np
import pinocchio as pin
from pinocchio_oracle import se3
from pinocchio_oracle import Twin
import pytest
from random_robots import random_inertia
from random_robots import random_pose
from random_robots import random_robot

from kinematics_node.errors import ModelError
from kinematics_node.errors import NameLookupError
from kinematics_node.errors import ValueShapeError
from kinematics_node.kinematics.composite import composite_inertia
from kinematics_node.model.elements import Inertia
from kinematics_node.model.inertia import box
from kinematics_node.model.inertia import combined
from kinematics_node.model.inertia import cylinder
from kinematics_node.model.inertia import inertia_faults
from kinematics_node.model.inertia import inertia_from_spatial
from kinematics_node.model.inertia import inertia_in_frame
from kinematics_node.model.inertia import parallel_axis
from kinematics_node.model.inertia import re_express
from kinematics_node.model.inertia import rotational_matrix
from kinematics_node.model.inertia import scaled_at_density
from kinematics_node.model.inertia import scaled_at_mass
from kinematics_node.model.inertia import shift
from kinematics_node.model.inertia import spatial_inertia
from kinematics_node.model.inertia import sphere
from kinematics_node.state import State

ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]


def theirs(inertia):
    """Return an inertia as Pinocchio's."""
    return pin.Inertia(inertia.mass, np.array(inertia.center), rotational_matrix(inertia))


def same(a, b, tolerance=1e-12):
    """Return whether two inertias agree."""
    return (
        a.mass == pytest.approx(b.mass, rel=tolerance)
        and a.center == pytest.approx(b.center, abs=tolerance)
        and a.rotational == pytest.approx(b.rotational, abs=tolerance)
    )


def test_a_box_by_hand():
    # The lesson's box of 2 kg and 0.2 x 0.4 x 0.6 m; 0.1 m off along x adds 0.02 to yy and zz.
    body = box(2.0, 0.2, 0.4, 0.6)
    assert body.rotational[:3] == pytest.approx([0.26 / 3, 0.2 / 3, 0.1 / 3])
    about_origin = parallel_axis(rotational_matrix(body), 2.0, (0.1, 0.0, 0.0))
    assert np.diag(about_origin) == pytest.approx([0.26 / 3, 0.26 / 3, 0.16 / 3])


def test_a_cylinder_and_a_ball_by_hand():
    assert cylinder(3.0, 0.2, 0.5).rotational[:3] == pytest.approx([0.0925, 0.0925, 0.06])
    assert sphere(5.0, 0.1).rotational[:3] == pytest.approx([0.02, 0.02, 0.02])


@pytest.mark.parametrize('make', [lambda: box(1, 0, 1, 1), lambda: cylinder(-1, 1, 1)])
def test_a_body_without_size_or_mass_is_refused(make):
    with pytest.raises(ModelError, match='every number must be positive'):
        make()


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_spatial_inertia_is_pinocchios_about_any_frame(seed):
    rng = np.random.default_rng(seed)
    inertia, X = random_inertia(rng), random_pose(rng)
    M = spatial_inertia(inertia, X)
    expected = se3(X).act(theirs(inertia)).matrix()[np.ix_(ANGULAR_FIRST, ANGULAR_FIRST)]
    assert pytest.approx(expected, abs=1e-12) == M
    assert same(inertia_from_spatial(M), inertia_in_frame(inertia, X))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_shift_and_re_expression_keep_the_kinetic_energy(seed):
    rng = np.random.default_rng(seed)
    M_P = spatial_inertia(random_inertia(rng))
    w, v_P, p_PQ = rng.normal(size=(3, 3))
    V_P = np.concatenate((w, v_P))
    V_Q = np.concatenate((w, v_P + np.cross(w, p_PQ)))
    energy = V_P @ M_P @ V_P
    assert V_Q @ shift(M_P, p_PQ) @ V_Q == pytest.approx(energy)
    assert shift(shift(M_P, p_PQ), -p_PQ) == pytest.approx(M_P, abs=1e-12)
    R = se3(random_pose(rng)).rotation
    V_A = np.concatenate((R @ w, R @ v_P))
    assert V_A @ re_express(M_P, R) @ V_A == pytest.approx(energy)


def test_force_and_acceleration_of_a_pushed_body_by_hand():
    # 2 kg, its centre 0.5 m along x: the origin along y takes 2 N, and 1 N m about it.
    M = spatial_inertia(Inertia(2.0, (0.5, 0.0, 0.0), (0.1, 0.1, 0.1, 0.0, 0.0, 0.0)))
    assert pytest.approx([0, 0, 1, 0, 2, 0]) == M @ [0, 0, 0, 0, 1, 0]


def test_a_box_cut_in_two_is_the_box():
    left = inertia_in_frame(box(1.0, 0.5, 0.4, 0.6), (1, 0, 0, 0, -0.25, 0, 0))
    right = inertia_in_frame(box(1.0, 0.5, 0.4, 0.6), (1, 0, 0, 0, 0.25, 0, 0))
    assert same(combined([left, right]), box(2.0, 1.0, 0.4, 0.6))


def test_nothing_combined_has_no_inertia():
    assert combined([]) == Inertia()


@settings(max_examples=30, deadline=None)
@given(s=st.floats(1e-3, 1e3))
def test_scaling_laws(s):
    small, large = box(2.0, 0.1, 0.2, 0.3), box(2.0 * s**3, 0.1 * s, 0.2 * s, 0.3 * s)
    at_density, at_mass = scaled_at_density(small, s), scaled_at_mass(small, s)
    assert at_density.mass == pytest.approx(large.mass)
    assert at_density.rotational == pytest.approx(large.rotational)
    assert np.array(at_density.rotational[:3]) / small.rotational[:3] == pytest.approx(s**5)
    assert at_mass.mass == small.mass
    assert np.array(at_mass.rotational[:3]) / small.rotational[:3] == pytest.approx(s**2)


def test_millimetres_read_as_metres():
    wrong = scaled_at_density(box(1.0, 0.1, 0.1, 0.1), 1000.0)
    assert wrong.mass == pytest.approx(1e9)
    assert wrong.rotational[0] / box(1.0, 0.1, 0.1, 0.1).rotational[0] == pytest.approx(1e15)


def test_a_scale_that_is_not_positive_is_refused():
    with pytest.raises(ModelError, match='scale with -2: every number must be positive'):
        scaled_at_mass(box(1.0, 1.0, 1.0, 1.0), -2.0)


@pytest.mark.parametrize(
    ('mass', 'six', 'code', 'numbers'),
    [
        (1.0, (1, 1, 2.2, 0, 0, 0), 'inertia-triangle', '1, 1, 2.2 .* sum to 2'),
        (1.0, (1, 1, 1, 1.5, 0, 0), 'inertia-not-positive', '-0.5, 1, 2.5'),
        (1.0, (1, 1, 1, 0.9, 0, 0), 'inertia-triangle', '0.1, 1, 1.9'),
        (-1.0, (1, 1, 1, 0, 0, 0), 'mass-negative', 'mass -1 kg'),
        (0.0, (1, 1, 1, 0, 0, 0), 'inertia-without-mass', 'mass is 0'),
        (np.nan, (1, 1, 1, 0, 0, 0), 'inertia-not-finite', 'must be finite'),
    ],
)
def test_impossible_inertias_are_named_with_their_numbers(mass, six, code, numbers):
    (fault,) = inertia_faults(Inertia(mass, rotational=six))
    assert fault.code == code
    with pytest.raises(ValueError, match=numbers):
        raise ValueError(fault.message)


@pytest.mark.parametrize(
    'inertia',
    [
        Inertia(1.0, rotational=(1, 1, 2.0, 0, 0, 0)),
        Inertia(1.0, rotational=(1e-6, 1e-6, 2e-6 * (1 + 1e-7), 0, 0, 0)),
        Inertia(1.0),
        Inertia(),
    ],
)
def test_flat_plates_points_and_massless_frames_are_possible(inertia):
    assert inertia_faults(inertia) == ()


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_whatever_is_made_of_points_is_possible_in_any_frame(seed):
    rng = np.random.default_rng(seed)
    assert inertia_faults(inertia_in_frame(random_inertia(rng), random_pose(rng))) == ()


def test_composite_inertia_is_that_of_pinocchios_bodies():
    model = random_robot(3).finalize()
    twin = Twin(model)
    q = State.random(model, np.random.default_rng(3)).q
    pin.framesForwardKinematics(twin.pin, twin.data, twin.positions(q))
    pose_of = {link.name: twin.data.oMf[twin.frame(link.name)] for link in model.links}
    for top in ('link0', 'link3', 'link11'):
        below = {top}
        for joint in model.joints:
            if joint.parent in below:
                below.add(joint.child)
        total = pin.Inertia.Zero()
        for link in model.links:
            if link.name in below:
                total += pose_of[top].actInv(pose_of[link.name]).act(theirs(link.inertia))
        mine = theirs(composite_inertia(model, q, top))
        assert mine.matrix() == pytest.approx(total.matrix(), abs=1e-11)


def test_composite_inertia_refuses_what_is_not_there():
    model = random_robot(3).finalize()
    with pytest.raises(NameLookupError, match="no link 'nose'"):
        composite_inertia(model, model.zero, 'nose')
    with pytest.raises(ValueShapeError, match='the quaternion has no length'):
        composite_inertia(model, np.zeros(model.nq), 'link0')
