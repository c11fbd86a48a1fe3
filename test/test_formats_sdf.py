# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""SDFormat, files of every kind through load_model, and xacro."""

from __future__ import annotations

import math

from model_compare import link_poses
import numpy as np
import pytest
from shared_robots import shared_robot

from kinematics_node.errors import DescriptionError
from kinematics_node.errors import ResourceError
from kinematics_node.formats.load import load_model
from kinematics_node.formats.load import read_description
from kinematics_node.model.elements import Mimic
from kinematics_node.model.joint_types import JointType

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
LINKS = '<link name="a"/><link name="b"><pose>1 0 0 0 0 0</pose></link>'


def sdf(inside):
    """Return an SDF document with one model."""
    return f'<sdf version="1.9"><model name="m">{inside}</model></sdf>'


def joint(kind, inside='', name='j', parent='a', child='b'):
    """Return a <joint>."""
    ends = f'<parent>{parent}</parent><child>{child}</child>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def load(inside):
    """Return the model of an SDF."""
    return read_description(sdf(inside)).finalize()


def test_the_shared_four_bar():
    model = load_model(shared_robot('four_bar.sdf'))
    assert model.root == 'world'
    assert [a.direction for j in model.joints for a in j.axes] == [Y, Y, Y]
    assert [j.actuated for j in sorted(model.joints, key=lambda j: j.name)] == [False, None, False]
    q = np.zeros(3)
    q[model.coordinates_of('joint_WA')] = math.pi / 2
    poses = link_poses(model, q)
    # A quarter turn about y takes x to -z: the far end of A, where B starts.
    assert poses[model.link_id('B'), 4:] == pytest.approx([0, 0.1, -4])
    assert poses[model.link_id('C'), 4:] == pytest.approx([-2, 0.2, 0])
    tool = model.frames[0]
    assert (tool.name, tool.link, tool.X_BA[4:]) == ('Bc_bushing', 'B', (4.0, 0.0, 0.0))
    inertia = model.links[model.link_id('A')].inertia
    assert (inertia.mass, inertia.center) == (20.0, (2.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ('kind', 'type_', 'axes'),
    [
        ('fixed', JointType.FIXED, []),
        ('revolute', JointType.REVOLUTE, [Z]),
        ('continuous', JointType.CONTINUOUS, [Z]),
        ('prismatic', JointType.PRISMATIC, [Z]),
        ('ball', JointType.BALL, [X, Y, Z]),
        ('universal', JointType.UNIVERSAL, [X, Y]),
        ('revolute2', JointType.UNIVERSAL, [X, Y]),
    ],
)
def test_types_and_axes(kind, type_, axes):
    two = '<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>'
    inside = two if type_ is JointType.UNIVERSAL else ''
    read = load(LINKS + joint(kind, inside)).joint('j')
    assert read.type is type_
    assert [axis.direction for axis in read.axes] == axes


def test_a_joint_stands_at_its_pose_and_its_axis_may_be_the_models():
    inside = (
        '<pose>0 0 1 0 0 1.5707963267948966</pose><axis><xyz expressed_in="{}">1 0 0</xyz></axis>'
    )
    model = load(LINKS + joint('revolute', inside.format('')))
    read = model.joint('j')
    assert read.X_PF[4:] == (1.0, 0.0, 1.0)
    assert read.X_MC[4:] == pytest.approx((0.0, 0.0, -1.0))
    poses = link_poses(model, [math.pi])
    # The axis x of the joint is the model's y.
    assert poses[1, 4:] == pytest.approx([1, 0, 2])
    read = load(LINKS + joint('revolute', inside.format('__model__'))).joint('j')
    assert read.axes[0].direction == pytest.approx((0.0, -1.0, 0.0))


def test_limits_dynamics_and_mimic():
    inside = (
        '<axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>1e16</upper><effort>-1</effort>'
        '<velocity>3</velocity></limit><dynamics><damping>0.1</damping><friction>0.2</friction>'
        '<spring_stiffness>4</spring_stiffness><spring_reference>0.5</spring_reference></dynamics>'
        '<mimic joint="k"><multiplier>2</multiplier><offset>0.1</offset><reference>0.3</reference>'
        '</mimic></axis>'
    )
    text = LINKS + '<link name="c"/>' + joint('revolute', inside) + joint(
        'revolute', name='k', parent='b', child='c'
    )  # fmt: skip
    read = load(text).joint('j')
    axis = read.axes[0]
    assert (axis.limits.lower, axis.limits.upper) == (-1.0, math.inf)
    assert (axis.limits.effort, axis.limits.velocity) == (math.inf, 3.0)
    assert (axis.damping, axis.friction, axis.spring, axis.rest) == (0.1, 0.2, 4.0, 0.5)
    assert read.mimic == Mimic('k', 2.0, pytest.approx(-0.5))


def test_a_second_joint_of_a_link_closes_a_loop():
    text = LINKS + '<link name="c"/>' + joint('revolute') + joint(
        'revolute', name='k', parent='a', child='c'
    ) + joint('ball', '<pose>0 1 0 0 0 0</pose>', 'l', 'c', 'b')  # fmt: skip
    model = load(text)
    (closure,) = model.closures
    assert (closure.name, closure.type, closure.link_A, closure.link_B) == ('l', 'ball', 'c', 'b')
    assert (closure.X_LA[4:], closure.X_LB[4:]) == ((1.0, 1.0, 0.0), (0.0, 1.0, 0.0))
    assert 'loop-closed' in [finding.code for finding in model.findings]


def test_the_models_pose_places_it_in_the_world():
    text = '<pose>0 0 5 0 0 0</pose>' + LINKS + joint('fixed', name='w', parent='world', child='a')
    model = load(text + joint('fixed'))
    assert [link.name for link in model.links] == ['world', 'a', 'b']
    assert link_poses(model, model.zero)[2, 4:] == pytest.approx([1, 0, 5])


@pytest.mark.parametrize(
    ('inside', 'sentence'),
    [
        (LINKS + joint('screw'), "joint 'j'.*type 'screw' is not supported; write a prismatic"),
        (LINKS + joint('gearbox'), 'write revolute joints and a coupling'),
        (LINKS + joint('hinge'), "type 'hinge' is not known"),
        (LINKS + joint('fixed', child='world'), "its child is 'world', which cannot move"),
        (LINKS + joint('fixed', child='a'), "parent and child are both 'a'"),
        (LINKS + joint('fixed', child=''), '<child> is empty; name a link'),
        (LINKS + joint('fixed', parent='z'), "'z' is no link or frame of the model"),
        (LINKS + LINKS, "the name 'a' is used twice"),
        ('<include/>', '<include> is not followed'),
        ('<link name="a"><pose>1 2</pose></link>', "<pose> is '1 2'; write 6 numbers"),
        ('<link name="a"><pose relative_to="z"/></link>'
         + joint('fixed', parent='world', child='a'),
         "there is no frame 'z' for its pose to relate to"),
        ('<link name="a"><pose relative_to="b"/></link>'
         '<link name="b"><pose relative_to="a"/></link>'
         + joint('fixed'), 'relative to each other in a ring'),
        (LINKS + joint('revolute', '<axis><xyz expressed_in="z">0 0 1</xyz></axis>'),
         "no frame 'z' to express the axis in"),
        (LINKS + joint('revolute', '<axis><limit><lower>x</lower></limit></axis>'),
         "<lower> is 'x', which is not a decimal number"),
    ],
)  # fmt: skip
def test_bad_models_are_refused(inside, sentence):
    with pytest.raises(DescriptionError, match=sentence):
        load(inside)


def test_one_model_a_file():
    with pytest.raises(DescriptionError, match='the SDF holds 0 models; give a file with one'):
        read_description('<sdf version="1.9"/>')


@pytest.mark.parametrize(
    ('inside', 'code'),
    [
        ('<foo/>', 'element-unknown'),
        ('<static>1</static>', 'element-ignored'),
        ('<link name="c"><visual name="v"><geometry><heightmap/></geometry></visual></link>',
         'geometry-unknown'),
        ('<link name="c"><visual name="v"/></link>', 'geometry-empty'),
    ],
)  # fmt: skip
def test_what_is_ignored_is_a_finding(inside, code):
    assert [f.code for f in read_description(sdf(inside)).findings] == [code]


def test_other_documents_are_refused():
    with pytest.raises(DescriptionError, match=r'root element is <mujoco>; a description is'):
        read_description('<mujoco/>')


def test_files_that_are_not_there_are_refused(tmp_path):
    with pytest.raises(ResourceError, match=r'cannot be read: No such file.*; check the path'):
        load_model(tmp_path / 'no.urdf')
    with pytest.raises(ResourceError, match=r"'no/such.urdf' cannot be read"):
        load_model('no/such.urdf')


XACRO = """<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro">
<xacro:property name="n" value="a"/>
<link name="${n}"/>%s</robot>"""


def test_xacro_is_expanded(tmp_path):
    path = tmp_path / 'r.urdf.xacro'
    path.write_text(XACRO % '')
    assert load_model(path).root == 'a'
    (tmp_path / 'side.yaml').write_text('frames: {f: {link: a}}')
    assert load_model(str(path), side_cars=[tmp_path / 'side.yaml']).frames[0].name == 'f'


def test_bad_xacro_is_refused_without_a_word_on_the_terminal(tmp_path, capfd):
    path = tmp_path / 'r.xacro'
    path.write_text(XACRO % '<link name="${missing}"/>')
    with pytest.raises(
        DescriptionError, match=r"file 'r\.xacro': xacro cannot expand it: .*missing"
    ):
        load_model(path)
    path.write_text('<!DOCTYPE r [<!ENTITY a "b">]>' + XACRO % '')
    with pytest.raises(DescriptionError, match='DOCTYPE'):
        load_model(path)
    assert capfd.readouterr() == ('', '')
