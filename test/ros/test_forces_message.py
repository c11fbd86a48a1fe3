# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The message of forces against the parts of the report that it is about."""

from __future__ import annotations

from force_models import CLOSURES
from force_models import door
from force_models import loop
from force_models import pendulum
from geometry_msgs.msg import Wrench
import numpy as np
import pytest

from kinematics_node.forces import constraint_forces
from kinematics_node.ros.forces_message import forces_message

STAMP = 12_000_000_034


def three(message):
    return [message.x, message.y, message.z]


def numbers(wrench: Wrench):
    """Return (tau, f)."""
    return three(wrench.torque) + three(wrench.force)


def same_load(message, load, model):
    """Assert that a message says of a joint or closure what the report says."""
    assert (message.name, message.type) == (load.name, load.type)
    assert (message.parent, message.child) == (load.parent, load.child)
    assert message.header.frame_id == load.frame
    assert three(message.anchor) == load.point.tolist()
    assert numbers(message.total) == load.total.tolist()
    assert numbers(message.constraint) == load.constraint.tolist()
    assert message.determinate == load.determinate
    assert tuple(message.unknown_components) == load.unknown_components
    assert tuple(message.shared_with) == load.shared_with
    found = [(e.coordinate, e.source, e.value) for e in message.efforts]
    names = model.velocity_names[model.velocities_of(load.name)] if load.efforts else ()
    right = [
        (name, source, value)
        for source, values in load.efforts.items()
        for name, value in zip(names, values.tolist(), strict=True)
        if value
    ]
    assert found == right


def same(message, report):
    """Assert that a message says what a report says."""
    assert (message.header.stamp.sec, message.header.stamp.nanosec) == (12, 34)
    assert message.header.frame_id == report.model.root
    for messages, loads in (
        (message.joints, report.joints),
        (message.closures, report.closures),
    ):
        assert len(messages) == len(loads)
        for mine, load in zip(messages, loads, strict=True):
            same_load(mine, load, report.model)
    assert [
        (m.element, m.group, m.meaning, m.value, m.unit, m.determinate)
        for m in message.multipliers
    ] == [
        (m.element, m.group, m.meaning, m.value, m.unit, m.determinate) for m in report.multipliers
    ]
    assert tuple(message.coordinates) == report.model.velocity_names
    assert message.accelerations.tolist() == report.accelerations.tolist()
    assert message.actuator_efforts.tolist() == report.actuator_efforts.tolist()
    missing = {name: value for name, value, _ in report.missing}
    assert message.unbalanced.tolist() == [missing.get(n, 0.0) for n in message.coordinates]
    assert (message.held, message.determinate) == (report.held, report.determinate)
    assert (message.residual, message.power_residual) == (report.residual, report.power.residual)
    assert message.summary == report.summary


@pytest.mark.parametrize('frame', ['parent', 'child', 'world'])
@pytest.mark.parametrize('seed', range(len(CLOSURES)))
def test_a_message_says_what_the_report_says(seed, frame):
    """All joint types, loops of every kind, once and twice: twice nothing is determined."""
    for times in (1, 2):
        model, q, v, rng = loop(seed, CLOSURES[seed], times=times)
        a = rng.normal(size=model.nv)
        report = constraint_forces(model, q, v, a=a, frame=frame)
        message = forces_message(report, STAMP)
        same(message, report)
        moved = forces_message(constraint_forces(model, q, 2.0 * v, frame=frame), STAMP)
        assert moved.joints[0].total != message.joints[0].total
        same(message, report)
        assert len(message.joints) == len(model.joints)
        assert len(message.closures) == times
        assert all(c.determinate for c in message.closures) == (times == 1)


def test_a_closure_puts_its_multipliers_about_its_anchor():
    """Against matrices that map multipliers to the wrench; the same on any axes."""
    model = door('upper')
    q = np.array([np.cos(0.4), 0.0, 0.0, np.sin(0.4)])
    of_frame = {
        frame: constraint_forces(model, q, frame=frame).load('upper')
        for frame in ('parent', 'child', 'world')
    }
    world = of_frame['world']
    np.testing.assert_allclose(world.point, (0.0, 0.0, 2.0), atol=1e-12)
    # 20 kg at 0.5 m out: hinges 2 m apart pull and push by a quarter of the weight.
    out = np.array((np.cos(0.8), np.sin(0.8)))
    np.testing.assert_allclose(world.total[3:5], -0.25 * 20.0 * 9.81 * out, atol=1e-9)
    np.testing.assert_allclose(of_frame['parent'].total, world.total, atol=1e-12)
    np.testing.assert_allclose(of_frame['child'].point, (0.0, 0.0, 2.0), atol=1e-12)
    np.testing.assert_allclose(of_frame['child'].total[3:5], (-49.05, 0.0), atol=1e-9)


def test_brakes_and_efforts_come_with_their_sources():
    model = pendulum(damping=0.3, friction=0.2, braked=True)
    report = constraint_forces(model, [0.3], [1.0])
    message = forces_message(report, STAMP)
    same(message, report)
    assert {e.source for e in message.joints[0].efforts} >= {'damper', 'friction', 'brake'}
    assert message.multipliers[0].group == 'brake'


@pytest.mark.parametrize('wanted', ['joint', 'closure'])
def test_what_is_not_asked_for_is_not_made(wanted):
    model, q, v, _ = loop(1, 'revolute')
    name = model.joints[2].name if wanted == 'joint' else model.closures[0].name
    report = constraint_forces(model, q, v, joints=[name])
    message = forces_message(report, STAMP)
    assert [load.name for load in (*message.joints, *message.closures)] == [name]
    assert ('joint_wrenches' in vars(report)) == (wanted == 'joint')
    assert ('closure_wrenches' in vars(report)) == (wanted == 'closure')
    same(message, report)
