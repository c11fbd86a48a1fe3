# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The robots in examples/: they load, assemble, and move as mechanisms of their kind do."""

from __future__ import annotations

from functools import cache
import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from transforms3d.quaternions import quat2mat

from kinematics_node.dof import Actuation
from kinematics_node.dof import dof_report
from kinematics_node.fk import frame_poses
from kinematics_node.formats.load import load_model
from kinematics_node.model.findings import Severity
from kinematics_node.model.model import Model
from kinematics_node.model.review import review
from kinematics_node.solve import LoopSolver

EXAMPLES = Path(__file__).resolve().parent.parent / 'examples'
# Motors, motions that nothing outside notices, and motions that nothing drives.
MECHANISMS = {
    'ball_caster': (2, 0, 3),
    'four_bar_gripper': (1, 0, 0),
    'slider_crank': (1, 0, 0),
    'delta': (3, 0, 0),
    'stewart': (6, 0, 0),
    'push_rod_ankle': (2, 2, 0),
    'differential_wrist': (2, 0, 0),
    'tendon_t_coupler': (2, 0, 0),
}
LOOPS = [name for name in MECHANISMS if name != 'ball_caster']


@cache
def example(name: str) -> Model:
    path = EXAMPLES / name / name
    return load_model(path.with_suffix('.urdf'), side_cars=[path.with_suffix('.yaml')])


def motors(model: Model) -> list[str]:
    return [joint.name for joint in model.joints if joint.actuated]


class Mechanism:
    """An example whose motors are moved, the assembly at zero being followed."""

    def __init__(self, name: str) -> None:
        self.model = example(name)
        self.index = [self.model.coordinate_index[motor] for motor in motors(self.model)]
        self.lower, self.upper = self.model.lower[self.index], self.model.upper[self.index]
        self.solver = LoopSolver(self.model, motors(self.model))
        first = self.solver.assemble(self.model.zero)
        assert first.converged
        self.q = first.q

    def move(self, positions) -> np.ndarray:
        """Return q with the motors at some positions."""
        target = self.q.copy()
        target[self.index] = positions
        result = self.solver.solve(target, start=self.q)
        assert result.converged, (positions, result.worst)
        assert result.beyond_limits == ()
        assert not result.singular
        self.q = result.q
        return self.q

    def value(self, name: str) -> float:
        return float(self.q[self.model.coordinate_index[name]])

    def values(self, joint: str) -> np.ndarray:
        return self.q[self.model.coordinates_of(joint)]


def ways(mechanism: Mechanism, count: int = 25) -> list[np.ndarray]:
    """Return all corners of the motors' ranges, and places drawn in between."""
    rng = np.random.default_rng(4)
    lower, upper = mechanism.lower, mechanism.upper
    corners = [np.array(c) for c in itertools.product(*zip(lower, upper, strict=True))]
    return corners + list(rng.uniform(lower, upper, (count, len(lower))))


def test_every_example_is_told_of() -> None:
    folders = {path.name for path in EXAMPLES.iterdir() if path.is_dir()}
    clients = {'planner_client', 'planner_client_cpp'}
    assert folders == {*MECHANISMS, 'mimic_hand', *clients}
    text = (EXAMPLES / 'README.md').read_text(encoding='utf-8')
    headings = [line.removeprefix('## ') for line in text.splitlines() if line.startswith('## ')]
    assert folders == {name for heading in headings for name in heading.split(', ')}


@pytest.mark.parametrize('name', MECHANISMS)
def test_nothing_is_wrong_with_it(name: str) -> None:
    findings = review(example(name))
    warnings = {f.code for f in findings if f.severity >= Severity.WARNING}
    assert warnings == ({'anchor-apart'} if name == 'ball_caster' else set())
    assert all(link.inertia is not None for link in example(name).links if link.geometry)


@pytest.mark.parametrize('name', MECHANISMS)
def test_it_has_as_many_degrees_of_freedom_as_motors(name: str) -> None:
    count, idle, passive = MECHANISMS[name]
    model = example(name)
    report = dof_report(model, measured=motors(model))
    assert len(motors(model)) == report.actuated_rank == count
    assert (report.mobility, report.idle) == (count + idle + passive, idle)
    assert report.actuation is (Actuation.UNDER if passive else Actuation.FULL)
    assert report.certain
    assert not report.singular


def test_the_idle_motions_of_the_ankle_are_those_of_its_rods() -> None:
    report = dof_report(example('push_rod_ankle'))
    idle = {joint for mode in report.modes if mode.idle for joint in mode.joints}
    assert idle == {'left_rod_head', 'right_rod_head'}


@pytest.mark.parametrize('name', LOOPS)
def test_it_is_assembled_as_the_description_draws_it(name: str) -> None:
    mechanism = Mechanism(name)
    np.testing.assert_allclose(mechanism.q, mechanism.model.zero, atol=1e-12)


@pytest.mark.parametrize('name', LOOPS)
def test_its_motors_reach_every_corner_of_their_ranges(name: str) -> None:
    mechanism = Mechanism(name)
    assert np.isfinite(mechanism.lower).all()
    assert np.isfinite(mechanism.upper).all()
    for positions in ways(mechanism):
        mechanism.move(positions)
    mechanism.move(np.zeros(len(mechanism.index)))
    seen = [frame_poses(mechanism.model, q) for q in (mechanism.q, mechanism.model.zero)]
    # Rods may have turned about themselves; nothing is anywhere else.
    np.testing.assert_allclose(seen[0][:, 4:], seen[1][:, 4:], atol=1e-9)


def test_the_ball_swings_about_its_anchor() -> None:
    model = example('ball_caster')
    q = np.array(model.zero)
    half = math.pi / 4
    q[model.coordinates_of('caster')] = [math.cos(half), 0.0, math.sin(half), 0.0]
    # A quarter turn about y takes the ball's top, 12.5 mm above the anchor, to the front.
    X = frame_poses(model, q, 'ball')
    np.testing.assert_allclose(X[4:], [-0.081 + 0.0125, 0.0, -0.0085], atol=1e-15)


def test_the_fingers_of_the_gripper_do_not_turn() -> None:
    gripper = Mechanism('four_bar_gripper')
    for (angle,) in ways(gripper):
        q = gripper.move([angle])
        for side, sign in (('left', 1.0), ('right', -1.0)):
            X = frame_poses(gripper.model, q, f'{side}_finger')
            np.testing.assert_allclose(abs(X[0]), 1.0, atol=1e-12)
            tilt = 0.5 + angle
            reach = [0.0, sign * (0.015 + 0.06 * math.sin(tilt)), 0.06 * math.cos(tilt)]
            np.testing.assert_allclose(X[4:], reach, atol=1e-10)


def test_the_piston_is_where_the_closed_form_puts_it() -> None:
    pump = Mechanism('slider_crank')
    for a in np.linspace(-2.0 * math.pi, 2.0 * math.pi, 41):
        pump.move([a])
        place = 0.05 * math.cos(a) + math.sqrt(0.15**2 - (0.05 * math.sin(a)) ** 2)
        assert pump.value('piston_slide') + 0.2 == pytest.approx(place, abs=1e-11)


def test_the_platform_of_the_delta_never_turns_and_its_rods_keep_their_length() -> None:
    robot = Mechanism('delta')
    for positions in ways(robot):
        robot.move(positions)
        pose = robot.values('platform_pose')
        np.testing.assert_allclose(np.abs(pose[:4]), [1.0, 0.0, 0.0, 0.0], atol=1e-10)
        place = pose[4:] - np.array([0.0, 0.0, 0.32])
        for k, motor in enumerate(positions):
            # Inverse kinematics: the rod's length between elbow and platform, one arm at a time.
            out = np.array([math.cos(2 * math.pi * k / 3), math.sin(2 * math.pi * k / 3), 0.0])
            elbow = (0.1 + 0.2 * math.cos(motor)) * out - [0.0, 0.0, 0.2 * math.sin(motor)]
            rod = np.linalg.norm(place + 0.06 * out - elbow)
            assert rod == pytest.approx(0.4, abs=1e-10)


def test_equal_motors_move_the_delta_straight_down() -> None:
    robot = Mechanism('delta')
    for angle in (-0.4, 0.3, 0.8):
        robot.move([angle] * 3)
        across = 0.1 + 0.2 * math.cos(angle) - 0.06
        down = 0.2 * math.sin(angle) + math.sqrt(0.4**2 - across**2)
        np.testing.assert_allclose(
            robot.values('platform_pose')[4:], [0.0, 0.0, 0.32 - down], atol=1e-10
        )


def test_the_legs_of_the_stewart_platform_have_the_lengths_of_its_pose() -> None:
    robot = Mechanism('stewart')
    ends = {c.name[-1]: np.array(c.X_LB[4:]) for c in robot.model.closures}
    hips = {j.name[-1]: np.array(j.X_PF[4:]) for j in robot.model.joints if 'hip' in j.name}
    home = {k: np.linalg.norm(ends[k] + [0.0, 0.0, 0.4] - hips[k]) for k in ends}
    for positions in ways(robot):
        robot.move(positions)
        pose = robot.values('platform_pose')
        for k in ends:
            tip = quat2mat(pose[:4]) @ ends[k] + pose[4:] + [0.0, 0.0, 0.4]
            length = np.linalg.norm(tip - hips[k])
            assert length == pytest.approx(home[k] + robot.value(f'leg_{k}'), abs=1e-10)


def test_equal_legs_lift_the_stewart_platform_along_a_screw_of_its_symmetry() -> None:
    robot = Mechanism('stewart')
    robot.move([0.05] * 6)
    pose = robot.values('platform_pose')
    np.testing.assert_allclose(np.abs(pose), [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, pose[6]], atol=1e-10)
    assert pose[6] > 0.05


def test_equal_motors_pitch_the_ankle_as_a_four_bar_does() -> None:
    ankle = Mechanism('push_rod_ankle')
    # The sides are mirrored, but for the heights of their motors.
    for angle in (-0.4, 0.2, 0.5):
        ankle.move([angle, angle])
        for side, height in (('left', 0.3), ('right', 0.22)):
            sign = 1.0 if side == 'left' else -1.0
            crank = [-0.06 * math.cos(angle), sign * 0.04, height + 0.06 * math.sin(angle)]
            foot = frame_poses(ankle.model, ankle.q, 'foot')
            end = quat2mat(foot[:4]) @ [-0.06, sign * 0.04, -0.03] + foot[4:]
            assert np.linalg.norm(end - crank) == pytest.approx(height + 0.03, abs=1e-10)
        # Parallel cranks and rods: the pitch is nearly the motors' angle, the roll nearly none.
        assert ankle.value('ankle/axis1') == pytest.approx(angle, abs=0.1)
        assert abs(ankle.value('ankle/axis2')) < 0.01


def test_opposite_motors_roll_the_ankle() -> None:
    ankle = Mechanism('push_rod_ankle')
    ankle.move([0.3, -0.3])
    assert abs(ankle.value('ankle/axis1')) < 0.05
    assert ankle.value('ankle/axis2') > 0.2


def test_the_wrist_adds_and_subtracts() -> None:
    wrist = Mechanism('differential_wrist')
    for left, right in ways(wrist):
        wrist.move([left, right])
        assert wrist.value('pitch') == pytest.approx(0.5 * (left + right), abs=1e-12)
        assert wrist.value('roll') == pytest.approx(0.5 * (left - right), abs=1e-12)


def test_the_true_coupler_pitches_less_than_its_imitation() -> None:
    hand = Mechanism('tendon_t_coupler')
    for outer, inner in ways(hand):
        hand.move([outer, inner])
        assert hand.value('pitch') == pytest.approx(outer, abs=1e-15)
        assert hand.value('true_coupler/axis1') == pytest.approx(inner, abs=1e-11)
        true = math.atan(math.tan(outer) * math.cos(inner))
        assert hand.value('true_coupler/axis2') == pytest.approx(true, abs=1e-10)
