# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Forces against Pinocchio, MuJoCo, Newton, and each other; what is refused."""

from __future__ import annotations

from dataclasses import replace
import math

from force_models import DOWN_Y
from force_models import energy
from force_models import four_bar_state
from force_models import G
from force_models import heavy_four_bar
from force_models import integrate
from force_models import Mechanism
from force_models import point
from force_models import with_mass
from force_models import with_random_mass
from force_models import X
from force_models import Y
from loop_models import at
from loop_models import random_positions
from loop_models import random_tree
from loop_models import Z
import mujoco
import numpy as np
from numpy.testing import assert_allclose
import pinocchio as pin
from pinocchio_oracle import se3
import pytest
from random_robots import moving
from random_robots import random_pose
from test_dynamics import GRAVITY
from test_dynamics import heavy_twin

from kinematics_node.errors import NameLookupError
from kinematics_node.errors import ValueShapeError
from kinematics_node.fk import frame_accelerations
from kinematics_node.fk import frame_poses
from kinematics_node.fk import frame_velocities
from kinematics_node.fk import Reference
from kinematics_node.forces import constraint_forces
from kinematics_node.forces import ExternalWrench
from kinematics_node.forces import Payload
from kinematics_node.forces.plan import plan_of
from kinematics_node.formats.load import load_model
from kinematics_node.model.ball_joint import anchored_frames
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import Closure
from kinematics_node.model.elements import Coupling
from kinematics_node.model.elements import Frame
from kinematics_node.model.elements import IDENTITY_POSE
from kinematics_node.model.elements import Inertia
from kinematics_node.model.elements import Mimic
from kinematics_node.model.joint_types import JointType
from kinematics_node.spatial import compose
from kinematics_node.spatial import invert
from kinematics_node.state import State

T = JointType
MIXED = (T.REVOLUTE, T.UNIVERSAL, T.BALL, T.PRISMATIC, T.PLANAR, T.FIXED, T.FLOATING, T.REVOLUTE)
CLOSURES = ('point', 'revolute', 'fixed', 'distance', 'prismatic', 'universal', 'planar')


def loop(seed, kind, closed=False, kinds=MIXED, times=1):
    """Return a random model with a loop, with positions and velocities; closed ones satisfy it."""
    rng = np.random.default_rng(seed)
    builder, ends = random_tree(
        rng, [kinds[k] for k in rng.permutation(len(kinds))], seed % 2 == 0
    )
    model = with_random_mass(builder.finalize(), rng)
    q, v = random_positions(model, rng), rng.normal(size=model.nv)
    builder, X_LA, X_LB = model.edit(), random_pose(rng), random_pose(rng)
    if closed:
        X_WA, X_WB = (tuple(X) for X in frame_poses(model, q, ends))
        X_LB = compose(invert(X_WB), compose(X_WA, X_LA))
    for n in range(times):
        builder.add_closure(Closure(f'c{n}', kind, *ends, X_LA, X_LB, Z, Z, 0.7))
    model = builder.finalize()
    if closed:
        J = constraint_forces(model, q).parts()[1].J
        v = v - np.linalg.pinv(J) @ (J @ v)
    return model, q, v, rng


def compare(mine, other):
    """Assert that two reports say the same."""
    assert_allclose(mine.wrenches, other.wrenches, atol=1e-9)
    assert_allclose(mine.multiplier_values, other.multiplier_values, atol=1e-9)
    assert_allclose(mine.accelerations, other.accelerations, atol=1e-9)
    assert_allclose(mine.actuator_efforts, other.actuator_efforts, atol=1e-9)
    assert_allclose(mine.base, other.base, atol=1e-9)
    assert mine.summary == other.summary.replace('augmented', 'reduced')
    for report in (mine, other):
        assert abs(report.power.residual) < 1e-10 * (1.0 + abs(report.power.kinetic))


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


@pytest.mark.parametrize(('kind', 'contact'), [('fixed', '6D'), ('point', '3D')])
@pytest.mark.parametrize('seed', [1, 2])
def test_forward_dynamics_of_loops_is_pinocchios(kind, contact, seed):
    kinds = (T.REVOLUTE, T.UNIVERSAL, T.BALL, T.PRISMATIC, T.FIXED, T.REVOLUTE, T.FLOATING)
    model, q, v, rng = loop(2 * seed + 1, kind, closed=True, kinds=kinds)
    tau = rng.normal(size=model.nv)
    report = constraint_forces(model, q, v, mode='forward', efforts=tau, gravity=GRAVITY)
    assert report.residual < 1e-9
    assert_allclose(
        their_accelerations(model, q, v, tau, contact), report.accelerations, atol=1e-6
    )


def their_accelerations(model, q, v, tau, contact):
    """Return constrained accelerations by Pinocchio, in our coordinates."""
    twin = heavy_twin(model)
    ways = {'6D': pin.ContactType.CONTACT_6D, '3D': pin.ContactType.CONTACT_3D}
    contacts = pin.StdVec_RigidConstraintModel()
    for closure in model.closures:
        sides = []
        for link, X_L in ((closure.link_A, closure.X_LA), (closure.link_B, closure.X_LB)):
            placed = twin.pin.frames[twin.frame(link)].placement
            sides += [twin.joint_of[model.link_index[link]], placed * se3(X_L)]
        contacts.append(pin.RigidConstraintModel(ways[contact], twin.pin, *sides, pin.LOCAL))
    datas = pin.StdVec_RigidConstraintData()
    for one in contacts:
        datas.append(one.createData())
    pin.initConstraintDynamics(twin.pin, twin.data, contacts, datas)
    state = (twin.positions(q), twin.rates(q, v), np.linalg.inv(twin.rate_map(q)).T @ tau)
    settings = pin.ProximalSettings(1e-12, 1e-12, 100)
    found = pin.constraintDynamics(twin.pin, twin.data, *state, contacts, datas, settings)
    free = twin.accelerations(q, v, np.zeros(model.nv))
    return np.linalg.solve(twin.rate_map(q), found - free)


def digit(shared_robot):
    folder = shared_robot('digit_like')
    return load_model(folder / 'robot.urdf', side_cars=[folder / 'robot.yaml'])


def test_digit_forward_is_pinocchios(shared_robot):
    model = digit(shared_robot)
    rng = np.random.default_rng(0)
    q = model.zero
    J = constraint_forces(model, q).parts()[1].J
    v = rng.normal(size=model.nv)
    v -= np.linalg.pinv(J) @ (J @ v)
    tau = rng.normal(size=model.nv)
    report = constraint_forces(model, q, v, mode='forward', efforts=tau, gravity=GRAVITY)
    theirs = their_accelerations(model, q, v, tau, '6D')
    assert report.residual < 1e-4
    assert_allclose(theirs, report.accelerations, rtol=1e-3, atol=1e-3 * np.abs(theirs).max())


def test_digit_stands_on_its_motors(shared_robot):
    model = digit(shared_robot)
    report = constraint_forces(model, model.zero)
    assert report.actuated_from == 'the description'
    assert len(report.actuated) == 6
    compare(report, constraint_forces(model, model.zero, method='augmented'))


@pytest.mark.parametrize('seed', [0, 1])
def test_open_trees_fall_as_pinocchios(seed):
    model, q, v, tau = moving(seed)
    twin = heavy_twin(model)
    T_pin = twin.rate_map(q)
    report = constraint_forces(model, q, v, mode='forward', efforts=tau, gravity=GRAVITY)
    state = (twin.positions(q), twin.rates(q, v), np.linalg.inv(T_pin).T @ tau)
    found = pin.aba(twin.pin, twin.data, *state)
    free = twin.accelerations(q, v, np.zeros(model.nv))
    assert_allclose(report.accelerations, np.linalg.solve(T_pin, found - free), atol=1e-8)
    back = constraint_forces(model, q, v, a=report.accelerations, gravity=GRAVITY)
    actuated = np.isin(model.velocity_names, back.actuated)
    assert_allclose(back.actuator_efforts[actuated], tau[actuated], atol=1e-9)


MJCF = """
<mujoco>
  <option gravity="0.4 -1.2 -9.7"/>
  <compiler angle="radian"/>
  <worldbody>
    <body name="a" pos="0.1 0.2 0.3"><joint name="ja" axis="0 0 1" pos="0 0 0"/>
      <inertial pos="0.3 0 0.1" mass="2" diaginertia="0.1 0.2 0.15"/>
      <body name="b" pos="0.6 0 0"><joint name="jb" axis="0 1 0"/>
        <inertial pos="0.2 0.1 0" mass="1" diaginertia="0.05 0.05 0.04"/>
      </body>
    </body>
    <body name="c" pos="0.9 -0.3 0.3"><joint name="jc" type="slide" axis="1 0 0"/>
      <joint name="jd" axis="0 1 0"/>
      <inertial pos="0 0.1 0.2" mass="3" diaginertia="0.2 0.1 0.2"/>
    </body>
  </worldbody>
  {equality}
</mujoco>"""
CONNECT = (
    '<equality><connect body1="b" body2="c" anchor="0.2 -0.1 0.1" solref="0.002 1" '
    'solimp="0.99999 0.99999 0.001 0.5 2"/></equality>'
)


def mjcf_model(connect):
    """Return the robot of MJCF."""

    def body(mass, center, *moments):
        return Inertia(mass, center, (*moments, 0.0, 0.0, 0.0))

    mechanism = (
        Mechanism()
        .add(
            'ja',
            T.REVOLUTE,
            'ground',
            'a',
            body(2.0, (0.3, 0.0, 0.1), 0.1, 0.2, 0.15),
            at(0.1, 0.2, 0.3),
            (Z,),
        )
        .add(
            'jb', T.REVOLUTE, 'a', 'b', body(1.0, (0.2, 0.1, 0.0), 0.05, 0.05, 0.04), at(0.6), (Y,)
        )
        .add('jc', T.PRISMATIC, 'ground', 'slide', None, at(0.9, -0.3, 0.3), (X,))
        .add('jd', T.REVOLUTE, 'slide', 'c', body(3.0, (0.0, 0.1, 0.2), 0.2, 0.1, 0.2), axes=(Y,))
    )
    if connect:
        # In the zero pose b's anchor stands at (0.9, 0.1, 0.4).
        mechanism.close('pin', 'point', 'b', 'c', at(0.2, -0.1, 0.1), at(0.0, 0.4, 0.1))
    return mechanism.finalize()


def test_mujocos_forces_between_bodies():
    model = mjcf_model(False)
    theirs = mujoco.MjModel.from_xml_string(MJCF.format(equality=''))
    data = mujoco.MjData(theirs)
    rng = np.random.default_rng(3)
    data.qpos[:], data.qvel[:], data.qfrc_applied[:] = rng.normal(size=(3, 4))
    mujoco.mj_forward(theirs, data)
    mujoco.mj_rnePostConstraint(theirs, data)
    report = constraint_forces(
        model,
        data.qpos,
        data.qvel,
        mode='forward',
        efforts=data.qfrc_applied,
        gravity=GRAVITY,
        frame='world',
    )
    assert_allclose(report.accelerations, data.qacc, atol=1e-9)
    for joint, body in (('ja', 'a'), ('jb', 'b'), ('jd', 'c')):
        load, index = report.load(joint), theirs.body(body).id
        about = data.subtree_com[theirs.body_rootid[index]]
        tau, f = data.cfrc_int[index, :3], data.cfrc_int[index, 3:]
        assert_allclose(load.total[3:], f, atol=1e-9)
        assert_allclose(load.total[:3], tau + np.cross(about - load.point, f), atol=1e-9)


def test_mujocos_stiff_connection():
    model = mjcf_model(True)
    theirs = mujoco.MjModel.from_xml_string(MJCF.format(equality=CONNECT))
    data = mujoco.MjData(theirs)
    data.qfrc_applied[:] = (1.0, -2.0, 3.0, 0.5)
    mujoco.mj_forward(theirs, data)
    report = constraint_forces(
        model, data.qpos, mode='forward', efforts=data.qfrc_applied, gravity=GRAVITY
    )
    assert report.residual < 1e-12
    assert_allclose(report.accelerations, data.qacc, rtol=1e-3, atol=1e-3)
    solution = report.parts()[1]
    push = solution.J.T @ solution.multipliers
    assert_allclose(push, data.qfrc_constraint, rtol=1e-3, atol=1e-3)


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


def test_who_says_what_is_actuated():
    model = heavy_four_bar()
    q = four_bar_state(model, 0.9)
    report = constraint_forces(model, q)
    assert report.actuated == ('crank', 'coupler', 'rocker')
    assert report.actuated_from == 'nothing; all single-axis joints are taken'
    assert constraint_forces(model, q, measured=['crank']).actuated_from == 'the measured joints'
    said = model.edit()
    for k, joint in said.joints.items():
        said.joints[k] = replace(joint, actuated=joint.name == 'rocker')
    report = constraint_forces(said.finalize(), q, measured=['crank'])
    assert (report.actuated, report.actuated_from) == (('rocker',), 'the description')
    report = constraint_forces(said.finalize(), q, actuated=['crank'])
    assert (report.actuated, report.actuated_from) == (('crank',), 'the request')
    assert 'as said by the request' in report.summary


def test_only_the_joints_asked_for():
    model = heavy_four_bar()
    report = constraint_forces(model, four_bar_state(model, 0.9), joints=['rocker', 'tip'])
    assert [joint.name for joint in report.joints] == ['rocker']
    assert [closure.name for closure in report.closures] == ['tip']


def test_plans_are_made_once():
    model = heavy_four_bar()
    assert plan_of(model) is plan_of(model)


def arm():
    """Return a planar arm with a ball at its end."""
    X_PF, X_MC = anchored_frames(IDENTITY_POSE, (0.0, 0.0, 0.0))
    mechanism = Mechanism()
    mechanism.add('hip', T.REVOLUTE, 'ground', 'thigh', point(1.0, 0.2, 0, 0), axes=(Y,))
    mechanism.add('weld', T.FIXED, 'thigh', 'plate')
    mechanism.add(
        'ball',
        T.BALL,
        'plate',
        'foot',
        point(1.0, 0, 0, 0.1),
        X_PF,
        map(Axis, (X, Y, Z)),
        X_MC=X_MC,
    )
    return mechanism.finalize()


Q = (0.1, 1.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ('request_', 'sentence'),
    [
        ({'q': (0.1, 1.0)}, r'q has shape \(2,\); the model takes 5 numbers'),
        ({'q': (math.nan, 1, 0, 0, 0)}, "'hip': nan is not finite"),
        ({'q': (0.1, 0, 0, 0, 0)}, "the quaternion of 'ball' has no length"),
        ({'v': (1.0, 2.0)}, r'v has shape \(2,\)'),
        ({'a': (1.0, 2.0)}, r'a has shape \(2,\)'),
        ({'v': (1, 2, 3, math.inf)}, "'ball/w_z': inf is not finite"),
        ({'mode': 'sideways'}, "mode 'sideways' is unknown; it is one of: inverse, forward"),
        ({'method': 'magic'}, "method 'magic' is unknown; it is one of: reduced, augmented"),
        ({'frame': 'moon'}, "frame 'moon' is unknown; it is one of: parent, child, world"),
        ({'efforts': (1, 2, 3, 4)}, "efforts are what mode 'inverse' finds"),
        ({'mode': 'forward', 'a': (1, 2, 3, 4)}, "accelerations a are what mode 'forward' finds"),
        ({'mode': 'forward', 'efforts': (1, 2)}, r'efforts has shape \(2,\)'),
        ({'mode': 'forward', 'efforts': {'ball': 1.0}}, "'ball' takes 3 efforts, not 1"),
        ({'mode': 'forward', 'efforts': {'hip': math.nan}}, "'effort of hip': nan is not finite"),
        ({'actuated': ['weld']}, "joint 'weld' is fixed and cannot be actuated"),
        ({'gravity': (0, 0)}, r'gravity has shape \(2,\); it takes 3 numbers'),
        ({'gravity': (0, 0, math.nan)}, "'gravity': nan is not finite"),
        ({'baumgarte': (-1, 0)}, 'baumgarte gains -1 and 0 must not be negative'),
        ({'payloads': [Payload('foot', -1.0)]}, "payload on 'foot': mass -1 kg is negative"),
        ({'payloads': [Payload('foot', math.nan)]}, "payload on 'foot', mass: nan is not finite"),
        ({'payloads': [Payload('foot', 1.0, (0, 0))]}, "payload on 'foot', center has shape"),
        (
            {'payloads': [Payload('foot', 1.0, inertia=(1, 1, 3, 0, 0, 0))]},
            "payload on 'foot': principal moments 1, 1, 3",
        ),
        (
            {'external': [ExternalWrench('foot', (0, math.inf, 0))]},
            "external wrench on 'foot', force': inf is not finite",
        ),
        (
            {'external': [ExternalWrench('foot', point=(0, 1))]},
            "external wrench on 'foot', point has shape",
        ),
    ],
)
def test_refused(request_, sentence):
    q = request_.pop('q', Q)
    with pytest.raises(ValueShapeError, match=sentence):
        constraint_forces(arm(), q, **request_)


@pytest.mark.parametrize(
    ('request_', 'sentence'),
    [
        ({'joints': ['knee']}, "there is no joint 'knee'"),
        ({'actuated': ['knee']}, "there is no joint 'knee'"),
        ({'mode': 'forward', 'efforts': {'knee': 1.0}}, "there is no joint 'knee'"),
        ({'external': [ExternalWrench('hand')]}, "there is no frame 'hand'"),
        ({'external': [ExternalWrench('foot', frame='hand')]}, "there is no frame 'hand'"),
        ({'payloads': [Payload('hand', 1.0)]}, "there is no frame 'hand'"),
    ],
)
def test_refused_names(request_, sentence):
    with pytest.raises(NameLookupError, match=sentence):
        constraint_forces(arm(), Q, **request_)


def test_a_load_that_is_not_there():
    with pytest.raises(NameLookupError, match="there is no joint 'knee'"):
        constraint_forces(arm(), Q).load('knee')
