# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Forces against hand calculations: signs, lever arms, shares."""

from __future__ import annotations

import math

from force_models import BALL
from force_models import CLOSE
from force_models import door
from force_models import DOWN_Y
from force_models import FIXED
from force_models import FOUR_BAR
from force_models import four_bar_angles
from force_models import four_bar_state
from force_models import G
from force_models import heavy_four_bar
from force_models import Mechanism
from force_models import pendulum
from force_models import point
from force_models import PRISMATIC
from force_models import REVOLUTE
from force_models import X
from force_models import Y
from loop_models import at
from loop_models import Z
import numpy as np
from numpy.testing import assert_allclose
import pytest
from transforms3d.quaternions import axangle2quat
from transforms3d.quaternions import rotate_vector

from kinematics_node.forces import constraint_forces
from kinematics_node.forces import ExternalWrench
from kinematics_node.forces import Payload


def test_pendulum_pulls_down_and_is_held_up():
    # About +y gravity turns x towards -z: it pulls with +2 g 0.5, the motor against it.
    report = constraint_forces(pendulum(), [0.3])
    assert_allclose(report.actuator_efforts, -2.0 * G * 0.5 * math.cos(0.3), **CLOSE)
    hip = report.load('hip')
    assert_allclose(hip.total, (0, -G * math.cos(0.3), 0, 0, 0, 2 * G), **CLOSE)
    assert_allclose(hip.constraint, (0, 0, 0, 0, 0, 2 * G), **CLOSE)
    assert (hip.parent, hip.child, hip.frame, hip.type) == ('ground', 'bob', 'ground', 'revolute')
    assert_allclose(report.base, hip.total, **CLOSE)
    in_child = constraint_forces(pendulum(), [0.3], frame='child').load('hip')
    assert in_child.frame == 'bob'
    f = 2 * G
    assert_allclose(in_child.total[3:], (-f * math.sin(0.3), 0, f * math.cos(0.3)), **CLOSE)


def test_pendulum_falls_and_swings():
    report = constraint_forces(pendulum(), [0.3], [4.0], mode='forward')
    assert_allclose(report.accelerations, G * math.cos(0.3) / 0.5, **CLOSE)
    # Along the rod the hinge pulls the bob inward with m v^2 / r, and carries gravity's part.
    along = np.array((math.cos(0.3), 0.0, -math.sin(0.3)))
    pull = -2.0 * 4.0**2 * 0.5 - 2.0 * G * math.sin(0.3)
    assert_allclose(report.load('hip').total[3:] @ along, pull, **CLOSE)


def test_gravity_points_anywhere():
    report = constraint_forces(pendulum(), [0.0], gravity=(1.0, 2.0, 3.0))
    assert_allclose(report.load('hip').total[3:], (-2.0, -4.0, -6.0), **CLOSE)


def double_pendulum():
    return (
        Mechanism()
        .add('one', REVOLUTE, 'ground', 'upper', point(1.5, 0.8, 0, 0), axes=(Z,))
        .add('two', REVOLUTE, 'upper', 'lower', point(0.7, 0.6, 0, 0), at(0.8), (Z,))
        .finalize()
    )


def test_double_pendulum():
    # Craig, Introduction to Robotics, section 6.7: point masses at the ends, relative angles.
    (m1, l1), (m2, l2) = (1.5, 0.8), (0.7, 0.6)
    (q1, q2), (v1, v2), (a1, a2) = q, v, a = (0.4, -1.1), (1.3, -2.2), (0.6, 3.1)
    c2, s2, c12 = math.cos(q2), math.sin(q2), math.cos(q1 + q2)
    mixed = m2 * (l2 * l2 + l1 * l2 * c2)
    tau = (
        (mixed + (m1 + m2) * l1 * l1 + m2 * l1 * l2 * c2) * a1
        + mixed * a2
        - m2 * l1 * l2 * s2 * (2 * v1 * v2 + v2 * v2)
        + (m1 + m2) * G * l1 * math.cos(q1)
        + m2 * G * l2 * c12,
        mixed * a1 + m2 * l2 * l2 * a2 + m2 * l1 * l2 * s2 * v1 * v1 + m2 * G * l2 * c12,
    )
    report = constraint_forces(double_pendulum(), q, v, a=a, gravity=DOWN_Y)
    assert_allclose(report.actuator_efforts, tau, **CLOSE)
    back = constraint_forces(
        double_pendulum(),
        q,
        v,
        mode='forward',
        efforts={'one': tau[0], 'two': tau[1]},
        gravity=DOWN_Y,
    )
    assert_allclose(back.accelerations, a, **CLOSE)


def test_two_link_arm_with_payload():
    q = (0.3, 0.5)
    empty = constraint_forces(double_pendulum(), q, gravity=DOWN_Y)
    payload = Payload('lower', 4.0, (0.6, 0.0, 0.0))
    loaded = constraint_forces(double_pendulum(), q, gravity=DOWN_Y, payloads=[payload])
    elbow = 4.0 * G * 0.6 * math.cos(0.8)
    shoulder = elbow + 4.0 * G * 0.8 * math.cos(0.3)
    assert_allclose(loaded.actuator_efforts - empty.actuator_efforts, (shoulder, elbow), **CLOSE)
    turned = rotate_vector((0.0, -4.0 * G, 0.0), axangle2quat(Z, -0.8))
    hung = ExternalWrench('lower', turned, point=(0.6, 0.0, 0.0))
    pulled = constraint_forces(double_pendulum(), q, gravity=DOWN_Y, external=[hung])
    assert_allclose(pulled.actuator_efforts, loaded.actuator_efforts, **CLOSE)
    on_ground = ExternalWrench(
        'lower',
        (0.0, -4.0 * G, 0.0),
        point=(0.8 * math.cos(0.3) + 0.6 * math.cos(0.8), 0.0, 0.0),
        frame='ground',
    )
    pulled = constraint_forces(double_pendulum(), q, gravity=DOWN_Y, external=[on_ground])
    assert_allclose(pulled.actuator_efforts, loaded.actuator_efforts, **CLOSE)


def test_cantilever_of_fixed_joints():
    beam = Mechanism()
    parent = 'ground'
    for n in range(3):
        offset = at(0.0 if n == 0 else 0.4)
        beam.add(f'weld{n}', FIXED, parent, f'part{n}', point(1.2, 0.2, 0, 0), offset)
        parent = f'part{n}'
    report = constraint_forces(beam.finalize(), [])
    weight = 1.2 * G
    # The wall holds up the weight, and turns the beam up: about -y.
    moment = -weight * (0.2 + 0.6 + 1.0)
    assert_allclose(report.load('weld0').total, (0, moment, 0, 0, 0, 3 * weight), **CLOSE)
    assert_allclose(report.load('weld2').total, (0, -weight * 0.2, 0, 0, 0, weight), **CLOSE)
    assert_allclose(report.load('weld1').constraint, report.load('weld1').total, **CLOSE)
    assert report.determinate


def test_prismatic_lift():
    lift = (
        Mechanism()
        .add('mast', PRISMATIC, 'ground', 'car', point(100.0, 0.3, 0, 0), axes=(Z,))
        .finalize()
    )
    report = constraint_forces(lift, [2.0], [1.0], a=[0.5])
    force = 100.0 * (G + 0.5)
    assert_allclose(report.actuator_efforts, force, **CLOSE)
    mast = report.load('mast')
    # The guide holds the car against tilting, at its own height.
    assert_allclose(mast.point, (0, 0, 2), **CLOSE)
    assert_allclose(mast.constraint, (0, -force * 0.3, 0, 0, 0, 0), **CLOSE)
    assert_allclose(report.power.sources['actuator'], force, **CLOSE)
    assert_allclose(report.power.sources['gravity'], -100.0 * G, **CLOSE)
    assert_allclose(report.power.kinetic, 50.0, **CLOSE)


@pytest.mark.parametrize('cut', ['crank', 'coupler', 'tip', 'rocker'])
@pytest.mark.parametrize('kind', ['revolute', 'ball'])
def test_four_bar_by_virtual_work(cut, kind):
    def potential(theta):
        angles = four_bar_angles(theta)
        y_crank = FOUR_BAR['crank'] * math.sin(theta)
        return G * (
            1.0 * 0.5 * y_crank
            + 2.0 * (y_crank + 0.5 * FOUR_BAR['coupler'] * math.sin(angles['coupler']))
            + 3.0 * 0.5 * FOUR_BAR['rocker'] * math.sin(angles['rocker'])
        )

    model = heavy_four_bar(cut, kind)
    step, theta = 1e-5, 0.9
    wanted = (potential(theta + step) - potential(theta - step)) / (2.0 * step)
    drive = 'coupler' if cut == 'crank' else 'crank'
    report = constraint_forces(
        model, four_bar_state(model, theta), gravity=DOWN_Y, actuated=[drive]
    )
    assert report.residual < 1e-12
    assert report.held
    if drive == 'crank':
        assert_allclose(report.actuator_efforts.sum(), wanted, rtol=1e-7)
    in_plane = constraint_forces(
        heavy_four_bar('tip', 'revolute'),
        four_bar_state(heavy_four_bar(), theta),
        gravity=DOWN_Y,
        actuated=[drive],
        frame='world',
    )
    turned = constraint_forces(
        model, four_bar_state(model, theta), gravity=DOWN_Y, actuated=[drive], frame='world'
    )
    for pin in ('crank', 'coupler', 'tip', 'rocker'):
        mine, other = turned.load(pin), in_plane.load(pin)
        sign = 1.0 if mine.parent == other.parent else -1.0
        assert_allclose(mine.total[2:5], sign * other.total[2:5], atol=1e-9)
        assert not {'tau_z', 'f_x', 'f_y'} & set(mine.unknown_components)


def test_planar_loops_do_not_determine_what_acts_across_them():
    model = heavy_four_bar()
    report = constraint_forces(model, four_bar_state(model, 0.9), actuated=['crank'])
    assert not report.determinate
    (shared,) = report.shared
    assert set(shared.members) == {'crank', 'coupler', 'tip', 'rocker'}
    assert shared.dimension == 3
    assert set(report.load('tip').unknown_components) == {'tau_x', 'tau_y', 'f_z'}
    assert 'Statics do not determine how' in report.summary


def test_both_ends_of_a_four_bar_driven_share_the_load():
    model = heavy_four_bar()
    q = four_bar_state(model, 0.9)
    report = constraint_forces(model, q, gravity=DOWN_Y, actuated=['crank', 'rocker'])
    assert report.braced == 1
    assert 'brace against each other in 1 way' in report.summary
    alone = [
        constraint_forces(model, q, gravity=DOWN_Y, actuated=[name]).actuator_efforts
        for name in ('crank', 'rocker')
    ]
    # Any mixture of the two balances; the one of least norm is nearest to the origin.
    along = alone[1] - alone[0]
    nearest = alone[0] - along * (along @ alone[0]) / (along @ along)
    assert_allclose(report.actuator_efforts, nearest, atol=1e-9)
    # The coupler can only pass forces along itself.
    assert {'f_x', 'f_y'} & set(report.load('tip').unknown_components) == {'f_x'}


def test_slider_crank_by_virtual_work():
    r, rod, theta, push = 0.2, 0.7, 0.8, -50.0
    slide = r * math.cos(theta) + math.sqrt(rod**2 - (r * math.sin(theta)) ** 2)
    tilt = -math.asin(r * math.sin(theta) / rod)
    model = (
        Mechanism()
        .add('crank', REVOLUTE, 'ground', 'arm', axes=(Z,))
        .add('pin', REVOLUTE, 'arm', 'rod', None, at(r), (Z,))
        .add('guide', PRISMATIC, 'ground', 'piston', axes=(X,))
        .close('wrist', 'revolute', 'rod', 'piston', at(rod), at())
        .finalize()
    )
    q = (theta, tilt - theta, slide)
    report = constraint_forces(
        model,
        q,
        actuated=['crank'],
        external=[ExternalWrench('piston', (push, 0, 0), frame='ground', point=(slide, 0, 0))],
    )
    assert report.residual < 1e-12
    slope = -r * math.sin(theta) - r**2 * math.sin(theta) * math.cos(theta) / (
        math.sqrt(rod**2 - (r * math.sin(theta)) ** 2)
    )
    assert_allclose(report.actuator_efforts[0], -push * slope, rtol=1e-10)
    # The rod has no mass: it pushes along itself, and the guide takes what is across.
    wrist = constraint_forces(
        model,
        q,
        actuated=['crank'],
        frame='world',
        external=[ExternalWrench('piston', (push, 0, 0), frame='ground', point=(slide, 0, 0))],
    ).load('wrist')
    assert_allclose(wrist.total[3:5], (-push, -push * math.tan(tilt)), rtol=1e-10)


def arch(crown):
    """Return two bars of 3 kg from supports 4 m apart to a crown 1.5 m up, in x and z."""
    tilt = math.atan2(1.5, 2.0)
    up = axangle2quat(Y, -tilt)
    over = axangle2quat(Y, -(math.pi - tilt))
    bar = point(3.0, 1.25, 0.0, 0.0)
    left = BALL if crown == 'ball' else REVOLUTE
    axes = (X, Y, Z) if crown == 'ball' else (Y,)
    return (
        Mechanism()
        .add('left', left, 'ground', 'bar1', bar, at(-2.0, turn=tuple(up)), axes)
        .add('right', REVOLUTE, 'ground', 'bar2', bar, at(2.0, turn=tuple(over)), (Y,))
        .close('crown', crown, 'bar1', 'bar2', at(2.5), at(2.5), axis=Y)
        .finalize()
    )


@pytest.mark.parametrize('crown', ['ball', 'revolute'])
def test_arch_of_three_hinges(crown):
    model = arch(crown)
    report = constraint_forces(model, model.zero, actuated=[])
    assert report.residual < 1e-12
    assert report.held
    assert report.determinate == (crown == 'ball')
    weight, thrust = 3.0 * G, 3.0 * G * 2.0 / (2.0 * 1.5)
    left, right, top = (report.load(n) for n in ('left', 'right', 'crown'))
    turned = constraint_forces(model, model.zero, actuated=[], frame='world')
    assert_allclose(left.total[[3, 5]], (thrust, weight), **CLOSE)
    assert_allclose(right.total[[3, 5]], (-thrust, weight), **CLOSE)
    # Bar 1 pushes bar 2 to the right, and by symmetry neither up nor down.
    assert_allclose(turned.load('crown').total[[3, 5]], (thrust, 0.0), **CLOSE)
    assert not {'f_x', 'f_z', 'tau_y'} & set(top.unknown_components)


@pytest.mark.parametrize('cut', ['lower', 'upper'])
def test_door_on_two_hinges(cut):
    model = door(cut)
    report = constraint_forces(model, model.zero, actuated=[], frame='world')
    weight = 20.0 * G
    lower, upper = report.load('lower'), report.load('upper')
    # The upper hinge pulls the door to the post, the lower one pushes it off: W 0.5 m / 2 m.
    assert_allclose(upper.total, (0, 0, 0, -weight / 4, 0, weight / 2), **CLOSE)
    assert_allclose(lower.total, (0, 0, 0, weight / 4, 0, weight / 2), **CLOSE)
    for hinge, other in ((lower, 'upper'), (upper, 'lower')):
        assert not hinge.determinate
        assert hinge.unknown_components == ('f_z',)
        assert_allclose(hinge.unknown, [(0, 0, 0, 0, 0, 1)], atol=1e-12)
        assert hinge.shared_with == (other,)
    assert report.held
    free = [m.determinate for m in report.multipliers]
    assert free == [True, True, False]


@pytest.mark.parametrize('cut', ['lower', 'upper'])
def test_door_on_two_stiff_hinges_determines_little(cut):
    model = door(cut, REVOLUTE, 'revolute')
    report = constraint_forces(model, [0.0], actuated=[], frame='world')
    (shared,) = report.shared
    assert shared.dimension == 5
    for name in ('lower', 'upper'):
        load = report.load(name)
        assert set(load.unknown_components) == {'tau_x', 'tau_y', 'f_x', 'f_y', 'f_z'}
    total = report.load('lower').total + report.load('upper').total
    assert_allclose(total[3:], (0, 0, 20.0 * G), **CLOSE)
    assert_allclose(report.load('lower').total[5], 10.0 * G, **CLOSE)


@pytest.mark.parametrize('mode', ['inverse', 'forward'])
def test_welded_twice_is_shared(mode):
    model = (
        Mechanism()
        .add('post', FIXED, 'ground', 'beam', point(8.0, 1.0, 0, 0))
        .close('wall', 'fixed', 'ground', 'beam', at(2.0), at(2.0))
        .finalize()
    )
    report = constraint_forces(model, [], mode=mode)
    for name in ('post', 'wall'):
        load = report.load(name)
        assert len(load.unknown) == 6
        assert_allclose(load.total[5], 4.0 * G, **CLOSE)
    assert_allclose(report.load('post').total[1], -report.load('wall').total[1], atol=1e-9)
