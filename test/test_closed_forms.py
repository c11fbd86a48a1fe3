# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Solved loops against the textbook's closed forms."""

from __future__ import annotations

import math

from loop_models import add_joint
from loop_models import at
from loop_models import four_bar
from loop_models import Z
import numpy as np
import pytest
from transforms3d.euler import euler2quat
from transforms3d.quaternions import quat2mat

from kinematics_node.constraints.system import ConstraintSystem
from kinematics_node.dof import dof_report
from kinematics_node.fk import frame_poses
from kinematics_node.formats.load import load_model
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Closure
from kinematics_node.model.elements import Coupling
from kinematics_node.model.elements import Frame
from kinematics_node.model.elements import Link
from kinematics_node.model.joint_types import JointType
from kinematics_node.solve import LoopSolver
from kinematics_node.solve import SolveStatus

X = (1.0, 0.0, 0.0)
Y = (0.0, 1.0, 0.0)


def value(model, q, name):
    return float(q[model.coordinates_of(name).start])


@pytest.mark.parametrize('cut', ['tip', 'coupler', 'rocker', 'crank'])
def test_freudenstein_equation(cut):
    """K1 cos(out) - K2 cos(in) + K3 = cos(in - out), K1 = d/a, K2 = d/c (Freudenstein 1954)."""
    d, a, b, c = 2.0, 0.5, 1.8, 1.2
    model = four_bar(d, a, b, c, cut)
    driver = 'coupler' if cut == 'crank' else 'crank'
    solver = LoopSolver(model, [driver])
    q = solver.assemble(model.zero).q.copy()
    for _ in range(60):
        q[model.coordinates_of(driver)] += 2.0 * np.pi / 60
        assert solver.step(q) == SolveStatus.CONVERGED
        X_W = frame_poses(model, q, ['crank', 'rocker'], relative_to='ground')
        turns = [quat2mat(X[:4])[:, 0] for X in X_W]
        into, out = (math.atan2(x[1], x[0]) for x in turns)
        K1, K2 = d / a, d / c
        K3 = (a * a - b * b + c * c + d * d) / (2.0 * a * c)
        left = K1 * math.cos(out) - K2 * math.cos(into) + K3
        assert left == pytest.approx(math.cos(into - out), abs=1e-8)


def slider_crank(r, rod):
    builder = ModelBuilder('slider_crank')
    add_joint(builder, 'crank', JointType.CONTINUOUS, 'base', 'arm', at(), (Z,))
    add_joint(builder, 'pin', JointType.CONTINUOUS, 'arm', 'rod', at(r), (Z,))
    add_joint(builder, 'slide', JointType.PRISMATIC, 'base', 'piston', at(), (X,))
    builder.add_closure(Closure('wrist', 'revolute', 'rod', 'piston', at(rod), at(), Z, Z))
    return builder.finalize()


def test_slider_crank_position_velocity_and_acceleration():
    """x = r cos(t) + sqrt(l^2 - r^2 sin(t)^2), and its derivatives by t."""
    r, rod, rate = 0.3, 0.8, 1.7
    model = slider_crank(r, rod)
    solver = LoopSolver(model, ['crank'])
    q = solver.assemble([0.0, 0.0, 1.0]).q.copy()
    for t in np.linspace(0.0, 2.0 * np.pi, 50):
        q[model.coordinates_of('crank')] = t
        assert solver.step(q) == SolveStatus.CONVERGED
        s, c = math.sin(t), math.cos(t)
        root = math.sqrt(rod * rod - r * r * s * s)
        assert value(model, q, 'slide') == pytest.approx(r * c + root, abs=1e-10)
        v = np.array([rate, 0.0, 0.0])
        speed = solver.velocities(q, v).values[model.velocities_of('slide').start]
        first = -r * s - r * r * s * c / root
        assert speed == pytest.approx(rate * first, abs=1e-9)
        second = -r * c - (r * r * (c * c - s * s) + (r * r * s * c) ** 2 / root**2) / root
        found = solver.accelerations(q, v, np.zeros(3)).values
        assert found[model.velocities_of('slide').start] == pytest.approx(
            rate * rate * second, abs=1e-8
        )


def test_slider_crank_driven_at_its_slide_is_singular_at_the_dead_point():
    model = slider_crank(0.3, 0.8)
    solver = LoopSolver(model, ['slide'])
    beyond = solver.solve([0.5, -0.5, 1.2])
    assert beyond.status is SolveStatus.STALLED
    assert beyond.worst.metres == pytest.approx(0.1, abs=1e-3)
    assert not solver.solve([0.5, -0.7, 0.95]).singular
    dead = solver.solve([0.0, 0.0, 1.1])
    assert dead.converged
    assert dead.singular
    assert not dof_report(model, dead.q).singular, 'the mechanism is not: its slide is'


def test_parallelogram_passes_its_flat_pose():
    """Streamed through the flat pose, where its rows lose rank, it stays closed and parallel."""
    model = four_bar(1.0, 0.5, 1.0, 0.5)
    solver = LoopSolver(model, ['crank'])
    q = np.zeros(3)
    crank, coupler, rocker = (
        model.coordinates_of(name).start for name in ('crank', 'coupler', 'rocker')
    )
    q[crank], q[coupler], q[rocker] = 0.5, -0.5, 0.5
    for angle in np.linspace(0.5, -0.5, 334):
        q[crank] = angle
        assert solver.step(q) == SolveStatus.CONVERGED
        assert np.abs(ConstraintSystem(model).evaluate(q).phi).max() < 1e-10
        assert abs(q[rocker] - angle) < 1e-4, 'on the parallel branch, at the flat pose too'
    np.testing.assert_allclose(q[[crank, coupler, rocker]], (-0.5, 0.5, -0.5), atol=1e-9)


def test_drake_four_bar(shared_robot):
    """Its README's equilibrium is at acos(1/4) for A, and its supplement for B and C."""
    builder = load_model(shared_robot('four_bar.sdf')).edit()
    frames = {frame.name: frame for frame in builder.frames.values()}
    tip_B, tip_C = frames['Bc_bushing'], frames['Cb_bushing']
    aside = (*tip_C.X_BA[:5], tip_C.X_BA[5] - 0.1, tip_C.X_BA[6])
    builder.add_closure(
        Closure('pin', 'revolute', tip_B.link, tip_C.link, tip_B.X_BA, aside, Z, Z)
    )
    model = builder.finalize()
    driver = math.acos(0.25)
    solver = LoopSolver(model, ['joint_WA'])
    start = np.zeros(3)
    for name, angle in (('joint_WA', driver), ('joint_AB', 1.7), ('joint_WC', 1.7)):
        start[model.coordinates_of(name)] = angle
    result = solver.solve(start)
    assert result.converged
    assert value(model, result.q, 'joint_AB') == pytest.approx(math.pi - driver, abs=1e-9)
    assert value(model, result.q, 'joint_WC') == pytest.approx(math.pi - driver, abs=1e-9)
    assert dof_report(model, result.q).mobility == 1


@pytest.mark.parametrize('bend', [0.0, 0.3, 1.0])
def test_transmission_of_a_universal_joint(bend):
    """Shafts bent by an angle: tan(out) = tan(in) cos(bend), and the rate's fluctuation."""
    tilt = euler2quat(bend, 0.0, 0.0)
    builder = ModelBuilder('cardan')
    add_joint(builder, 'into', JointType.CONTINUOUS, 'base', 'input', at(), (Z,))
    add_joint(builder, 'out', JointType.CONTINUOUS, 'base', 'output', at(turn=tilt), (Z,))
    builder.add_closure(Closure('cross', 'universal', 'input', 'output', axis_A=X, axis_B=Y))
    model = builder.finalize()
    solver = LoopSolver(model, ['into'])
    q = np.zeros(2)
    for angle in np.linspace(0.0, 2.0 * np.pi, 80):
        q[0] = angle
        assert solver.step(q) == SolveStatus.CONVERGED
        assert (
            math.tan(q[1]) * math.cos(q[0])
            == pytest.approx(math.sin(q[0]) * math.cos(bend), rel=1e-8, abs=1e-9)
            or abs(math.cos(q[1])) < 1e-3
        )
        ratio = solver.velocities(q, [1.0, 0.0]).values[1]
        expected = math.cos(bend) / (1.0 - math.sin(bend) ** 2 * math.sin(q[0]) ** 2)
        assert ratio == pytest.approx(expected, abs=1e-9)
    assert q[1] == pytest.approx(2.0 * np.pi), 'on average they turn alike'


def test_planetary_gear():
    """Willis: w_sun + (z_ring / z_sun) w_ring = (1 + z_ring / z_sun) w_carrier (Willis 1841)."""
    sun, planet, ring = 20, 16, 52
    builder = ModelBuilder('planetary')
    for name in ('sun', 'ring', 'carrier'):
        add_joint(builder, name, JointType.CONTINUOUS, 'base', f'{name}_link', at(), (Z,))
    add_joint(builder, 'planet', JointType.CONTINUOUS, 'carrier_link', 'p', at(0.36), (Z,))
    builder.add_coupling(
        Coupling('inner', (('sun', sun), ('carrier', -float(sun)), ('planet', float(planet))))
    )
    builder.add_coupling(
        Coupling('outer', (('ring', ring), ('carrier', -float(ring)), ('planet', -float(planet))))
    )
    model = builder.finalize()
    solver = LoopSolver(model, ['sun', 'ring'])
    rates = solver.velocities(model.zero, [3.0, -0.5, 0.0, 0.0]).values
    carrier = (3.0 * sun - 0.5 * ring) / (sun + ring)
    assert rates[model.velocities_of('carrier').start] == pytest.approx(carrier)
    assert dof_report(model).mobility == 2


def platform_on_legs(base, plate, lengths=None):
    """Return a free plate held by legs: rods of given length, or pistons if none are given."""
    builder = ModelBuilder('platform')
    add_joint(builder, 'free', JointType.FLOATING, 'base', 'plate', at())
    for n, (a, b) in enumerate(zip(base, plate, strict=True)):
        if lengths is not None:
            builder.add_closure(
                Closure(f'rod{n}', 'distance', 'base', 'plate', at(*a), at(*b), length=lengths[n])
            )
            continue
        cross, piston = ((X, Y), ((0.0, 0.0, 1.0),))
        add_joint(builder, f'hip{n}', JointType.UNIVERSAL, 'base', f'barrel{n}', at(*a), cross)
        add_joint(builder, f'leg{n}', JointType.PRISMATIC, f'barrel{n}', f'rod{n}', at(), piston)
        builder.add_closure(Closure(f'ball{n}', 'ball', f'rod{n}', 'plate', at(), at(*b)))
    return builder.finalize()


def hexagon(radius, spread, turn):
    angles = [turn + k * 2.0 * np.pi / 3.0 + s * spread for k in range(3) for s in (-1.0, 1.0)]
    return [(radius * math.cos(t), radius * math.sin(t), 0.0) for t in angles]


BASE, PLATE = hexagon(0.3, 0.3, 0.0), hexagon(0.2, 0.75, 0.0)


@pytest.mark.parametrize('as_rods', [True, False])
def test_stewart_platform_forward_and_inverse(as_rods):
    """Leg lengths of a pose are |p + R b - a|; solving for the pose gives it back."""
    rng = np.random.default_rng(0)
    for _ in range(5):
        turn = euler2quat(*rng.uniform(-0.2, 0.2, 3))
        p = np.array([0.0, 0.0, 0.5]) + rng.uniform(-0.05, 0.05, 3)
        R = quat2mat(turn)
        lengths = [
            float(np.linalg.norm(p + R @ np.array(b) - np.array(a)))
            for a, b in zip(BASE, PLATE, strict=True)
        ]
        model = platform_on_legs(BASE, PLATE, lengths if as_rods else None)
        solver = LoopSolver(model, () if as_rods else [f'leg{n}' for n in range(6)])
        start = model.zero.copy()
        start[model.coordinates_of('free')] = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5)
        if not as_rods:
            for n in range(6):
                start[model.coordinates_of(f'leg{n}')] = lengths[n]
        result = solver.solve(start)
        assert result.converged
        found = result.q[model.coordinates_of('free')]
        np.testing.assert_allclose(found[4:], p, atol=1e-8)
        np.testing.assert_allclose(quat2mat(found[:4]), R, atol=1e-7)
        report = dof_report(model, result.q)
        assert report.mobility == (0 if as_rods else 6)


def delta_robot(base, elbow, rod, plate):
    """Return three arms and a free plate, joined by two parallel rods each."""
    builder = ModelBuilder('delta')
    builder.add_link(Link('base'))
    add_joint(builder, 'free', JointType.FLOATING, 'base', 'plate', at())
    for n in range(3):
        turn = euler2quat(0.0, 0.0, n * 2.0 * math.pi / 3.0)
        heading = quat2mat(turn)
        hip = heading @ np.array([base, 0.0, 0.0])
        add_joint(
            builder, f'arm{n}', JointType.REVOLUTE, 'base', f'a{n}', at(*hip, turn=turn), (Y,)
        )
        for side in (-0.03, 0.03):
            on_plate = heading @ np.array([plate, side, 0.0])
            builder.add_closure(
                Closure(
                    f'rod{n}{side:+}',
                    'distance',
                    f'a{n}',
                    'plate',
                    at(elbow, side),
                    at(*on_plate),
                    length=rod,
                )
            )
    return builder.finalize()


def three_spheres(centres, radius):
    """Return the lower of the two points at a distance from three centres."""
    p1, p2, p3 = centres
    ex = (p2 - p1) / np.linalg.norm(p2 - p1)
    i = ex @ (p3 - p1)
    ey = p3 - p1 - i * ex
    ey /= np.linalg.norm(ey)
    ez = np.cross(ex, ey)
    d, j = np.linalg.norm(p2 - p1), ey @ (p3 - p1)
    x = 0.5 * d
    y = (i * i + j * j) / (2.0 * j) - i / j * x
    z = math.sqrt(radius * radius - x * x - y * y)
    return min((p1 + x * ex + y * ey + s * z * ez for s in (1.0, -1.0)), key=lambda p: p[2])


def test_delta_robot_is_the_intersection_of_three_spheres():
    """About the elbows, moved inward by the plate's radius; the plate does not turn."""
    base, elbow, rod, plate = 0.1, 0.2, 0.45, 0.05
    model = delta_robot(base, elbow, rod, plate)
    solver = LoopSolver(model, ['arm0', 'arm1', 'arm2'])
    start = model.zero.copy()
    start[model.coordinates_of('free')] = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.4)
    rng = np.random.default_rng(1)
    for _ in range(8):
        arms = rng.uniform(0.0, 0.7, 3)
        q = start.copy()
        centres = []
        for n, angle in enumerate(arms):
            q[model.coordinates_of(f'arm{n}')] = angle
            heading = quat2mat(euler2quat(0.0, 0.0, n * 2.0 * math.pi / 3.0))
            reach = base + elbow * math.cos(angle) - plate
            centres.append(heading @ np.array([reach, 0.0, -elbow * math.sin(angle)]))
        result = solver.solve(q)
        assert result.converged
        free = result.q[model.coordinates_of('free')]
        np.testing.assert_allclose(free[4:], three_spheres(centres, rod), atol=1e-8)
        np.testing.assert_allclose(np.abs(free[:4]), (1.0, 0.0, 0.0, 0.0), atol=1e-7)
    report = dof_report(model, result.q, actuated=['arm0', 'arm1', 'arm2'])
    assert (report.mobility, report.redundant) == (3, 0)


def test_distance_rod_is_the_law_of_cosines():
    builder = ModelBuilder('strut')
    add_joint(builder, 'lid', JointType.REVOLUTE, 'box', 'cover', at(), (Z,))
    builder.add_closure(Closure('strut', 'distance', 'box', 'cover', at(3.0), at(4.0), length=5.0))
    builder.add_frame(Frame('handle', 'cover', at(4.0)))
    model = builder.finalize()
    result = LoopSolver(model).solve([1.0])
    assert value(model, result.q, 'lid') == pytest.approx(0.5 * math.pi)
