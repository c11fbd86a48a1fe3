# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Review: every code, with a control beside it."""

from __future__ import annotations

from dataclasses import replace
import math
from pathlib import Path
import re

import pytest

from kinematics_node.formats.load import load_model
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import Closure
from kinematics_node.model.elements import Coupling
from kinematics_node.model.elements import Geometry
from kinematics_node.model.elements import Inertia
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Limits
from kinematics_node.model.elements import Link
from kinematics_node.model.elements import Mimic
from kinematics_node.model.elements import SoftLimits
from kinematics_node.model.findings import Severity
from kinematics_node.model.inertia import box
from kinematics_node.model.inertia import scaled_at_density
from kinematics_node.model.inertia import scaled_at_mass
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.review import review

TENTH = box(1.0, 0.1, 0.1, 0.1)
CUBE = Geometry('collision', 'box', size=(0.1, 0.1, 0.1))
ANGLE = Limits(-1.0, 1.0, 2.0, 3.0)


def arm(joint=None, tip=None, second=None):
    """Return a clean model of three links, with what is to be reviewed in place."""
    builder = ModelBuilder('arm')
    builder.add_link(Link('base', TENTH, (CUBE,)))
    builder.add_link(tip or Link('tip', TENTH, (CUBE,)))
    builder.add_link(Link('end', TENTH, (CUBE,)))
    clean = Joint('first', JointType.REVOLUTE, 'base', 'tip', axes=(Axis(limits=ANGLE),))
    builder.add_joint(joint or clean)
    builder.add_joint(second or replace(clean, name='second', parent='tip', child='end'))
    return builder


def found(builder, strict=False):
    return [(f.code, f.element) for f in review(builder.finalize(), strict)]


def limited(kind, lower, upper, **more):
    axes = (Axis(limits=Limits(lower, upper, **more)),)
    return arm(Joint('first', kind, 'base', 'tip', axes=axes))


def body(inertia, *geometry):
    return arm(tip=Link('tip', inertia, geometry))


def test_a_clean_model_has_no_findings():
    assert found(arm()) == []


REVOLUTE, PRISMATIC = JointType.REVOLUTE, JointType.PRISMATIC
FIRST = Joint('first', REVOLUTE, 'base', 'tip', axes=(Axis(limits=ANGLE),))
SECOND = replace(FIRST, name='second', parent='tip', child='end')
FLAT = Inertia(1.0, rotational=(1.0, 1.0, 2.0, 0.0, 0.0, 0.0))
IMPOSSIBLE = replace(FLAT, rotational=(1.0, 1.0, 2.2, 0.0, 0.0, 0.0))
SMALL = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.02)
FAR = (1.0, 0.0, 0.0, 0.0, 350.0, 0.0, 20.0)


@pytest.mark.parametrize(
    ('builder', 'code', 'sentence'),
    [
        (arm(replace(FIRST, X_PF=FAR)), 'length-millimetres', '350.571 m from its parent'),
        (arm(replace(FIRST, X_PF=(2.0, *SMALL[1:]))), 'rotation-not-unit', 'length 2,'),
        (
            arm(replace(FIRST, axes=(Axis((0, 0, 2), ANGLE),))),
            'axis-not-unit',
            'axis 0 0 2 has length 2; it was normalised',
        ),
        (
            arm(Joint('first', JointType.BALL, 'base', 'tip', X_MC=SMALL)),
            'anchor-apart',
            "0.02 m from the origin of its child 'tip'",
        ),
        (
            arm(second=replace(SECOND, mimic=Mimic('first', 0.0))),
            'mimic-constant',
            "follows 'first' with multiplier 0",
        ),
        (
            arm(second=replace(SECOND, mimic=Mimic('first', 2.0, 0.5))),
            'mimic-leaves-limits',
            'from -1.5 to 2.5, beyond its own limits -1 to 1',
        ),
        (
            arm(second=replace(SECOND, mimic=Mimic('nobody'))),
            'mimic-ignored',
            "there is no joint 'nobody' to follow",
        ),
        (limited(REVOLUTE, -90.0, 90.0), 'limit-degrees', 'in radians they are -1.571 to 1.571'),
        (limited(REVOLUTE, -3.0, 170.0), 'limit-degrees', 'look like degrees'),
        (limited(REVOLUTE, -math.inf, math.inf), 'limit-missing', 'or make it continuous'),
        (limited(PRISMATIC, -math.inf, math.inf), 'limit-missing', 'a prismatic joint without'),
        (limited(REVOLUTE, 1.0, -1.0), 'limit-reversed', 'limits 1 to -1 are reversed'),
        (limited(REVOLUTE, 0.0, 0.0), 'limit-empty', 'leave no motion'),
        (limited(REVOLUTE, 0.5, 1.0), 'zero-outside-limits', 'outside the limits 0.5 to 1'),
        (limited(PRISMATIC, 0.0, 350.0), 'limit-millimetres', 'look like millimetres'),
        (limited(REVOLUTE, -1, 1, velocity=-2.0), 'limit-velocity-negative', 'limit -2 is neg'),
        (limited(REVOLUTE, -1, 1, effort=-2.0), 'limit-effort-negative', 'effort limit -2'),
        (limited(REVOLUTE, -1, 1, effort=math.nan), 'limit-effort-nan', 'is not a number'),
        (limited(REVOLUTE, -1, 1, velocity=math.nan), 'limit-velocity-nan', 'is not a number'),
        (
            arm(replace(FIRST, soft_limits=SoftLimits(0.9, -0.9))),
            'soft-limit-reversed',
            'soft limits 0.9 to -0.9 are reversed',
        ),
        (
            arm(replace(FIRST, soft_limits=SoftLimits(-0.9, 1.2))),
            'soft-limit-outside',
            'reach beyond the limits -1 to 1',
        ),
        (body(IMPOSSIBLE), 'inertia-triangle', 'principal moments 1, 1, 2.2'),
        (body(replace(FLAT, mass=-1.0)), 'mass-negative', 'mass -1 kg is negative'),
        (
            body(replace(FLAT, rotational=(1.0, -1.0, 1.0, 0.0, 0.0, 0.0))),
            'inertia-not-positive',
            'one is negative',
        ),
        (body(replace(FLAT, mass=math.inf)), 'inertia-not-finite', 'must be finite'),
        (body(Inertia(0.0, (0, 0, 0), FLAT.rotational)), 'inertia-without-mass', 'mass is 0'),
        (body(scaled_at_density(TENTH, 1000.0), CUBE), 'mass-scale', r'1e\+12 kg/m\^3'),
        (body(scaled_at_density(TENTH, 0.001), CUBE), 'mass-scale', r'1e-06 kg/m\^3'),
        (body(scaled_at_mass(TENTH, 1000.0), CUBE), 'inertia-scale', 'reach only 0.0866 m'),
        (body(Inertia(), CUBE), 'massless-collision', 'a collision shape but no mass'),
        (body(None, CUBE), 'massless-collision', 'a collision shape but no mass'),
        (body(None), 'massless-movable', "moves by joint 'first'"),
        (
            body(TENTH, replace(CUBE, role='visual')),
            'visual-without-collision',
            'planners pass through it',
        ),
        (body(TENTH, replace(CUBE, size=(0.1, 0.0, 0.1))), 'geometry-size', 'size 0.1 0 0.1'),
        (
            body(TENTH, Geometry('collision', 'mesh', size=(1.0, 0.0, 1.0))),
            'mesh-scale-zero',
            'mesh scale 1 0 1 flattens',
        ),
        (
            body(TENTH, Geometry('collision', 'mesh', size=(1.0, -1.0, 1.0))),
            'mesh-mirrored',
            'mirrors the shape',
        ),
    ],
)
def test_what_is_wrong_is_found_with_its_numbers(builder, code, sentence):
    findings = {finding.code: finding for finding in review(builder.finalize())}
    assert code in findings
    assert re.search(sentence, findings[code].message)
    named = {'first', 'second', 'tip'}
    assert any(f"'{name}'" in findings[code].element for name in named)


@pytest.mark.parametrize(
    'builder',
    [
        body(FLAT),
        limited(REVOLUTE, -13.14, 13.14),
        limited(REVOLUTE, -2.0 * math.pi, 2.0 * math.pi),
        limited(PRISMATIC, 0.0, 1.5),
        limited(JointType.CONTINUOUS, -math.inf, math.inf),
        arm(replace(FIRST, soft_limits=SoftLimits(0.0, 0.0, 1.0, 10.0))),
        arm(second=replace(SECOND, mimic=Mimic('first', -1.0))),
        arm(Joint('first', JointType.BALL, 'base', 'tip')),
        body(scaled_at_density(TENTH, 0.1), replace(CUBE, size=(0.01, 0.01, 0.01))),
    ],
)
def test_controls_are_silent(builder):
    assert found(builder) == []


def test_a_massless_frame_without_shape_is_fine_where_it_is_fixed():
    fixed = Joint('first', JointType.FIXED, 'base', 'tip')
    assert found(arm(fixed, Link('tip'))) == []


def test_mass_counts_for_everything_that_is_fixed_together():
    weld = Joint('second', JointType.FIXED, 'tip', 'end')
    assert found(arm(tip=Link('tip'), second=weld)) == []


def test_a_model_without_any_mass_is_told_so_once():
    builder = ModelBuilder('wire')
    builder.add_link(Link('a'))
    builder.add_link(Link('b'))
    builder.add_joint(Joint('j', JointType.CONTINUOUS, 'a', 'b'))
    assert found(builder) == [('massless-model', "model 'wire'")]


def test_couplings_and_closures_that_go_nowhere():
    builder = arm()
    builder.add_coupling(Coupling('gear', (('first', 0.0), ('third', 1.0))))
    builder.add_closure(Closure('loop', 'ball', 'tip', 'tip'))
    assert found(builder) == [
        ('coupling-zero-factor', "coupling 'gear'"),
        ('coupling-dangling', "coupling 'gear'"),
        ('closure-on-one-link', "closure 'loop'"),
    ]


def test_groups_come_in_the_order_of_the_review():
    builder = arm(
        joint=Joint('first', REVOLUTE, 'base', 'tip', FAR, axes=(Axis((0, 0, 2), Limits(2, 1)),)),
        tip=Link('tip', IMPOSSIBLE, (replace(CUBE, role='visual'),)),
        second=replace(SECOND, mimic=Mimic('first', 0.0)),
    )
    builder.report('element-unknown', Severity.INFO, 'robot', 'nobody knows it')
    assert [code for code, _ in found(builder)] == [
        'axis-not-unit',
        'length-millimetres',
        'mimic-constant',
        'inertia-triangle',
        'visual-without-collision',
        'limit-reversed',
        'element-unknown',
    ]


def test_a_reader_that_found_it_already_is_not_repeated():
    builder = limited(REVOLUTE, -math.inf, math.inf)
    builder.report('limit-missing', Severity.WARNING, "joint 'first'", 'no limit element', 3)
    (finding,) = review(builder.finalize())
    assert (finding.message, finding.line) == ('no limit element', 3)


def test_strict_turns_warnings_into_errors_and_nothing_else():
    builder = arm(
        replace(FIRST, axes=(Axis(limits=Limits(2, 1)),)),
        tip=Link('tip', TENTH, (replace(CUBE, role='visual'),)),
    )
    model = builder.finalize()
    lenient = {f.code: f.severity for f in review(model)}
    strict = {f.code: f.severity for f in review(model, strict=True)}
    assert lenient == {
        'visual-without-collision': Severity.INFO,
        'limit-reversed': Severity.WARNING,
    }
    assert strict == {**lenient, 'limit-reversed': Severity.ERROR}


def test_every_code_of_the_review_is_documented():
    folder = Path(__file__).resolve().parents[1]
    page = (folder / 'docs' / 'review.md').read_text()
    package = folder / 'kinematics_node' / 'model'
    sources = [*(package / 'review').glob('*.py'), package / 'inertia.py']
    codes = {
        code
        for source in sources
        if source.name != '__init__.py'
        for code in re.findall(r"'((?:[a-z]+-)+[a-z]+)'", source.read_text())
    }
    assert len(codes) > 25
    assert sorted(code for code in codes if f'`{code}`' not in page) == []


def test_real_robots_show_what_is_known_of_them(shared_robot):
    codes = {finding.code for finding in review(load_model(shared_robot('h1_2.urdf')))}
    assert 'mimic-leaves-limits' in codes
    assert 'limit-degrees' not in codes
    pr2 = review(load_model(shared_robot('pr2.urdf')))
    impossible = {finding.element for finding in pr2 if finding.code == 'inertia-triangle'}
    assert impossible == {"link 'sensor_mount_link'", "link 'double_stereo_link'"}
