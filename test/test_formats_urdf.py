# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""URDF: joints, limits, mimics, actuation, findings, and what is refused."""

from __future__ import annotations

import math
import time

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from model_compare import link_poses
from model_compare import matrix
import numpy as np
import pytest

from kinematics_node.errors import DescriptionError
from kinematics_node.errors import KinematicsError
from kinematics_node.errors import MimicError
from kinematics_node.errors import ModelError
from kinematics_node.formats.resources import Resources
from kinematics_node.formats.rotations import quaternion_rpy
from kinematics_node.formats.rotations import rpy_quaternion
from kinematics_node.formats.urdf import read_urdf
from kinematics_node.model.joint_types import JointType


def robot(*parts, links=('a', 'b')):
    """Return a URDF with the links and whatever else is given."""
    return (
        '<robot name="r">' + ''.join(f'<link name="{n}"/>' for n in links) + ''.join(parts)
    ) + '</robot>'


def joint(kind='revolute', inside='', name='j', parent='a', child='b', attributes=''):
    """Return a <joint>."""
    return (
        f'<joint name="{name}" type="{kind}" {attributes}><parent link="{parent}"/>'
        f'<child link="{child}"/>{inside}</joint>'
    )


LIMIT = '<limit lower="-2" upper="2" effort="3" velocity="4"/>'


def load(*parts, links=('a', 'b')):
    """Return the model of a URDF."""
    return read_urdf(robot(*parts, links=links)).finalize()


def codes(model):
    """Return the codes of a model's findings."""
    return [finding.code for finding in model.findings]


@pytest.mark.parametrize(
    ('written', 'kind'),
    [
        ('fixed', JointType.FIXED),
        ('revolute', JointType.REVOLUTE),
        ('continuous', JointType.CONTINUOUS),
        ('prismatic', JointType.PRISMATIC),
        ('planar', JointType.PLANAR),
        ('floating', JointType.FLOATING),
        ('ball', JointType.BALL),
        ('spherical', JointType.BALL),
        ('universal', JointType.UNIVERSAL),
    ],
)
def test_every_type_is_read_with_its_origin_as_anchor(written, kind):
    model = load(joint(written, LIMIT + '<origin xyz="1 2 3"/>'))
    assert model.joint('j').type is kind
    assert link_poses(model, model.zero)[1] == pytest.approx([1, 0, 0, 0, 1, 2, 3])


def test_ball_and_universal_axes_are_those_of_the_frame():
    model = load(joint('spherical', '<axis xyz="0 1 0"/>'))
    assert [a.direction for a in model.joint('j').axes] == [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    assert 'axis-ignored' in codes(model)
    model = load(joint('universal'))
    assert [a.direction for a in model.joint('j').axes] == [(1, 0, 0), (0, 1, 0)]
    model = load(joint('universal', '<axis xyz="0 0 1"/><axis2 xyz="0 1 0"/>'))
    assert [a.direction for a in model.joint('j').axes] == [(0, 0, 1), (0, 1, 0)]


def test_a_null_axis_matters_only_where_there_is_motion():
    null = '<axis xyz="0 0 0"/>'
    assert load(joint('fixed', null)).joint('j').axes == ()
    with pytest.raises(ModelError, match=r"joint 'j' \(line 1\): axis 0 0 0 has no direction"):
        load(joint('revolute', null + LIMIT))
    assert load(joint('revolute', LIMIT)).joint('j').axes[0].direction == (1.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ('kind', 'axis', 'q', 'expected'),
    [('prismatic', '0 0 2', 0.1, [0, 0, 0.1]), ('revolute', '0 3 0', 0.3, [0, 0, 0])],
)
def test_an_axis_of_any_length_moves_by_q(kind, axis, q, expected):
    model = load(joint(kind, LIMIT + f'<axis xyz="{axis}"/>'))
    pose = link_poses(model, [q])[1]
    assert pose[4:] == pytest.approx(expected)
    angle = q if kind == 'revolute' else 0.0
    assert pose[:4] == pytest.approx([math.cos(angle / 2), 0, math.sin(angle / 2), 0])
    assert 'axis-not-unit' in codes(model)


@pytest.mark.parametrize('limit', ['', '<limit effort="1" velocity="2"/>', LIMIT])
def test_a_continuous_joint_has_no_range(limit):
    model = load(joint('continuous', limit))
    assert (model.lower[0], model.upper[0]) == (-math.inf, math.inf)
    assert link_poses(model, [2.0])[1][:2] == pytest.approx([math.cos(1.0), math.sin(1.0)])
    assert ('limit-ignored' in codes(model)) == (limit == LIMIT)


@pytest.mark.parametrize(
    ('limit', 'lower', 'upper', 'code'),
    [
        ('', -math.inf, math.inf, 'limit-missing'),
        ('<limit effort="1" velocity="1"/>', -math.inf, math.inf, 'limit-incomplete'),
        ('<limit lower="-1" effort="1" velocity="1"/>', -1.0, 0.0, None),
        ('<limit upper="1" velocity="1"/>', 0.0, 1.0, 'limit-incomplete'),
        (LIMIT, -2.0, 2.0, None),
    ],
)
def test_limits_of_a_revolute_joint(limit, lower, upper, code):
    model = load(joint('revolute', limit))
    assert (model.lower[0], model.upper[0]) == (lower, upper)
    assert codes(model) == ([code] if code else [])


def test_effort_velocity_dynamics_and_safety_are_read():
    model = load(
        joint(
            'revolute',
            LIMIT + '<dynamics damping="0.5" friction="0.25"/><safety_controller k_velocity="10" '
            'k_position="15" soft_lower_limit="-1.5" soft_upper_limit="1.5"/>',
        )
    )
    read = model.joint('j')
    axis, soft = read.axes[0], read.soft_limits
    assert (axis.limits.effort, axis.limits.velocity) == (3.0, 4.0)
    assert (axis.damping, axis.friction) == (0.5, 0.25)
    assert (soft.lower, soft.upper, soft.k_position, soft.k_velocity) == (-1.5, 1.5, 15.0, 10.0)


def chain(mimics, count=3):
    """Return a chain of revolute joints j1, j2, ... with <mimic> elements by number."""
    joints = [
        joint('revolute', LIMIT + mimics.get(n, ''), f'j{n}', f'l{n - 1}', f'l{n}')
        for n in range(1, count + 1)
    ]
    return load(*joints, links=[f'l{n}' for n in range(count + 1)])


def test_a_chain_of_mimics_is_composed():
    model = chain(
        {
            2: '<mimic joint="j1" multiplier="2" offset="0.1"/>',
            3: '<mimic joint="j2" multiplier="3" offset="0.2"/>',
        }
    )
    mimic = model.mimics['j3']
    assert (mimic.master, mimic.multiplier, mimic.offset) == ('j1', 6.0, pytest.approx(0.5))
    assert model.mimics['j2'].offset + 2 * 0.5 == pytest.approx(1.1)


def test_a_mimic_offset_is_used_and_defaults_are_one_and_zero():
    mimic = chain({2: '<mimic joint="j1" multiplier="-1.5" offset="0.2"/>'}, 2).mimics['j2']
    assert mimic.multiplier * 0.4 + mimic.offset == pytest.approx(-0.4)
    mimic = chain({2: '<mimic joint="j1"/>'}, 2).mimics['j2']
    assert (mimic.multiplier, mimic.offset) == (1.0, 0.0)


def test_a_ring_of_mimics_is_refused_by_name():
    with pytest.raises(MimicError, match='j1 -> j2 -> j1'):
        chain({1: '<mimic joint="j2"/>', 2: '<mimic joint="j1"/>'}, 2)


@pytest.mark.parametrize(
    ('rpy', 'rotated'),
    [
        (
            (0.0, -math.pi / 2, 0.0),
            {(1, 0, 0): (0, 0, 1), (0, 0, 1): (-1, 0, 0), (0, 1, 0): (0, 1, 0)},
        ),
        ((1.0, math.pi / 2, 0.5), None),
        ((0.3, -0.2, 2.0), None),
    ],
)
def test_roll_pitch_yaw_are_about_fixed_axes(rpy, rotated):
    text = ' '.join(map(repr, rpy))
    model = load(joint('fixed', f'<origin rpy="{text}"/>'))
    R = matrix(link_poses(model, model.zero)[1])[:3, :3]
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(a), math.sin(a)) for a in rpy)
    Rx = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    Ry = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    Rz = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    np.testing.assert_allclose(R, Rz @ Ry @ Rx, atol=2e-16 * 4)
    for source, target in (rotated or {}).items():
        np.testing.assert_allclose(R @ source, target, atol=1e-15)


@settings(max_examples=200, deadline=None)
@given(
    st.floats(-math.pi, math.pi),
    st.one_of(st.sampled_from([-math.pi / 2, math.pi / 2]), st.floats(-1.6, 1.6)),
    st.floats(-math.pi, math.pi),
)
def test_angles_of_a_rotation_give_it_back(roll, pitch, yaw):
    q = rpy_quaternion((roll, pitch, yaw))
    back = rpy_quaternion(quaternion_rpy(q))
    assert abs(np.dot(q, back)) == pytest.approx(1.0, abs=1e-14)
    cross = np.array(q) - np.sign(np.dot(q, back)) * np.array(back)
    assert np.abs(cross).max() < 1e-8


def test_inertia_is_turned_into_the_links_frame():
    text = (
        f'<robot name="r"><link name="a"><inertial><origin xyz="1 2 3" rpy="0 0 {math.pi / 2}"/>'
        '<mass value="2"/><inertia ixx="1" ixy="0.1" ixz="0.2" iyy="2" iyz="0.3" izz="3"/>'
        '</inertial></link></robot>'
    )
    inertia = read_urdf(text).finalize().links[0].inertia
    assert (inertia.mass, inertia.center) == (2.0, (1.0, 2.0, 3.0))
    # A quarter turn about z: x -> y, y -> -x.
    assert inertia.rotational == pytest.approx((2.0, 1.0, 3.0, -0.1, -0.3, 0.2))


def test_shapes_of_every_kind_are_read():
    shapes = (
        '<box size="1 2 3"/>',
        '<cylinder radius="1" length="2"/>',
        '<capsule radius="1" length="2"/>',
        '<sphere radius="1"/>',
        '<mesh filename="package://p/m.stl" scale="1 1 2"/>',
    )
    inside = ''.join(
        f'<collision name="c{n}"><origin xyz="{n} 0 0"/><geometry>{shape}</geometry></collision>'
        for n, shape in enumerate(shapes)
    )
    model = read_urdf(f'<robot name="r"><link name="a">{inside}</link></robot>').finalize()
    read = model.links[0].geometry
    assert [g.kind for g in read] == ['box', 'cylinder', 'capsule', 'sphere', 'mesh']
    assert [g.size for g in read] == [(1, 2, 3), (1, 2), (1, 2), (1,), (1, 1, 2)]
    assert [g.X_BG[4] for g in read] == [0, 1, 2, 3, 4]
    assert read[4].resource == 'package://p/m.stl'


def test_transmissions_and_ros2_control_say_what_is_actuated():
    model = load(
        joint('continuous', name='j'),
        joint('continuous', name='k', parent='b', child='c'),
        joint('continuous', name='s', parent='c', child='d'),
        joint('continuous', name='u', parent='d', child='e'),
        '<transmission name="t"><type>x</type><joint name="j"/>'
        '<actuator name="m"><mechanicalReduction>-7.5</mechanicalReduction></actuator>'
        '</transmission><ros2_control name="c">'
        '<joint name="k"><command_interface name="p"/></joint>'
        '<joint name="s"><state_interface name="p"/></joint><joint name="ghost"/></ros2_control>',
        links='abcde',
    )
    actuated = {j.name: j.actuated for j in model.joints}
    assert actuated == {'j': True, 'k': True, 's': False, 'u': None}
    assert model.joint('j').axes[0].gear_ratio == -7.5
    assert codes(model) == ['drive-dangling']


@pytest.mark.parametrize(
    ('part', 'code', 'words'),
    [
        ('<foo/>', 'element-unknown', '<foo> in <robot> is not known'),
        ('<gazebo/><gazebo/>', 'element-ignored', '2 times, at lines 1, 1'),
        ('<material name="m"/>', 'element-ignored', 'colours'),
        (joint('fixed', '<foo/>', 'k', 'b', 'c'), 'element-unknown', '<foo> in <joint>'),
        (joint('fixed', attributes='colour="red"', name='k', parent='b', child='c'),
         'attribute-unknown', "attribute 'colour' of <joint>"),
        (joint('fixed', '<origin/><origin/>', 'k', 'b', 'c'), 'element-repeated', '<origin>'),
        (joint('fixed', '<calibration rising="0"/>', 'k', 'b', 'c'), 'element-ignored', 'sensors'),
        ('<link name="d"/>' + joint('fixed', name='k', parent='b', child='d')
         + '<transmission name="t"/>', 'transmission-empty', 'names no <joint>'),
    ],
)  # fmt: skip
def test_nothing_is_dropped_in_silence(part, code, words, capfd):
    links = ('a', 'b', 'c') if 'link="c"' in part else ('a', 'b')
    model = load(joint('fixed'), part, links=links)
    matching = [f for f in model.findings if f.code == code and words in f.message]
    assert len(matching) == 1, model.findings
    assert matching[0].line == 1
    # urdf_parser_py would have written about these.
    assert capfd.readouterr() == ('', '')


@pytest.mark.parametrize(
    ('text', 'error', 'sentence'),
    [
        (robot(joint('hinge')), DescriptionError, r"'j' \(line 1\): type 'hinge' is not known"),
        (robot('<joint name="j"/>'), DescriptionError, "attribute 'type' of <joint> is missing"),
        (robot('<joint type="fixed"/>'), DescriptionError, "'name' of <joint> is missing"),
        (robot('<joint name="j" type="fixed"><child link="b"/></joint>'), DescriptionError,
         '<parent> is missing from <joint>; add it'),
        (robot(joint(child='')), DescriptionError, "attribute 'link' of <child> is missing"),
        (robot(joint(inside='<axis/>')), DescriptionError, "'xyz' of <axis> is missing"),
        (robot(joint(inside='<mimic/>')), DescriptionError, "attribute 'joint' of <mimic>"),
        (robot(joint(inside='<limit lower=""/>')), DescriptionError, "of <limit> is empty"),
        (robot(joint(inside='<safety_controller/>')), DescriptionError, "attribute 'k_velocity'"),
        (robot('<link/>'), DescriptionError, "attribute 'name' of <link> is missing"),
        (robot('<link name="c"><inertial/></link>'), DescriptionError, '<mass> is missing'),
        (robot('<link name="c"><inertial><mass value="1"/><inertia ixx="1"/></inertial></link>'),
         DescriptionError, "attribute 'ixy' of <inertia> is missing"),
        (robot('<link name="c"><visual><geometry><mesh/></geometry></visual></link>'),
         DescriptionError, "attribute 'filename' of <mesh> is missing"),
        (robot('<xacro:macro/>'), DescriptionError, 'left over from xacro; run xacro'),
        ('<mujoco/>', DescriptionError, 'root element is <mujoco>; URDF has <robot>'),
        ('<robot name="r"/>', ModelError, 'the model has no link'),
        (robot(), ModelError,
         r"link 'b' \(line 1\): there are 2 root links \('a', 'b'\); connect"),
        (robot(joint(), joint(name='k')), ModelError,
         r"link 'b' \(line 1\): is the child of two joints"),
        (robot(joint(), joint(name='k', parent='b', child='a')), ModelError,
         r"\(line 1\): no link is a root: joints '[jk]', '[jk]' form a cycle"),
        (robot(joint(child='c')), ModelError,
         r"'j' \(line 1\): child link 'c' does not exist; add it"),
        (robot(joint(), joint(parent='b', child='c'), links=('a', 'b', 'c')), ModelError,
         r"'j' \(line 1\): the name is used twice; rename one"),
    ],
)  # fmt: skip
def test_bad_robots_are_refused_with_place_and_remedy(text, error, sentence):
    with pytest.raises(error, match=sentence) as caught:
        read_urdf(text).finalize()
    assert isinstance(caught.value, KinematicsError)


def test_missing_meshes_are_findings(tmp_path):
    (tmp_path / 'm.stl').write_text('solid')
    mesh = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
    addresses = [
        'package://known/m.stl',
        'package://known/other.stl',
        'package://nowhere/m.stl',
        f'file://{tmp_path}/m.stl',
        'm.stl',
        'https://example.com/m.stl',
    ]
    text = ''.join(mesh.format(address) for address in addresses)
    builder = read_urdf(
        f'<robot name="r"><link name="a">{text}</link></robot>',
        Resources({'known': tmp_path}, tmp_path, prefixes=[]),
    )
    missing = [f.message for f in builder.findings if f.code == 'resource-missing']
    assert len(missing) == 3
    assert "'package://known/other.stl' does not exist" in missing[0]
    assert "package 'nowhere' is neither installed nor given" in missing[1]
    assert "'https://' is not fetched" in missing[2]


def test_packages_are_found_in_aments_index(tmp_path):
    (tmp_path / 'share/ament_index/resource_index/packages').mkdir(parents=True)
    (tmp_path / 'share/ament_index/resource_index/packages/arm').touch()
    (tmp_path / 'share/arm').mkdir()
    (tmp_path / 'share/arm/a.stl').touch()
    resources = Resources(prefixes=[tmp_path])
    assert resources.resolve('package://arm/a.stl') == tmp_path / 'share/arm/a.stl'
    assert resources.resolve('package://leg/a.stl') is None
    assert resources.resolve('a.stl') is None
    assert 'the description has no directory' in resources.reason('a.stl')


def long_chain(count):
    """Return a URDF chain of so many links."""
    joints = (joint('revolute', LIMIT, f'j{n}', f'l{n - 1}', f'l{n}') for n in range(1, count))
    return robot(*joints, links=[f'l{n}' for n in range(count)])


def test_long_chains_take_linear_time():
    def seconds(count):
        text = long_chain(count)
        start = time.process_time()
        assert len(read_urdf(text).finalize().links) == count
        return time.process_time() - start

    seconds(100)
    short, long = seconds(1000), seconds(10_000)
    assert long < 25 * short
