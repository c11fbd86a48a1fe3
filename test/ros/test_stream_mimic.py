# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Mimic joints in the stream: chains, both directions, contradictions."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from ros.messages import deserialize_message
from ros.messages import frames
from ros.messages import joint_state
from ros.messages import JointState
from ros.messages import serialize_message
from ros.oracle import rotation
from ros.recorder import stream_of
from ros.robots import joint
from ros.robots import MIMIC_CHAIN
from ros.robots import urdf

from kinematics_node.errors import MimicError
from kinematics_node.formats.load import load_model
from kinematics_node.ros.outputs import CompleteState
from kinematics_node.ros.watch import Watch

LINKS = {'q1': 'b', 'q2': 'c', 'q3': 'd'}


def angles(stream, positions, **fields):
    """Return the angles about z of the links that an answer moves, by joint."""
    answer = frames(stream.take(serialize_message(joint_state(positions, **fields))))
    found = {}
    for name, link in LINKS.items():
        if link in answer:
            found[name] = float(np.arctan2(answer[link][1, 0], answer[link][0, 0]))
            np.testing.assert_allclose(
                answer[link][:3, :3], rotation('z', found[name]), atol=1e-12
            )
    return found


def wrapped(angle):
    return float(np.arctan2(np.sin(angle), np.cos(angle)))


def assert_angles(found, **right):
    assert found == {name: pytest.approx(wrapped(q), abs=1e-12) for name, q in right.items()}


def complete(stream):
    return deserialize_message(
        CompleteState(stream.model, stream.known).serialize(stream.state, stream.v, stream.stamp),
        JointState,
    )


def test_chain_composes_multipliers_and_offsets():
    assert_angles(angles(stream_of(MIMIC_CHAIN), {'q1': 0.5}), q1=0.5, q2=1.1, q3=3.5)


@pytest.mark.parametrize('order', list(permutations(['zz', 'mm', 'aa'])))
def test_names_of_a_chain_do_not_matter(order):
    """Followers come before and after their masters, in the alphabet and in the text."""
    first, second, third = order
    text = urdf(
        joint(
            third, 'continuous', 'c', 'd', mimic=f'joint="{second}" multiplier="3" offset="0.2"'
        ),
        joint(
            second, 'continuous', 'b', 'c', mimic=f'joint="{first}" multiplier="2" offset="0.1"'
        ),
        joint(first, 'continuous', 'a', 'b'),
    )
    stream = stream_of(text)
    stream.take(serialize_message(joint_state({first: 0.5}, velocity=[1.0])))
    state = complete(stream)
    assert dict(zip(state.name, state.position, strict=True)) == pytest.approx(
        {first: 0.5, second: 1.1, third: 3.5}
    )
    assert dict(zip(state.name, state.velocity, strict=True)) == pytest.approx(
        {first: 1.0, second: 2.0, third: 6.0}
    )


def test_offset_and_negative_multiplier():
    text = urdf(
        joint('driver', 'continuous', 'a', 'b'),
        joint(
            'follower',
            'prismatic',
            'b',
            'c',
            axis='0 0 1',
            mimic='joint="driver" multiplier="-1.5" offset="0.2"',
        ),
    )
    answer = frames(stream_of(text).take(serialize_message(joint_state({'driver': 0.4}))))
    assert answer['c'][2, 3] == pytest.approx(-0.4, abs=1e-15)


def test_follower_alone_gives_its_master_back():
    stream = stream_of(MIMIC_CHAIN)
    assert_angles(angles(stream, {'q3': 3.5}), q1=0.5, q2=1.1, q3=3.5)
    stream.take(serialize_message(joint_state({'q3': 3.5}, velocity=[6.0])))
    state = complete(stream)
    assert dict(zip(state.name, state.velocity, strict=True)) == pytest.approx(
        {'q1': 1.0, 'q2': 2.0, 'q3': 6.0}
    )


@pytest.mark.parametrize('order', list(permutations(['q1', 'q2', 'q3'])))
def test_measured_followers_show_what_was_measured(order):
    """Master and followers given, in any order: each is published as it was given."""
    given = {'q1': 0.5, 'q2': 1.0, 'q3': 3.0}
    stream = stream_of(MIMIC_CHAIN)
    assert_angles(angles(stream, {name: given[name] for name in order}), **given)


@pytest.mark.parametrize('order', list(permutations(['q2', 'q3'])))
def test_of_two_followers_the_first_of_the_model_speaks_for_the_master(order):
    given = {'q2': 1.1, 'q3': 2.0}
    stream = stream_of(MIMIC_CHAIN)
    assert_angles(angles(stream, {name: given[name] for name in order}), q1=0.5, q2=1.1, q3=2.0)


def test_master_counts_when_somebody_measures_it_later():
    """First a follower's publisher alone, then the master's too: each shows its own."""
    stream = stream_of(MIMIC_CHAIN)
    assert_angles(angles(stream, {'q2': 1.1}), q1=0.5, q2=1.1, q3=3.5)
    assert_angles(angles(stream, {'q1': 0.2}), q1=0.2, q3=1.7)
    assert_angles(angles(stream, {'q2': 1.1}), q2=1.1)
    assert_angles(angles(stream, {'q1': 0.3}), q1=0.3, q3=2.3)


def test_multiplier_zero_gives_nothing_back():
    text = urdf(
        joint('q1', 'continuous', 'a', 'b'),
        joint('q2', 'continuous', 'b', 'c', mimic='joint="q1" multiplier="0" offset="0.7"'),
    )
    stream = stream_of(text)
    assert_angles(angles(stream, {'q2': 0.3}), q2=0.3)
    fresh = stream_of(text)
    assert_angles(angles(fresh, {'q1': 0.5}), q1=0.5, q2=0.7)


@pytest.mark.parametrize('order', [1, -1])
def test_contradiction_is_named(order):
    stream = stream_of(MIMIC_CHAIN)
    watch = Watch(stream)
    pairs = [('q1', 0.5), ('q2', 1.2), ('q3', 3.5)][::order]
    for _ in range(2):
        angles(stream, pairs)
        watch.complain_of_contradictions(1e-3)
    said = [s for s in stream.complaints.sentences if "'q2' is at 1.2" in s]
    assert said == [
        "joint 'q2' is at 1.2 where its mimic of 'q1' says 1.1; it is published as measured"
    ]


def test_agreement_is_not_complained_about():
    stream = stream_of(MIMIC_CHAIN)
    watch = Watch(stream)
    for part in ({'q1': 0.5, 'q2': 1.1005}, {'q3': 3.5}):
        for _ in range(3):
            angles(stream, part)
            watch.complain_of_contradictions(1e-3)
    assert stream.complaints.sentences == []


def test_two_followers_that_contradict_each_other_are_named():
    stream = stream_of(MIMIC_CHAIN)
    watch = Watch(stream)
    for _ in range(2):
        angles(stream, {'q2': 1.1, 'q3': 3.0})
        watch.complain_of_contradictions(1e-3)
    assert "'q3' is at 3 where its mimic of 'q1' says 3.5" in stream.complaints


def test_adopted_followers_stay_as_measured():
    before, after = stream_of(MIMIC_CHAIN), stream_of(MIMIC_CHAIN)
    angles(before, {'q1': 0.5, 'q2': 1.0})
    after.adopt(before)
    everything = frames(after.everything())
    found = {name: everything[link] for name, link in LINKS.items()}
    for name, q in {'q1': 0.5, 'q2': 1.0, 'q3': 3.5}.items():
        np.testing.assert_allclose(found[name][:3, :3], rotation('z', q), atol=1e-12)


def test_ring_is_refused_by_naming_its_joints():
    ring = urdf(
        joint('free', 'continuous', 'o', 'a'),
        joint('q1', 'continuous', 'a', 'b', mimic='joint="q3"'),
        joint('q2', 'continuous', 'b', 'c', mimic='joint="q1"'),
        joint('q3', 'continuous', 'c', 'd', mimic='joint="q2"'),
    )
    with pytest.raises(MimicError, match='in a ring: q1 -> q3 -> q2 -> q1'):
        load_model(ring)
