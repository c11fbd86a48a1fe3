# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Loop solving: status, branch, drift, blocks, rates, contradictions."""

from __future__ import annotations

from loop_models import add_joint
from loop_models import at
from loop_models import four_bar
from loop_models import four_bar_chain
from loop_models import random_pose
from loop_models import random_positions
from loop_models import random_tree
from loop_models import Z
import numpy as np
import pytest

from kinematics_node.constraints.system import ConstraintSystem
from kinematics_node.errors import NameLookupError
from kinematics_node.errors import ValueShapeError
from kinematics_node.formats.load import load_model
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Closure
from kinematics_node.model.elements import Coupling
from kinematics_node.model.elements import Limits
from kinematics_node.model.elements import Mimic
from kinematics_node.model.joint_types import JointType
from kinematics_node.solve import LoopSolver
from kinematics_node.solve import SolveOptions
from kinematics_node.solve import SolveStatus

GEPETTO = ('5bar_linkage', '5bar_linkage_iso3d', 'cassie_like', 'digit_like', 'talos_like')
TOLERANCE = 1e-10


def gepetto(shared_robot, name):
    path = shared_robot(f'{name}/robot.urdf')
    return load_model(path, side_cars=[path.parent / 'robot.yaml'])


def motors_of(model):
    return tuple(joint.name for joint in model.joints if joint.actuated)


def gaps(model, q):
    return np.abs(ConstraintSystem(model).evaluate(q).phi)


@pytest.mark.parametrize('name', GEPETTO)
def test_first_assembly_from_far_away_keeps_the_motors(shared_robot, name):
    model = gepetto(shared_robot, name)
    motors = motors_of(model)
    assert motors
    solver = LoopSolver(model, motors)
    result = solver.assemble(model.zero)
    assert result.status is SolveStatus.CONVERGED
    assert not result.singular
    assert not result.beyond_limits
    assert gaps(model, result.q).max() < TOLERANCE
    assert gaps(model, model.zero).max() > 1e-3, 'it starts open'
    for name in motors:
        assert (result.q[model.coordinates_of(name)] == 0.0).all()
    again = LoopSolver(model, motors).assemble(model.zero)
    np.testing.assert_array_equal(again.q, result.q, err_msg='the same seed, the same branch')


def motor_motion(model, motors, q, count, amplitude=0.05, cycles=1):
    """Return smooth motor positions that start and end at those of q."""
    where = [model.coordinates_of(name).start for name in motors]
    phase = np.arange(len(motors))
    t = np.linspace(0.0, 2.0 * np.pi * cycles, count)[:, None]
    return where, q[where] + amplitude * (np.sin(t + phase) - np.sin(phase))


@pytest.mark.parametrize('name', ['cassie_like', 'digit_like', 'talos_like'])
def test_motion_keeps_the_branch_and_drifts_nowhere(shared_robot, name):
    """After cycles of the motors every coordinate is back, the spin of rods included."""
    model = gepetto(shared_robot, name)
    motors = motors_of(model)
    solver = LoopSolver(model, motors)
    start = solver.assemble(model.zero).q
    where, motion = motor_motion(model, motors, start, 300)
    q = start.copy()
    largest = 0.0
    laps = []
    for _ in range(3):
        for motor_positions in motion:
            before = q.copy()
            q[where] = motor_positions
            assert solver.step(q) == SolveStatus.CONVERGED
            largest = max(largest, np.abs(q - before).max())
        laps.append(q.copy())
    assert gaps(model, q).max() < TOLERANCE
    assert largest < 0.1, 'no jump to another branch'
    np.testing.assert_allclose(laps[0], start, atol=1e-4)
    np.testing.assert_allclose(laps[2], laps[1], atol=1e-8)


def test_without_a_held_posture_rods_wind_up(shared_robot):
    """What hold() is for: shortest steps alone end elsewhere after each cycle."""
    model = gepetto(shared_robot, 'digit_like')
    motors = motors_of(model)
    solver = LoopSolver(model, motors)
    start = solver.assemble(model.zero).q
    solver.hold(None)
    where, motion = motor_motion(model, motors, start, 300)
    q = start.copy()
    drift = []
    for _ in range(2):
        for motor_positions in motion:
            q[where] = motor_positions
            solver.step(q)
        drift.append(np.abs(q - start).max())
    assert drift[0] > 1e-5
    assert drift[1] == pytest.approx(2.0 * drift[0], rel=0.1)


def test_idle_coordinates_stay_where_they_were():
    """A rod with two ball ends keeps its spin; nothing asks it to turn."""
    builder = ModelBuilder('rod')
    add_joint(builder, 'slide', JointType.PRISMATIC, 'base', 'slider', at(), ((1.0, 0.0, 0.0),))
    add_joint(builder, 'ball', JointType.BALL, 'slider', 'rod', at())
    add_joint(builder, 'lever', JointType.REVOLUTE, 'base', 'arm', at(1.0), (Z,))
    builder.add_closure(Closure('end', 'ball', 'rod', 'arm', at(0.8), at(0.0, 0.5)))
    model = builder.finalize()
    solver = LoopSolver(model, ['slide'])
    start = solver.assemble(model.zero)
    assert start.converged
    spun = start.q.copy()
    from transforms3d.quaternions import axangle2quat
    from transforms3d.quaternions import qmult

    ball = model.coordinates_of('ball')
    spun[ball] = qmult(start.q[ball], axangle2quat((1.0, 0.0, 0.0), 0.8))
    assert gaps(model, spun).max() < TOLERANCE
    solver.hold(spun)
    result = solver.solve(spun)
    np.testing.assert_allclose(result.q, spun, atol=1e-12)


def test_crank_turns_many_times_on_one_branch():
    """A crank-rocker's rocker is back after three turns, its coupler three turns behind."""
    model = four_bar()
    solver = LoopSolver(model, ['crank'])
    crank = model.coordinates_of('crank').start
    tip = model.coordinates_of('coupler').start
    q = solver.assemble(model.zero).q
    first = q.copy()
    sides = set()
    for angle in np.linspace(0.0, 6.0 * np.pi, 600):
        q[crank] = angle
        assert solver.step(q) == SolveStatus.CONVERGED
        sides.add(np.sign(np.sin(q[model.coordinates_of('rocker').start] - angle - q[tip])))
    assert len(sides) == 1
    rocker = model.coordinates_of('rocker').start
    assert q[rocker] == pytest.approx(first[rocker], abs=1e-9)
    assert q[tip] == pytest.approx(first[tip] - 6.0 * np.pi, abs=1e-9)


def test_far_jump_follows_the_branch_in_parts():
    model = four_bar()
    solver = LoopSolver(model, ['crank'])
    start = solver.assemble(model.zero).q
    crank = model.coordinates_of('crank').start
    stream = start.copy()
    for angle in np.linspace(0.0, 3.0, 200):
        stream[crank] = angle
        solver.step(stream)
    jump = start.copy()
    jump[crank] = 3.0
    np.testing.assert_allclose(solver.solve(jump, start=start).q, stream, atol=1e-9)


def test_out_of_reach_ends_stalled_with_the_iterate_and_the_reason():
    """A double-rocker cannot put its input anywhere: the pins stay a known gap apart."""
    model = four_bar(ground=2.0, crank=1.0, coupler=0.5, rocker=1.0)
    solver = LoopSolver(model, ['crank'])
    q = solver.assemble(model.zero).q.copy()
    q[model.coordinates_of('crank')] = np.pi
    result = solver.solve(q)
    assert result.status is SolveStatus.STALLED
    assert result.worst.name == 'tip'
    assert result.worst.metres == pytest.approx(3.0 - 1.5, abs=1e-3), 'stretched as far as it goes'
    assert result.contradicting == ('crank',)
    assert not result.singular


def test_measured_coordinates_that_contradict_are_reported_and_projected():
    model = four_bar()
    free = LoopSolver(model, ())
    closed = free.assemble(model.zero).q
    noisy = closed + np.array([0.01, -0.02, 0.015])
    solver = LoopSolver(model, [joint.name for joint in model.joints])
    result = solver.solve(noisy)
    assert result.status is SolveStatus.CONTRADICTED
    assert set(result.contradicting) == {joint.name for joint in model.joints}
    assert result.worst.metres == pytest.approx(np.linalg.norm(gaps(model, noisy)[:3]))
    np.testing.assert_array_equal(result.q, noisy)
    projected = solver.project_measured(noisy)
    assert projected.converged
    assert gaps(model, projected.q).max() < TOLERANCE
    J = ConstraintSystem(model).evaluate(projected.q).jacobian
    _, s, rows = np.linalg.svd(J)
    tangent = rows[(s > 1e-9).sum() :]
    np.testing.assert_allclose(tangent @ (noisy - projected.q), 0.0, atol=1e-8)


def test_projection_weights_say_whom_to_trust():
    model = four_bar()
    closed = LoopSolver(model, ()).assemble(model.zero).q
    noisy = closed + np.array([0.01, -0.02, 0.015])
    solver = LoopSolver(model, [joint.name for joint in model.joints])
    crank = model.velocities_of('crank').start
    weights = np.ones(model.nv)
    weights[crank] = 1e8
    trusted = solver.project_measured(noisy, weights).q
    assert abs(trusted[crank] - noisy[crank]) < 1e-6
    assert np.abs(trusted - noisy).max() > 1e-3
    with pytest.raises(ValueShapeError, match='weights must be positive'):
        solver.project_measured(noisy, np.zeros(model.nv))


@pytest.mark.parametrize('bad', [np.nan, np.inf])
@pytest.mark.parametrize('joint', ['crank', 'coupler'])
def test_numbers_that_are_not_finite_end_in_their_status(bad, joint):
    model = four_bar()
    solver = LoopSolver(model, ['crank'])
    q = solver.assemble(model.zero).q.copy()
    q[model.coordinates_of(joint)] = bad
    for result in (solver.solve(q), solver.solve(q, start=model.zero), solver.assemble(q)):
        assert result.status is SolveStatus.NOT_FINITE
        np.testing.assert_array_equal(result.q, q)


def test_parallelogram_through_its_flat_pose():
    """At the flat pose the loop is singular; it is still solved, and said to be singular."""
    model = four_bar(1.0, 0.5, 1.0, 0.5, 'tip')
    solver = LoopSolver(model, ['crank'], SolveOptions(max_iterations=100))
    crank, coupler, rocker = (
        model.coordinates_of(name).start for name in ('crank', 'coupler', 'rocker')
    )
    q = np.zeros(3)
    q[crank], q[coupler], q[rocker] = 0.6, -0.6, 0.6
    assert not solver.solve(q).singular
    flat = solver.solve(np.zeros(3))
    assert flat.converged
    assert flat.singular
    near = np.zeros(3)
    near[coupler], near[rocker] = 1e-3, -1e-3
    result = solver.solve(near)
    assert result.converged, 'convergence is slower there, but it is reached'


def test_limits_choose_the_branch():
    """Both assemblies of a four-bar close; the one within the rocker's limits is taken."""
    found = {}
    for low, high in ((0.0, np.pi), (-np.pi, 0.0)):
        builder = four_bar(cut='tip').edit()
        for key, joint in list(builder.joints.items()):
            if joint.name == 'rocker':
                from dataclasses import replace

                axis = replace(joint.axes[0], limits=Limits(low, high))
                builder.joints[key] = replace(joint, axes=(axis,))
        model = builder.finalize()
        result = LoopSolver(model, ['crank']).assemble([0.3, 0.1, 0.1])
        assert result.converged
        assert not result.beyond_limits
        found[low] = result.q[model.coordinates_of('rocker')][0]
    assert found[0.0] > 0.0 > found[-np.pi]


def test_limits_that_no_branch_respects_are_reported():
    builder = four_bar(cut='tip').edit()
    from dataclasses import replace

    for key, joint in list(builder.joints.items()):
        if joint.name == 'rocker':
            axis = replace(joint.axes[0], limits=Limits(-0.1, 0.1))
            builder.joints[key] = replace(joint, axes=(axis,))
    result = LoopSolver(builder.finalize(), ['crank']).assemble([0.3, 0.1, 0.1])
    assert result.converged
    assert result.beyond_limits == ('rocker',)


def test_independent_loops_are_independent_blocks():
    model = four_bar_chain(6)
    solver = LoopSolver(model, [f'crank{n}' for n in range(6)])
    assert len(solver.plan.arrays.blocks) == 6
    assert solver.plan.work.J.shape == (5, 2)
    result = solver.assemble(model.zero)
    assert result.converged
    assert [residual.name for residual in result.residuals] == [f'loop{n}' for n in range(6)]
    q = result.q.copy()
    q[model.coordinates_of('crank3')] += 0.2
    moved = solver.solve(q).q != q
    changed = {model.coordinate_names[k] for k in np.flatnonzero(moved)}
    assert changed == {'coupler3', 'rocker3'}


def test_one_block_out_of_reach_leaves_the_others_solved():
    model = four_bar_chain(3)
    solver = LoopSolver(model, [f'crank{n}' for n in range(3)])
    q = solver.assemble(model.zero).q.copy()
    for name in ('coupler1', 'rocker1'):
        q[model.coordinates_of(name)] = np.nan
    result = solver.solve(q)
    assert result.status is SolveStatus.NOT_FINITE
    assert [residual.status for residual in result.residuals] == [
        SolveStatus.CONVERGED,
        SolveStatus.NOT_FINITE,
        SolveStatus.CONVERGED,
    ]


def test_followers_in_a_loop_move_their_master():
    """A parallelogram whose rocker mimics its crank, measured at the rocker."""
    builder = four_bar(1.0, 0.5, 1.0, 0.5, 'tip').edit()
    from dataclasses import replace

    for key, joint in list(builder.joints.items()):
        if joint.name == 'crank':
            builder.joints[key] = replace(joint, mimic=Mimic('rocker', 1.0, 0.0))
    model = builder.finalize()
    solver = LoopSolver(model, ['crank'])
    assert solver.unknowns == ('coupler',)
    q = np.zeros(3)
    q[model.coordinates_of('rocker')] = 0.4
    result = solver.solve(q)
    assert result.converged
    for name, angle in (('crank', 0.4), ('coupler', -0.4), ('rocker', 0.4)):
        assert result.q[model.coordinates_of(name)][0] == pytest.approx(angle)


def test_couplings_alone():
    """A differential: the carrier turns by half the sum of its two sides."""
    builder = ModelBuilder('differential')
    for name in ('left', 'right', 'carrier'):
        add_joint(builder, name, JointType.CONTINUOUS, 'base', f'{name}_link', at(), (Z,))
    builder.add_coupling(
        Coupling('differential', (('left', 1.0), ('right', 1.0), ('carrier', -2.0)), 0.1)
    )
    model = builder.finalize()
    solver = LoopSolver(model, ['left', 'right'])
    result = solver.solve([0.5, 1.1, 0.0])
    assert result.converged
    assert result.q[2] == pytest.approx((0.5 + 1.1 - 0.1) / 2.0)
    rates = solver.velocities(result.q, [2.0, -1.0, 0.0])
    np.testing.assert_allclose(rates.values, [2.0, -1.0, 0.5])
    assert LoopSolver(model, ['left', 'right', 'carrier']).solve([0.5, 1.1, 0.0]).status is (
        SolveStatus.CONTRADICTED
    )


@pytest.mark.parametrize('kind', ['ball', 'revolute', 'universal', 'distance', 'planar'])
def test_random_trees_of_all_joint_types_close(kind):
    """Quaternions are updated on the manifold; velocities and accelerations are differences."""
    rng = np.random.default_rng(1)
    kinds = (
        JointType.BALL,
        JointType.UNIVERSAL,
        JointType.FLOATING,
        JointType.PLANAR,
        JointType.REVOLUTE,
        JointType.PRISMATIC,
        JointType.REVOLUTE,
        JointType.BALL,
    )
    builder, (end_A, end_B) = random_tree(rng, kinds)
    builder.add_closure(
        Closure('loop', kind, end_A, end_B, random_pose(rng), random_pose(rng), length=0.3)
    )
    model = builder.finalize()
    solver = LoopSolver(model, ['j1', 'j4', 'j2'])
    result = solver.assemble(random_positions(model, rng))
    assert result.converged
    for name in ('j0', 'j2', 'j7'):
        turn = result.q[model.coordinates_of(name)][:4]
        assert np.linalg.norm(turn) == pytest.approx(1.0)
    v, a = rng.uniform(-1.0, 1.0, model.nv), rng.uniform(-1.0, 1.0, model.nv)
    velocities = solver.velocities(result.q, v)
    accelerations = solver.accelerations(result.q, v, a)
    rows = ConstraintSystem(model).evaluate(result.q, velocities.values)
    np.testing.assert_allclose(rows.phi_dot, 0.0, atol=1e-10)
    np.testing.assert_allclose(rows.jacobian @ accelerations.values, rows.gamma, atol=1e-9)
    assert max(velocities.remainder, accelerations.remainder) < 1e-9
    for name in ('j1', 'j4', 'j2'):
        given = model.velocities_of(name)
        np.testing.assert_array_equal(velocities.values[given], v[given])
        np.testing.assert_array_equal(accelerations.values[given], a[given])
    stream = v.copy()
    solver.step_rates(result.q, stream)
    np.testing.assert_array_equal(stream, velocities.values)


def test_rates_agree_with_solved_motion(shared_robot):
    """Differences of solved positions are the dependent velocities and accelerations."""
    model = gepetto(shared_robot, 'talos_like')
    motors = motors_of(model)
    solver = LoopSolver(model, motors)
    q = solver.assemble(model.zero).q
    solver.hold(None)
    v = np.zeros(model.nv)
    for n, name in enumerate(motors):
        v[model.velocities_of(name)] = 0.3 + 0.1 * n
    h = 1e-4
    ahead, behind = (solver.solve(q + s * h * v).q for s in (1.0, -1.0))
    velocities = solver.velocities(q, v).values
    np.testing.assert_allclose((ahead - behind) / (2.0 * h), velocities, atol=1e-5)


def test_measured_rates_that_contradict_leave_a_remainder():
    model = four_bar()
    q = LoopSolver(model, ['crank']).assemble(model.zero).q
    solver = LoopSolver(model, [joint.name for joint in model.joints])
    assert solver.velocities(q, [1.0, 0.0, 0.0]).remainder > 0.1


def test_a_model_without_loops_is_solved_by_doing_nothing():
    builder, _ = random_tree(np.random.default_rng(0), (JointType.REVOLUTE, JointType.BALL))
    model = builder.finalize()
    q = random_positions(model, np.random.default_rng(1))
    result = LoopSolver(model).solve(q)
    assert result.converged
    assert result.worst is None
    np.testing.assert_array_equal(result.q, q)


def test_measured_names_are_checked():
    builder = ModelBuilder()
    add_joint(builder, 'free', JointType.FLOATING, 'base', 'body', at())
    add_joint(builder, 'cross', JointType.UNIVERSAL, 'body', 'tip', at(), (Z, (1.0, 0.0, 0.0)))
    model = builder.finalize()
    with pytest.raises(NameLookupError, match="there is no joint or coordinate 'elbow'"):
        LoopSolver(model, ['elbow'])
    with pytest.raises(ValueShapeError, match='1 of 4 coordinates of its rotation are measured'):
        LoopSolver(model, ['free/rot_w'])
    with pytest.raises(ValueShapeError, match='2 of 3 coordinates of its position'):
        LoopSolver(model, ['free/trans_x', 'free/trans_y'])
    with pytest.raises(ValueShapeError, match='the mask of measured coordinates has shape'):
        LoopSolver(model, np.ones(3, bool))
    with pytest.raises(ValueShapeError, match='q has shape'):
        LoopSolver(model).solve([1.0])
    measured = LoopSolver(model, ['cross/axis2']).plan.measured
    assert [model.velocity_names[v] for v in np.flatnonzero(measured)] == ['cross/axis2']
