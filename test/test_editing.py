# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Edits of a builder: references follow, and the world stays as it was."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
import numpy as np
import pytest
from random_robots import random_pose
from random_robots import random_robot
from random_robots import random_unit
from random_robots import random_vector
from small_robots import arm
from small_robots import assert_same_poses
from small_robots import OFFSET
from small_robots import zero_poses

from kinematics_node import fk
from kinematics_node.errors import ModelError
from kinematics_node.errors import NameLookupError
from kinematics_node.kinematics.composite import composite_inertia
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Closure
from kinematics_node.model.elements import Frame
from kinematics_node.model.elements import Geometry
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Link
from kinematics_node.model.elements import Mimic
from kinematics_node.model.joint_types import JointType
from kinematics_node.state import State

SINGLE_AXIS = (JointType.REVOLUTE, JointType.PRISMATIC, JointType.CONTINUOUS, JointType.FIXED)
properties = settings(max_examples=30, deadline=None)
seeds = st.integers(0, 10_000)


def test_ids_are_stable_and_never_reused():
    builder = arm()
    tool = next(iter(builder.frames))
    builder.remove(tool)
    assert builder.add_frame(Frame('tool', 'lower')) > tool
    with pytest.raises(NameLookupError, match=f"no element '{tool}'"):
        builder.remove(tool)


def test_removing_a_leaf_takes_its_joint_along():
    builder = arm()
    for store in (builder.frames, builder.closures, builder.couplings):
        builder.remove(next(iter(store)))
    builder.remove(builder.link_id('lower'))
    assert [link.name for link in builder.finalize().links] == ['base', 'upper']
    assert [joint.name for joint in builder.joints.values()] == ['shoulder']


@pytest.mark.parametrize(
    ('find', 'sentence'),
    [
        (lambda b: b.link_id('upper'), "link 'upper': cannot be removed .* child link 'lower'"),
        (lambda b: b.link_id('lower'), "used by frame 'tool', closure 'rod', coupling 'gear'"),
        (lambda b: b.joint_id('shoulder'), "used by the mimic of joint 'elbow', coupling 'gear'"),
    ],
)
def test_what_others_hang_on_is_not_removed(find, sentence):
    builder = arm()
    with pytest.raises(ModelError, match=sentence):
        builder.remove(find(builder))
    assert builder.finalize().nv == 2


def test_renaming_reaches_every_reference():
    builder = arm()
    builder.rename(builder.link_id('lower'), 'hand')
    builder.rename(builder.joint_id('shoulder'), 'hip')
    model = builder.finalize()
    assert model.joint('elbow').child == 'hand'
    assert model.joint('elbow').mimic == Mimic('hip')
    assert model.frames[0].link == 'hand'
    assert model.closures[0].link_B == 'hand'
    assert model.couplings[0].terms == (('hip', 1.0), ('elbow', -1.0))


@pytest.mark.parametrize(
    ('old', 'new', 'sentence'),
    [
        ('lower', 'upper', "link 'lower': the name 'upper' is taken"),
        ('lower', 'tool', "the name 'tool' is taken"),
        ('lower', '', 'the new name is empty'),
    ],
)
def test_a_name_that_is_taken_is_refused(old, new, sentence):
    builder = arm()
    with pytest.raises(ModelError, match=sentence):
        builder.rename(builder.link_id(old), new)


@properties
@given(seed=seeds)
def test_renaming_changes_no_number(seed):
    rng = np.random.default_rng(seed)
    builder = random_robot(seed)
    before = builder.finalize()
    q = State.random(before, rng).q
    for store in (builder.links, builder.joints, builder.frames):
        for identity in list(store):
            builder.rename(identity, f'x{rng.integers(10**9)}_{identity}')
    after = builder.finalize()
    assert np.array_equal(fk.frame_poses(before, q), fk.frame_poses(after, q))


@properties
@given(seed=seeds)
def test_reparenting_keeps_the_world_or_the_joint(seed):
    rng = np.random.default_rng(seed)
    builder = random_robot(seed)
    before = zero_poses(builder)
    link, parent = f'link{rng.integers(1, 12)}', f'link{rng.integers(0, 12)}'
    joint = next(j for j in builder.joints.values() if j.child == link)
    try:
        builder.reparent(link, parent)
    except ModelError as error:
        with pytest.raises(ModelError, match='the link itself or below it'):
            raise error from None
        assert_same_poses(before, zero_poses(builder))
        return
    assert_same_poses(before, zero_poses(builder))
    builder.reparent(link, joint.parent, keep='world')
    builder.reparent(link, parent, keep='joint')
    moved = builder.joints[builder.joint_id(joint.name)]
    assert moved.parent == parent
    assert pytest.approx(joint.X_PF, abs=1e-12) == moved.X_PF


def test_a_link_cannot_hang_on_its_own_child():
    builder = arm()
    with pytest.raises(ModelError, match="link 'upper': cannot hang on 'lower'"):
        builder.reparent('upper', 'lower')
    with pytest.raises(ModelError, match="link 'base': is a root and has no joint"):
        builder.reparent('base', 'lower')
    with pytest.raises(ModelError, match="keep is 'both'; give 'world' or 'joint'"):
        builder.reparent('lower', 'base', keep='both')
    with pytest.raises(NameLookupError, match="no link '99'"):
        builder.reparent(99, 'base')
    with pytest.raises(NameLookupError, match="no joint 'knee'"):
        builder.joint_id('knee')


def test_a_link_is_fixed_by_hand():
    builder = arm()
    X_PC = (0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0)
    identity = builder.fix('lower', X_PC)
    assert builder.joints[identity].type is JointType.FIXED
    assert builder.joints[identity].name == 'elbow'
    expected = fk.pose_matrices(np.array([*X_PC[:4], 2.0, 2.0, 3.0]))
    assert zero_poses(builder)['lower'] == pytest.approx(expected)
    builder.add_link(Link('part'))
    with pytest.raises(ModelError, match="link 'part': has no joint to fix"):
        builder.fix('part', X_PC)
    builder.fix('part', X_PC, parent='base')
    assert zero_poses(builder)['part'] == pytest.approx(fk.pose_matrices(np.array(X_PC)))
    with pytest.raises(ModelError, match="hangs on 'base' by joint 'part_fixed'; reparent it"):
        builder.fix('part', X_PC, parent='upper')
    with pytest.raises(ModelError, match="link 'base': cannot hang on 'part'"):
        builder.fix('base', X_PC, parent='part')


def shapes(builder):
    """Return the world pose of each link's shape in the zero pose."""
    poses = zero_poses(builder)
    return {
        link.name: poses[link.name] @ fk.pose_matrices(np.array(link.geometry[0].X_BG))
        for link in builder.links.values()
    }


@properties
@given(seed=seeds)
def test_an_inserted_axis_moves_nothing_until_it_turns(seed):
    rng = np.random.default_rng(seed)
    builder = random_robot(seed, types=(JointType.FIXED, JointType.BALL))
    for identity, link in builder.links.items():
        shape = Geometry('visual', 'sphere', random_pose(rng), (0.1,))
        builder.links[identity] = Link(link.name, link.inertia, (shape,))
    builder.add_closure(
        Closure('loop', 'ball', 'link2', 'link4', random_pose(rng), random_pose(rng))
    )
    poses, drawn, model = zero_poses(builder), shapes(builder), builder.finalize()
    mass = composite_inertia(model, model.zero, 'link0')
    point, direction = random_vector(rng), random_unit(rng)
    builder.insert_axis('link2', point, tuple(3.0 * x for x in direction))
    after = builder.finalize()

    # Only the frame of the link itself moves, to the point.
    moved = zero_poses(builder)
    own = moved.pop('link2')
    assert own[:3, 3] == pytest.approx(point)
    assert own[:3, :3] == pytest.approx(poses.pop('link2')[:3, :3], abs=1e-12)
    assert_same_poses(poses, moved)
    for name, shape in shapes(builder).items():
        assert shape == pytest.approx(drawn[name], abs=1e-12)
    total = composite_inertia(after, after.zero, 'link0')
    assert total.center == pytest.approx(mass.center, abs=1e-12)
    assert total.rotational == pytest.approx(mass.rotational, abs=1e-10)

    # Points of the axis stay when it turns.
    state = State(after)
    state.set('joint2', 0.7)
    T = fk.pose_matrices(fk.frame_poses(after, state.q, 'link2'))
    on_axis = np.array(point) + 0.3 * np.array(direction)
    local = np.linalg.inv(own) @ [*on_axis, 1.0]
    assert (T @ local)[:3] == pytest.approx(on_axis, abs=1e-12)


@pytest.mark.parametrize(
    ('link', 'direction', 'kind', 'sentence'),
    [
        ('upper', (0, 0, 1), JointType.REVOLUTE, "joint 'shoulder': is revolute; only a fixed"),
        ('part', (0, 0, 0), JointType.REVOLUTE, r'direction \(0, 0, 0\) are no axis'),
        ('part', (0, 0, np.nan), JointType.REVOLUTE, 'are no axis; give finite numbers'),
        ('part', (0, 0, 1), JointType.BALL, 'a ball joint has not one axis'),
        ('base', (0, 0, 1), JointType.REVOLUTE, 'is a root and has no joint'),
    ],
)
def test_an_axis_that_cannot_be_inserted_is_refused(link, direction, kind, sentence):
    builder = arm()
    builder.add_link(Link('part'))
    builder.fix('part', OFFSET, parent='base')
    with pytest.raises(ModelError, match=sentence):
        builder.insert_axis(link, (0.0, 0.0, 0.0), direction, kind)


def test_merging_brings_everything_under_the_prefix():
    builder = arm()
    joint = builder.merge(arm().finalize(), 'left_', 'lower', OFFSET)
    model = builder.finalize()
    assert builder.joints[joint].name == 'left_base_fixed'
    assert model.joint('left_elbow').mimic == Mimic('left_shoulder')
    assert model.couplings[1].terms == (('left_shoulder', 1.0), ('left_elbow', -1.0))
    assert (model.closures[1].link_A, model.closures[1].link_B) == ('left_base', 'left_lower')
    poses = zero_poses(builder)
    assert poses['left_tool'][:3, 3] == pytest.approx([6.0, 0.0, 0.0])
    state = State(model)
    state.set('left_shoulder', 0.3)
    assert state.get('left_elbow') == 0.3
    assert state.get('elbow') == 0.0


def test_merging_under_a_taken_name_changes_nothing():
    builder = arm()
    with pytest.raises(ModelError, match="link 'base': the name is taken; merge under another"):
        builder.merge(arm(), '', 'lower')
    assert len(builder.links) == 3
    with pytest.raises(ModelError, match="'nothing', has 0 root links; it needs one"):
        builder.merge(ModelBuilder('nothing'), 'x_', 'lower')


@properties
@given(seed=seeds)
def test_merging_keeps_both_robots_as_they_were(seed):
    rng = np.random.default_rng(seed)
    builder, other = random_robot(seed), random_robot(seed + 1)
    X_PC = random_pose(rng)
    before, theirs = zero_poses(builder), zero_poses(other)
    builder.merge(other, 'b/', 'link5', X_PC)
    after = zero_poses(builder)
    assert_same_poses(before, {name: after[name] for name in before})
    X_WP = before['link5'] @ fk.pose_matrices(np.array(X_PC))
    for name, X in theirs.items():
        assert after[f'b/{name}'] == pytest.approx(X_WP @ X, abs=1e-12)


TURNED = (*SINGLE_AXIS, JointType.UNIVERSAL, JointType.BALL)


@properties
@given(seed=seeds)
def test_rerooting_changes_no_relative_pose(seed):
    rng = np.random.default_rng(seed)
    builder = random_robot(seed, types=TURNED)
    before = builder.finalize()
    state = State.random(before, rng)
    root = f'link{rng.integers(0, 12)}'
    builder.reroot(root)
    after = builder.finalize()
    assert after.root == root
    other = State(after)
    for joint in before.joints:
        value = state.get(joint.name)
        if after.joint(joint.name).parent != joint.parent:
            if joint.type is JointType.UNIVERSAL:
                value = value[::-1]
            elif joint.type is JointType.BALL:
                value = value * [1.0, -1.0, -1.0, -1.0]
        if joint.type is not JointType.FIXED:
            other.set(joint.name, value)
    names = fk.frame_names(before)
    old = fk.frame_poses(before, state.q, names, relative_to='link7')
    new = fk.frame_poses(after, other.q, names, relative_to='link7')
    assert fk.pose_matrices(new) == pytest.approx(fk.pose_matrices(old), abs=1e-12)


@properties
@given(seed=seeds)
def test_rerooting_twice_is_no_change_in_the_zero_pose(seed):
    builder = random_robot(seed)
    before = zero_poses(builder)
    builder.reroot('link9')
    builder.reroot('link0')
    assert_same_poses(before, zero_poses(builder))


def test_a_mended_mimic_is_not_reported_after_editing():
    builder = arm()
    builder.rename(builder.joint_id('shoulder'), 'hip')
    elbow = builder.joint_id('elbow')
    builder.joints[elbow] = replace(builder.joints[elbow], mimic=Mimic('nobody'))
    model = builder.finalize()
    assert [finding.code for finding in model.findings] == ['mimic-ignored']
    assert [finding.code for finding in model.edit().finalize().findings] == ['mimic-ignored']
    mended = model.edit()
    elbow = mended.joint_id('elbow')
    mended.joints[elbow] = replace(mended.joints[elbow], mimic=Mimic('hip'))
    assert mended.finalize().findings == ()


def test_a_pose_above_a_cycle_is_refused():
    builder = arm()
    builder.add_joint(Joint('back', JointType.FIXED, 'lower', 'base'))
    with pytest.raises(ModelError, match="link 'lower': the joints above it form a cycle"):
        builder.zero_pose('lower')


def test_a_zero_pose_is_that_of_the_finished_model():
    builder = arm()
    assert builder.zero_pose('lower') == pytest.approx((1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0))
    with pytest.raises(NameLookupError, match="no link 'nose'"):
        builder.zero_pose('nose')
