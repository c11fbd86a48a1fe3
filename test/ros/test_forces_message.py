# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The message of forces against the parts of the report that it is about."""

from __future__ import annotations

from force_models import CLOSURES
from force_models import door
from force_models import loop
from force_models import pendulum
from joint_kinematics.msg import ConstraintForces
import numpy as np
import pytest

from kinematics_node.forces import constraint_forces
from kinematics_node.ros.forces_message import fill_forces

STAMP = 12_000_000_034


def forces_message(report):
    """Return a report as a message."""
    message = ConstraintForces()
    fill_forces(message, report, STAMP)
    return message


def same(message, report):
    """Assert that a message says what a report says."""
    assert (message.header.stamp.sec, message.header.stamp.nanosec) == (12, 34)
    assert message.header.frame_id == report.model.root
    loads = (*report.joints, *report.closures)
    assert message.joints == len(report.joints)
    assert message.names == [load.name for load in loads]
    assert message.types == [load.type for load in loads]
    assert message.parents == [load.parent for load in loads]
    assert message.children == [load.child for load in loads]
    assert message.frames == [load.frame for load in loads]
    assert message.determinate == [load.determinate for load in loads]
    for k, load in enumerate(loads):
        own = slice(3 * k, 3 * k + 3)
        assert message.anchors[own].tolist() == load.point.tolist()
        assert message.torques[own].tolist() == load.total[:3].tolist()
        assert message.forces[own].tolist() == load.total[3:].tolist()
        assert message.constraint_torques[own].tolist() == load.constraint[:3].tolist()
        assert message.constraint_forces[own].tolist() == load.constraint[3:].tolist()
    assert [(u.name, tuple(u.components), tuple(u.shared_with)) for u in message.unknown] == [
        (load.name, load.unknown_components, load.shared_with)
        for load in loads
        if not load.determinate
    ]
    assert message.row_elements == [m.element for m in report.multipliers]
    assert message.row_groups == [m.group for m in report.multipliers]
    assert message.row_meanings == [m.meaning for m in report.multipliers]
    assert message.multipliers.tolist() == [m.value for m in report.multipliers]
    assert message.row_units == [m.unit for m in report.multipliers]
    assert message.row_determinate == [m.determinate for m in report.multipliers]
    assert tuple(message.coordinates) == report.model.velocity_names
    assert message.accelerations.tolist() == report.accelerations.tolist()
    for source, efforts in report.efforts.items():
        if source != 'unbalanced':
            name = f'{source}_efforts'
            assert getattr(message, name).tolist() == efforts.tolist()
    missing = {name: value for name, value, _ in report.missing}
    assert message.unbalanced.tolist() == [missing.get(n, 0.0) for n in message.coordinates]
    assert (message.held, message.all_determinate) == (report.held, report.determinate)
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
        message = forces_message(report)
        same(message, report)
        moved = forces_message(constraint_forces(model, q, 2.0 * v, frame=frame))
        assert moved.forces != message.forces
        same(message, report)
        assert message.joints == len(model.joints)
        assert len(message.names) == message.joints + times
        assert all(message.determinate[message.joints :]) == (times == 1)
        assert bool(message.unknown) == (times == 2)


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
    message = forces_message(report)
    same(message, report)
    assert message.damper_efforts[0] == pytest.approx(-0.3)
    assert message.friction_efforts[0] == pytest.approx(-0.2)
    assert message.brake_efforts[0] == pytest.approx(message.multipliers[0])
    assert message.row_groups == ['brake']


@pytest.mark.parametrize('wanted', ['joint', 'closure'])
def test_what_is_not_asked_for_is_not_made(wanted):
    model, q, v, _ = loop(1, 'revolute')
    name = model.joints[2].name if wanted == 'joint' else model.closures[0].name
    report = constraint_forces(model, q, v, joints=[name])
    message = forces_message(report)
    assert message.names == [name]
    assert ('joint_wrenches' in vars(report)) == (wanted == 'joint')
    assert ('closure_wrenches' in vars(report)) == (wanted == 'closure')
    same(message, report)
