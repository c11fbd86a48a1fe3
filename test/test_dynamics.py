# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels of dynamics against Pinocchio, closed forms and each other."""

from __future__ import annotations

from force_models import integrate
from force_models import Mechanism
from force_models import point
from force_models import X
from force_models import Y
from loop_models import at
from loop_models import Z
import numpy as np
from numpy.testing import assert_allclose
import pinocchio as pin
from pinocchio_oracle import Twin
import pytest
from random_robots import moving
from transforms3d.quaternions import qmult

from kinematics_node.dynamics.ball_angles import ball_angles
from kinematics_node.dynamics.inertia import factor
from kinematics_node.dynamics.inertia import joint_inertia
from kinematics_node.dynamics.inertia import solve_plain
from kinematics_node.dynamics.inertia import solve_transposed
from kinematics_node.dynamics.inverse import inverse_dynamics
from kinematics_node.dynamics.inverse import WORLD
from kinematics_node.dynamics.passive import passive_table
from kinematics_node.dynamics.passive import write_passive_efforts
from kinematics_node.forces.plan import plan_of
from kinematics_node.formats.load import load_model
from kinematics_node.model.ball_joint import angles_to_quaternion
from kinematics_node.model.elements import Axis
from kinematics_node.model.joint_types import JointType
from kinematics_node.state import State

GRAVITY = np.array((0.4, -1.2, -9.7))
NO_EXTERNAL = np.zeros((0, 6))


def heavy_twin(model):
    """Return a model's twin in Pinocchio, with its inertias."""
    twin = Twin(model)
    for i, link in enumerate(model.links):
        if link.inertia is None:
            continue
        xx, yy, zz, xy, xz, yz = link.inertia.rotational
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        body = pin.Inertia(link.inertia.mass, np.array(link.inertia.center), tensor)
        placement = twin.pin.frames[twin.frame(link.name)].placement
        twin.pin.appendBodyToJoint(twin.joint_of[i], body, placement)
    twin.pin.gravity = pin.Motion(GRAVITY, np.zeros(3))
    twin.data = twin.pin.createData()
    return twin


def inverse(model, q, v, a, gravity=GRAVITY, external=NO_EXTERNAL):
    """Return efforts and wrenches on world axes about the joints' anchors."""
    links = len(model.links)
    efforts, total = np.empty(model.nv), np.empty((links, 6))
    X, F = np.empty((links, 7)), np.empty((links, 6))
    state = [np.array(x, float) for x in (q, v, a)]
    inverse_dynamics(
        model.tree,
        model.placement,
        model.inertia,
        *state,
        gravity,
        external,
        WORLD,
        efforts,
        total,
        X,
        F,
    )
    return efforts, total


def inertia_matrix(model, q):
    """Return M(q)."""
    M = np.empty((model.nv, model.nv))
    joint_inertia(model.tree, model.placement, model.inertia, np.array(q), M)
    return M


@pytest.mark.parametrize('seed', range(4))
def test_inverse_dynamics_is_pinocchios(seed):
    model, q, v, a = moving(seed)
    twin = heavy_twin(model)
    efforts, total = inverse(model, q, v, a)
    state = (twin.positions(q), twin.rates(q, v), twin.accelerations(q, v, a))
    pin.forwardKinematics(twin.pin, twin.data, state[0])
    theirs = pin.rnea(twin.pin, twin.data, *state)
    assert_allclose(efforts, twin.rate_map(q).T @ theirs, atol=1e-11)
    checked = 0
    for k, joint in enumerate(model.joints):
        if joint.type is JointType.FIXED:
            continue
        j = twin.pin.getJointId(joint.name)
        R = twin.data.oMi[j].rotation
        f = twin.data.f[j]
        assert_allclose(total[k + 1], (*(R @ f.angular), *(R @ f.linear)), atol=1e-11)
        checked += 1
    assert checked >= 10


@pytest.mark.parametrize('seed', range(4))
def test_joint_space_inertia_is_pinocchios(seed):
    model, q, _, _ = moving(seed)
    twin = heavy_twin(model)
    theirs = np.triu(pin.crba(twin.pin, twin.data, twin.positions(q)))
    theirs = theirs + np.triu(theirs, 1).T
    T = twin.rate_map(q)
    assert_allclose(inertia_matrix(model, q), T.T @ theirs @ T, atol=1e-12)


def test_inverse_dynamics_is_linear_in_accelerations_by_the_inertia():
    model, q, v, a = moving(7)
    rest = inverse(model, q, v, np.zeros(model.nv))[0]
    assert_allclose(inverse(model, q, v, a)[0] - rest, inertia_matrix(model, q) @ a, atol=1e-11)


def test_factor_solves():
    model, q, _, b = moving(3)
    M = inertia_matrix(model, q)
    L, y, pivots = M.copy(), np.array([b]), np.empty(model.nv)
    assert factor(plan_of(model).ancestor, L, pivots) == -1
    assert_allclose(pivots * np.diag(L), 1.0, rtol=1e-15)
    assert_allclose(np.tril(L).T @ np.tril(L), M, atol=1e-12)
    solve_transposed(plan_of(model).ancestor, L, pivots, y, 0)
    solve_plain(plan_of(model).ancestor, L, pivots, y, 0)
    assert_allclose(M @ y[0], b, atol=1e-10)


def test_factor_names_a_coordinate_without_inertia():
    model = (
        Mechanism()
        .add('one', JointType.REVOLUTE, 'ground', 'arm', point(1.0, 1.0, 0, 0), axes=(Z,))
        .add('two', JointType.REVOLUTE, 'arm', 'tip', None, at(1.0), (Z,))
        .finalize()
    )
    M = inertia_matrix(model, np.zeros(2))
    assert factor(plan_of(model).ancestor, M, np.empty(2)) == 1


def test_external_wrenches_come_off():
    model, q, v, a = moving(2)
    external = np.random.default_rng(0).normal(size=(len(model.links), 6))
    rest = np.zeros(model.nv)
    loaded, total = inverse(model, q, rest, rest, np.zeros(3), external)
    # Nothing else acts: the root passes on what is put on the tree, to the world.
    assert_allclose(total[0, 3:], -external[:, 3:].sum(axis=0), atol=1e-12)
    free, _ = inverse(model, q, v, a)
    assert_allclose(inverse(model, q, v, a, GRAVITY, external)[0] - free, loaded, atol=1e-11)


def test_passive_efforts_of_every_axis():
    axes = (
        Axis(X, spring=2.0, rest=0.5, damping=0.1, brake_damping=0.2, friction=3.0),
        Axis(Y, spring=4.0, friction=1.0, rotor_inertia=0.01, gear_ratio=-20.0),
    )
    model = (
        Mechanism()
        .add('cross', JointType.UNIVERSAL, 'ground', 'a', axes=axes)
        .add('table', JointType.PLANAR, 'a', 'b', axes=(axes[0],), slide_damping=(0.7, 0.8))
        .finalize()
    )
    table = passive_table(model)
    q, v = np.array((0.3, -0.2, 0.1, 0.2, 0.9)), np.array((1.0, 0.0, 2.0, 3.0, -4.0))
    efforts = np.empty((3, 5))
    write_passive_efforts(table.position, table.constants, q, v, efforts)
    assert_allclose(efforts[0], (0.4, 0.8, 0.0, 0.0, -0.8))
    assert_allclose(efforts[1], (-0.3, 0.0, -1.4, -2.4, 1.2))
    assert_allclose(efforts[2], (-3.0, 0.0, 0.0, 0.0, 3.0))
    assert_allclose(table.armature, (0.0, 4.0, 0.0, 0.0, 0.0))
    assert table.acts
    assert not table.is_empty
    assert passive_table(moving(0)[0]).is_empty


def test_angles_of_a_ball_joint_move_as_their_bias_says():
    axes = tuple(Axis(d) for d in (X, Y, (0.6, 0.0, 0.8)))
    directions = tuple(axis.direction for axis in axes)
    angles, rates, h = np.array((0.4, -0.3, 0.8)), np.array((0.5, 1.2, -0.7)), 1e-5

    def velocity(at_angles):
        turn = angles_to_quaternion(directions, at_angles)
        found = ball_angles(axes, turn, (0.0, 0.0, 0.0))
        return np.linalg.inv(found.inverse) @ rates

    turn = angles_to_quaternion(directions, angles)
    w = velocity(angles)
    # A finite turn of the quaternion is what w says.
    after = np.array(angles_to_quaternion(directions, angles + h * rates))
    before = np.array(angles_to_quaternion(directions, angles - h * rates))
    spin = np.array((0.0, *(0.5 * w)))
    assert_allclose((after - before) / (2.0 * h), qmult(turn, spin), atol=1e-8)
    found = ball_angles(axes, turn, tuple(w))
    bias = (velocity(angles + h * rates) - velocity(angles - h * rates)) / (2.0 * h)
    assert_allclose(found.rates, rates, atol=1e-12)
    assert_allclose(found.bias, bias, atol=1e-8)
    assert not found.aligned


def test_aligned_axes_of_a_ball_joint_take_the_least_torque():
    axes = tuple(Axis(d) for d in (X, Y, Z))
    turn = angles_to_quaternion((X, Y, Z), (0.2, 0.5 * np.pi, 0.0))
    found = ball_angles(axes, turn, (0.0, 0.0, 1.0))
    assert found.aligned
    assert np.abs(found.inverse).max() < 10.0


def test_oracle_of_time_integration():
    # A free turn about a principal axis keeps on; the integrator of the tests is of fourth order.
    model = (
        Mechanism()
        .add('hip', JointType.REVOLUTE, 'ground', 'bob', point(1.0, 1.0, 0, 0), axes=(Y,))
        .finalize()
    )
    fine, _ = integrate(model, [0.0], [0.0], 0.5, 64)
    errors = [integrate(model, [0.0], [0.0], 0.5, n)[0] - fine for n in (4, 8)]
    assert 12.0 < float(errors[0][0] / errors[1][0]) < 20.0


@pytest.mark.parametrize('name', ['panda.urdf', 'pr2.urdf'])
def test_real_robots(name, shared_robot):
    model = load_model(shared_robot(name))
    state = State.random(model, np.random.default_rng(1), 1.0)
    a = np.random.default_rng(2).normal(size=model.nv)
    twin = heavy_twin(model)
    efforts, _ = inverse(model, state.q, state.v, a)
    q, v = state.q, state.v
    theirs = pin.rnea(
        twin.pin, twin.data, twin.positions(q), twin.rates(q, v), twin.accelerations(q, v, a)
    )
    assert_allclose(efforts, twin.rate_map(q).T @ theirs, atol=1e-10)
