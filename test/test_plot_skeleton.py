# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What a picture of a state holds: lines, axes, gaps and arrows, against closed forms."""

from __future__ import annotations

from dataclasses import replace
import math

from force_models import door
from force_models import DOWN_Y
from force_models import FOUR_BAR
from force_models import four_bar_angles
from force_models import four_bar_state
from force_models import G
from force_models import heavy_four_bar
from force_models import Mechanism
from force_models import pendulum
from force_models import point
from force_models import T
from force_models import X
from force_models import Y
from loop_models import at
from loop_models import random_axis
from loop_models import random_pose
from loop_models import random_positions
from loop_models import random_tree
from loop_models import Z
import numpy as np
from numpy.testing import assert_allclose
import pytest
from transforms3d.quaternions import quat2mat

from kinematics_node.errors import ModelError
from kinematics_node.errors import NameLookupError
from kinematics_node.errors import ValueShapeError
from kinematics_node.fk import frame_poses
from kinematics_node.forces import constraint_forces
from kinematics_node.forces.wrench_maps import free_directions
from kinematics_node.model.ball_joint import ball_axes
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Geometry
from kinematics_node.model.elements import Link
from kinematics_node.plotting.scales import arrow_scale
from kinematics_node.plotting.scales import scales_of
from kinematics_node.plotting.skeleton import extent_of
from kinematics_node.plotting.skeleton import skeleton_of

CLOSE = {'rtol': 0.0, 'atol': 1e-12}
PINS = {'crank': ('crank', 'coupler'), 'coupler': ('coupler', 'tip'), 'rocker': ('rocker', 'tip')}


def pins_at(theta):
    """Return the four pins of the four-bar by the law of cosines."""
    angles = four_bar_angles(theta)
    crank = np.array((math.cos(theta), math.sin(theta), 0.0)) * FOUR_BAR['crank']
    turn = angles['coupler']
    tip = crank + np.array((math.cos(turn), math.sin(turn), 0.0)) * FOUR_BAR['coupler']
    ground = np.array((FOUR_BAR['ground'], 0.0, 0.0))
    return {'crank': np.zeros(3), 'coupler': crank, 'tip': tip, 'rocker': ground}


def weightless(**keywords):
    """Return the pendulum with another bob."""
    builder = pendulum().edit()
    (k,) = (k for k, link in builder.links.items() if link.name == 'bob')
    builder.links[k] = Link('bob', **keywords)
    return builder.finalize()


def sorted_ends(segment):
    return sorted(np.round(segment, 9).tolist())


def report_of(model, q, **request):
    return constraint_forces(model, q, frame='world', **request)


@pytest.mark.parametrize('cut', ['crank', 'coupler', 'tip', 'rocker'])
def test_links_of_a_four_bar_join_its_pins_whichever_is_cut(cut):
    model, pins = heavy_four_bar(cut), pins_at(0.7)
    skeleton = skeleton_of(model, four_bar_state(model, 0.7))
    lines = {link.link: link for link in skeleton.links}
    for link, (a, b) in PINS.items():
        (segment,) = lines[link].segments
        assert sorted_ends(segment) == sorted_ends(np.array((pins[a], pins[b]))), link
        assert lines[link].reach is None
    anchors = {anchor.joint: anchor.point for anchor in skeleton.anchors}
    for name in pins:
        if name != cut:
            assert_allclose(anchors[name], pins[name], **CLOSE)
    (closure,) = skeleton.closures
    assert (closure.name, closure.type) == (cut, 'revolute')
    assert_allclose(closure.A, pins[cut], **CLOSE)
    assert_allclose(closure.B, pins[cut], **CLOSE)
    assert max(closure.metres, closure.radians) < 1e-12


def test_a_link_without_another_joint_reaches_to_its_centre_of_mass():
    skeleton = skeleton_of(pendulum(), [0.3])
    bob = next(link for link in skeleton.links if link.link == 'bob')
    assert bob.segments.shape == (0, 2, 3)
    # About +y, x turns towards -z.
    end = (0.5 * math.cos(0.3), 0.0, -0.5 * math.sin(0.3))
    assert_allclose(bob.reach, ((0, 0, 0), end), **CLOSE)


def test_without_a_mass_it_reaches_to_the_middle_of_its_shapes():
    shapes = tuple(Geometry('visual', 'sphere', at(0.0, y), (0.1,)) for y in (0.2, 0.6))
    skeleton = skeleton_of(weightless(geometry=shapes), [0.0])
    bob = next(link for link in skeleton.links if link.link == 'bob')
    assert_allclose(bob.reach, ((0, 0, 0), (0, 0.4, 0)), **CLOSE)


def test_a_slide_is_drawn_from_its_anchor_on_the_parent():
    lift = Mechanism().add('lift', T.PRISMATIC, 'ground', 'car', X_PF=at(1.0), axes=(Z,))
    skeleton = skeleton_of(lift.finalize(), [0.4])
    (slide,) = skeleton.slides
    assert slide.joint == 'lift'
    assert_allclose(slide.segment, ((1, 0, 0), (1, 0, 0.4)), **CLOSE)
    (anchor,) = skeleton.anchors
    assert_allclose(anchor.point, (1, 0, 0.4), **CLOSE)
    (ground,) = (link for link in skeleton.links if link.link == 'ground')
    assert_allclose(ground.segments, [((0, 0, 0), (1, 0, 0))], **CLOSE)


def test_nothing_is_drawn_to_a_link_that_floats():
    kite = Mechanism().add('free', T.FLOATING, 'ground', 'kite', point(1.0, 0.1, 0.0, 0.0))
    q = (1.0, 0.0, 0.0, 0.0, 3.0, 2.0, 1.0)
    skeleton = skeleton_of(kite.finalize(), q)
    assert skeleton.slides == ()
    assert [link.link for link in skeleton.links] == ['kite']
    assert_allclose(skeleton.links[0].reach, ((3, 2, 1), (3.1, 2, 1)), **CLOSE)


@pytest.mark.parametrize('seed', range(5))
def test_axes_are_those_about_which_joints_turn(seed):
    rng = np.random.default_rng(seed)
    kinds = [T.REVOLUTE, T.UNIVERSAL, T.PRISMATIC, T.PLANAR, T.CONTINUOUS]
    builder, _ = random_tree(rng, [kinds[k] for k in rng.permutation(len(kinds))])
    model = builder.finalize()
    q = random_positions(model, rng)
    skeleton = skeleton_of(model, q)
    poses = frame_poses(model, q, [link.name for link in model.links])
    for link, joint in enumerate(model.joints, start=1):
        axes = [axis.direction for axis in skeleton.axes if axis.joint == joint.name]
        assert [a.number for a in skeleton.axes if a.joint == joint.name] == [*range(len(axes))]
        S = free_directions(model, q, poses, link)
        if joint.type is T.PRISMATIC:
            assert_allclose(axes, S[3:].T, **CLOSE)
        elif joint.type is T.PLANAR:
            assert_allclose(axes, S[:3, 2:].T, **CLOSE)
        else:
            assert_allclose(axes, S[:3].T, **CLOSE)
        M = np.array(frame_poses(model, q, joint.child))
        X_CM = np.array(joint.X_MC)
        anchor = M[4:] - quat2mat(M[:4]) @ quat2mat(X_CM[:4]).T @ X_CM[4:]
        for axis in skeleton.axes:
            if axis.joint == joint.name:
                assert_allclose(axis.point, anchor, **CLOSE)


@pytest.mark.parametrize('seed', range(5))
def test_a_ball_has_an_axis_on_its_parent_one_on_its_child_and_one_across(seed):
    rng = np.random.default_rng(seed)
    axes, warning = ball_axes(random_axis(rng), random_axis(rng))
    assert not warning
    ball = Mechanism().add('hip', T.BALL, 'ground', 'leg', None, random_pose(rng), axes)
    model = ball.finalize()
    q = random_positions(model, rng)
    first, middle, last = (a.direction for a in skeleton_of(model, q).axes)
    R_WF = quat2mat(model.joint('hip').X_PF[:4])
    assert_allclose(first, R_WF @ axes[0], atol=1e-9)
    assert_allclose(last, R_WF @ quat2mat(q) @ axes[2], atol=1e-9)
    assert_allclose((middle @ first, middle @ last), (0.0, 0.0), atol=1e-9)


def test_a_ball_carries_its_axes_by_right_hand_turns():
    ball = Mechanism().add('hip', T.BALL, 'ground', 'leg', axes=(X, Y, Z)).finalize()
    half = math.pi / 4
    skeleton = skeleton_of(ball, (math.cos(half), math.sin(half), 0.0, 0.0))
    # A quarter turn about x carries y to z and z to -y.
    directions = [axis.direction for axis in skeleton.axes]
    assert_allclose(directions, (X, Z, (0, -1, 0)), **CLOSE)


def test_an_open_closure_is_as_far_open_as_its_ends_are_apart():
    model = heavy_four_bar()
    q = four_bar_state(model, 0.7) + np.array((0.0, 0.2, 0.0))
    skeleton = skeleton_of(model, q)
    (closure,) = skeleton.closures
    assert closure.metres == pytest.approx(np.linalg.norm(closure.B - closure.A), abs=1e-12)
    assert closure.metres == pytest.approx(2.0 * 1.8 * math.sin(0.1), abs=1e-12)
    assert closure.radians == pytest.approx(0.0, abs=1e-12)
    assert closure.largest == closure.metres


def test_arrows_of_a_four_bar_balance_each_of_its_bars():
    model = heavy_four_bar()
    q = four_bar_state(model, 0.7)
    report = report_of(model, q, gravity=DOWN_Y, actuated=['crank'])
    loads = {load.name: load for load in skeleton_of(model, q, report).loads}
    pins = pins_at(0.7)
    for name, load in loads.items():
        assert_allclose(load.point, pins[name], **CLOSE)
        # A planar loop leaves open how its pins share what acts across its plane.
        assert not load.force_determinate
        assert not load.torque_determinate
    # Each bar: what comes in, less what it hands on, against its weight.
    into = {'crank': ['crank'], 'coupler': ['coupler'], 'rocker': ['rocker', 'tip']}
    onward = {'crank': ['coupler'], 'coupler': ['tip'], 'rocker': []}
    for mass, bar in ((1.0, 'crank'), (2.0, 'coupler'), (3.0, 'rocker')):
        force = sum(loads[n].force for n in into[bar]) - sum(
            (loads[n].force for n in onward[bar]), np.zeros(3)
        )
        assert_allclose(force, (0.0, mass * G, 0.0), atol=1e-9)


def test_arrows_are_the_wrenches_of_the_report():
    rng = np.random.default_rng(3)
    model = pendulum()
    q = rng.uniform(-1, 1, model.nq)
    report = report_of(model, q)
    (load,) = skeleton_of(model, q, report).loads
    assert_allclose(load.force, (0, 0, 2.0 * G), **CLOSE)
    assert_allclose(load.torque, (0, -G * math.cos(q[0]), 0), **CLOSE)
    assert load.force_determinate
    assert load.torque_determinate


def test_hinges_that_share_a_load_are_told_apart():
    model = door('upper')
    report = report_of(model, model.zero)
    lower, upper = skeleton_of(model, model.zero, report).loads
    assert (lower.name, upper.name) == ('lower', 'upper')
    # Balls share the weight as they like; none of them carries a moment.
    for load in (lower, upper):
        assert (load.force_determinate, load.torque_determinate) == (False, True)


def test_fixed_joints_carry_arrows_where_they_are_asked_for():
    beam = Mechanism().add('wall', T.FIXED, 'ground', 'beam', point(2.0, 1.0, 0.0, 0.0))
    beam.add('hinge', T.REVOLUTE, 'beam', 'flag', point(1.0, 0.1, 0.0, 0.0), at(1.0), (Z,))
    model = beam.finalize()
    report = report_of(model, [0.0])
    assert [load.name for load in skeleton_of(model, [0.0], report).loads] == ['hinge']
    (load,) = skeleton_of(model, [0.0], report, loads=['wall']).loads
    assert_allclose(load.force, (0, 0, 3.0 * G), **CLOSE)
    assert_allclose(load.torque, (0, -(2.0 + 1.1) * G, 0), **CLOSE)


def test_the_extent_is_the_diagonal_of_what_is_drawn():
    lift = Mechanism().add('lift', T.PRISMATIC, 'ground', 'car', X_PF=at(3.0), axes=(Z,))
    lower, upper = extent_of(skeleton_of(lift.finalize(), [4.0]))
    assert_allclose((lower, upper), ((0, 0, 0), (3, 0, 4)), **CLOSE)


@pytest.mark.parametrize(
    ('longest', 'room', 'scale'),
    [(10.0, 1.0, 0.1), (30.0, 1.0, 0.02), (0.07, 1.0, 10.0), (3.0, 0.01, 0.002), (0.0, 1.0, 0.0)],
)
def test_scales_are_round_and_the_longest_arrow_fits(longest, room, scale):
    assert arrow_scale([longest, 0.5 * longest], room) == pytest.approx(scale)
    assert arrow_scale([], room) == 0.0


def test_scales_that_are_given_are_kept():
    model = pendulum()
    skeleton = skeleton_of(model, [0.0], report_of(model, [0.0]))
    # 19.62 N and 9.81 N m at a robot of 0.5 m: 0.1962 m and 0.0981 m would be too long.
    found = scales_of(skeleton)
    assert (found.force, found.torque) == pytest.approx((0.005, 0.01))
    assert scales_of(skeleton, 0.3, 0.0, 2.0) == replace(found, axis=0.3, force=0.0, torque=2.0)


def test_what_rounding_leaves_is_not_drawn():
    model = Mechanism().add('hip', T.BALL, 'ground', 'leg', point(1.0), axes=(X, Y, Z)).finalize()
    q = (1.0, 0.0, 0.0, 0.0)
    skeleton = skeleton_of(model, q, report_of(model, q))
    (load,) = skeleton.loads
    noisy = replace(skeleton, loads=(replace(load, torque=np.array((0.0, 1e-15, 0.0))),))
    assert scales_of(noisy).torque == 0.0
    assert scales_of(noisy).force == scales_of(skeleton).force > 0.0


@pytest.mark.parametrize('bad', [-1.0, math.nan, math.inf])
def test_scales_that_are_no_lengths_are_refused(bad):
    skeleton = skeleton_of(pendulum(), [0.0])
    with pytest.raises(ValueShapeError, match=f'size of axes is {bad}; it must be positive'):
        scales_of(skeleton, axis=bad)
    with pytest.raises(ValueShapeError, match=f'force scale is {bad}; it must be positive'):
        scales_of(skeleton, force=bad)
    with pytest.raises(ValueShapeError, match=f'torque scale is {bad}; it must be positive'):
        scales_of(skeleton, torque=bad)


def test_loads_on_other_axes_are_refused():
    model = pendulum()
    with pytest.raises(ValueShapeError, match="drawn on world axes; ask for frame='world'"):
        skeleton_of(model, [0.1], constraint_forces(model, [0.1]))


def test_a_report_of_another_pose_is_refused():
    model = pendulum()
    with pytest.raises(ValueShapeError, match='the report is of another state'):
        skeleton_of(model, [0.1], report_of(model, [0.2]))


def test_a_joint_that_is_not_there_is_named():
    model = pendulum()
    report = report_of(model, [0.1])
    with pytest.raises(NameLookupError, match="there is no joint 'knee'; known are: hip"):
        skeleton_of(model, [0.1], report, loads=['knee'])


def test_numbers_that_are_none_are_refused():
    with pytest.raises(ValueShapeError, match="'hip': nan is not finite"):
        skeleton_of(pendulum(), [math.nan])


def test_a_robot_of_one_link_has_nothing_to_draw():
    builder = ModelBuilder('stone')
    builder.add_link(Link('stone'))
    with pytest.raises(ModelError, match="robot 'stone': it has no joints, so there is nothing"):
        skeleton_of(builder.finalize(), [])


def test_a_point_robot_is_drawn_all_the_same():
    lower, upper = extent_of(skeleton_of(weightless(), [0.0]))
    assert_allclose((lower, upper), np.zeros((2, 3)), **CLOSE)
