# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Webots' .proto and .wbt files."""

from __future__ import annotations

import math

from model_compare import link_poses
from model_compare import matrix
import numpy as np
import pytest
from shared_robots import shared_robot

from kinematics_node.errors import DescriptionError
from kinematics_node.formats.load import load_model
from kinematics_node.formats.load import read_description
from kinematics_node.model.ball_joint import angles_to_quaternion
from kinematics_node.model.elements import Motor
from kinematics_node.model.joint_types import JointType

HEADER = '#VRML_SIM R2023b utf8\n'
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def load(text):
    """Return the model of a Webots text."""
    return read_description(HEADER + text).finalize()


def robot(*children):
    """Return a PROTO whose robot has these children."""
    return 'PROTO R [] { Robot { name "base" children [ ' + ' '.join(children) + ' ] } }'


def joint(kind, *fields, end='translation 0.1 0.2 0.3'):
    """Return a joint node whose end point is the solid 'tip'."""
    return f'DEF J {kind} {{ {" ".join(fields)} endPoint Solid {{ name "tip" {end} }} }}'


def test_the_worlds_marker_stands_where_webots_publishes_it():
    model = load_model(shared_robot('webots/ball_joint_vs_hinge_joints.wbt'))
    q = np.array(model.zero)
    angles = (1.01, 0.6, -2.45)
    for ball in (j for j in model.joints if j.type is JointType.BALL):
        directions = [axis.direction for axis in ball.axes]
        q[model.coordinates_of(ball.name)] = angles_to_quaternion(directions, angles)
    hinges = [j for j in model.joints if j.type is JointType.CONTINUOUS]
    for n, hinge in enumerate(hinges):
        q[model.coordinates_of(hinge.name)] = angles[n % 3]
    poses = link_poses(model, q)

    def from_robot(marker, robot):
        return poses[model.link_id(marker), 4:] - poses[model.link_id(robot), 4:]

    published = np.array((0.129531, 0.155783, 0.223086))
    ball = poses[model.link_id('BALL_JOINT_MARKER'), 4:]
    assert ball == pytest.approx(published, abs=1e-3)
    reference = from_robot('BALL_JOINT_MARKER', 'robot(2)')
    names = ('BALL_JOINT_MARKER_KINEMATIC', 'HINGE_JOINT_MARKER', 'HINGE_JOINT_MARKER_KINEMATIC')
    robots = [model.joint(j.name).parent for j in hinges[::3]]
    kinematic = next(
        j.parent for j in model.joints if j.type is JointType.BALL and j.parent != 'robot(2)'
    )
    for marker, base in zip(names, (kinematic, *robots), strict=True):
        np.testing.assert_allclose(from_robot(marker, base), reference, atol=1e-12)


def test_the_caster_of_the_turtlebot():
    model = load_model(shared_robot('webots/TurtleBot3Burger.proto'))
    caster = model.joint('CASTER_JOINT')
    assert caster.type is JointType.BALL
    assert caster.X_PF == (1.0, 0.0, 0.0, 0.0, -0.081, 0.0, 0.004)
    assert caster.X_MC == (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    wheel = model.joint('RIGHT_JOINT')
    assert wheel.axes[0].limits.velocity == 6.67
    assert (wheel.actuated, caster.actuated) == (True, False)
    inertia = model.links[model.link_id('right wheel')].inertia
    # A cylinder of radius 0.033 and height 0.018 along the wheel's turned axis y.
    assert inertia.mass == pytest.approx(0.028499)
    along = 0.5 * inertia.mass * 0.033**2
    across = inertia.mass * (3 * 0.033**2 + 0.018**2) / 12
    assert inertia.rotational[:3] == pytest.approx((across, along, across), rel=1e-6)


def test_the_axis_of_parameter_two_is_axis_one():
    axes = load_model(shared_robot('webots/RobotWithBallJoint.proto')).joints[0].axes
    # Axis 3 is the default of the third parameters, z; the middle one is z x y.
    assert [axis.direction for axis in axes] == [Y, (-1.0, 0.0, 0.0), Z]
    axes = load_model(shared_robot('webots/spring_damping_force.wbt')).joint(
        'END_POINT_SOLID_5_joint'
    ).axes  # fmt: skip
    # springConstant 2 on the first, and on the two that have no parameters.
    assert [axis.spring for axis in axes] == [2.0, 2.0, 2.0]
    assert [axis.direction for axis in axes] == [X, Y, Z]


@pytest.mark.parametrize(
    ('parameters', 'springs'),
    [
        ('jointParameters BallJointParameters { springConstant 3 dampingConstant 1 }', [3, 3, 3]),
        (
            'jointParameters BallJointParameters { springConstant 3 } '
            'jointParameters2 JointParameters { axis 1 0 0 }',
            [3, 0, 3],
        ),
        ('jointParameters3 JointParameters { springConstant -2 }', [0, 0, 2]),
    ],
)
def test_axes_without_parameters_take_those_of_the_first(parameters, springs):
    axes = load(robot(joint('BallJoint', parameters))).joint('J').axes
    assert [axis.spring for axis in axes] == springs


@pytest.mark.parametrize(
    ('kind', 'parameters', 'type_', 'axes'),
    [
        ('HingeJoint', '', JointType.CONTINUOUS, [X]),
        ('SliderJoint', '', JointType.PRISMATIC, [Z]),
        ('Hinge2Joint', '', JointType.UNIVERSAL, [X, Z]),
        ('BallJoint', '', JointType.BALL, [X, Y, Z]),
        (
            'Hinge2Joint',
            'jointParameters HingeJointParameters { axis 0 1 0 }',
            JointType.UNIVERSAL,
            [Y, Z],
        ),
        (
            'HingeJoint',
            'jointParameters HingeJointParameters { minStop -1 maxStop 1 }',
            JointType.REVOLUTE,
            [X],
        ),
    ],
)
def test_joints_and_the_defaults_of_their_axes(kind, parameters, type_, axes):
    read = load(robot(joint(kind, parameters))).joint('J')
    assert read.type is type_
    assert [axis.direction for axis in read.axes] == axes


@pytest.mark.parametrize('kind', ['HingeJoint', 'BallJoint', 'Hinge2Joint', 'SliderJoint'])
def test_the_end_point_stands_as_stored_at_its_stored_position(kind):
    place = 'anchor 0.5 0 0.1' if kind != 'SliderJoint' else ''
    node = {'HingeJoint': 'HingeJointParameters', 'Hinge2Joint': 'HingeJointParameters'}
    name = node.get(kind, 'BallJointParameters' if kind == 'BallJoint' else 'JointParameters')
    text = robot(
        'Pose { translation 1 0 0 rotation 0 0 1 0.5 children [',
        joint(
            kind,
            f'jointParameters {name} {{ position 0.4 {place} }}',
            'jointParameters2 JointParameters { position -0.3 axis 0 1 0 }',
            end='translation 0.1 0.2 0.3 rotation 1 0 0 0.7',
        ),
        '] }',
    )
    model = load(text)
    read = model.joint('J')
    q = {'HingeJoint': [0.4], 'SliderJoint': [0.4], 'Hinge2Joint': [0.4, -0.3]}.get(kind)
    if q is None:
        q = angles_to_quaternion([a.direction for a in read.axes], (0.4, -0.3, 0.0))
    (c, s), (c2, s2) = (math.cos(0.5), math.sin(0.5)), (math.cos(0.7), math.sin(0.7))
    pose = np.array([[c, -s, 0, 1], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    end = np.array([[1, 0, 0, 0.1], [0, c2, -s2, 0.2], [0, s2, c2, 0.3], [0, 0, 0, 1]])
    np.testing.assert_allclose(matrix(link_poses(model, q)[1]), pose @ end, atol=1e-15)


def test_motors_stops_and_brakes():
    text = robot(
        joint(
            'BallJoint',
            'jointParameters BallJointParameters { minStop -1 maxStop 1 staticFriction 0.2 }',
            'jointParameters2 JointParameters { axis 1 0 0 }',
            'device RotationalMotor { minPosition -2 maxPosition 0.5 maxTorque 7 }',
            'device2 [ RotationalMotor { } Brake { } PositionSensor { } ]',
            'device3 [ Gadget { } ]',
        )
    )
    model = load(text)
    first, second, third = model.joint('J').axes
    assert (first.stops, first.motor, first.friction) == ((-1, 1), Motor(-2.0, 0.5), 0.2)
    assert (first.limits.effort, first.limits.velocity) == (7.0, 10.0)
    assert second.motor == Motor(-math.pi / 2, math.pi / 2)
    assert third.motor is None
    assert sorted(f.code for f in model.findings) == ['element-unknown', 'motor-outside-stops']


@pytest.mark.parametrize(
    ('text', 'code'),
    [
        (
            robot(joint('HingeJoint', 'jointParameters HingeJointParameters { axis 0 0 0 }')),
            'axis-zero',
        ),
        (
            robot(joint('Hinge2Joint', 'jointParameters2 JointParameters { axis 2 0 0 }')),
            'axes-parallel',
        ),
        (
            robot(
                joint(
                    'HingeJoint',
                    'jointParameters HingeJointParameters { position 2 minStop -1 maxStop 1 }',
                )
            ),
            'position-outside-stops',
        ),
        (
            robot(joint('HingeJoint', 'device RotationalMotor { maxTorque -1 }')),
            'constant-negative',
        ),
        (
            robot(joint('HingeJoint', 'device RotationalMotor { multiplier 2 }')),
            'multiplier-ignored',
        ),
        (robot('HingeJoint { }'), 'joint-empty'),
        (robot('Transform { scale 2 2 2 }'), 'scale-ignored'),
        (robot('Lidar { }'), 'element-ignored'),
        (robot('Solid { } Solid { }'), 'name-changed'),
        (robot('Solid { physics Physics { } }'), 'inertia-missing'),
        (robot('Shape { geometry Cone { } }'), 'geometry-unknown'),
    ],
)
def test_what_is_odd_is_a_finding(text, code):
    findings = load(text).findings
    assert code in [finding.code for finding in findings]
    assert all(finding.line is not None for finding in findings if finding.code == code)


def test_a_solid_reference_closes_a_loop():
    hinge = 'HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 1 0 0 } '
    text = robot(
        'DEF A HingeJoint { endPoint Solid { name "crank" translation 0 0 1 children [',
        'DEF L ' + hinge + 'endPoint SolidReference { solidName "rocker" } } ] } }',
        'DEF B HingeJoint { endPoint Solid { name "rocker" translation 0 0 3 } }',
    )
    (closure,) = load(text).closures
    assert (closure.name, closure.type) == ('L', 'continuous')
    assert (closure.link_A, closure.link_B, closure.axis_A) == ('crank', 'rocker', Y)
    # The point (1, 0, 0) of the crank at z = 1 is seen from the rocker at z = 3.
    assert (closure.X_LA[4:], closure.X_LB[4:]) == ((1.0, 0.0, 0.0), (1.0, 0.0, -2.0))


def test_defined_nodes_are_used_again():
    text = robot(
        'Shape { geometry DEF B Box { size 1 2 3 } }',
        'Pose { translation 0 0 1 children [ Shape { geometry USE B } ] }',
    )
    shapes = load(text).links[0].geometry
    assert [s.size for s in shapes] == [(1, 2, 3)] * 2
    assert [s.X_BG[6] for s in shapes] == [0.0, 1.0]


@pytest.mark.parametrize(
    ('text', 'sentence'),
    [
        ('', 'the text holds no node'),
        ('Robot {', "the text ends inside a node; close it with '}'"),
        ('Robot { name "a }', 'a string does not end'),
        ('Robot { children [ 3 { } ] }', "stands where a field of|where a node belongs|'}'"),
        ('} Robot', "'}' stands where a node belongs"),
        ('Robot ]', "']' stands where '{' belongs"),
        ('Robot { "x" 1 }', 'stands where a field of Robot belongs'),
        ('Robot { children [ USE B ] }', "USE of 'B', which no DEF before defines"),
        ('Robot { translation 1 2 }', r"Robot \(line 2\): 'translation' has 2 values, not 3"),
        ('Robot { translation 1 nan 2 }', "'translation' has 1 values|not a decimal number"),
        ('Robot { translation [ 1 0x2 2 ] }', 'holds 0x2, which is not a decimal number'),
        ('PROTO R [ foo ] { }', "'foo' stands where 'field' or"),
        ('PROTO R [] { Shape { } }', 'a PROTO of a robot has a Robot or Solid as its body'),
        ('PROTO R [] { Robot { } } PROTO S [] { Robot { } }', 'a second PROTO stands here'),
        ('PROTO R [] { %< a >% Robot { } }', r'\(line 2\): the PROTO is a template'),
        (robot('HingeJoint { endPoint Cup { } }'), 'its endPoint is a Cup; write the Solid'),
        (robot('HingeJoint { endPoint SolidReference { solidName "z" } }'), "names 'z', which is"),
        ('Group { children [ ' * 300, 'nested more than 200 deep'),
        ('Group { children [ ' * 100_000, 'nested more than 200 deep'),
        (' ' * 51_000_000, '51 MB, more than the 50 MB read'),
    ],
)
def test_bad_files_are_refused(text, sentence):
    with pytest.raises(DescriptionError, match=sentence):
        load(text)


def test_bytes_that_are_no_utf8_are_refused():
    with pytest.raises(DescriptionError, match='the text is not UTF-8'):
        read_description(HEADER.encode() + b'Robot { name "\xff" }')
