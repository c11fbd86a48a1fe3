# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Forces by hand: what turns, springs, brakes, friction, rods, and links without mass."""

from __future__ import annotations

import math

from force_models import BALL
from force_models import CLOSE
from force_models import DOWN_Y
from force_models import FOUR_BAR
from force_models import four_bar_state
from force_models import G
from force_models import heavy_four_bar
from force_models import integrate
from force_models import Mechanism
from force_models import pendulum
from force_models import point
from force_models import PRISMATIC
from force_models import REVOLUTE
from force_models import with_mass
from force_models import X
from force_models import Y
from loop_models import at
from loop_models import Z
import numpy as np
from numpy.testing import assert_allclose
import pytest
from transforms3d.quaternions import axangle2quat
from transforms3d.quaternions import qinverse
from transforms3d.quaternions import qmult
from transforms3d.quaternions import rotate_vector

from kinematics_node.forces import constraint_forces
from kinematics_node.forces import SingularInertiaError
from kinematics_node.formats.load import load_model
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import Inertia
from kinematics_node.model.elements import Limits
from kinematics_node.model.joint_types import JointType


def test_conical_pendulum():
    tilt, length, mass = 0.5, 1.3, 0.8
    spin = math.sqrt(G / (length * math.cos(tilt)))
    model = (
        Mechanism()
        .add('ball', BALL, 'ground', 'bob', point(mass, 0, 0, -length), axes=(X, Y, Z))
        .finalize()
    )
    turn = axangle2quat(Y, tilt)
    w = rotate_vector((0.0, 0.0, spin), qinverse(turn))
    report = constraint_forces(model, turn, w, actuated=[])
    assert report.held
    assert 'This motion needs no actuator' in report.summary
    pull = mass * G / math.cos(tilt)
    toward = (pull * math.sin(tilt), 0.0, pull * math.cos(tilt))
    assert_allclose(report.load('ball').total, (0, 0, 0, *toward), **CLOSE)


def test_gyroscope_on_a_ball_joint():
    # A wheel at the end of a level axle: spin I omega, precession Omega = m g l / (I omega).
    mass, arm, moment, spin = 1.5, 0.4, 0.02, 120.0
    omega = mass * G * arm / (moment * spin)
    wheel = Inertia(mass, (arm, 0, 0), (moment, 0.6 * moment, 0.6 * moment, 0, 0, 0))
    model = (
        Mechanism()
        .add('pivot', BALL, 'ground', 'axle', axes=(X, Y, Z))
        .add('bearing', REVOLUTE, 'axle', 'wheel', wheel, axes=(X,))
        .finalize()
    )
    # About -z: the weight turns x towards -z, about +y, and z x x = y.
    v = (0.0, 0.0, omega, spin)
    report = constraint_forces(model, model.zero, v, actuated=[])
    assert report.held
    wrong_way = constraint_forces(model, model.zero, (0.0, 0.0, -omega, spin), actuated=[])
    assert_allclose(wrong_way.missing[0][1], -2.0 * mass * G * arm, rtol=1e-9)
    assert 'cannot be driven' in wrong_way.summary


def test_stewart_platform_leg_forces():
    rng = np.random.default_rng(5)
    angles = np.radians((0, 60, 120, 180, 240, 300))
    feet = np.array([(math.cos(a), math.sin(a), 0.0) for a in angles + 0.3 * (-1) ** np.arange(6)])
    tops = np.array([(0.5 * math.cos(a), 0.5 * math.sin(a), -0.1) for a in angles])
    model = Mechanism().add(
        'free', JointType.FLOATING, 'ground', 'plate', point(30.0, 0.1, 0.05, 0.2)
    )
    turn, p = axangle2quat(rng.normal(size=3), 0.2), np.array((0.1, -0.05, 1.4))
    placed = np.array([p + rotate_vector(t, turn) for t in tops])
    legs = placed - feet
    lengths = np.linalg.norm(legs, axis=1)
    for n in range(6):
        model.close(
            f'leg{n}',
            'distance',
            'ground',
            'plate',
            at(*feet[n]),
            at(*tops[n]),
            length=float(lengths[n]),
        )
    report = constraint_forces(model.finalize(), (*turn, *p), actuated=[])
    along = legs / lengths[:, None]
    wrench = np.concatenate((np.cross(placed, along), along), axis=1).T
    center = p + rotate_vector((0.1, 0.05, 0.2), turn)
    weight = np.array((0.0, 0.0, -30.0 * G))
    thrusts = np.linalg.solve(wrench, -np.concatenate((np.cross(center, weight), weight)))
    assert_allclose(report.multiplier_values, thrusts, rtol=1e-9)
    assert report.held
    assert report.determinate
    assert_allclose(report.load('leg2').total[3:], thrusts[2] * along[2], rtol=1e-9)
    assert report.multipliers[0].meaning == 'force of the rod that pushes its ends apart'
    assert (report.multipliers[0].unit, report.multipliers[0].element) == ('N', 'leg0')


def test_ball_joint_springs_and_dampers_work_on_its_angles():
    axes = tuple(
        Axis(direction, spring=k, rest=rest, damping=b)
        for direction, k, rest, b in ((X, 3.0, 0.1, 0.2), (Y, 5.0, 0.0, 0.4), (Z, 7.0, -0.2, 0.6))
    )
    body = Inertia(2.0, (0.1, 0.2, 0.3), (0.3, 0.25, 0.2, 0.01, 0.02, 0.03))
    ball = Mechanism().add('ball', BALL, 'ground', 'body', body, axes=axes).finalize()
    chain = Mechanism()
    parent = 'ground'
    for name, axis, child in zip('abc', axes, ('p', 'r', 'body'), strict=True):
        mass = body if child == 'body' else None
        chain.add(name, REVOLUTE, parent, child, mass, axes=(axis,))
        parent = child
    hinges = chain.finalize()
    angles, rates = np.array((0.5, -0.7, 0.9)), np.array((1.1, -0.6, 0.8))
    turns = [axangle2quat(d, a) for d, a in zip((X, Y, Z), angles, strict=True)]
    q = qmult(qmult(turns[0], turns[1]), turns[2])
    third, second = qinverse(turns[2]), qinverse(turns[1])
    e2 = rotate_vector(Y, third)
    e1 = rotate_vector(rotate_vector(X, second), third)
    E = np.array((e1, e2, Z)).T
    w = E @ rates
    by_hinges = constraint_forces(hinges, angles, rates, mode='forward')
    by_ball = constraint_forces(ball, q, w, mode='forward')
    bias = -rates[0] * (rates[2] * np.cross(Z, e1) + rates[1] * np.cross(e2, e1))
    bias -= rates[1] * rates[2] * np.cross(Z, e2)
    assert_allclose(by_ball.accelerations, E @ by_hinges.accelerations + bias, rtol=1e-9)
    work = by_ball.efforts['spring'] @ w
    assert_allclose(work, by_hinges.efforts['spring'] @ rates, rtol=1e-10)
    assert_allclose(by_hinges.efforts['damper'], E.T @ by_ball.efforts['damper'], rtol=1e-10)
    held = constraint_forces(ball, q, actuated=['ball']).load('ball')
    by_motors = constraint_forces(hinges, angles).load('c')
    assert_allclose(held.total[3:], (0, 0, 2.0 * G), **CLOSE)
    assert_allclose(np.linalg.norm(by_motors.total), np.linalg.norm(held.total), rtol=1e-10)


def test_webots_slider_hinge_and_ball_are_pulled_back():
    """The constants of Webots' test world: slider K 5, B 1.75; hinge K 10, B 0.5; ball K 2."""
    for kind, k, b in ((PRISMATIC, 5.0, 1.75), (REVOLUTE, 10.0, 0.5)):
        model = (
            Mechanism()
            .add(
                'j',
                kind,
                'ground',
                'body',
                Inertia(1.0, (0, 0, 0), (1, 1, 1, 0, 0, 0)),
                axes=(Axis(Z, spring=k, damping=b),),
            )
            .finalize()
        )
        report = constraint_forces(model, [0.4], [0.3], mode='forward', gravity=(0, 0, 0))
        assert_allclose(report.accelerations, -k * 0.4 - b * 0.3, **CLOSE)
    ball = (
        Mechanism()
        .add(
            'j',
            BALL,
            'ground',
            'body',
            Inertia(1.0, (0, 0, 0), (1, 1, 1, 0, 0, 0)),
            axes=tuple(Axis(d, spring=2.0) for d in (X, Y, Z)),
        )
        .finalize()
    )
    report = constraint_forces(ball, axangle2quat(Y, 0.4), mode='forward', gravity=(0, 0, 0))
    assert_allclose(report.accelerations, (0, -0.8, 0), **CLOSE)


def test_rotor_behind_a_gear_adds_to_the_inertia():
    model = pendulum(rotor_inertia=1e-4, gear_ratio=50.0)
    report = constraint_forces(model, [0.0], a=[2.0], gravity=(0, 0, 0))
    assert_allclose(report.actuator_efforts, (2.0 * 0.25 + 0.25) * 2.0, **CLOSE)
    assert_allclose(report.load('hip').total[1], 2.0 * 0.25 * 2.0, **CLOSE)
    assert_allclose(report.load('hip').efforts['rotor'], -0.25 * 2.0, **CLOSE)
    back = constraint_forces(model, [0.0], mode='forward', efforts=[1.5], gravity=(0, 0, 0))
    assert_allclose(back.accelerations, 2.0, **CLOSE)


def test_springs_dampers_and_friction_act_against_the_motion():
    model = pendulum(spring=3.0, rest=0.1, damping=0.5, brake_damping=0.25, friction=2.0)
    report = constraint_forces(model, [0.3], [2.0], gravity=(0, 0, 0))
    efforts = report.load('hip').efforts
    assert_allclose(efforts['spring'], -0.6, **CLOSE)
    assert_allclose(efforts['damper'], -1.5, **CLOSE)
    assert_allclose(efforts['friction'], -2.0, **CLOSE)
    assert_allclose(efforts['actuator'], 4.1, **CLOSE)
    assert abs(report.power.residual) < 1e-12


def test_a_pose_that_cannot_be_held_says_what_is_missing():
    report = constraint_forces(pendulum(), [0.0], actuated=[])
    assert not report.held
    assert report.missing == (('hip', pytest.approx(-G), 'N m'),)
    assert "This pose cannot be held: 9.81 N m at 'hip'." in report.summary
    sticky = constraint_forces(pendulum(friction=20.0), [0.0], actuated=[])
    assert "9.81 N m at 'hip' (static friction up to 20 could hold it)" in sticky.summary
    assert sticky.capacities[0].source == 'static friction'
    limits = {'limits': Limits(-1.0, 0.0)}
    stopped = constraint_forces(pendulum(**limits), [0.0], actuated=[])
    assert "at 'hip' (its upper stop could hold it)" in stopped.summary
    other = constraint_forces(pendulum(limits=Limits(0.0, 1.0)), [0.0], actuated=[])
    assert "This pose cannot be held: 9.81 N m at 'hip'." in other.summary
    assert other.capacities[0].source == 'lower stop'
    weak = constraint_forces(pendulum(friction=3.0), [0.0], actuated=[])
    assert '(static friction up to 3 could hold part of it)' in weak.summary


def test_a_brake_holds_what_the_motor_does_not():
    report = constraint_forces(pendulum(braked=True), [0.3])
    assert report.held
    assert_allclose(report.actuator_efforts, 0.0, atol=1e-12)
    assert_allclose(report.load('hip').efforts['brake'], -G * math.cos(0.3), **CLOSE)
    forward = constraint_forces(pendulum(braked=True), [0.3], mode='forward')
    assert_allclose(forward.accelerations, 0.0, atol=1e-12)
    assert forward.multipliers[0].group == 'brake'


@pytest.mark.parametrize('method', ['reduced', 'augmented'])
def test_brakes_on_a_ball_joint_lock_its_angles(method):
    axes = (Axis(X, braked=True), Axis(Y), Axis(Z, braked=True))
    body = Inertia(2.0, (0.1, 0.2, 0.3), (0.3, 0.25, 0.2, 0.01, 0.02, 0.03))
    model = Mechanism().add('ball', BALL, 'ground', 'body', body, axes=axes).finalize()
    q = axangle2quat(Y, 0.4)
    report = constraint_forces(model, q, mode='forward', method=method)
    assert_allclose(report.accelerations[[0, 2]], 0.0, atol=1e-12)
    # Only the free axis turns, as a hinge would.
    hinge = Mechanism().add('y', REVOLUTE, 'ground', 'body', body, axes=(Y,)).finalize()
    by_hinge = constraint_forces(hinge, [0.4], mode='forward')
    assert_allclose(report.accelerations[1], by_hinge.accelerations[0], rtol=1e-10)
    names = [m.element for m in report.multipliers]
    assert names == ['ball/axis1', 'ball/axis3']
    assert_allclose(report.load('ball').total, by_hinge.load('y').total, atol=1e-9)


def test_massless_links_where_the_question_has_an_answer():
    light = (
        Mechanism()
        .add('one', REVOLUTE, 'ground', 'arm', point(1.0, 1.0, 0, 0), axes=(Y,))
        .add('two', REVOLUTE, 'arm', 'tip', None, at(1.0), (Y,))
        .finalize()
    )
    report = constraint_forces(light, [0.0, 0.0])
    assert_allclose(report.actuator_efforts, (-G, 0.0), **CLOSE)
    for method in ('reduced', 'augmented'):
        with pytest.raises(SingularInertiaError, match="no acceleration is determined at 'two'"):
            constraint_forces(light, [0.0, 0.0], mode='forward', method=method)
    model = heavy_four_bar(kind='ball')
    q = four_bar_state(model, 0.9)
    one = with_mass(model, {'coupler': None, 'rocker': None})
    moment = FOUR_BAR['crank'] ** 2 / 3.0
    wanted = -G * 0.5 * FOUR_BAR['crank'] * math.cos(0.9) / moment
    for method in ('reduced', 'augmented'):
        report = constraint_forces(one, q, mode='forward', gravity=DOWN_Y, method=method)
        assert_allclose(report.accelerations[0], wanted, rtol=1e-8)


def test_limits_of_actuators_are_named():
    report = constraint_forces(pendulum(limits=Limits(effort=5.0)), [0.0])
    assert report.overloads == (('hip', pytest.approx(-G), 5.0),)
    assert "The actuator at 'hip' needs 9.81, above its limit 5." in report.summary


def test_webots_world_of_springs(shared_robot):
    """After 70 steps of 32 ms Webots' test finds sliders and hinges within 0.01 of rest."""
    model = load_model(shared_robot('webots/spring_damping_force.wbt'))
    start, time = 0.25, 70 * 0.032
    q = model.zero.copy()
    sliding, turning = 'END_POINT_SOLID_1_joint', 'END_POINT_SOLID_3_joint'
    names = {PRISMATIC: sliding, JointType.CONTINUOUS: turning}
    places = [model.coordinates_of(name).start for name in names.values()]
    q[places] = start
    report = constraint_forces(model, q, mode='forward', gravity=(0.0, 0.0, 0.0))
    moved, _ = integrate(model, q, np.zeros(model.nv), time, 100, gravity=(0.0, 0.0, 0.0))
    for (kind, name), place, (k, b) in zip(
        names.items(), places, ((5.0, 1.75), (10.0, 0.5)), strict=True
    ):
        load = report.load(name)
        assert_allclose(load.efforts['spring'], -k * start, **CLOSE)
        # The parent does not move: one coordinate, whose inertia its first acceleration shows.
        inertia = -k * start / report.accelerations[model.velocities_of(name)][0]
        sphere = model.links[model.link_id(load.child)].inertia
        assert inertia > 0.999 * sphere.mass * (1.0 if kind is PRISMATIC else 0.25**2)
        decay, turn = 0.5 * b / inertia, math.sqrt(k / inertia - (0.5 * b / inertia) ** 2)
        wave = math.cos(turn * time) + decay / turn * math.sin(turn * time)
        assert_allclose(moved[place], start * math.exp(-decay * time) * wave, atol=1e-5)
        assert abs(moved[place]) < 0.01
