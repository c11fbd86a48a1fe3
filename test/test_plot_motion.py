# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Residual, rank and a joint's load along a motion, against closed forms."""

from __future__ import annotations

from dataclasses import replace
import math

from force_models import door
from force_models import DOWN_Y
from force_models import FOUR_BAR
from force_models import four_bar_state
from force_models import G
from force_models import heavy_four_bar
from force_models import Mechanism
from force_models import pendulum
from force_models import point
from force_models import REVOLUTE
from force_models import T
from force_models import X
from force_models import Y
from loop_models import at
from loop_models import four_bar
from loop_models import Z
import numpy as np
from numpy.testing import assert_allclose
import pytest

from kinematics_node.errors import NameLookupError
from kinematics_node.errors import ValueShapeError
from kinematics_node.forces import constraint_forces
from kinematics_node.model.elements import Coupling
from kinematics_node.plotting.motion import coordinate_unit
from kinematics_node.plotting.motion import held_motors
from kinematics_node.plotting.motion import motion_along


def targets_of(model, name, values, start=None):
    """Return positions with one coordinate at each of some values."""
    targets = np.tile(model.zero if start is None else start, (len(values), 1))
    targets[:, model.coordinate_index[name]] = values
    return targets


def along(model, name, values, start=None, measured=None, load=None, **request):
    """Return the motion along one coordinate."""
    targets = targets_of(model, name, values, start)
    return motion_along(model, targets, name, values, measured or [name], load or name, **request)


def test_a_pendulum_is_held_by_its_weight_times_its_arm():
    values = np.linspace(0.0, 2.0 * math.pi, 9)
    motion = along(pendulum(), 'hip', values)
    assert (motion.robot, motion.coordinate, motion.unit) == ('mechanism', 'hip', 'rad')
    assert_allclose(motion.values, values)
    assert_allclose(motion.force, 2.0 * G, atol=1e-9)
    assert_allclose(motion.torque, np.abs(G * np.cos(values)), atol=1e-9)
    for flags in (motion.closed, motion.held, motion.force_determinate, motion.torque_determinate):
        assert flags.all()
    assert motion.residuals == {}
    assert_allclose(motion.rank, 0)
    assert_allclose(motion.mobility, 1)
    assert not motion.singular.any()


def test_gravity_and_what_a_link_holds_count():
    values = np.array((0.0, 0.3))
    heavier = along(pendulum(), 'hip', values, gravity=(0.0, 0.0, -1.6))
    assert_allclose(heavier.force, 2.0 * 1.6, atol=1e-9)


def test_a_four_bar_stays_closed_and_keeps_one_degree_of_freedom():
    model = heavy_four_bar()
    values = np.linspace(0.3, 0.3 + 2.0 * math.pi, 33)
    start = four_bar_state(model, 0.3)
    motion = along(model, 'crank', values, start, load='coupler', gravity=DOWN_Y)
    assert motion.closed.all()
    assert motion.residuals.keys() == {'tip'}
    assert motion.residuals['tip'].shape == (33, 2)
    assert motion.residuals['tip'].max() < motion.tolerance == 1e-11
    assert_allclose(motion.mobility, 1)
    # Of five rows of the pin a planar loop needs two.
    assert_allclose(motion.rank, 2)
    for n in range(0, 33, 4):
        q = four_bar_state(model, values[n])
        load = constraint_forces(model, q, gravity=DOWN_Y, measured=['crank']).load('coupler')
        assert_allclose(motion.force[n], np.linalg.norm(load.total[3:]), rtol=1e-6)
        assert_allclose(motion.torque[n], np.linalg.norm(load.total[:3]), rtol=1e-6, atol=1e-9)


def test_where_the_bars_are_too_short_there_are_gaps():
    crank = 1.5
    model = four_bar(**{**FOUR_BAR, 'crank': crank})
    values = np.linspace(0.0, 2.0 * math.pi, 41)
    motion = along(model, 'crank', values)
    g, b, c = (FOUR_BAR[bar] for bar in ('ground', 'coupler', 'rocker'))
    apart = np.sqrt(g * g + crank * crank - 2.0 * g * crank * np.cos(values))
    reached = (apart <= b + c) & (apart >= abs(b - c))
    assert 5 < reached.sum() < 36
    np.testing.assert_array_equal(motion.closed, reached)
    # What is left is by how much both bars, in one line, are too short, or too long when folded.
    left = motion.residuals['tip'][:, 0]
    least = np.maximum(apart - b - c, abs(b - c) - apart)
    assert_allclose(left[~reached], least[~reached], rtol=1e-3)
    for series in (motion.rank, motion.mobility, motion.force, motion.torque, motion.smallest):
        np.testing.assert_array_equal(np.isnan(series), ~reached)
    for flags in (motion.held, motion.force_determinate, motion.torque_determinate):
        assert not (flags & ~reached).any()


def test_a_flat_parallelogram_has_a_second_way_to_go():
    model = four_bar(2.0, 0.5, 2.0, 0.5)
    values = np.array((-0.6, -0.3, 0.0, 0.3, 0.6))
    start = np.array((values[0], -values[0], values[0]))
    start = start[[['crank', 'coupler', 'rocker'].index(j.name) for j in model.joints]]
    motion = along(model, 'crank', values, start)
    assert motion.closed.all()
    assert_allclose(motion.rank, (2, 2, 1, 2, 2))
    assert_allclose(motion.mobility, (1, 1, 2, 1, 1))
    assert motion.singular.tolist() == [False, False, True, False, False]


def test_loads_that_statics_do_not_determine_are_marked():
    model = door('upper', REVOLUTE, 'revolute')
    motion = along(model, 'lower', np.array((0.0, 0.4)), load='upper')
    assert not motion.force_determinate.any()
    assert not motion.torque_determinate.any()
    assert motion.closed.all()
    fine = along(pendulum(), 'hip', np.array((0.0, 0.4)))
    assert fine.force_determinate.all()


def test_a_pose_that_nothing_holds_is_marked():
    builder = pendulum().edit()
    model = builder.finalize()
    motion = along(model, 'hip', np.array((0.0, math.pi / 2.0)), actuated=[])
    # It hangs straight down at a quarter turn.
    assert motion.held.tolist() == [False, True]


def two_hinges():
    """Return two bars in a row, of which the second turns as far back as the first."""
    bar = point(1.0, 0.5, 0.0, 0.0)
    arm = Mechanism().add('a', REVOLUTE, 'ground', 'upper', bar, axes=(Z,))
    arm.add('b', REVOLUTE, 'upper', 'lower', bar, at(1.0), (Z,), actuated=True)
    arm.add('c', REVOLUTE, 'lower', 'tip', bar, at(1.0), (Z,), actuated=True)
    arm.builder.add_coupling(Coupling('back', (('a', 1.0), ('b', 1.0))))
    return arm.finalize()


def test_couplings_have_residuals_and_motors_that_are_free_stay():
    model = two_hinges()
    start = np.zeros((2, 3))
    assert held_motors(model, start, ['a']) == ('c',)
    assert held_motors(model, start, ['b', 'c']) == ()
    motion = along(model, 'a', np.array((0.0, 0.5)), measured=['a', 'c'])
    assert motion.residuals.keys() == {'back'}
    assert_allclose(motion.q[1, [model.coordinate_index[n] for n in 'abc']], (0.5, -0.5, 0.0))
    contradicted = along(model, 'a', np.array((0.0, 0.5)), measured=['a', 'b'])
    assert contradicted.closed.tolist() == [True, False]
    assert_allclose(contradicted.residuals['back'], [(0.0, 0.0), (0.0, 0.5)], atol=1e-12)


def test_a_motor_does_not_stay_because_the_motion_begins_at_a_dead_centre():
    builder = four_bar(2.0, 0.5, 2.0, 0.5).edit()
    for k, joint in builder.joints.items():
        builder.joints[k] = replace(joint, actuated=joint.name == 'crank')
    model = builder.finalize()
    values = np.array((0.0, 0.4, 0.8))
    # Flat, the parallelogram has two ways to go, of which the rocker is one; else it has one.
    targets = targets_of(model, 'rocker', values)
    assert held_motors(model, targets, ['rocker']) == ()
    assert held_motors(model, targets[:1], ['rocker']) == ('crank',)


def test_units_are_those_of_the_coordinate():
    base = Mechanism().add('base', T.FLOATING, 'ground', 'body')
    base.add('deck', T.PLANAR, 'body', 'cart', axes=(Z,))
    base.add('lift', T.PRISMATIC, 'cart', 'car', axes=(Z,))
    base.add('hip', T.BALL, 'car', 'leg', axes=(X, Y, Z))
    model = base.finalize()
    units = {'lift': 'm', 'deck/x': 'm', 'deck/theta': 'rad', 'base/trans_z': 'm'}
    units['hip/axis1'] = 'rad'
    assert {name: coordinate_unit(model, name) for name in units} == units


@pytest.mark.parametrize(
    ('values', 'sentence'),
    [
        ([0.0], 'a motion takes 2 values or more, not 1'),
        ([0.0, math.nan], "'hip': nan is not finite"),
        ([0.0, 1.0, 2.0], 'there are 3 values and 2 states'),
    ],
)
def test_values_that_are_no_motion_are_refused(values, sentence):
    model = pendulum()
    targets = np.zeros((min(len(values), 2), 1))
    with pytest.raises(ValueShapeError, match=sentence):
        motion_along(model, targets, 'hip', values, ['hip'], 'hip')


def test_a_load_that_is_not_there_is_named():
    with pytest.raises(NameLookupError, match="there is no joint 'knee'; known are: hip"):
        along(pendulum(), 'hip', np.array((0.0, 1.0)), load='knee')
