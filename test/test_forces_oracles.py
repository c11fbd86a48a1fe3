# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Forces against Pinocchio and MuJoCo."""

from __future__ import annotations

from force_models import compare
from force_models import loop
from force_models import Mechanism
from force_models import T
from force_models import X
from force_models import Y
from loop_models import at
from loop_models import Z
import mujoco
import numpy as np
from numpy.testing import assert_allclose
import pinocchio as pin
from pinocchio_oracle import se3
import pytest
from random_robots import moving
from test_dynamics import GRAVITY
from test_dynamics import heavy_twin

from kinematics_node.forces import constraint_forces
from kinematics_node.formats.load import load_model
from kinematics_node.model.elements import Inertia
from kinematics_node.solve import LoopSolver


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
    motors = [joint.name for joint in model.joints if joint.actuated]
    q = LoopSolver(model, measured=motors).assemble(model.zero).q
    J = constraint_forces(model, q).parts()[1].J
    v = rng.normal(size=model.nv)
    v -= np.linalg.pinv(J) @ (J @ v)
    tau = rng.normal(size=model.nv)
    report = constraint_forces(model, q, v, mode='forward', efforts=tau, gravity=GRAVITY)
    theirs = their_accelerations(model, q, v, tau, '6D')
    assert report.residual < 1e-8
    assert_allclose(theirs, report.accelerations, rtol=1e-5, atol=1e-5 * np.abs(theirs).max())


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
