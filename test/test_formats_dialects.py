# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Dialects of URDF: Drake, URDF+, the proposed <constraint>, Gepetto's side-car."""

from __future__ import annotations

import pytest
from shared_robots import shared_robot

from kinematics_node.errors import DescriptionError
from kinematics_node.formats.gepetto import apply_gepetto
from kinematics_node.formats.load import apply_side_car
from kinematics_node.formats.load import load_builder
from kinematics_node.formats.load import load_model
from kinematics_node.formats.urdf import read_urdf
from kinematics_node.formats.yaml_text import parse_yaml
from kinematics_node.model.joint_types import JointType

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
JOINTS = (
    '<joint name="ja" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>'
    '<limit lower="-1" upper="1" effort="5" velocity="6"/><dynamics damping="0.5"/></joint>'
    '<joint name="jb" type="continuous"><parent link="base"/><child link="b"/></joint>'
    '<joint name="jc" type="fixed"><parent link="b"/><child link="c"/></joint>'
    '<joint name="jd" type="floating"><parent link="base"/><child link="d"/></joint>'
)


def robot(text):
    """Return a URDF of a small tree and more."""
    links = ''.join(f'<link name="{name}"/>' for name in ('base', 'a', 'b', 'c', 'd'))
    return f'<robot name="r">{links}{JOINTS}{text}</robot>'


def load(text):
    """Return its model."""
    return read_urdf(robot(text)).finalize()


def drake_joint(kind, inside=''):
    """Return a URDF with one of Drake's joints."""
    return (
        '<robot name="r"><link name="p"/><link name="q"/>'
        f'<drake:joint name="j" type="{kind}"><parent link="p"/><child link="q"/>{inside}'
        '</drake:joint></robot>'
    )


@pytest.mark.parametrize(
    ('kind', 'type_', 'axes'),
    [
        ('ball', JointType.BALL, (Z, Y, X)),
        ('universal', JointType.UNIVERSAL, (X, Y)),
        ('planar', JointType.PLANAR, (Y,)),
    ],
)
def test_drakes_joints(kind, type_, axes):
    inside = '<axis xyz="0 1 0"/>' if kind == 'planar' else ''
    joint = read_urdf(drake_joint(kind, inside)).finalize().joint('j')
    assert joint.type is type_
    assert tuple(axis.direction for axis in joint.axes) == axes


def test_planar_damping_has_three_numbers():
    inside = '<dynamics damping="1 2 3"/>'
    joint = read_urdf(drake_joint('planar', inside)).finalize().joint('j')
    assert joint.slide_damping == (1.0, 2.0)
    assert joint.axes[0].damping == 3.0
    with pytest.raises(DescriptionError, match="damping of <dynamics> is '1 2'; write 3 numbers"):
        read_urdf(drake_joint('planar', '<dynamics damping="1 2"/>'))


@pytest.mark.parametrize(
    ('kind', 'sentence'),
    [
        ('screw', 'write a prismatic and a continuous joint with a massless link between'),
        ('curvilinear', 'use a prismatic or a revolute joint for each piece'),
        ('revolute', 'is written as <joint>, not as <drake:joint>'),
        ('hinge', "type 'hinge' is not known"),
    ],
)
def test_drakes_other_joints_are_refused(kind, sentence):
    with pytest.raises(DescriptionError, match=sentence) as caught:
        read_urdf(drake_joint(kind))
    assert caught.value.element == "drake:joint 'j'"


def drake_constraint(kind, *extra, left_out=''):
    """Return one of Drake's constraints."""
    parts = {
        'body_A': 'name="a"',
        'body_B': 'name="b"',
        'p_AP': 'value="1 2 3"',
        'p_BQ': 'value="4 5 6"',
        **dict(extra),
    }
    inside = ''.join(
        f'<drake:{kind}_{part} {value}/>' for part, value in parts.items() if part != left_out
    )
    return f'<drake:{kind}>{inside}</drake:{kind}>'


def test_drakes_constraints_become_closures():
    model = load(
        drake_constraint('ball_constraint')
        + drake_constraint('ball_constraint')
        + drake_constraint('distance_constraint', ('distance', 'value="0.7"'))
        + '<frame name="tool" link="a" xyz="1 0 0" rpy="0 0 0"/>'
        + '<drake:linear_bushing_rpy/><drake:collision_filter_group name="g"/>'
    )
    first, _, rod = model.closures
    assert [c.name for c in model.closures] == [
        'ball_constraint_1',
        'ball_constraint_2',
        'distance_constraint_1',
    ]
    assert (first.type, first.link_A, first.link_B) == ('ball', 'a', 'b')
    assert (first.X_LA[4:], first.X_LB[4:]) == ((1, 2, 3), (4, 5, 6))
    assert (rod.type, rod.length) == ('distance', 0.7)
    assert model.frames[0].X_BA[4:] == (1.0, 0.0, 0.0)
    codes = [finding.code for finding in model.findings]
    assert codes == ['compliance-ignored', 'force-ignored', 'element-ignored']


def test_every_part_of_drakes_constraints_is_required():
    for part in ('body_A', 'body_B', 'p_AP', 'p_BQ'):
        with pytest.raises(DescriptionError, match=f'<drake:ball_constraint_{part}> is missing'):
            load(drake_constraint('ball_constraint', left_out=part))
    with pytest.raises(DescriptionError, match='the distance is -1; give a length above zero'):
        load(drake_constraint('distance_constraint', ('distance', 'value="-1"')))


def test_a_rotor_of_drake_is_read():
    model = load(
        '<transmission name="t"><joint name="ja"/><actuator name="m">'
        '<drake:rotor_inertia value="0.01"/><drake:gear_ratio value="50"/></actuator>'
        '</transmission>'
    )
    axis = model.joint('ja').axes[0]
    assert (axis.rotor_inertia, axis.gear_ratio) == (0.01, 50.0)


LOOP = (
    '<loop name="l" type="{}"><predecessor link="a"><origin xyz="1 0 0"/></predecessor>'
    '<successor link="b"/><axis xyz="0 1 0"/></loop>'
)


@pytest.mark.parametrize('kind', ['planar', 'revolute', 'continuous', 'prismatic', 'fixed'])
def test_a_loop_of_urdfplus_becomes_a_closure(kind):
    (closure,) = load(LOOP.format(kind)).closures
    assert (closure.name, closure.type, closure.link_A, closure.link_B) == ('l', kind, 'a', 'b')
    assert closure.X_LA[4:] == (1.0, 0.0, 0.0)
    assert closure.axis_A == closure.axis_B == Y


def test_the_shared_four_bar_closes_where_its_readme_says():
    model = load_model(shared_robot('urdfplus_four_bar.urdf'))
    assert [joint.independent for joint in model.joints] == [True, False, False]
    assert (model.closures[0].X_LA[4], model.closures[0].X_LB[4]) == (1.0, 0.5)


def coupling(predecessor, successor, ratio='<ratio value="6"/>'):
    """Return a <coupling>."""
    return (
        f'<coupling name="c"><predecessor link="{predecessor}"/>'
        f'<successor link="{successor}"/>{ratio}</coupling>'
    )


@pytest.mark.parametrize(
    ('text', 'terms'),
    [
        (coupling('a', 'c'), (('ja', 6.0), ('jb', -1.0))),
        (coupling('a', 'c', ''), (('ja', 1.0), ('jb', -1.0))),
        (coupling('a', 'base'), (('ja', 6.0),)),
        (coupling('base', 'b'), (('jb', -1.0),)),
    ],
)
def test_a_coupling_counts_from_the_nearest_common_ancestor(text, terms):
    assert load(text).couplings[0].terms == terms


@pytest.mark.parametrize(
    ('text', 'sentence'),
    [
        (LOOP.format('spiral'), "loop 'l'.*type 'spiral' is not known"),
        ('<loop name="l" type="fixed"/>', '<predecessor> is missing from <loop>'),
        ('<loop type="fixed"/>', "attribute 'name' of <loop> is missing"),
        (coupling('a', 'b', '<ratio/>'), "attribute 'value' of <ratio> is missing"),
        (coupling('a', 'z'), "coupling 'c'.*link 'z' does not exist"),
        (coupling('b', 'c'), "no joint moves between links 'b' and 'c'"),
        (coupling('a', 'd'), "joint 'jd' on the way is floating"),
    ],
)
def test_bad_loops_and_couplings_are_refused(text, sentence):
    with pytest.raises(DescriptionError, match=sentence):
        load(text)


def constraint(kind, inside=''):
    """Return a <constraint>."""
    return (
        f'<constraint name="k" type="{kind}"><parent link="a"/><parent_origin xyz="1 0 0"/>'
        f'<parent_axis xyz="0 0 1"/><child link="b"/><child_origin rpy="0 0 1"/>{inside}'
        '</constraint>'
    )


@pytest.mark.parametrize(
    ('written', 'kind'),
    [
        ('revolute', 'revolute'),
        ('revolute_joint', 'revolute'),
        ('prismatic_joint', 'prismatic'),
        ('universal', 'universal'),
        ('spherical_joint', 'ball'),
        ('link', 'fixed'),
    ],
)
def test_the_proposed_constraint_becomes_a_closure(written, kind):
    model = load(constraint(written, '<child_axis xyz="0 1 0"/>'))
    (closure,) = model.closures
    assert (closure.type, closure.link_A, closure.link_B) == (kind, 'a', 'b')
    assert closure.X_LA[4:] == X
    assert closure.axis_A == Z
    assert closure.axis_B == (Y if kind == 'universal' else Z)


def test_a_universal_constraint_without_child_axis_is_a_finding():
    assert [f.code for f in load(constraint('universal')).findings] == ['axis-missing']


@pytest.mark.parametrize(
    ('text', 'sentence'),
    [
        (constraint('cylindrical'), "type 'cylindrical' is not known; use one of revolute"),
        ('<constraint name="k" type="link"><child link="a"/></constraint>', '<parent> is missing'),
        ('<constraint type="link"/>', "attribute 'name' of <constraint> is missing"),
    ],
)
def test_bad_constraints_are_refused(text, sentence):
    with pytest.raises(DescriptionError, match=sentence):
        load(text)


def side_car(text):
    """Return the model with a robot.yaml applied."""
    builder = read_urdf(robot('<frame name="tool" link="a" xyz="1 0 0"/>'))
    apply_side_car(builder, text)
    return builder.finalize()


def test_gepetto_names_are_links_joints_or_frames():
    model = side_car('closed_loop: [[tool, c], [a, jb]]\ntype: [3d, 6d]\nname_mot: [ja]')
    first, second = model.closures
    assert (first.name, first.type) == ('toolCc', 'ball')
    assert (first.link_A, first.X_LA[4:], first.link_B) == ('a', (1, 0, 0), 'c')
    assert (second.type, second.link_A, second.link_B) == ('fixed', 'a', 'b')
    assert {j.name: j.actuated for j in model.joints} == {
        'ja': True,
        'jb': False,
        'jc': None,
        'jd': False,
    }


@pytest.mark.parametrize(
    ('written', 'kind', 'axes'),
    [
        ('SPHERICAL', JointType.BALL, (X, Y, Z)),
        ('UJOINT_XY', JointType.UNIVERSAL, (X, Y)),
        ('UJOINT_ZX', JointType.UNIVERSAL, (Z, X)),
        ('UJOINT_XZ', JointType.UNIVERSAL, (X, Z)),
        ('FIXED', JointType.FIXED, ()),
    ],
)
def test_gepetto_retypes_joints(written, kind, axes):
    joint = side_car(f'joint_name: [ja]\njoint_type: [{written}]\nname_mot: []').joint('ja')
    assert joint.type is kind
    assert tuple(axis.direction for axis in joint.axes) == axes
    assert all(a.damping == 0.5 and a.limits.effort == 5.0 for a in joint.axes)
    assert all(a.limits.upper == float('inf') for a in joint.axes)


@pytest.mark.parametrize(
    ('text', 'code'),
    [
        ('name_mot: [ghost]', 'drive-dangling'),
        ('name_mot: []\nmotors: 1', 'key-unknown'),
        ('closed_loop: [[a, b]]\ntype: [7d]', 'closure-type'),
    ],
)
def test_oddities_of_a_side_car_are_findings(text, code):
    assert [finding.code for finding in side_car(text).findings] == [code]


@pytest.mark.parametrize(
    ('text', 'sentence'),
    [
        ('closed_loop: [[a, z]]', r"robot.yaml \(line 1\): 'closed_loop' names 'z', which is no"),
        ('closed_loop: [[a, b]]\ntype: [6d, 6d]', 'has 2 entries for the pairs'),
        ('closed_loop: [[a, b, c]]', r'give pairs \[frame A, frame B\]'),
        ('joint_name: [ja]\njoint_type: []', 'has 0 entries for 1 joints'),
        ('joint_name: [z]\njoint_type: [FIXED]', "names 'z', which is no joint"),
        ('joint_name: [ja]\njoint_type: [UJOINT_XX]', "has 'UJOINT_XX'; use SPHERICAL, FIXED"),
        ('name_mot: 3', 'give a list of names'),
    ],
)
def test_bad_side_cars_are_refused(text, sentence):
    with pytest.raises(DescriptionError, match=sentence):
        side_car(text)


def test_a_point_closure_may_stand_in_for_a_weld():
    path = shared_robot('5bar_linkage/robot.urdf')
    builder = load_builder(path)
    apply_gepetto(
        builder, {**parse_yaml(path.with_name('robot.yaml').read_text()), 'type': ['3d']}
    )
    assert builder.finalize().closures[0].type == 'ball'
