# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""DOF reports of robots with known ranks, of textbook mechanisms, and their invariants."""

from __future__ import annotations

from loop_models import add_joint
from loop_models import at
from loop_models import four_bar
from loop_models import four_bar_chain
from loop_models import random_positions
from loop_models import random_tree
from loop_models import Z
import numpy as np
import pytest

from kinematics_node.constraints.augmented import AugmentedSystem
from kinematics_node.constraints.system import ConstraintSystem
from kinematics_node.dof import Actuation
from kinematics_node.dof import dof_report
from kinematics_node.dof import Role
from kinematics_node.errors import NameLookupError
from kinematics_node.errors import ValueShapeError
from kinematics_node.formats.load import load_model
from kinematics_node.mobility.analysis import analyse
from kinematics_node.mobility.linear import invert_into
from kinematics_node.mobility.linear import length_of
from kinematics_node.mobility.linear import make_orthogonal
from kinematics_node.mobility.linear import take_direction
from kinematics_node.mobility.linear import write_projector
from kinematics_node.mobility.mechanism import mechanism_of
from kinematics_node.mobility.nearby import rank_at
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Closure
from kinematics_node.model.elements import Coupling
from kinematics_node.model.joint_types import JointType
from kinematics_node.solving.singular import closed_neighbours

# Tree coordinates, rows, rank, mobility, idle motions, as worked out independently in the shared
# robots' notes; idle ones are the rods whose spin nobody notices, or two hinges on one axis.
GEPETTO = {
    '5bar_linkage': (6, 6, 3, 3, 1),
    '5bar_linkage_iso3d': (5, 3, 3, 2, 0),
    'cassie_like': (19, 12, 12, 7, 2),
    'digit_like': (27, 18, 18, 9, 3),
    'talos_like': (13, 6, 6, 7, 1),
    'robot_delta': (14, 18, 9, 5, 3),
}
URDFPLUS = {
    'urdfplus_four_bar': (3, 5, 2, 1),
    'urdfplus_six_bar': (5, 5, 2, 3),
    'urdfplus_planar_leg_linkage': (4, 5, 2, 2),
}
# Tree coordinates, mimics, independent ones.
MIMICS = {
    'h1_2': (51, 12, 39),
    'pr2': (30, 10, 20),
    'robotiq_2f_85': (6, 5, 1),
    'panda': (9, 1, 8),
    'baxter': (19, 2, 17),
}


def roles(report):
    return {joint.joint: joint.role for joint in report.joints}


@pytest.mark.parametrize('name', GEPETTO)
def test_parallel_robots(shared_robot, name):
    path = shared_robot(f'{name}/robot.urdf')
    model = load_model(path, side_cars=[path.parent / 'robot.yaml'])
    nv, rows, rank, mobility, idle = GEPETTO[name]
    report = dof_report(model)
    assert (model.nv, report.loop_rows, report.loop_rank) == (nv, rows, rank)
    assert (report.mobility, report.idle) == (mobility, idle)
    assert report.mobility == 6 * report.bodies - report.rank
    assert report.redundant == rows - rank == sum(e.redundant for e in report.elements)
    assert report.nearby_rank == rank
    assert report.closed
    assert report.certain
    assert not report.singular
    assert report.actuation is Actuation.FULL, report.message
    assert set(report.actuated) <= set(report.independent)
    with_motors = dof_report(model, report.q, measured=report.actuated)
    assert {Role.FREE} & set(roles(with_motors).values()) == set()
    assert [j for j, role in roles(with_motors).items() if role is Role.MEASURED] == sorted(
        report.actuated, key=model.joint_id
    )


@pytest.mark.parametrize('name', URDFPLUS)
def test_urdfplus_loops(shared_robot, name):
    model = load_model(shared_robot(f'{name}.urdf'))
    nv, rows, rank, mobility = URDFPLUS[name]
    rng = np.random.default_rng(0)
    report = dof_report(model, rng.uniform(-0.6, 0.6, nv))
    assert (report.loop_rows, report.loop_rank, report.mobility) == (rows, rank, mobility)
    assert not report.singular
    assert report.gruebler == mobility - (rows - rank)
    assert report.elements[0].overlaps
    assert f'{rows - rank} rows are redundant' in report.message


@pytest.mark.parametrize('name', ['urdfplus_four_bar', 'urdfplus_planar_leg_linkage'])
def test_flat_poses_are_singular(shared_robot, name):
    model = load_model(shared_robot(f'{name}.urdf'))
    report = dof_report(model, model.zero)
    assert report.singular
    assert (report.loop_rank, report.nearby_rank) == (1, 2)
    assert 'is singular: nearby, the loops have rank 2, here 1' in report.message


@pytest.mark.parametrize('name', MIMICS)
def test_mimics_take_a_row_each(shared_robot, name):
    model = load_model(shared_robot(f'{name}.urdf'))
    nv, mimics, independent = MIMICS[name]
    report = dof_report(model)
    assert (model.nv, len(model.mimics), report.mobility) == (nv, mimics, independent)
    assert report.rows_by_kind['mimic'] == mimics
    assert report.gruebler == independent
    assert sum(role is Role.MIMICKING for role in roles(report).values()) == mimics


def test_mit_humanoid_gears(shared_robot):
    model = load_model(shared_robot('urdfplus_mit_humanoid.urdf'))
    report = dof_report(model)
    assert (model.nv, report.rows_by_kind['coupling'], report.mobility) == (42, 18, 24)


def test_serial_arm_of_three_hinges():
    """Six times three bodies less fifteen rows."""
    builder, _ = random_tree(np.random.default_rng(0), (JointType.REVOLUTE,) * 3)
    report = dof_report(builder.finalize())
    assert (report.bodies, report.rows, report.gruebler, report.mobility) == (3, 15, 3, 3)
    assert report.rows_by_kind == {'revolute': 15}
    assert report.message.startswith(
        '3 moving bodies with 15 constraint rows, 15 of them independent: mobility 3'
    )


def test_planar_four_bar_in_space():
    """Gruebler in space says -2; three rows of the loop say nothing new."""
    report = dof_report(four_bar())
    assert (report.gruebler, report.mobility, report.redundant) == (-2, 1, 3)
    assert [e.redundant for e in report.elements] == [3]
    assert len(report.modes) == 1
    assert report.modes[0].joints == ('crank', 'coupler', 'rocker')
    assert report.actuation is Actuation.UNKNOWN


@pytest.mark.parametrize('kind', ['revolute', 'ball'])
def test_mobility_does_not_depend_on_which_joint_is_cut(kind):
    found = set()
    for cut in ('crank', 'coupler', 'tip', 'rocker'):
        model = four_bar(cut=cut, kind=kind)
        report = dof_report(model)
        assert report.closed
        found.add(report.mobility)
        body = AugmentedSystem(model).evaluate(report.q).jacobian
        assert np.linalg.matrix_rank(body, tol=1e-7) == report.rank
    assert found == {1}


@pytest.mark.parametrize('seed', range(4))
def test_six_n_less_the_rank_of_all_rows_in_body_coordinates(seed):
    rng = np.random.default_rng(seed)
    kinds = (
        JointType.REVOLUTE,
        JointType.UNIVERSAL,
        JointType.BALL,
        JointType.PLANAR,
        JointType.PRISMATIC,
        JointType.FLOATING,
    )
    builder, (end_A, end_B) = random_tree(rng, kinds, mimic=True)
    kind = ('universal', 'ball', 'planar', 'distance')[seed]
    builder.add_closure(Closure('loop', kind, end_A, end_B, at(0.1), at(0.2), length=0.5))
    model = builder.finalize()
    report = dof_report(model, random_positions(model, rng))
    assert report.closed
    body = AugmentedSystem(model).evaluate(report.q).jacobian
    assert body.shape == (report.rows, 6 * report.bodies)
    assert np.linalg.matrix_rank(body, tol=1e-7) == report.rank


def test_modes_are_a_basis_of_the_motions_that_rows_allow(shared_robot):
    path = shared_robot('digit_like/robot.urdf')
    model = load_model(path, side_cars=[path.parent / 'robot.yaml'])
    report = dof_report(model)
    J = ConstraintSystem(model).evaluate(report.q).jacobian
    modes = np.zeros((len(report.modes), model.nv))
    for row, mode in zip(modes, report.modes, strict=True):
        for name, rate in mode.rates.items():
            row[model.velocity_names.index(name)] = rate
    np.testing.assert_allclose(J @ modes.T, 0.0, atol=1e-4)
    assert np.linalg.matrix_rank(modes, tol=1e-6) == report.mobility == len(modes)
    chosen = [model.velocity_names.index(name) for name in report.independent]
    np.testing.assert_allclose(modes[:, chosen], np.eye(len(modes)), atol=1e-6)
    assert [mode.idle for mode in report.modes].count(True) == report.idle == 3


def test_dependent_joints_name_what_they_depend_on():
    model = four_bar_chain(2)
    report = dof_report(model, measured=['crank0', 'crank1'])
    found = {joint.joint: (joint.role, joint.depends_on) for joint in report.joints}
    assert found['crank1'] == (Role.MEASURED, ())
    assert found['rocker0'] == (Role.DEPENDENT, ('crank0',))
    assert found['coupler1'] == (Role.DEPENDENT, ('crank1',))
    half = dof_report(model, measured=['crank0'])
    assert roles(half)['crank1'] is Role.FREE
    assert roles(half)['rocker0'] is Role.DEPENDENT


def test_motors_are_preferred_as_independent():
    model = four_bar()
    assert dof_report(model, actuated=['rocker']).independent == ('rocker',)
    assert dof_report(model, actuated=['coupler']).independent == ('coupler',)


def test_actuation():
    model = four_bar_chain(2)
    start = dof_report(model).q
    expected = {
        (): Actuation.UNKNOWN,
        ('crank0',): Actuation.UNDER,
        ('crank0', 'rocker1'): Actuation.FULL,
        ('crank0', 'crank1', 'rocker1'): Actuation.OVER,
        ('crank0', 'rocker0'): Actuation.UNDER,
    }
    for motors, actuation in expected.items():
        report = dof_report(model, start, actuated=motors)
        assert report.actuation is actuation, motors
        assert report.actuated_rank <= len(motors)
    assert 'under-actuated' in dof_report(model, start, actuated=['crank0']).message
    over = dof_report(model, start, actuated=['crank0', 'crank1', 'rocker1'])
    assert 'Over-actuated: 3 motors for 2 motions.' in over.message


def test_a_rod_with_two_ball_ends_has_an_idle_spin():
    builder = ModelBuilder('rod')
    add_joint(builder, 'slide', JointType.PRISMATIC, 'base', 'slider', at(), ((1.0, 0.0, 0.0),))
    add_joint(builder, 'ball', JointType.BALL, 'slider', 'rod', at())
    add_joint(builder, 'lever', JointType.REVOLUTE, 'base', 'arm', at(1.0), (Z,))
    builder.add_closure(Closure('end', 'ball', 'rod', 'arm', at(0.8), at(0.0, 0.5)))
    report = dof_report(builder.finalize(), actuated=['slide'])
    assert (report.mobility, report.idle) == (2, 1)
    assert report.actuation is Actuation.FULL
    assert roles(report)['ball'] is Role.IDLE
    assert roles(report)['lever'] is Role.DEPENDENT
    idle = next(mode for mode in report.modes if mode.idle)
    assert idle.joints == ('ball',)
    assert '1 motion is idle' in report.message


def test_a_plate_on_one_centre_is_not_idle():
    """All anchors stay where a spherical mechanism turns its plate, which is its purpose."""
    builder = ModelBuilder('eye')
    axes = np.eye(3)
    add_joint(builder, 'ball', JointType.BALL, 'base', 'plate', at())
    for n in range(3):
        axis = tuple(axes[n])
        add_joint(builder, f'arm{n}', JointType.REVOLUTE, 'base', f'a{n}', at(), (axis,))
        side, across = tuple(axes[(n + 1) % 3]), tuple(axes[(n + 2) % 3])
        builder.add_closure(
            Closure(f'pin{n}', 'universal', f'a{n}', 'plate', axis_A=side, axis_B=across)
        )
    report = dof_report(builder.finalize())
    assert report.closed
    assert (report.mobility, report.idle) == (3, 0)


def test_locked_joints():
    """A triangle of three hinges cannot move."""
    builder = ModelBuilder('truss')
    add_joint(builder, 'left', JointType.REVOLUTE, 'base', 'strut', at(), (Z,))
    add_joint(builder, 'right', JointType.REVOLUTE, 'base', 'brace', at(1.0), (Z,))
    builder.add_closure(Closure('apex', 'ball', 'strut', 'brace', at(0.8), at(0.0, 0.6)))
    report = dof_report(builder.finalize())
    assert report.closed
    assert report.mobility == 0
    assert set(roles(report).values()) == {Role.LOCKED}
    assert report.independent == ()
    assert 'left, right cannot move.' in report.message


def test_loops_that_cannot_close_are_reported_open():
    builder = ModelBuilder('short')
    add_joint(builder, 'left', JointType.REVOLUTE, 'base', 'strut', at(), (Z,))
    builder.add_closure(Closure('far', 'ball', 'base', 'strut', at(2.0), at(0.5)))
    report = dof_report(builder.finalize())
    assert not report.closed
    assert 'The loops are not closed at this configuration' in report.message


def test_redundant_rows_across_closures():
    """Two welds between the same two bodies: the second says nothing new, both overlap."""
    builder = ModelBuilder('twice')
    add_joint(builder, 'ball', JointType.BALL, 'base', 'arm', at())
    add_joint(builder, 'hinge', JointType.REVOLUTE, 'base', 'aside', at(), (Z,))
    for name in ('first', 'second'):
        builder.add_closure(Closure(name, 'revolute', 'base', 'arm', axis_A=Z, axis_B=Z))
    builder.add_coupling(Coupling('gear', (('hinge', 1.0),)))
    report = dof_report(builder.finalize())
    assert [(e.name, e.redundant, e.overlaps) for e in report.elements] == [
        ('first', 3, True),
        ('second', 5, True),
        ('gear', 0, False),
    ]
    assert report.mobility == 1
    assert 'redundant, in first, second' in report.message


def test_an_uncertain_rank_says_so():
    """Two hinges a hair off one axis: a singular value beside the threshold."""
    builder = ModelBuilder('askew')
    add_joint(builder, 'one', JointType.REVOLUTE, 'base', 'a', at(1.0), (Z,))
    add_joint(builder, 'two', JointType.REVOLUTE, 'a', 'b', at(), ((0.0, 3e-6, 1.0),))
    builder.add_closure(Closure('loop', 'revolute', 'base', 'b', at(1.0), at(), Z, Z))
    report = dof_report(builder.finalize(), [0.0, 0.0])
    assert not report.certain
    assert 'The rank is uncertain' in report.message


@pytest.mark.parametrize('shape', [(1, 1), (3, 7), (6, 6), (9, 4)])
@pytest.mark.parametrize('rank', [0, 1, 3, 9])
def test_rows_made_orthogonal_have_the_singular_values_as_lengths(shape, rank):
    rng = np.random.default_rng(0)
    rank = min(rank, *shape)
    A = rng.normal(size=(shape[0], rank)) @ rng.normal(size=(rank, shape[1]))
    expected = np.linalg.svd(A)
    before, U = A.copy(), np.eye(shape[0])
    make_orthogonal(A, *shape, U, shape[0])
    np.testing.assert_allclose(U @ before, A, atol=1e-13)
    np.testing.assert_allclose(U @ U.T, np.eye(shape[0]), atol=1e-13)
    sizes = np.sort([length_of(A, i) for i in range(shape[0])])[::-1]
    np.testing.assert_allclose(sizes[: min(shape)], expected.S, atol=1e-13)
    np.testing.assert_allclose(sizes[min(shape) :], 0.0, atol=1e-13)
    rows = A[np.linalg.norm(A, axis=1) > 1e-9]
    assert len(rows) == rank
    directions = rows / np.linalg.norm(rows, axis=1)[:, None]
    held = expected.Vh[:rank]
    np.testing.assert_allclose(directions.T @ directions, held.T @ held, atol=1e-12)


@pytest.mark.parametrize('shape', [(0, 3), (2, 5), (4, 4)])
def test_directions_complete_rows_to_an_orthonormal_basis(shape):
    m, n = shape
    rows = np.random.default_rng(1).normal(size=shape)
    make_orthogonal(rows, m, n, rows, 0)
    P, found = np.empty((n, n)), np.empty((n - m, n))
    write_projector(rows, m, n, 1e-9, P)
    for direction in found:
        take_direction(P, n, direction)
    np.testing.assert_allclose(found @ found.T, np.eye(n - m), atol=1e-13)
    np.testing.assert_allclose(rows @ found.T, 0.0, atol=1e-13)
    np.testing.assert_allclose(P, 0.0, atol=1e-13)


def test_an_inverse_needs_its_pivots():
    A = np.array(((0.0, 2.0, 1.0), (1.0, 0.0, 0.0), (3.0, 1.0, 0.0)))
    inverse = np.empty((3, 3))
    invert_into(A.copy(), 3, inverse)
    np.testing.assert_allclose(A @ inverse, np.eye(3), atol=1e-15)


def test_coordinates_that_show_as_much_are_chosen_in_order(shared_robot):
    """Rounding decides nothing: rods have two joints each of which tells their spin."""
    path = shared_robot('digit_like/robot.urdf')
    model = load_model(path, side_cars=[path.parent / 'robot.yaml'])
    rng = np.random.default_rng(0)
    reports = [dof_report(model, 0.05 * rng.normal(size=model.nq)) for _ in range(4)]
    spins = {report.independent[-report.idle :] for report in reports}
    assert len(spins) == 1
    assert [model.velocity_index[name] for name in spins.pop()] == sorted(
        model.velocity_index[name] for name in reports[0].independent[-3:]
    )


@pytest.mark.parametrize('name', GEPETTO)
def test_no_question_compiles_the_analysis_again(shared_robot, name):
    path = shared_robot(f'{name}/robot.urdf')
    model = load_model(path, side_cars=[path.parent / 'robot.yaml'])
    motors = [joint.name for joint in model.joints if joint.actuated]
    dof_report(model)
    dof_report(model, model.zero)
    dof_report(model, model.zero, measured=motors, actuated=motors[:1])
    dof_report(model, model.zero, measured=[], actuated=[])
    assert len(analyse.signatures) == 1


@pytest.mark.parametrize('name', GEPETTO)
def test_ranks_nearby_are_those_of_the_rows(shared_robot, name):
    path = shared_robot(f'{name}/robot.urdf')
    model = load_model(path, side_cars=[path.parent / 'robot.yaml'])
    mechanism = mechanism_of(model)
    near = closed_neighbours(mechanism.solver.plan, dof_report(model).q, 3)
    assert len(near) == 3
    plan = mechanism.solver.plan
    parted = np.zeros((plan.work.rows.shape[0], plan.arrays.scale.size))
    freedom = np.zeros(plan.arrays.scale.size)
    for q in near:
        expected = np.linalg.svd(scaled_rows(mechanism, q))
        held = expected.S[expected.S > 1e-6]
        rank, above = rank_at(plan.arrays, plan.work, q, parted, freedom)
        assert rank == held.size
        assert above == pytest.approx(held[-1], rel=1e-9)
        allowed = np.linalg.norm(expected.Vh[held.size :], axis=0)
        np.testing.assert_allclose(freedom, allowed[mechanism.tables.plan_columns], atol=1e-7)


def scaled_rows(mechanism, q):
    """Return the rows over independent columns, metres and radians comparable."""
    tables = mechanism.tables
    J = mechanism.system.evaluate(q).jacobian * tables.fold
    spread = np.zeros((tables.fold.size, tables.scale.size))
    spread[np.arange(tables.fold.size), tables.column_of] = 1.0
    return tables.weight[:, None] * (J @ spread)


def test_reports_share_nothing_that_can_be_changed():
    model = four_bar()
    first = dof_report(model)
    first.rows_by_kind.clear()
    first.q[:] = 9.0
    first.modes[0].rates.clear()
    second = dof_report(model)
    assert second.rows_by_kind
    assert second.modes[0].rates
    assert second.closed


def test_roles_follow_what_is_measured():
    """They are kept from one report to the next, but only for the same question."""
    model = four_bar_chain(2)
    q = dof_report(model).q
    for _ in range(2):
        assert roles(dof_report(model, q, actuated=['crank0']))['crank0'] is Role.FREE
        assert roles(dof_report(model, q, measured=['crank0']))['crank0'] is Role.MEASURED
        assert roles(dof_report(model, q, measured=['rocker0']))['crank0'] is Role.DEPENDENT


def test_bad_requests():
    model = four_bar()
    with pytest.raises(NameLookupError, match="there is no joint or coordinate 'elbow'"):
        dof_report(model, actuated=['elbow'])
    with pytest.raises(ValueShapeError, match='q has shape'):
        dof_report(model, [0.0])
    with pytest.raises(ValueShapeError, match='is not finite'):
        dof_report(model, [0.0, np.nan, 0.0])
