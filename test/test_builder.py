# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Building and freezing: what is refused, the order of links, what a model holds."""

from __future__ import annotations

import numpy as np
import pytest
from small_robots import arm
from small_robots import OFFSET

from kinematics_node import fk
from kinematics_node.errors import MimicError
from kinematics_node.errors import ModelError
from kinematics_node.errors import NameLookupError
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import Closure
from kinematics_node.model.elements import Frame
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Link
from kinematics_node.model.elements import Mimic
from kinematics_node.model.elements import Z_AXIS
from kinematics_node.model.findings import Severity
from kinematics_node.model.joint_types import JointType


def test_links_are_ordered_depth_first_whatever_the_order_of_addition():
    builder = ModelBuilder('tree')
    for name in ('c', 'a', 'root', 'b'):
        builder.add_link(Link(name))
    for name, parent, child in (('3', 'a', 'c'), ('1', 'root', 'a'), ('2', 'root', 'b')):
        builder.add_joint(Joint(name, JointType.FIXED, parent, child))
    model = builder.finalize()
    assert [link.name for link in model.links] == ['root', 'a', 'c', 'b']
    assert [joint.name for joint in model.joints] == ['1', '3', '2']
    assert model.root == 'root'


def with_joints(*joints):
    builder = ModelBuilder('bad')
    for name in 'abc':
        builder.add_link(Link(name))
    for name, kind, parent, child, more in joints:
        builder.add_joint(Joint(name, kind, parent, child, **more))
    return builder


FIXED, REVOLUTE = JointType.FIXED, JointType.REVOLUTE


@pytest.mark.parametrize(
    ('builder', 'sentence'),
    [
        (ModelBuilder('empty'), 'the model has no link'),
        (with_joints(), r"3 root links \('a', 'b', 'c'\); connect all but one"),
        (
            with_joints(('x', FIXED, 'a', 'b', {}), ('x', FIXED, 'b', 'c', {})),
            "joint 'x': the name is used twice",
        ),
        (with_joints(('', FIXED, 'a', 'b', {})), 'a joint has no name; give it one'),
        (with_joints(('x', FIXED, 'a', 'z', {})), "joint 'x': child link 'z' does not exist"),
        (with_joints(('x', FIXED, 'z', 'a', {})), "joint 'x': parent link 'z' does not exist"),
        (
            with_joints(('x', FIXED, 'a', 'c', {}), ('y', FIXED, 'b', 'c', {})),
            "link 'c': is the child of two joints, 'x' and 'y'; .* a closure",
        ),
        (
            with_joints(
                ('x', FIXED, 'a', 'b', {}), ('y', FIXED, 'b', 'c', {}), ('z', FIXED, 'c', 'a', {})
            ),
            "no link is a root: joints 'x', 'y', 'z' form a cycle|joints .* form a cycle",
        ),
        (
            with_joints(('y', FIXED, 'b', 'c', {}), ('z', FIXED, 'c', 'b', {})),
            "joints '[yz]', '[yz]' form a cycle; make one of them a closure",
        ),
        (
            with_joints(('x', REVOLUTE, 'a', 'b', {'axes': (Axis((0, 0, 0)),)})),
            "joint 'x': axis 0 0 0 has no direction; give a vector such as 0 0 1",
        ),
        (
            with_joints(('x', JointType.UNIVERSAL, 'a', 'b', {'axes': (Axis(),)})),
            'a universal joint has 2 axes, not 1',
        ),
        (
            with_joints(
                ('x', JointType.UNIVERSAL, 'a', 'b', {'axes': (Axis(), Axis(Z_AXIS))}),
                ('x/axis1', REVOLUTE, 'b', 'c', {}),
            ),
            "joint 'x/axis1': the name is also that of a coordinate of another joint",
        ),
    ],
)
def test_what_makes_no_robot_is_refused(builder, sentence):
    with pytest.raises(ModelError, match=sentence):
        builder.finalize()


@pytest.mark.parametrize(
    ('add', 'sentence'),
    [
        (lambda b: b.add_frame(Frame('f', 'nose')), "frame 'f': link 'nose' does not exist"),
        (lambda b: b.add_frame(Frame('upper', 'base')), "frame 'upper': .* share their names"),
        (lambda b: b.add_closure(Closure('k', 'ball', 'base', 'x')), "closure 'k': link 'x'"),
    ],
)
def test_dangling_references_are_refused(add, sentence):
    builder = arm()
    add(builder)
    with pytest.raises(ModelError, match=sentence):
        builder.finalize()


def test_a_zero_axis_means_nothing_on_a_fixed_joint():
    builder = ModelBuilder('plate')
    builder.add_link(Link('a'))
    builder.add_link(Link('b'))
    builder.add_joint(Joint('j', JointType.FIXED, 'a', 'b', axes=(Axis((0.0, 0.0, 0.0)),)))
    model = builder.finalize()
    assert not model.findings
    assert not model.placement[1, 14:].any()


def test_a_ring_of_mimics_is_refused_by_name():
    builder = with_joints(
        ('x', REVOLUTE, 'a', 'b', {'mimic': Mimic('y')}),
        ('y', REVOLUTE, 'b', 'c', {'mimic': Mimic('x')}),
    )
    with pytest.raises(MimicError, match='x -> y -> x') as caught:
        builder.finalize()
    assert set(caught.value.joints) == {'x', 'y'}


def test_a_mimic_of_a_fixed_joint_is_reported_and_ignored():
    model = with_joints(
        ('x', FIXED, 'a', 'b', {}), ('y', FIXED, 'b', 'c', {'mimic': Mimic('x')})
    ).finalize()
    assert [(f.code, f.element) for f in model.findings] == [('mimic-ignored', "joint 'y'")]
    assert not model.mimics


@pytest.mark.parametrize('count', [1_000, 10_000])
def test_a_long_chain_needs_no_recursion(count):
    builder = ModelBuilder('chain')
    builder.add_link(Link('l0'))
    for k in range(1, count):
        builder.add_link(Link(f'l{k}'))
        builder.add_joint(Joint(f'j{k}', JointType.REVOLUTE, f'l{k - 1}', f'l{k}', OFFSET))
    model = builder.finalize()
    X = fk.frame_poses(model, np.zeros(model.nq), f'l{count - 1}')
    assert pytest.approx([1, 0, 0, 0, count - 1, 0, 0]) == X


@pytest.mark.parametrize('name', ['panda.urdf', 'pr2.urdf'])
def test_editing_a_model_and_freezing_it_again_is_the_same_model(shared_robot, name):
    from kinematics_node.formats.load import load_model

    model = load_model(shared_robot(name))
    again = model.edit().finalize()
    assert again.links == model.links
    assert again.joints == model.joints
    assert again.findings == model.findings
    assert np.array_equal(again.placement, model.placement)


def test_findings_of_a_reader_stay_with_the_model():
    builder = arm()
    builder.report('element-ignored', Severity.INFO, 'robot', 'gazebo is ignored', 7)
    (finding,) = builder.finalize().findings
    assert str(finding) == 'info [element-ignored] robot (line 7): gazebo is ignored'


def test_a_model_is_immutable():
    model = arm().finalize()
    with pytest.raises(ValueError, match='read-only'):
        model.placement[1, 0] = 0.0
    with pytest.raises(AttributeError, match='cannot assign'):
        model.name = 'other'


@pytest.mark.parametrize(
    ('look_up', 'sentence'),
    [
        (lambda m: m.link_id('x'), "there is no link 'x'; known are: base, upper, lower"),
        (lambda m: m.joint_id('x'), "there is no joint 'x'; known are: shoulder, elbow"),
        (lambda m: m.coordinates_of('x'), "there is no joint 'x'"),
        (lambda m: m.velocities_of('x'), "there is no joint 'x'"),
    ],
)
def test_unknown_names_are_refused_with_the_known_ones(look_up, sentence):
    with pytest.raises(NameLookupError, match=sentence):
        look_up(arm().finalize())
