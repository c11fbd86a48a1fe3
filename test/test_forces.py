# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Forces against Newton, and against each other: methods, roots, cuts, gains."""

from __future__ import annotations

from dataclasses import replace

from force_models import CLOSURES
from force_models import compare
from force_models import DOWN_Y
from force_models import energy
from force_models import four_bar_state
from force_models import G
from force_models import heavy_four_bar
from force_models import integrate
from force_models import loop
from force_models import Mechanism
from force_models import point
from force_models import T
from force_models import with_mass
from force_models import with_random_mass
from force_models import Y
from loop_models import Z
import numpy as np
from numpy.testing import assert_allclose
import pytest
from random_robots import moving
from random_robots import random_pose
from test_dynamics import GRAVITY

from kinematics_node.fk import frame_accelerations
from kinematics_node.fk import frame_poses
from kinematics_node.fk import frame_velocities
from kinematics_node.fk import Reference
from kinematics_node.forces import constraint_forces
from kinematics_node.forces import ExternalWrench
from kinematics_node.forces import Payload
from kinematics_node.forces.wrench_maps import free_directions
from kinematics_node.model.elements import Coupling
from kinematics_node.model.elements import Frame
from kinematics_node.model.elements import IDENTITY_POSE
from kinematics_node.model.elements import Mimic
from kinematics_node.spatial import invert
from kinematics_node.spatial import rotation_rows
from kinematics_node.state import State


@pytest.mark.parametrize('seed', range(6))
def test_the_constraint_wrench_is_the_total_less_its_part_along_the_free_motion(seed):
    model, q, v, _ = loop(seed, 'point')
    world = constraint_forces(model, q, v, frame='world')
    _, solution = world.parts()
    for link, load in enumerate(world.joints, start=1):
        S = free_directions(model, q, solution.X, link)
        assert_allclose(
            load.constraint, load.total - S @ np.linalg.pinv(S) @ load.total, atol=1e-9
        )
        for frame, body in (('parent', load.parent), ('child', load.child)):
            turned = constraint_forces(model, q, v, frame=frame).load(load.name)
            R = np.array(rotation_rows(tuple(frame_poses(model, q, [body])[0][:4])))
            assert_allclose(R @ turned.constraint[:3], load.constraint[:3], atol=1e-9)
            assert_allclose(R @ turned.constraint[3:], load.constraint[3:], atol=1e-9)
            assert_allclose(R @ turned.point + frame_poses(model, q, [body])[0][4:], load.point)


@pytest.mark.parametrize('mode', ['inverse', 'forward'])
@pytest.mark.parametrize(('seed', 'kind'), list(enumerate(CLOSURES)))
def test_reduced_is_augmented(seed, kind, mode):
    model, q, v, rng = loop(seed, kind)
    request = {
        'mode': mode,
        'gravity': (1.0, 2.0, -9.0),
        'payloads': [Payload('l2', 1.3, (0.1, 0.2, 0.3), (0.1, 0.1, 0.1, 0, 0, 0))],
        'external': [ExternalWrench('l3', *rng.normal(size=(3, 3)), 'l5')],
        'frame': ('parent', 'child', 'world')[seed % 3],
    }
    if mode == 'inverse':
        request['a'] = rng.normal(size=model.nv)
    else:
        request.update(efforts=rng.normal(size=model.nv), baumgarte=(3.0, 4.0))
    mine = constraint_forces(model, q, v, **request)
    compare(mine, constraint_forces(model, q, v, method='augmented', **request))
    assert_allclose(mine.wrenches, [joint.total for joint in mine.joints], atol=1e-9)
    assert_allclose(sum(mine.efforts.values()), mine.parts()[1].along, atol=1e-9)


@pytest.mark.parametrize('mode', ['inverse', 'forward'])
@pytest.mark.parametrize('kind', ['fixed', 'revolute', 'point'])
def test_reduced_is_augmented_where_rows_are_redundant(kind, mode):
    model, q, v, _ = loop(3, kind, closed=True, times=2)
    mine = constraint_forces(model, q, v, mode=mode)
    compare(mine, constraint_forces(model, q, v, mode=mode, method='augmented'))
    assert not mine.determinate
    # Two equal closures carry the same, and each is unknown in all that it holds.
    assert_allclose(mine.load('c0').total, mine.load('c1').total, atol=1e-9)
    rows = {'fixed': 6, 'revolute': 5, 'point': 3}[kind]
    assert len(mine.load('c0').unknown) >= rows


def test_couplings_mimics_and_brakes_agree_too():
    kinds = (T.REVOLUTE, T.PRISMATIC, T.CONTINUOUS, T.REVOLUTE, T.REVOLUTE)
    model, q, v, _ = loop(4, 'distance', kinds=kinds)
    assert 'follower' in model.mimics
    builder = model.edit()
    single = [j.name for j in model.joints if j.type.is_single_axis and j.name not in model.mimics]
    builder.add_coupling(Coupling('gear', ((single[0], 2.0), (single[1], -1.0))))
    for k, joint in builder.joints.items():
        if joint.name == single[2]:
            builder.joints[k] = replace(joint, axes=(replace(joint.axes[0], braked=True),))
    model = builder.finalize()
    assert {m.group for m in constraint_forces(model, q).multipliers} == {
        'closure',
        'coupling',
        'mimic',
        'brake',
    }
    for mode in ('inverse', 'forward'):
        compare(
            constraint_forces(model, q, v, mode=mode),
            constraint_forces(model, q, v, mode=mode, method='augmented'),
        )


def test_gears_and_mimics_pass_efforts_on():
    def arm(**keywords):
        return (
            Mechanism()
            .add('a', T.REVOLUTE, 'ground', 'one', point(1.0, 0.5, 0, 0), axes=(Y,))
            .add('b', T.REVOLUTE, 'ground', 'two', point(2.0, 0.4, 0, 0), axes=(Y,), **keywords)
        )

    geared = arm()
    geared.builder.add_coupling(Coupling('gear', (('a', 3.0), ('b', 1.0))))
    moment_a, moment_b = -G * 0.5, -2.0 * G * 0.4
    report = constraint_forces(geared.finalize(), [0.0, 0.0], actuated=['a'])
    # b = -3 a: the gear carries b's moment, and a takes it three times the other way.
    assert_allclose(report.multiplier_values, moment_b)
    assert_allclose(report.actuator_efforts, (moment_a - 3.0 * moment_b, 0.0))
    assert_allclose(report.efforts['coupling'], (3.0 * moment_b, moment_b))
    follower = arm(mimic=Mimic('a', -3.0)).finalize()
    report = constraint_forces(follower, [0.0, 0.0])
    assert report.actuated == ('a',)
    assert_allclose(report.actuator_efforts, (moment_a - 3.0 * moment_b, 0.0))
    assert report.multipliers[0].meaning == "effort of the mimic along 'b'"
    assert report.multipliers[0].group == 'mimic'


@pytest.mark.parametrize('seed', [0, 5])
def test_every_link_obeys_newton_and_euler(seed):
    """The wrenches reported on a link, gravity and its payload accelerate it, about its centre."""
    model, q, v, rng = loop(seed, 'revolute')
    a = rng.normal(size=model.nv)
    report = constraint_forces(model, q, v, a=a, frame='world', gravity=GRAVITY)
    for link in model.links[1:]:
        force = np.zeros(3)
        for load in (*report.joints, *report.closures):
            for side, sign in ((load.child, 1.0), (load.parent, -1.0)):
                if side == link.name:
                    force += sign * load.total[3:]
        center = np.array(link.inertia.center)
        frame = model.edit()
        frame.add_frame(Frame('center', link.name, (1, 0, 0, 0, *center)))
        heavy = frame.finalize()
        acceleration = frame_accelerations(heavy, q, v, a, 'center')[3:]
        assert_allclose(force + link.inertia.mass * (GRAVITY - acceleration), 0.0, atol=1e-9)


def test_rooted_elsewhere_the_same_joints_carry_the_same():
    """Two free bodies, one hinge: rooted at either, wrenches and motion are the same."""
    rng = np.random.default_rng(8)
    hinge = random_pose(rng)
    first = with_random_mass(
        Mechanism()
        .add('free', T.FLOATING, 'ground', 'A')
        .add('hinge', T.REVOLUTE, 'A', 'B', None, hinge, (Z,))
        .finalize(),
        rng,
    )
    inertias = {link.name: link.inertia for link in first.links}
    X_PF, X_MC = IDENTITY_POSE, invert(hinge)
    second = with_mass(
        Mechanism()
        .add('free', T.FLOATING, 'ground', 'B')
        .add('hinge', T.REVOLUTE, 'B', 'A', None, X_PF, (Z,), X_MC=X_MC)
        .finalize(),
        inertias,
    )
    q = np.array((*random_pose(rng), 0.7))
    v = rng.normal(size=7)
    X_WB = frame_poses(first, q, 'B')
    V_B = frame_velocities(first, q, v, 'B', Reference.LOCAL)
    q2 = np.array((*X_WB, -0.7))
    v2 = np.array((*V_B, -v[6]))
    push = [ExternalWrench('A', (1.0, 2.0, 3.0), (0.1, 0.2, 0.3), (0.4, 0.5, 0.6))]
    request = {'mode': 'forward', 'external': push, 'frame': 'world'}
    mine = constraint_forces(first, q, v, efforts={'hinge': 0.8}, **request)
    other = constraint_forces(second, q2, v2, efforts={'hinge': -0.8}, **request)
    assert_allclose(mine.accelerations[6], -other.accelerations[6], atol=1e-9)
    assert_allclose(mine.load('hinge').total, -other.load('hinge').total, atol=1e-9)
    assert mine.load('hinge').total[:3].any()


@pytest.mark.parametrize('cut', ['coupler', 'tip', 'rocker'])
def test_it_does_not_matter_where_a_loop_is_cut(cut):
    theta, wanted = 0.9, None
    for where in ('crank', cut):
        model = heavy_four_bar(where)
        q = four_bar_state(model, theta)
        report = constraint_forces(model, q, actuated=[], frame='world', gravity=(0, 0, -9))
        found = {}
        for name in ('crank', 'coupler', 'tip', 'rocker'):
            load = report.load(name)
            sign = 1.0 if load.parent in ('ground', 'crank', 'coupler') else -1.0
            if (load.parent, load.child) == ('rocker', 'coupler'):
                sign = -1.0
            if (load.parent, load.child) == ('coupler', 'crank'):
                sign = -1.0
            found[name] = sign * load.constraint
            assert load.unknown_components == ('tau_x', 'tau_y', 'f_z')
        if wanted is None:
            wanted = found
        for name, load in found.items():
            # What is not determined is shared alike, too.
            assert_allclose(load, wanted[name], atol=1e-8)


def test_energy_is_kept():
    model = with_random_mass(moving(4, links=6)[0], np.random.default_rng(4))
    state = State.random(model, np.random.default_rng(5), 0.5)
    start = energy(model, state.q, state.v, GRAVITY)
    q, v = integrate(model, state.q, state.v, 0.2, 40, gravity=GRAVITY)
    assert abs(energy(model, q, v, GRAVITY) - start) < 1e-5 * (1.0 + abs(start))
    assert np.abs(q - state.q).max() > 0.05


def test_loops_drift_less_with_baumgarte():
    model = heavy_four_bar(kind='ball')
    q = four_bar_state(model, 0.9)
    start = energy(model, q, np.zeros(3), DOWN_Y)
    residuals = []
    for gains in ((0.0, 0.0), (20.0, 20.0)):
        end, rates = integrate(model, q, np.zeros(3), 1.0, 50, gravity=DOWN_Y, baumgarte=gains)
        report = constraint_forces(model, end, rates)
        residuals.append((report.residual, report.rate_residual))
        assert abs(energy(model, end, rates, DOWN_Y) - start) < 1e-2
    assert residuals[1][0] < 0.2 * residuals[0][0]
    assert residuals[0][0] < 1e-2


def test_baumgarte_pulls_open_loops_together():
    model = heavy_four_bar(kind='ball')
    q = four_bar_state(model, 0.9) + np.array((0.0, 0.01, 0.0))
    alpha, beta = 3.0, 5.0
    report = constraint_forces(model, q, mode='forward', baumgarte=(alpha, beta))
    solution = report.parts()[1]
    assert_allclose(solution.acceleration_residual, -(beta**2) * solution.phi, atol=1e-9)
    assert 'Constraints are open by up to' in report.summary
