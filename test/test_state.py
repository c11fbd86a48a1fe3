# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""States: positions and velocities by name, mimics both ways, quaternions, snapshots."""

from __future__ import annotations

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
import numpy as np
import pytest
from random_robots import random_robot

from kinematics_node.errors import NameLookupError
from kinematics_node.errors import ValueShapeError
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Limits
from kinematics_node.model.elements import Link
from kinematics_node.model.elements import Mimic
from kinematics_node.model.elements import X_AXIS
from kinematics_node.model.elements import Z_AXIS
from kinematics_node.model.joint_types import JointType
from kinematics_node.state import Source
from kinematics_node.state import State


def chain(*joints):
    """Return a model of joints one after the other, given as (name, type, more)."""
    builder = ModelBuilder('chain')
    builder.add_link(Link('l0'))
    for k, (name, kind, more) in enumerate(joints):
        builder.add_link(Link(f'l{k + 1}'))
        builder.add_joint(Joint(name, kind, f'l{k}', f'l{k + 1}', **more))
    return builder.finalize()


@pytest.fixture
def mimics():
    return chain(
        ('q1', JointType.REVOLUTE, {}),
        ('q2', JointType.REVOLUTE, {'mimic': Mimic('q1', 2.0, 0.1)}),
        ('q3', JointType.REVOLUTE, {'mimic': Mimic('q2', 3.0, 0.2)}),
        ('still', JointType.REVOLUTE, {'mimic': Mimic('q1', 0.0, 0.7)}),
    )


@pytest.fixture
def mixed():
    return chain(
        ('slide', JointType.PRISMATIC, {'axes': (Axis(Z_AXIS),)}),
        ('cross', JointType.UNIVERSAL, {'axes': (Axis(X_AXIS), Axis(Z_AXIS))}),
        ('ball', JointType.BALL, {}),
        ('plane', JointType.PLANAR, {}),
        ('free', JointType.FLOATING, {}),
        ('weld', JointType.FIXED, {}),
    )


def test_every_joint_type_is_set_and_read_by_name(mixed):
    state = State(mixed)
    values = {
        'slide': 0.3,
        'cross': [0.1, -0.2],
        'ball': [0.6, 0.0, 0.8, 0.0],
        'plane': [1.0, 2.0, 0.5],
        'free': [0.0, 1.0, 0.0, 0.0, 4.0, 5.0, 6.0],
    }
    for name, value in values.items():
        state.set(name, value)
        assert state.source(name) is Source.MEASURED
    for name, value in values.items():
        assert state.get(name) == pytest.approx(value)
    assert isinstance(state.get('slide'), float)
    assert state.coordinates()['plane/theta'] == 0.5
    assert state.get('weld').size == 0
    assert state.source('weld') is Source.DEFAULT


def test_every_joint_type_has_velocities_by_name(mixed):
    state = State(mixed)
    values = {
        'slide': 0.3,
        'cross': [0.1, -0.2],
        'ball': [1.0, 2.0, 3.0],
        'plane': [1.0, 2.0, 0.5],
        'free': [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
    }
    for name, value in values.items():
        state.set_velocity(name, value)
    for name, value in values.items():
        assert state.get_velocity(name) == pytest.approx(value)
    state.set_velocities({'plane/theta': -1.0, 'ball/w_y': 0.0})
    assert state.get_velocity('plane') == pytest.approx([1.0, 2.0, -1.0])
    assert state.get_velocity('ball') == pytest.approx([1.0, 0.0, 3.0])


def test_coordinates_are_set_by_name_all_at_once(mixed):
    state = State(mixed)
    state.set_coordinates({'cross/axis2': 0.4, 'slide': 0.1, 'free/trans_y': 2.0})
    assert state.get('cross') == pytest.approx([0.0, 0.4])
    assert state.get('free')[5] == 2.0
    state.set_coordinates(
        {'ball/rot_w': 0.0, 'ball/rot_x': 3.0, 'ball/rot_y': 0.0, 'ball/rot_z': 4.0}
    )
    assert state.get('ball') == pytest.approx([0.0, 0.6, 0.0, 0.8])


def test_a_chain_of_mimics_uses_every_offset(mimics):
    state = State(mimics)
    state.set('q1', 0.5)
    assert state.get('q2') == pytest.approx(1.1)
    assert state.get('q3') == pytest.approx(3.5)
    assert mimics.mimics['q3'] == Mimic('q1', 6.0, pytest.approx(0.5))
    state.set_velocity('q1', 1.0)
    assert state.get_velocity('q3') == pytest.approx(6.0)


def test_the_offset_of_a_mimic_counts():
    model = chain(
        ('driver', JointType.REVOLUTE, {}),
        ('follower', JointType.REVOLUTE, {'mimic': Mimic('driver', -1.5, 0.2)}),
    )
    state = State(model)
    state.set('driver', 0.4)
    assert state.get('follower') == pytest.approx(-0.4)


def test_a_follower_moves_its_master_and_its_fellows(mimics):
    state = State(mimics)
    state.set('q3', 3.5)
    assert [state.get(name) for name in ('q1', 'q2', 'still')] == pytest.approx([0.5, 1.1, 0.7])
    assert state.source('q3') is Source.MEASURED
    assert state.source('q1') is Source.MIMICKED
    assert state.source('q2') is Source.MIMICKED
    state.set_velocity('q3', 12.0)
    assert [state.get_velocity(name) for name in ('q1', 'q2')] == pytest.approx([2.0, 4.0])


def test_a_given_master_counts_more_than_its_follower(mimics):
    state = State(mimics)
    state.set_coordinates({'q2': 9.0, 'q1': 0.5, 'still': 3.0})
    assert state.get('q2') == pytest.approx(1.1)
    assert state.source('q1') is Source.MEASURED
    assert state.source('q2') is Source.MIMICKED


def test_a_multiplier_of_zero_cannot_be_inverted(mimics):
    state = State(mimics)
    with pytest.raises(ValueShapeError, match="'still' follows 'q1' with multiplier 0"):
        state.set('still', 0.7)
    with pytest.raises(ValueShapeError, match="set 'q1' instead"):
        state.set_velocities({'still': 0.0})


def test_the_zero_pose_satisfies_mimics(mimics):
    assert State(mimics).q == pytest.approx([0.0, 0.1, 0.5, 0.7])


def test_quaternions_are_normalised_and_keep_their_sign(mixed):
    state = State(mixed)
    state.set('ball', [2.0, 0.0, 0.0, 0.0])
    assert state.get('ball') == pytest.approx([1.0, 0.0, 0.0, 0.0])
    state.set('ball', [-0.9, 0.1, 0.0, 0.0])
    turn = state.get('ball')
    assert np.linalg.norm(turn) == pytest.approx(1.0, abs=1e-15)
    assert turn[0] > 0.0
    assert turn[1] < 0.0


@settings(max_examples=50, deadline=None)
@given(angles=st.lists(st.floats(-0.2, 0.2), min_size=1, max_size=20))
def test_a_turning_quaternion_never_jumps(angles):
    model = chain(('ball', JointType.BALL, {}))
    state = State(model)
    total, last = 0.0, state.get('ball')
    for k, step in enumerate(angles):
        total += 30.0 * step
        sign = -1.0 if k % 2 else 1.0
        state.set('ball', [sign * np.cos(total / 2), 0.0, 0.0, sign * np.sin(total / 2)])
        assert state.get('ball') @ last >= 0.0
        last = state.get('ball')


def test_positions_do_not_accumulate():
    model = chain(('hinge', JointType.REVOLUTE, {}))
    state = State(model)
    for _ in range(1000):
        state.set('hinge', 0.1)
    assert state.get('hinge') == 0.1


def test_positions_beyond_limits_are_kept():
    model = chain(('hinge', JointType.REVOLUTE, {'axes': (Axis(limits=Limits(-1.0, 1.0)),)}))
    state = State(model)
    state.set('hinge', 2.0)
    assert state.get('hinge') == 2.0


def test_default_is_zero_or_the_middle_of_limits_without_zero():
    model = chain(
        ('inside', JointType.REVOLUTE, {'axes': (Axis(limits=Limits(-1.0, 2.0)),)}),
        ('above', JointType.REVOLUTE, {'axes': (Axis(limits=Limits(0.5, 1.5)),)}),
        ('half', JointType.PRISMATIC, {'axes': (Axis(limits=Limits(lower=0.25)),)}),
        ('ball', JointType.BALL, {}),
    )
    state = State.default(model)
    assert state.q == pytest.approx([0.0, 1.0, 0.25, 1.0, 0.0, 0.0, 0.0])
    assert state.source('above') is Source.DEFAULT


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_a_random_state_is_within_limits(seed):
    model = random_robot(seed % 7).finalize()
    state = State.random(model, np.random.default_rng(seed), speed=2.0)
    assert np.all(state.q >= model.lower)
    assert np.all(state.q <= model.upper)
    assert np.all(np.abs(state.v) <= 2.0)
    twin = State.random(model, np.random.default_rng(seed), speed=2.0)
    assert np.array_equal(twin.q, state.q)


def test_a_random_state_keeps_followers_within_their_limits():
    wide, narrow = (Axis(limits=Limits(-1.0, 1.0)),), (Axis(limits=Limits(-0.2, 0.4)),)
    model = chain(
        ('driver', JointType.REVOLUTE, {'axes': wide}),
        ('follower', JointType.REVOLUTE, {'axes': narrow, 'mimic': Mimic('driver', -2.0, 0.1)}),
    )
    rng = np.random.default_rng(0)
    drawn = [State.random(model, rng).get('follower') for _ in range(200)]
    assert -0.2 <= min(drawn) < -0.1
    assert 0.3 < max(drawn) <= 0.4


def test_copies_and_snapshots_are_independent(mixed):
    state = State.random(mixed, np.random.default_rng(0), speed=1.0)
    kept, twin = state.snapshot(), state.copy()
    q, v = state.q.copy(), state.v.copy()
    state.set('slide', 9.0)
    state.set_velocity('slide', 9.0)
    assert twin.get('slide') == q[0]
    assert twin.get_velocity('slide') == v[0]
    state.restore(kept)
    assert np.array_equal(state.q, q)
    assert np.array_equal(state.v, v)
    assert state.source('slide') is Source.DEFAULT
    state.set('slide', 8.0)
    state.restore(kept)
    assert np.array_equal(state.q, q)


def test_vectors_are_read_only_views(mixed):
    state = State(mixed)
    for vector in (state.q, state.v, state.sources):
        with pytest.raises(ValueError, match='read-only'):
            vector[0] = 1
    state.q = np.concatenate(([0.5], mixed.zero[1:]))
    state.v = np.arange(mixed.nv)
    assert state.get('slide') == 0.5
    assert state.get_velocity('cross') == pytest.approx([1.0, 2.0])


@pytest.mark.parametrize(
    ('change', 'error', 'sentence'),
    [
        (lambda s: s.set('nose', 1.0), NameLookupError, "no joint 'nose'"),
        (lambda s: s.get('nose'), NameLookupError, "no joint 'nose'"),
        (lambda s: s.set_velocity('nose', 1.0), NameLookupError, "no joint 'nose'"),
        (lambda s: s.set_coordinates({'cross': 1.0}), NameLookupError, "coordinate 'cross'"),
        (lambda s: s.set_velocities({'ball/rot_w': 1.0}), NameLookupError, 'velocity coordinate'),
        (lambda s: s.set('slide', [1, 2]), ValueShapeError, 'takes a length, not 2 numbers'),
        (lambda s: s.set('ball', [1, 0, 0]), ValueShapeError, r'a quaternion \(qw, qx, qy, qz\)'),
        (lambda s: s.set('cross', 1.0), ValueShapeError, 'two angles, not 1 numbers'),
        (lambda s: s.set_velocity('free', [1]), ValueShapeError, 'a spatial velocity'),
        (lambda s: s.set('weld', 0.0), ValueShapeError, "'weld' is fixed and takes no value"),
        (lambda s: s.set('slide', np.nan), ValueShapeError, "'slide': nan is not finite"),
        (lambda s: s.set('slide', 'far'), ValueShapeError, 'not made of numbers'),
        (lambda s: s.set_velocity('slide', np.inf), ValueShapeError, "'slide': inf is not finite"),
        (lambda s: s.set_coordinates({'slide': np.nan}), ValueShapeError, 'nan is not finite'),
        (lambda s: s.set_coordinates({'slide': 'far'}), ValueShapeError, "'far' is not a number"),
        (lambda s: s.set('ball', [0, 0, 0, 0]), ValueShapeError, 'length 0 is no rotation'),
        (
            lambda s: s.set_coordinates({'ball/rot_w': 1.0}),
            ValueShapeError,
            '1 of 4 quaternion components are given',
        ),
        (
            lambda s: s.set_positions([1.0]),
            ValueShapeError,
            r'q has shape \(1,\); the model takes',
        ),
        (
            lambda s: s.restore(State(chain(('a', JointType.BALL, {}))).snapshot()),
            ValueShapeError,
            'the snapshot has 4 positions and 3 velocities',
        ),
    ],
)
def test_a_refused_change_leaves_the_state_as_it_was(mixed, change, error, sentence):
    state = State.random(mixed, np.random.default_rng(1), speed=1.0)
    before = state.snapshot()
    with pytest.raises(error, match=sentence):
        change(state)
    assert np.array_equal(state.q, before.q)
    assert np.array_equal(state.v, before.v)
    assert np.array_equal(state.sources, before.sources)
