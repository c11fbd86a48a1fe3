# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Our own notation: shapes it comes in, what it can say, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path
import re

from model_compare import assert_same_model
from model_compare import link_poses
from model_compare import matrix
import numpy as np
import pytest

from kinematics_node.errors import DescriptionError
from kinematics_node.formats.export import export_model
from kinematics_node.formats.load import apply_side_car
from kinematics_node.formats.load import read_description
from kinematics_node.formats.notation import apply_notation
from kinematics_node.formats.urdf import read_urdf
from kinematics_node.model.ball_joint import angles_to_quaternion
from kinematics_node.model.elements import Mimic
from kinematics_node.model.elements import Motor
from kinematics_node.model.elements import SoftLimits
from kinematics_node.model.joint_types import JointType

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
URDF = """<robot name="r"><link name="base"/><link name="caster"/><link name="arm"/>
<link name="t"/><joint name="caster" type="fixed"><parent link="base"/><child link="caster"/>
<origin xyz="-0.1 0 0.05" rpy="0 0 1"/></joint>
<joint name="arm.1" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<origin xyz="0 0 1" rpy="0 0.5 0"/><limit lower="-1" upper="1" effort="5" velocity="6"/>
<dynamics damping="0.5" friction="0.1"/></joint>
<joint name="slide" type="prismatic"><parent link="arm"/><child link="t"/>
<limit lower="-1" upper="1" effort="5" velocity="6"/></joint></robot>"""


def load(source):
    """Return the model with our notation applied."""
    builder = read_urdf(URDF)
    apply_notation(builder, source)
    return builder.finalize()


def joint(name, **keys):
    """Return a joint after keys of joints.<name>."""
    return load({'joints': {name: keys}}).joint(name)


NESTED = {'joints': {'caster': {'type': 'ball', 'anchor': [-0.1, 0.0, 0.04]}}}
FLAT = {'joints.caster.type': 'ball', 'joints.caster.anchor': [-0.1, 0.0, 0.04]}


@pytest.mark.parametrize(
    'source',
    [
        NESTED,
        FLAT,
        {'joints': {'caster.type': 'ball'}, 'joints.caster.anchor': [-0.1, 0, 0.04]},
        {'/**': {'ros__parameters': {**NESTED, 'publish_frequency': 20.0}}},
        {'ns': {'kinematics': {'ros__parameters': {**FLAT, 'frame_prefix': ''}}}},
        'joints:\n  caster: {type: ball, anchor: [-0.1, 0.0, 4e-2]}',
        b'/**:\n  ros__parameters:\n    joints.caster.type: ball\n'
        b'    joints.caster.anchor: [-0.1, 0.0, 0.04]',
    ],
)
def test_it_comes_nested_flat_or_as_ros_parameters(source):
    model = load(source)
    caster = model.joint('caster')
    assert caster.type is JointType.BALL
    assert caster.X_PF == (1.0, 0.0, 0.0, 0.0, -0.1, 0.0, 0.04)
    assert not [f for f in model.findings if f.code == 'key-unknown']


@pytest.mark.parametrize(
    'source',
    [
        {'joints.arm.1.damping': 2.0},
        {'joints': {'arm': {'1': {'damping': 2.0}}}},
        {'joints': {'arm.1': {'damping': 2.0}}},
        {'joints': {'arm.1.damping': 2.0}},
    ],
)
def test_names_may_have_dots(source):
    assert load(source).joint('arm.1').axes[0].damping == 2.0


def test_an_anchor_turns_the_child_about_itself():
    anchor = np.array((-0.1, 0.02, 0.0))
    model = load({'joints': {'caster': {'type': 'ball', 'anchor': list(anchor)}}})
    child = np.array((-0.1, 0.0, 0.05))
    q = angles_to_quaternion((X, Y, Z), (0.3, 0.2, -1.0))
    R = matrix((*q, 0, 0, 0))[:3, :3]
    R0 = matrix((*angles_to_quaternion((Z,), (1.0,)), 0.0, 0.0, 0.0))[:3, :3]
    pose = matrix(link_poses(model, [*q, 0.0, 0.0])[model.link_id('caster')])
    np.testing.assert_allclose(pose[:3, 3], R @ (child - anchor) + anchor, atol=1e-15)
    np.testing.assert_allclose(pose[:3, :3], R @ R0, atol=1e-15)


@pytest.mark.parametrize('axes_in', ['parent', 'joint', None])
def test_axes_are_those_of_the_parent_or_of_the_joint(axes_in):
    keys = {'type': 'ball', 'anchor': [0.0, 0.0, 0.0]}
    if axes_in:
        keys['axes_in'] = axes_in
    caster = joint('caster', **keys)
    turned = caster.X_PF[:4] != (1.0, 0.0, 0.0, 0.0)
    assert turned == (axes_in == 'joint')
    model = load({'joints': {'caster': keys}})
    np.testing.assert_allclose(
        matrix(link_poses(model, model.zero)[model.link_id('caster')]),
        matrix(link_poses(read_urdf(URDF).finalize(), np.zeros(2))[1]),
        atol=1e-15,
    )


def test_axes_that_are_kept_keep_their_direction_in_the_parent():
    before = read_urdf(URDF).finalize()
    after = load({'joints': {'arm.1': {'axes_in': 'parent'}}})
    q = [0.7, 0.2]
    np.testing.assert_allclose(
        [matrix(X) for X in link_poses(before, q)],
        [matrix(X) for X in link_poses(after, q)],
        atol=1e-15,
    )


@pytest.mark.parametrize(
    ('keys', 'directions'),
    [
        ({'type': 'ball'}, (X, Y, Z)),
        ({'type': 'ball', 'axis1': [0, 1, 0], 'axis3': [1, 0, 0]}, (Y, (0, 0, 1), X)),
        ({'type': 'ball', 'axis1': [0, 0, 1]}, (Z, X, Y)),
        ({'type': 'spherical', 'axis1': Z, 'axis2': Y, 'axis3': X}, (Z, Y, X)),
        ({'type': 'universal'}, (X, Z)),
        ({'type': 'universal', 'axis1': [0, 1, 0]}, (Y, Z)),
        ({'type': 'revolute', 'axis': [0, 0, 1]}, (Z,)),
        ({'type': 'continuous', 'axis1': [0, 0, 1]}, (Z,)),
        ({'type': 'planar', 'axis': [0, 0, 1]}, (Z,)),
        ({'type': 'floating'}, ()),
    ],
)
def test_directions_follow_the_rules_of_the_type(keys, directions):
    keys = {k: list(v) if isinstance(v, tuple) else v for k, v in keys.items()}
    axes = joint('caster', **keys).axes
    assert np.allclose(np.ravel([a.direction for a in axes]), np.ravel(directions))


def test_values_are_for_all_axes_or_for_each():
    axes = joint(
        'caster',
        type='ball',
        spring=2.0,
        damping=[0.1, 0.2, 0.3],
        friction='1e-3',
        stops=[-1, 1, 0, 0, -2, 2],
        motor=[-0.5, 0.5],
        brake=[True, False, False],
        brake_damping=4,
        effort=math.inf,
        axis3={'direction': [0, 0, 1], 'damping': 9.0, 'rest': 0.25},
    ).axes
    assert [a.spring for a in axes] == [2.0, 2.0, 2.0]
    assert [a.damping for a in axes] == [0.1, 0.2, 9.0]
    assert [a.friction for a in axes] == [0.001] * 3
    assert [a.stops for a in axes] == [(-1, 1), None, (-2, 2)]
    assert [a.motor for a in axes] == [Motor(-0.5, 0.5)] * 3
    assert [a.braked for a in axes] == [True, False, False]
    assert (axes[2].rest, axes[1].brake_damping) == (0.25, 4.0)


def test_axes_2_and_3_inherit_spring_and_damping():
    axes = joint('caster', type='ball', axis1={'spring': 2.0, 'damping': 0.5}, axis3={}).axes
    assert [(a.spring, a.damping) for a in axes] == [(2.0, 0.5), (2.0, 0.5), (0.0, 0.0)]


def test_a_retyped_joint_keeps_what_still_has_a_meaning():
    axis = joint('arm.1', type='continuous').axes[0]
    assert (axis.direction, axis.damping, axis.limits.effort) == (Y, 0.5, 5.0)
    assert axis.limits.upper == math.inf
    axes = joint('arm.1', type='ball').axes
    assert [(a.damping, a.friction, a.limits.velocity) for a in axes] == [(0.5, 0.1, 6.0)] * 3


def test_parallel_axes_and_negative_constants_are_findings():
    model = load(
        {
            'joints.caster': {
                'type': 'ball',
                'axis1': [0, 0, 1],
                'axis3': [0, 0, 2],
                'damping': -1.0,
            }
        }
    )
    codes = [finding.code for finding in model.findings]
    assert sorted(codes) == ['axes-parallel'] + ['constant-negative'] * 3


def test_a_position_says_at_which_angles_the_model_stands():
    stands = link_poses(read_urdf(URDF).finalize(), np.zeros(2))
    for name, link, keys, q in (
        ('caster', 'caster', {'type': 'ball', 'anchor': [0.1, 0, 0], 'position': [1, 2, 1]}, None),
        ('arm.1', 'arm', {'position': 0.5, 'anchor': [0.0, 0.1, 0.0]}, [0.5, 0.0]),
        ('slide', 't', {'position': [0.25]}, [0.0, 0.25]),
    ):
        model = load({'joints': {name: keys}})
        if q is None:
            q = [*angles_to_quaternion((X, Y, Z), (1, 2, 1)), 0.0, 0.0]
        k = model.link_id(link)
        np.testing.assert_allclose(matrix(link_poses(model, q)[k]), matrix(stands[k]), atol=1e-15)
        assert not np.allclose(link_poses(model, model.zero)[k], stands[k])


def test_the_rest_of_a_joint():
    made = joint(
        'slide',
        mimic={'joint': 'arm.1', 'multiplier': 2},
        soft_limits={'lower': -1, 'upper': 1, 'k_position': 3, 'k_velocity': 4},
        actuated=True,
        independent=False,
    )
    assert made.mimic == Mimic('arm.1', 2.0, 0.0)
    assert made.soft_limits == SoftLimits(-1.0, 1.0, 3.0, 4.0)
    assert (made.actuated, made.independent) == (True, False)
    assert joint('slide', mimic=False, soft_limits=False).mimic is None
    assert joint('slide', type='planar', slide_damping=[1, 2]).slide_damping == (1.0, 2.0)


def test_frames_place_a_joint_to_the_last_digit():
    made = joint(
        'arm.1',
        origin={'xyz': [1, 2, 3], 'quaternion_wxyz': [0, 0, 2, 0]},
        child_origin=[0, 0, 1, 0, 0, math.pi],
    )
    assert made.X_PF == (0.0, 0.0, 1.0, 0.0, 1.0, 2.0, 3.0)
    assert made.X_MC[3:] == pytest.approx((1.0, 0.0, 0.0, 1.0))


def test_a_new_joint_connects_links():
    builder = read_urdf(URDF.replace('</robot>', '<link name="u"/></robot>'))
    keys = {'type': 'revolute', 'parent': 'base', 'child': 'u', 'child_pose': [0, 0, 1]}
    apply_notation(builder, {'joints': {'new': {**keys, 'anchor': [0, 0, 0.5]}}})
    model = builder.finalize()
    q = np.zeros(model.nq)
    q[model.coordinates_of('new')] = math.pi
    # Half a turn about x at z = 0.5 takes z = 1 to 0.
    assert link_poses(model, q)[model.link_id('u'), 4:] == pytest.approx([0, 0, 0], abs=1e-15)


def test_closures_frames_and_couplings():
    model = load(
        {
            'frames': {'tip': {'link': 't', 'origin': [0, 0, 1]}},
            'closures': {
                'rod': {
                    'type': 'distance',
                    'frame_A': 'tip',
                    'frame_B': 'caster',
                    'origin_B': {'xyz': [1, 0, 0]},
                    'length': 0.5,
                },
                'weld': {'type': 'weld', 'link_A': 'base', 'link_B': 't', 'axis': [0, 0, 1]},
            },
            'couplings': {
                'one': {'terms': {'arm.1': 2.0, 'slide': -1}, 'offset': 0.1},
                'two': {'joints': ['slide'], 'coefficients': [1]},
            },
        }
    )
    rod, weld = model.closures
    assert (rod.link_A, rod.X_LA[4:], rod.link_B, rod.X_LB[4:]) == ('t', Z, 'caster', X)
    assert (rod.length, weld.type, weld.axis_A, weld.axis_B) == (0.5, 'fixed', Z, Z)
    assert model.couplings[0].terms == (('arm.1', 2.0), ('slide', -1.0))
    assert (model.couplings[0].offset, model.couplings[1].terms) == (0.1, (('slide', 1.0),))


def test_a_closure_of_the_description_is_changed_by_name():
    loop = '<loop name="l" type="fixed"><predecessor link="t"/><successor link="base"/></loop>'
    builder = read_urdf(URDF.replace('</robot>', loop + '</robot>'))
    apply_notation(builder, {'closures.l.type': 'point', 'closures.l.origin_A': [0, 0, 2]})
    (closure,) = builder.finalize().closures
    assert (closure.type, closure.link_A, closure.X_LA[6]) == ('ball', 't', 2.0)


@pytest.mark.parametrize(
    ('source', 'sentence'),
    [
        ({'joints.caster.anchr': [0, 0, 0]}, "joint 'caster': 'anchr' is not known; use one of"),
        ({'joints.caster.anchor': [0, 0]}, r"'anchor' is \[0, 0\]; give three numbers"),
        ({'joints.caster.anchor': [0, 0, math.nan]}, "'anchor' is nan; give a finite number"),
        ({'joints.caster.anchor': [0, 0, True]}, "'anchor' is True; give a finite number"),
        ({'joints.caster.anchor': ['0x1', 0, 0]}, "'anchor' is '0x1'; give a finite number"),
        ({'joints.caster.anchor': [10**400, 0, 0]}, 'give a finite number'),
        ({'joints.caster.type': 'hinge'}, "'type' is 'hinge'; use one of fixed, revolute"),
        ({'joints.caster.type': 3}, "'type' is '3'; use one of"),
        ({'joints.ghost.type': 'ball'}, "'parent' is missing; the model has no joint of this"),
        ({'joints.caster.axis': [0, 0, 1]}, "'axis' has no place on a fixed joint"),
        ({'joints.caster': {'type': 'ball', 'axis': [0, 0, 1]}}, 'give axis1 and axis3'),
        ({'joints.slide': {'axis': [0, 0, 1], 'axis1': [0, 0, 1]}}, "says the same as 'axis'"),
        ({'joints.slide.axis2': [0, 0, 1]}, "'axis2' has no place on a prismatic joint"),
        ({'joints.caster': {'type': 'ball', 'axis2': [1, 0, 0]}}, 'is not perpendicular'),
        ({'joints.caster': {'type': 'ball', 'damping': [1, 2]}}, "'damping' has 2 numbers"),
        ({'joints.slide.stops': [1, -1]}, "'stops' runs from 1 to -1; give the lower one first"),
        ({'joints.slide.brake': 1}, 'must be true or false'),
        ({'joints.slide.actuated': 'yes'}, "'actuated' is 'yes'; write true or false"),
        ({'joints.slide.mimic': 'arm'}, "'mimic' is 'arm'; give the keys that belong to it"),
        ({'joints.slide.mimic.master': 'arm'}, "'mimic.master' is not known"),
        ({'joints.slide.position': [1, 2]}, 'has 2 numbers; a prismatic joint has 1'),
        ({'joints.slide.slide_damping': [1, 2]}, 'is for planar joints'),
        ({'joints.slide': {'origin': [0, 0, 0], 'anchor': [0, 0, 0]}}, 'does not go with'),
        ({'joints.slide.origin': [1, 2]}, r'give \[x, y, z\] or'),
        ({'joints.slide.origin': {'quaternion_wxyz': [0, 0, 0, 0]}}, 'of a rotation'),
        ({'joints.slide.axes_in': 'world'}, 'use one of parent, joint'),
        ({'joints': {'slide': 3}}, "'joints.slide' names an element and says nothing about it"),
        ({'frames.f.link': 'z'}, "frame 'f': 'link' is 'z', which is no link"),
        ({'closures.c.type': 'ball'}, "'link_A' is missing; name the link on this side"),
        ({'closures.c': {'type': 'ball', 'link_A': 'z'}}, "'link_A' is 'z', which is no link"),
        ({'closures.c': {'type': 'ball', 'frame_A': 'z'}}, 'which is no link, joint or frame'),
        (
            {'closures.c': {'type': 'distance', 'link_A': 't', 'link_B': 'arm'}},
            'length of the rod',
        ),
        ({'couplings.c.joints': ['z'], 'couplings.c.coefficients': [1]}, "names 'z', which is no"),
        ({'couplings.c.joints': ['caster'], 'couplings.c.coefficients': [1]}, 'one coordinate'),
        ({'couplings.c.joints': ['slide'], 'couplings.c.coefficients': []}, '0 numbers for 1'),
        ({'couplings.c.terms': {}}, 'is empty; name at least one joint'),
        ({'links.z.shapes.0.kind': 'box'}, 'belongs to no link of the model'),
    ],
)
def test_what_is_malformed_is_refused(source, sentence):
    with pytest.raises(DescriptionError, match=sentence):
        load(source)


@pytest.mark.parametrize(
    ('text', 'sentence'),
    [
        ('joints: [', r'not YAML: .*; mend it'),
        ('- a', 'holds list where a mapping belongs'),
        ('joints:\n  a: {type: ball}\n  a: {}', r"\(line 3\): key 'a' stands here twice"),
        ('{[1]: 2}', 'a key is a list or a mapping|not YAML'),
        (b'joints: \xff', 'not YAML'),
        ('a: ' + '[' * 100_000, 'nested too deeply'),
        ('x' * 6_000_000, '6 MB, more than the 5 MB'),
    ],
)
def test_bad_yaml_is_refused(text, sentence):
    with pytest.raises(DescriptionError, match=sentence):
        load(text)


def test_errors_name_the_line_of_a_yaml_file():
    with pytest.raises(DescriptionError) as caught:
        load('joints:\n  caster:\n    type: ball\n    damping: [1,\n      x, 2]\n')
    assert (caught.value.element, caught.value.line) == ("joint 'caster'", 4)


def test_unknown_sections_of_a_file_are_findings():
    model = load({'joint': {'caster': {'type': 'ball'}}})
    assert [f.code for f in model.findings] == ['key-unknown']


def test_an_aliased_bomb_stays_small():
    bomb = 'a0: &a0 [x]\n' + ''.join(
        f'a{n}: &a{n} [{", ".join([f"*a{n - 1}"] * 9)}]\n' for n in range(1, 12)
    )
    assert len(load(bomb).findings) == 12


def test_everything_survives_writing_and_reading():
    loop = '<link name="x"><collision name="k"><geometry><capsule radius="1" length="2"/>'
    loop += (
        '</geometry></collision><collision><geometry><sphere radius="1"/></geometry></collision>'
    )
    loop += '</link><joint name="jx" type="planar"><parent link="t"/><child link="x"/></joint>'
    builder = read_urdf(URDF.replace('</robot>', loop + '</robot>'))
    apply_notation(
        builder,
        {
            'joints': {
                'caster': {
                    'type': 'ball',
                    'anchor': [0.1, 0.2, 0.3],
                    'axis1': {'direction': [0, 1, 0], 'motor': [-1, 1], 'rest': 0.5},
                    'axis3': [1, 0, 1],
                    'damping': [1, 2, 3],
                    'stops': [-1, 1],
                    'brake': True,
                },
                'arm.1': {'anchor': [0, 0, 0.5], 'upper': math.inf, 'rotor_inertia': 0.1},
                'slide': {'mimic': {'joint': 'arm.1', 'offset': 0.2}, 'effort': math.inf},
                'jx': {'slide_damping': [1, 2], 'axis': [0, 0, 2], 'damping': 3},
            },
            'frames.f': {'link': 'arm', 'origin': [0, 0, 1, 1, 2, 3]},
            'closures.c': {'type': 'distance', 'frame_A': 'f', 'link_B': 'x', 'length': 0.1},
            'couplings.k': {'terms': {'arm.1': 1, 'slide': 2}, 'offset': 3},
        },
    )
    model = builder.finalize()
    urdf_text, notation = export_model(model)
    again = read_description(urdf_text)
    apply_side_car(again, notation)
    assert_same_model(model, again.finalize())


@pytest.mark.parametrize('kind', ['revolute', 'prismatic'])
@pytest.mark.parametrize('axis', [X, Y, Z, (-1, 0, 0), (0, -1, 0), (0, 0, -1)])
def test_signs_and_limits_survive_writing(kind, axis):
    text = (
        '<robot name="r"><link name="a"/><link name="b"/>'
        f'<joint name="j" type="{kind}"><parent link="a"/><child link="b"/>'
        f'<axis xyz="{" ".join(map(str, axis))}"/>'
        '<limit lower="-0.5" upper="0.5" effort="1" velocity="1"/></joint></robot>'
    )
    model = read_urdf(text).finalize()
    urdf_text, notation = export_model(model)
    again = read_urdf(urdf_text).finalize()
    assert notation == ''
    np.testing.assert_array_equal(link_poses(model, [0.5]), link_poses(again, [0.5]))
    assert (again.lower[0], again.upper[0]) == (-0.5, 0.5)


def test_the_examples_of_the_documentation_are_read():
    page = Path(__file__).parents[1] / 'docs' / 'notation.md'
    examples = re.findall(r'```yaml\n(.*?)```', page.read_text(encoding='utf-8'), re.DOTALL)
    assert len(examples) == 4
    links = ('coupler', 'rocker', 'base', 'c', 'e', 's', 't', 'm', 'w')
    text = ''.join(f'<link name="{name}"/>' for name in links)
    joints = {'caster': 'c', 'shoulder': 's', 'elbow': 'e', 'table': 't', 'motor': 'm'}
    joints |= {'wheel': 'w', 'rod_1': 'coupler', 'rod_2': 'rocker'}
    text += ''.join(
        f'<joint name="{name}" type="continuous"><parent link="base"/><child link="{child}"/>'
        '</joint>'
        for name, child in joints.items()
    )
    builder = read_urdf(f'<robot name="r">{text}</robot>')
    for example in examples:
        apply_notation(builder, example)
    model = builder.finalize()
    assert model.joint('shoulder').axes[2].stops == (-3.0, 3.0)
    assert model.joint('elbow').axes[1].motor == Motor(-1.5, 1.5)
    assert (model.closures[0].type, model.closures[0].X_LB[4]) == ('revolute', 0.5)
    assert model.couplings[0].terms == (('motor', 6.0), ('wheel', -1.0))
    assert not [finding for finding in model.findings if finding.code == 'key-unknown']
