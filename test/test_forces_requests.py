# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Requests of forces: who is actuated, what is reported, what is refused."""

from __future__ import annotations

from dataclasses import replace
import math

from force_models import four_bar_state
from force_models import heavy_four_bar
from force_models import Mechanism
from force_models import point
from force_models import T
from force_models import X
from force_models import Y
from loop_models import Z
import numpy as np
import pytest

from kinematics_node.errors import NameLookupError
from kinematics_node.errors import ValueShapeError
from kinematics_node.forces import constraint_forces
from kinematics_node.forces import ExternalWrench
from kinematics_node.forces import Payload
from kinematics_node.forces.answer import answer_at
from kinematics_node.forces.plan import plan_of
from kinematics_node.model.ball_joint import anchored_frames
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import IDENTITY_POSE


def test_who_says_what_is_actuated():
    model = heavy_four_bar()
    q = four_bar_state(model, 0.9)
    report = constraint_forces(model, q)
    assert report.actuated == ('crank', 'coupler', 'rocker')
    assert report.actuated_from == 'the default: all single-axis joints'
    assert constraint_forces(model, q, measured=['crank']).actuated_from == 'the measured joints'
    said = model.edit()
    for k, joint in said.joints.items():
        said.joints[k] = replace(joint, actuated=joint.name == 'rocker')
    report = constraint_forces(said.finalize(), q, measured=['crank'])
    assert (report.actuated, report.actuated_from) == (('rocker',), 'the description')
    report = constraint_forces(said.finalize(), q, actuated=['crank'])
    assert (report.actuated, report.actuated_from) == (('crank',), 'the request')
    assert '1 coordinate is actuated, according to the request' in report.summary


def test_only_the_joints_asked_for():
    model = heavy_four_bar()
    report = constraint_forces(model, four_bar_state(model, 0.9), joints=['rocker', 'tip'])
    assert [joint.name for joint in report.joints] == ['rocker']
    assert [closure.name for closure in report.closures] == ['tip']


def test_plans_are_made_once():
    model = heavy_four_bar()
    assert plan_of(model) is plan_of(model)


def test_no_request_compiles_the_answer_again():
    model = heavy_four_bar()
    q = four_bar_state(model, 0.9)
    for request in (
        {},
        {'mode': 'forward', 'efforts': {'crank': 1.0}, 'baumgarte': (1.0, 2.0)},
        {'actuated': ['rocker'], 'frame': 'world'},
        {'payloads': [Payload('coupler', 1.0)], 'gravity': (0.0, 1.0, 0.0)},
        {'external': [ExternalWrench('coupler', force=(1.0, 0.0, 0.0))]},
    ):
        assert len(constraint_forces(model, q, **request).wrenches) == len(model.joints)
    assert len(answer_at.signatures) == 1


def test_what_a_report_gives_away_does_not_change_it():
    model = heavy_four_bar()
    q = np.array(four_bar_state(model, 0.9))
    report = constraint_forces(model, q, mode='forward', efforts={'crank': 1.0})
    before = report.accelerations, report.wrenches, report.multiplier_values
    q[:] = 0.0
    for given in (report.accelerations, report.wrenches, report.multiplier_values):
        given[:] = 0.0
    for was, now in zip(
        before,
        (report.accelerations, report.wrenches, report.multiplier_values),
        strict=True,
    ):
        assert np.abs(was).max() > 0.0
        np.testing.assert_array_equal(was, now)


def arm():
    """Return a planar arm with a ball at its end."""
    X_PF, X_MC = anchored_frames(IDENTITY_POSE, (0.0, 0.0, 0.0))
    mechanism = Mechanism()
    mechanism.add('hip', T.REVOLUTE, 'ground', 'thigh', point(1.0, 0.2, 0, 0), axes=(Y,))
    mechanism.add('weld', T.FIXED, 'thigh', 'plate')
    mechanism.add(
        'ball',
        T.BALL,
        'plate',
        'foot',
        point(1.0, 0, 0, 0.1),
        X_PF,
        map(Axis, (X, Y, Z)),
        X_MC=X_MC,
    )
    return mechanism.finalize()


Q = (0.1, 1.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ('request_', 'sentence'),
    [
        ({'q': (0.1, 1.0)}, r'q has shape \(2,\); the model takes 5 numbers'),
        ({'q': (math.nan, 1, 0, 0, 0)}, "'hip': nan is not finite"),
        ({'q': (0.1, 0, 0, 0, 0)}, "the quaternion of 'ball' has no length"),
        ({'v': (1.0, 2.0)}, r'v has shape \(2,\)'),
        ({'a': (1.0, 2.0)}, r'a has shape \(2,\)'),
        ({'a': {'hip': 1.0}}, r"a: \{'hip': 1.0\} is not made of numbers"),
        ({'v': (1, 2, 3, math.inf)}, "'ball/w_z': inf is not finite"),
        ({'mode': 'sideways'}, "mode 'sideways' is unknown; it is one of: inverse, forward"),
        ({'method': 'magic'}, "method 'magic' is unknown; it is one of: reduced, augmented"),
        ({'frame': 'moon'}, "frame 'moon' is unknown; it is one of: parent, child, world"),
        ({'efforts': (1, 2, 3, 4)}, "efforts are what mode 'inverse' finds"),
        ({'mode': 'forward', 'a': (1, 2, 3, 4)}, "accelerations a are what mode 'forward' finds"),
        ({'mode': 'forward', 'efforts': (1, 2)}, r'efforts has shape \(2,\)'),
        ({'mode': 'forward', 'efforts': {'ball': 1.0}}, "'ball' takes 3 efforts, not 1"),
        ({'mode': 'forward', 'efforts': {'hip': math.nan}}, "'effort of hip': nan is not finite"),
        ({'actuated': ['weld']}, "joint 'weld' is fixed and cannot be actuated"),
        ({'gravity': (0, 0)}, r'gravity has shape \(2,\); it takes 3 numbers'),
        ({'gravity': (0, 0, math.nan)}, "'gravity': nan is not finite"),
        ({'baumgarte': (-1, 0)}, 'baumgarte gains -1 and 0 must not be negative'),
        ({'payloads': [Payload('foot', -1.0)]}, "payload on 'foot': mass -1 kg is negative"),
        ({'payloads': [Payload('foot', math.nan)]}, "payload on 'foot', mass: nan is not finite"),
        ({'payloads': [Payload('foot', 1.0, (0, 0))]}, "payload on 'foot', center has shape"),
        (
            {'payloads': [Payload('foot', 1.0, inertia=(1, 1, 3, 0, 0, 0))]},
            "payload on 'foot': principal moments 1, 1, 3",
        ),
        (
            {'external': [ExternalWrench('foot', (0, math.inf, 0))]},
            "external wrench on 'foot', force': inf is not finite",
        ),
        (
            {'external': [ExternalWrench('foot', point=(0, 1))]},
            "external wrench on 'foot', point has shape",
        ),
    ],
)
def test_refused(request_, sentence):
    q = request_.pop('q', Q)
    with pytest.raises(ValueShapeError, match=sentence):
        constraint_forces(arm(), q, **request_)


@pytest.mark.parametrize(
    ('request_', 'sentence'),
    [
        ({'joints': ['knee']}, "there is no joint 'knee'"),
        ({'actuated': ['knee']}, "there is no joint 'knee'"),
        ({'mode': 'forward', 'efforts': {'knee': 1.0}}, "there is no joint 'knee'"),
        ({'external': [ExternalWrench('hand')]}, "there is no frame 'hand'"),
        ({'external': [ExternalWrench('foot', frame='hand')]}, "there is no frame 'hand'"),
        ({'payloads': [Payload('hand', 1.0)]}, "there is no frame 'hand'"),
    ],
)
def test_refused_names(request_, sentence):
    with pytest.raises(NameLookupError, match=sentence):
        constraint_forces(arm(), Q, **request_)


def test_a_load_that_is_not_there():
    with pytest.raises(NameLookupError, match="there is no joint 'knee'"):
        constraint_forces(arm(), Q).load('knee')
