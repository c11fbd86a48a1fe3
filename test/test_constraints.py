# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Constraint rows against finite differences, Pinocchio, and the two views against each other."""

from __future__ import annotations

from loop_models import add_joint
from loop_models import advance
from loop_models import at
from loop_models import four_bar
from loop_models import random_axis
from loop_models import random_pose
from loop_models import random_positions
from loop_models import random_tree
import numpy as np
import pytest

from kinematics_node.constraints.augmented import AugmentedSystem
from kinematics_node.constraints.kinds import Kind
from kinematics_node.constraints.reduction import mimic_reduction
from kinematics_node.constraints.system import ConstraintSystem
from kinematics_node.errors import ModelError
from kinematics_node.errors import ValueShapeError
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Closure
from kinematics_node.model.elements import Coupling
from kinematics_node.model.joint_types import JointType

STEP = 1e-4
KINDS = ('fixed', 'revolute', 'prismatic', 'universal', 'ball', 'planar', 'distance')
TREE = (
    JointType.REVOLUTE,
    JointType.UNIVERSAL,
    JointType.BALL,
    JointType.PLANAR,
    JointType.PRISMATIC,
    JointType.UNIVERSAL,
    JointType.FLOATING,
    JointType.REVOLUTE,
    JointType.FIXED,
    JointType.CONTINUOUS,
)


def closed_model(rng, kind):
    """Return a random two-branch model whose ends are held by a closure of the kind."""
    builder, (end_A, end_B) = random_tree(rng, TREE, mimic=True)
    if kind == 'coupling':
        terms = (('j0', 1.0), ('j1/axis2', -2.0), ('j3/x', 0.5), ('j3/theta', 0.7), ('j4', 3.0))
        builder.add_coupling(Coupling('gears', terms, 0.3))
    else:
        builder.add_closure(
            Closure(
                'loop',
                kind,
                end_A,
                end_B,
                random_pose(rng),
                random_pose(rng),
                random_axis(rng),
                random_axis(rng),
                0.4,
            )
        )
    return builder.finalize()


def check_against_finite_differences(evaluate, model, q, v):
    """Phi' = J v and Phi'' = -gamma at constant v, as differences of Phi along the motion say."""
    ahead, here, behind = (evaluate(advance(model, q, v, t)).phi for t in (STEP, 0.0, -STEP))
    rows = evaluate(q, v)
    np.testing.assert_allclose((ahead - behind) / (2.0 * STEP), rows.phi_dot, atol=2e-6)
    np.testing.assert_allclose(
        (ahead - 2.0 * here + behind) / STEP**2, -rows.gamma, atol=5e-5, rtol=1e-5
    )
    assert np.abs(rows.phi_dot).max() > 1e-3, 'the motion moves the rows'


@pytest.mark.parametrize('kind', [*KINDS, 'coupling'])
@pytest.mark.parametrize('seed', [0, 1])
def test_rates_agree_with_finite_differences(kind, seed):
    rng = np.random.default_rng(seed)
    model = closed_model(rng, kind)
    system = ConstraintSystem(model)
    q, v = random_positions(model, rng), rng.uniform(-1.0, 1.0, model.nv)
    check_against_finite_differences(system.evaluate, model, q, v)
    rows = system.evaluate(q, v)
    np.testing.assert_allclose(rows.jacobian @ v, rows.phi_dot, atol=1e-12)


@pytest.mark.parametrize('kind', [*KINDS, 'coupling'])
def test_views_agree(kind):
    """Tree joints' rows are satisfied by tree coordinates; the others give the same Jacobian."""
    rng = np.random.default_rng(3)
    model = closed_model(rng, kind)
    q, v = random_positions(model, rng), rng.uniform(-1.0, 1.0, model.nv)
    tree = ConstraintSystem(model)
    augmented = AugmentedSystem(model)
    rows, body = tree.evaluate(q, v), augmented.evaluate(q, v)
    in_tree = body.jacobian @ body.body_velocities
    held = sum(6 - joint.type.nv for joint in model.joints)
    assert len(augmented.elements) == augmented.joint_element_count + 2, 'closure and mimic'
    np.testing.assert_allclose(in_tree[:held], 0.0, atol=1e-12)
    np.testing.assert_allclose(body.phi[:held], 0.0, atol=1e-12)
    np.testing.assert_allclose(in_tree[held:-1], rows.jacobian, atol=1e-12)
    np.testing.assert_allclose(body.phi[held:-1], rows.phi, atol=1e-12)
    T = mimic_reduction(model).T
    np.testing.assert_allclose((in_tree @ T)[-1], 0.0, atol=1e-12, err_msg='the mimic row')
    bodies = len(model.links) - 1
    rank = np.linalg.matrix_rank(body.jacobian, tol=1e-9)
    assert 6 * bodies - rank == T.shape[1] - np.linalg.matrix_rank(rows.jacobian @ T, tol=1e-9)


@pytest.mark.parametrize('kind', [*KINDS, 'coupling'])
def test_body_accelerations_satisfy_gamma(kind):
    """Body accelerations of a motion with constant v differ from Phi_q a = gamma by Phi'' only."""
    rng = np.random.default_rng(4)
    model = closed_model(rng, kind)
    system = AugmentedSystem(model)
    q, v = random_positions(model, rng), rng.uniform(-1.0, 1.0, model.nv)
    ahead, here, behind = (system.evaluate(advance(model, q, v, t)) for t in (STEP, 0.0, -STEP))
    a = (ahead.body_velocities - behind.body_velocities) @ v / (2.0 * STEP)
    second = (ahead.phi - 2.0 * here.phi + behind.phi) / STEP**2
    gamma = system.evaluate(q, v).gamma
    np.testing.assert_allclose(here.jacobian @ a - gamma, second, atol=1e-4, rtol=1e-5)


def test_baumgarte_terms():
    rng = np.random.default_rng(5)
    model = closed_model(rng, 'revolute')
    system = ConstraintSystem(model)
    q, v = random_positions(model, rng), rng.uniform(-1.0, 1.0, model.nv)
    plain, damped = system.evaluate(q, v), system.evaluate(q, v, alpha=3.0, beta=7.0)
    expected = plain.gamma - 6.0 * plain.phi_dot - 49.0 * plain.phi
    np.testing.assert_allclose(damped.gamma, expected, rtol=1e-12)


@pytest.mark.parametrize('kind', ['revolute', 'planar', 'fixed'])
def test_opposite_axes_are_no_solution(kind):
    """Half a turn off, the residual is 2 (sin of a quarter turn, twice): not a second solution."""
    builder = ModelBuilder()
    add_joint(builder, 'ball', JointType.BALL, 'base', 'arm', at())
    builder.add_closure(Closure('loop', kind, 'base', 'arm'))
    model = builder.finalize()
    flipped = ConstraintSystem(model).evaluate([0.0, 0.0, 1.0, 0.0])
    assert np.linalg.norm(flipped.phi) == pytest.approx(2.0)
    assert np.abs(ConstraintSystem(model).evaluate([1.0, 0.0, 0.0, 0.0]).phi).max() < 1e-15


@pytest.mark.parametrize('angle', [0.05, 0.5, 2.5])
def test_orientation_residual_is_twice_the_sine_of_half_the_angle(angle):
    builder, _ = random_tree(np.random.default_rng(0), ())
    add_joint(builder, 'hinge', JointType.REVOLUTE, 'base', 'arm', at(), ((1.0, 0.0, 0.0),))
    builder.add_closure(Closure('weld', 'fixed', 'base', 'arm'))
    builder.add_closure(
        Closure('pin', 'revolute', 'base', 'arm', axis_A=(0.0, 1.0, 0.0), axis_B=(0.0, 1.0, 0.0))
    )
    phi = ConstraintSystem(builder.finalize()).evaluate([angle]).phi
    assert np.linalg.norm(phi[3:6]) == pytest.approx(2.0 * np.sin(0.5 * angle))
    assert np.linalg.norm(phi[9:11]) == pytest.approx(2.0 * np.sin(0.5 * angle))


def test_jacobian_has_columns_on_the_way_to_the_common_ancestor_only():
    rng = np.random.default_rng(6)
    builder, (end_A, _) = random_tree(rng, (JointType.REVOLUTE,) * 6)
    builder.add_closure(Closure('loop', 'fixed', 'l0', end_A, random_pose(rng), random_pose(rng)))
    model = builder.finalize()
    J = ConstraintSystem(model).evaluate(random_positions(model, rng)).jacobian
    moved = {model.velocity_names[n] for n in np.flatnonzero(np.abs(J).max(axis=0) > 1e-12)}
    assert moved == {'j2', 'j4'}


def test_wrench_does_the_work_of_a_unit_multiplier():
    """J^T lambda is what the wrench on B and its opposite on A do along the body velocities."""
    rng = np.random.default_rng(7)
    model = closed_model(rng, 'universal')
    q = random_positions(model, rng)
    rows = ConstraintSystem(model).evaluate(q)
    bodies = AugmentedSystem(model).evaluate(q).body_velocities.reshape(-1, 6, model.nv)
    A, B = (model.link_id(name) for name in (model.closures[0].link_A, model.closures[0].link_B))
    from kinematics_node.kinematics.poses import forward_kinematics

    X = np.empty((len(model.links), 7))
    forward_kinematics(model.tree, model.placement, q, X)
    work = np.zeros_like(rows.jacobian)
    for link, sign in ((A, -1.0), (B, 1.0)):
        tau = rows.wrench[:, :3] - np.cross(X[link, 4:], rows.wrench[:, 3:])
        work += sign * np.hstack((tau, rows.wrench[:, 3:])) @ bodies[link - 1]
    np.testing.assert_allclose(work, rows.jacobian, atol=1e-12)


def pinocchio_four_bar(model, kind):
    """Return Pinocchio's model of a four-bar and its closure, built from our numbers."""
    import pinocchio as pin

    def placement(X):
        return pin.SE3(pin.Quaternion(X[0], X[1], X[2], X[3]).matrix(), np.array(X[4:]))

    other = pin.Model()
    ids = {model.root: (0, pin.SE3.Identity())}
    for joint in model.joints:
        parent, X_parent = ids[joint.parent]
        axis = np.array(joint.axes[0].direction)
        child = other.addJoint(
            parent,
            pin.JointModelRevoluteUnaligned(axis),
            X_parent * placement(joint.X_PF),
            joint.name,
        )
        ids[joint.child] = (child, placement(joint.X_MC))
    closure = model.closures[0]
    (a, X_a), (b, X_b) = ids[closure.link_A], ids[closure.link_B]
    contact = pin.RigidConstraintModel(
        kind,
        other,
        a,
        X_a * placement(closure.X_LA),
        b,
        X_b * placement(closure.X_LB),
        pin.ReferenceFrame.LOCAL,
    )
    return other, contact


@pytest.mark.parametrize(('kind', 'name'), [('ball', 'CONTACT_3D'), ('fixed', 'CONTACT_6D')])
def test_row_space_is_that_of_pinocchio(kind, name):
    """Where the loop is closed, both Jacobians have the same row space."""
    pin = pytest.importorskip('pinocchio')
    ground, crank, coupler = 1.0, 0.5, 1.0
    model = four_bar(ground, crank, coupler, crank, 'tip', kind)
    t = 0.7
    q = np.zeros(model.nq)
    for joint, angle in (('crank', t), ('coupler', -t), ('rocker', t)):
        q[model.coordinates_of(joint)] = angle
    rows = ConstraintSystem(model).evaluate(q)
    assert np.abs(rows.phi[:3]).max() < 1e-12
    other, contact = pinocchio_four_bar(model, getattr(pin.ContactType, name))
    data, own = other.createData(), contact.createData()
    pin.computeJointJacobians(other, data, q)
    contact.calc(other, data, own)
    theirs = pin.getConstraintJacobian(other, data, contact, own)
    ours = rows.jacobian
    rank = np.linalg.matrix_rank(theirs, tol=1e-9)
    assert rank == np.linalg.matrix_rank(ours, tol=1e-9) == (2 if kind == 'ball' else 3)
    assert np.linalg.matrix_rank(np.vstack((ours, theirs)), tol=1e-9) == rank


def test_units_follow_the_rows():
    rng = np.random.default_rng(8)
    for kind in KINDS:
        system = ConstraintSystem(closed_model(rng, kind))
        assert system.units == system.elements[0].kind.units
        assert system.row_count == len(system.units) == system.elements[0].kind.row_count
    assert Kind.FIXED.row_count == 6
    builder, _ = random_tree(rng, (JointType.PRISMATIC, JointType.PLANAR))
    builder.add_coupling(Coupling('lift', (('j0', 1.0), ('j1/theta', 0.2))))
    builder.add_coupling(Coupling('turn', (('j1/theta', 1.0), ('j1/x', 0.2))))
    assert ConstraintSystem(builder.finalize()).units == 'mr'


@pytest.mark.parametrize(
    ('closure', 'sentence'),
    [
        (Closure('c', 'screw', 'base', 'l0'), "closure 'c': type 'screw' cannot close a loop"),
        (Closure('c', 'distance', 'base', 'l0'), "closure 'c': length 0 must be positive"),
        (
            Closure('c', 'revolute', 'base', 'l0', axis_A=(0.0, 0.0, 0.0)),
            r"closure 'c': axis \(0.0, 0.0, 0.0\) has no direction",
        ),
    ],
)
def test_closures_that_make_no_rows_are_refused(closure, sentence):
    builder, _ = random_tree(np.random.default_rng(0), (JointType.BALL,))
    builder.add_closure(closure)
    with pytest.raises(ModelError, match=sentence):
        ConstraintSystem(builder.finalize())


@pytest.mark.parametrize(
    ('terms', 'sentence'),
    [
        ((), "coupling 'c': couples nothing"),
        ((('j9', 1.0),), "coupling 'c': there is no coordinate 'j9'"),
        ((('j0/rot_w', 1.0),), "coupling 'c': coordinate 'j0/rot_w' belongs to a rotation"),
    ],
)
def test_couplings_that_make_no_row_are_refused(terms, sentence):
    builder, _ = random_tree(np.random.default_rng(0), (JointType.BALL,))
    builder.add_coupling(Coupling('c', terms))
    with pytest.raises(ModelError, match=sentence):
        ConstraintSystem(builder.finalize())


def test_numbers_are_checked_at_the_boundary():
    system = ConstraintSystem(four_bar())
    with pytest.raises(ValueShapeError, match='q has shape'):
        system.evaluate([0.0])
    with pytest.raises(ValueShapeError, match='is not finite'):
        AugmentedSystem(four_bar()).evaluate([0.0, np.nan, 0.0])
