# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""State checks: every kind of violation, and states without any."""

from __future__ import annotations

from dataclasses import replace
import math

from loop_models import add_joint
from loop_models import at
from loop_models import four_bar
from loop_models import Z
import numpy as np
import pytest
from transforms3d.quaternions import axangle2quat

from kinematics_node.check import check_state
from kinematics_node.check import check_states
from kinematics_node.check import Tolerances
from kinematics_node.check import ViolationKind
from kinematics_node.errors import ValueShapeError
from kinematics_node.formats.load import load_model
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import Coupling
from kinematics_node.model.elements import Limits
from kinematics_node.model.elements import Mimic
from kinematics_node.model.elements import SoftLimits
from kinematics_node.model.joint_types import JointType
from kinematics_node.solve import LoopSolver
from kinematics_node.state import State

X = (1.0, 0.0, 0.0)
Y = (0.0, 1.0, 0.0)
LIMITS = Limits(-1.0, 0.5, 2.0, 10.0)


def arm(**keywords):
    """Return a hinge with limits and a slide that follows it."""
    builder = ModelBuilder('arm')
    add_joint(
        builder,
        'hinge',
        JointType.REVOLUTE,
        'base',
        'upper',
        at(),
        (Z,),
        limits=LIMITS,
        **keywords,
    )
    add_joint(
        builder,
        'slide',
        JointType.PRISMATIC,
        'upper',
        'lower',
        at(1.0),
        (X,),
        mimic=Mimic('hinge', 0.1, 0.02),
    )
    return builder


def only(result):
    assert len(result.violations) == 1, [v.message for v in result.violations]
    return result.violations[0]


def test_valid_states_have_no_violation():
    model = arm().finalize()
    result = check_state(model, [0.5, 0.07], [2.0, 0.2], [-10.0, 0.0])
    assert result.valid
    assert result.violations == ()
    assert check_state(model, {'hinge': -1.0}, {'hinge': -2.0}, {}).valid


@pytest.mark.parametrize(
    ('hinge', 'bound', 'margin', 'where'), [(0.7, 0.5, -0.2, 'above'), (-1.5, -1.0, -0.5, 'below')]
)
def test_position_limits(hinge, bound, margin, where):
    violation = only(check_state(arm().finalize(), {'hinge': hinge}))
    assert violation.kind is ViolationKind.POSITION
    assert (violation.element, violation.coordinate) == ('hinge', 'hinge')
    assert (violation.value, violation.bound) == (hinge, bound)
    assert violation.margin == pytest.approx(margin)
    assert violation.message == (
        f"joint 'hinge': position {hinge:g} rad is {where} the limit {bound:g} rad"
    )


def test_velocity_and_effort_limits_hold_both_ways():
    result = check_state(arm().finalize(), {'hinge': 0.0}, {'hinge': -2.5}, {'hinge': 11.0})
    velocity, effort = result.violations
    assert (velocity.kind, velocity.bound) == (ViolationKind.VELOCITY, -2.0)
    assert velocity.margin == pytest.approx(-0.5)
    assert (effort.kind, effort.bound) == (ViolationKind.EFFORT, 10.0)
    assert 'effort 11 N m is above the limit 10 N m' in effort.message


def test_limits_of_zero_are_those_of_a_description_that_knows_none():
    builder = ModelBuilder('wheel')
    limits = Limits(velocity=0.0, effort=0.0)
    add_joint(builder, 'wheel', JointType.CONTINUOUS, 'base', 'rim', at(), (Z,), limits=limits)
    assert check_state(builder.finalize(), {'wheel': 7.0}, {'wheel': 30.0}, {'wheel': 5.0}).valid


SOFT = SoftLimits(lower=-0.8, upper=0.4, k_position=5.0, k_velocity=20.0)


def test_soft_limits_bound_velocity_by_position():
    """At 0.3 rad the upper velocity bound is -5 (0.3 - 0.4) = 0.5 rad/s."""
    model = arm(soft_limits=SOFT).finalize()
    assert check_state(model, {'hinge': 0.3}, {'hinge': 0.49}).valid
    violation = only(check_state(model, {'hinge': 0.3}, {'hinge': 0.6}))
    assert violation.kind is ViolationKind.SOFT_VELOCITY
    assert violation.bound == pytest.approx(0.5)
    outside = check_state(model, {'hinge': 0.45}, {'hinge': 0.0})
    assert [v.kind for v in outside.violations] == [
        ViolationKind.SOFT_POSITION,
        ViolationKind.SOFT_VELOCITY,
    ]
    assert outside.violations[1].bound == pytest.approx(-0.25)
    assert (
        check_state(model, {'hinge': 0.45}, {'hinge': -0.3}).of_kind(ViolationKind.SOFT_VELOCITY)
        == ()
    )


def test_soft_limits_bound_effort_by_velocity():
    """At 0.3 rad and 0.3 rad/s effort is bounded by -20 (0.3 - 0.5) = 4 N m."""
    model = arm(soft_limits=SOFT).finalize()
    state = ({'hinge': 0.3}, {'hinge': 0.3})
    assert check_state(model, *state, {'hinge': 3.9}).valid
    violation = only(check_state(model, *state, {'hinge': 4.1}))
    assert violation.kind is ViolationKind.SOFT_EFFORT
    assert violation.bound == pytest.approx(4.0)


def test_soft_limits_of_zero_without_a_gain_are_none():
    model = arm(soft_limits=SoftLimits(k_velocity=100.0)).finalize()
    assert check_state(model, {'hinge': 0.3}, {'hinge': 0.5}).valid


def test_mimic_residual():
    model = arm().finalize()
    violation = only(check_state(model, [0.4, 0.05]))
    assert violation.kind is ViolationKind.MIMIC
    assert (violation.element, violation.bound) == ('slide', pytest.approx(0.06))
    assert violation.margin == pytest.approx(-0.01)
    assert "at which 'hinge' puts it" in violation.message
    assert check_state(model, [0.4, 0.05], tolerances=Tolerances(mimic=0.02)).valid


def test_given_follower_places_its_master():
    result = check_state(arm().finalize(), {'slide': 0.12})
    assert only(result).kind is ViolationKind.POSITION
    assert only(result).value == pytest.approx(1.0)


def test_coupling_residual():
    builder = arm()
    add_joint(builder, 'wheel', JointType.CONTINUOUS, 'base', 'wheel_link', at(), (Z,))
    builder.add_coupling(Coupling('gear', (('hinge', 3.0), ('wheel', 1.0)), 0.0))
    model = builder.finalize()
    assert check_state(model, {'hinge': 0.2, 'wheel': -0.6}).valid
    assert check_state(model, {'hinge': 0.2}).valid, 'the wheel is where the gear puts it'
    violation = only(check_state(model, {'hinge': 0.2, 'wheel': -0.5}))
    assert (violation.kind, violation.element) == (ViolationKind.COUPLING, 'gear')
    assert violation.value == pytest.approx(0.1)


def test_closure_residual():
    model = four_bar()
    q = LoopSolver(model, ['crank']).assemble(model.zero).q
    assert check_state(model, q).valid
    names = model.coordinate_names
    assert check_state(model, {'crank': 0.3}).valid, 'the others follow'
    violation = only(check_state(model, dict(zip(names, q + 0.01, strict=True))))
    assert (violation.kind, violation.element) == (ViolationKind.CLOSURE, 'tip')
    assert violation.message.startswith("closure 'tip' is ")
    assert violation.message.endswith(' open')


def test_out_of_reach_is_a_closure_violation():
    model = four_bar(ground=2.0, crank=1.0, coupler=0.5, rocker=1.0)
    violation = only(check_state(model, {'crank': math.pi}))
    assert violation.kind is ViolationKind.CLOSURE
    assert violation.value == pytest.approx(1.5, abs=1e-3)


def ball_model(**axes):
    builder = ModelBuilder('ball')
    add_joint(builder, 'hip', JointType.BALL, 'base', 'leg', at(0.0, 0.0, 1.0), (X, Y, Z))
    key = next(iter(builder.joints))
    joint = builder.joints[key]
    limited = [
        Axis(direction, **axes) if n == 0 else Axis(direction)
        for n, direction in enumerate((X, Y, Z))
    ]
    builder.joints[key] = replace(joint, axes=tuple(limited))
    return builder.finalize()


@pytest.mark.parametrize(
    ('axes', 'kind'),
    [
        ({'stops': (-0.5, 0.5)}, ViolationKind.STOP),
        ({'limits': Limits(-0.5, 0.5)}, ViolationKind.POSITION),
    ],
)
def test_axes_of_ball_joints(axes, kind):
    model = ball_model(**axes)
    assert check_state(model, axangle2quat(X, 0.4)).valid
    violation = only(check_state(model, axangle2quat(X, -0.8)))
    assert (violation.kind, violation.coordinate) == (kind, 'hip/axis1')
    assert violation.value == pytest.approx(-0.8)
    assert violation.bound == -0.5
    assert "of 'hip/axis1' is below the" in violation.message


def test_stops_of_a_hinge():
    builder = ModelBuilder()
    add_joint(builder, 'door', JointType.REVOLUTE, 'frame', 'leaf', at(), (Z,))
    key = next(iter(builder.joints))
    builder.joints[key] = replace(builder.joints[key], axes=(Axis(Z, stops=(0.0, 1.5)),))
    violation = only(check_state(builder.finalize(), [1.6]))
    assert (violation.kind, violation.bound) == (ViolationKind.STOP, 1.5)


def test_quaternion_norm():
    violation = only(check_state(ball_model(), [0.9, 0.0, 0.0, 0.0]))
    assert violation.kind is ViolationKind.QUATERNION_NORM
    assert violation.value == pytest.approx(0.9)
    assert violation.margin == pytest.approx(-0.1)
    assert only(check_state(ball_model(), np.zeros(4))).value == 0.0


@pytest.mark.parametrize('bad', [math.nan, math.inf])
def test_numbers_that_are_not_finite(bad):
    model = arm().finalize()
    for result in (
        check_state(model, [bad, 0.0]),
        check_state(model, {'hinge': bad}),
        check_state(model, {'hinge': 0.0}, {'hinge': bad}).of_kind(ViolationKind.NOT_FINITE),
        check_state(model, [0.0, 0.02], None, [bad, 0.0]).of_kind(ViolationKind.NOT_FINITE),
    ):
        violation = result[0] if isinstance(result, tuple) else only(result)
        assert violation.kind is ViolationKind.NOT_FINITE
        assert violation.element == 'hinge'
        assert 'no finite number' in violation.message


def test_unknown_names():
    result = check_state(arm().finalize(), {'elbow': 0.0}, {'wrist': 0.0}, {'hinge': 0.0})
    assert [v.kind for v in result.violations] == [ViolationKind.UNKNOWN_NAME] * 2
    assert result.violations[0].message == "the model has no coordinate 'elbow'"
    assert result.violations[1].element == 'wrist'


def test_anchors_that_come_apart():
    """A ball joint's child, measured 3 cm beside its socket; any rotation is allowed."""
    model = ball_model()
    turn = axangle2quat(Y, 1.0)
    assert check_state(model, model.zero, poses={'hip': (*turn, 0.0, 0.0, 1.0)}).valid
    violation = only(check_state(model, model.zero, poses={'hip': (*turn, 0.03, 0.0, 1.0)}))
    assert (violation.kind, violation.element) == (ViolationKind.ANCHOR, 'hip')
    assert violation.value == pytest.approx(0.03)
    assert "pose of 'leg' is 0.03 m off what the joint allows" in violation.message


def test_measured_poses_of_other_joints():
    model = arm().finalize()
    ahead = axangle2quat(Z, 0.3)
    assert check_state(model, {'hinge': 0.0}, poses={'hinge': (*ahead, 0.0, 0.0, 0.0)}).valid
    tilted = only(
        check_state(model, {'hinge': 0.0}, poses={'hinge': (*axangle2quat(X, 0.1), 0, 0, 0)})
    )
    assert tilted.value == pytest.approx(0.1)
    found = check_state(
        model, {'hinge': 0.0}, poses={'elbow': at(), 'slide': (0.0,) * 7, 'hinge': (1.0,)}
    ).violations
    assert [v.kind for v in found] == [
        ViolationKind.UNKNOWN_NAME,
        ViolationKind.NOT_FINITE,
        ViolationKind.NOT_FINITE,
    ]
    assert "there is no joint 'elbow'" in found[0].message
    assert 'not seven finite numbers' in found[1].message


def test_batches_say_what_single_checks_say(shared_robot):
    model = load_model(shared_robot('pr2.urdf'))
    rng = np.random.default_rng(0)
    q = np.array([State.random(model, rng).q for _ in range(40)])
    q[::3] += rng.normal(scale=0.4, size=q[::3].shape)
    q[7, 3] = np.nan
    v = rng.normal(scale=2.0, size=(40, model.nv))
    results = check_states(model, q, v)
    assert 0 < sum(result.valid for result in check_states(model, q)) < 40
    for n, result in enumerate(results):
        assert repr(check_state(model, q[n], v[n]).violations) == repr(result.violations)
    clamped = np.clip(q, model.lower, model.upper)
    for (f, m), (k, b) in zip(model.mimic_index, model.mimic_ratio, strict=True):
        clamped[:, f] = k * clamped[:, m] + b
    kinds = {x.kind for result in check_states(model, clamped[8:]) for x in result.violations}
    assert ViolationKind.MIMIC not in kinds


def test_no_states_at_all():
    assert check_states(arm().finalize(), np.zeros((0, 2))) == ()


def test_wrong_counts_are_refused():
    model = arm().finalize()
    with pytest.raises(ValueShapeError, match=r'positions have shape \(3,\)'):
        check_state(model, [0.0, 0.0, 0.0])
    with pytest.raises(ValueShapeError, match=r'velocities have shape \(1,\)'):
        check_state(model, [0.0, 0.0], [0.0])
    with pytest.raises(ValueShapeError, match=r'\(states, 2\) is wanted'):
        check_states(model, [0.0, 0.0])
    with pytest.raises(ValueShapeError, match=r'\(2, 2\) is wanted'):
        check_states(model, np.zeros((2, 2)), np.zeros((3, 2)))
