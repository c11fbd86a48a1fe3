# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Diagnostics of loops and their solver, on a stream without a middleware."""

from __future__ import annotations

from dataclasses import replace
import time

from loop_models import four_bar
from ros.diagnostic_looks import ARM
from ros.diagnostic_looks import driven
from ros.diagnostic_looks import look
from ros.diagnostic_looks import stream_of
from ros.diagnostic_looks import take

from kinematics_node.ros.diagnostic_checks import Limits
from kinematics_node.ros.diagnostic_loops import LoopsStanding
from kinematics_node.ros.diagnostic_loops import Solver
from kinematics_node.ros.diagnostic_sources import JointStates
from kinematics_node.ros.diagnostic_status import Level
from kinematics_node.ros.loop_blocks import LoopOptions
from kinematics_node.ros.rate import SECOND


def test_without_loops_nothing_is_wrong():
    stream = stream_of(ARM)
    for task in (LoopsStanding(), Solver()):
        status = look(task, stream)
        assert (status.level, status.message) == (Level.OK, 'the robot has no loops')


def test_loops_before_any_joint_state():
    stream = stream_of(driven())
    for task in (LoopsStanding(), Solver()):
        status = look(task, stream)
        assert (status.level, status.message) == (Level.STALE, 'no joint states yet')


def test_a_loop_closes_is_held_stops_and_closes_again():
    hold = SECOND // 20
    stream = stream_of(driven(), loops=LoopOptions(hold))
    loops, solver = LoopsStanding(), Solver()
    take(stream, {'crank': 0.3})
    status = look(loops, stream)
    assert (status.level, status.message) == (Level.OK, '1 of 1 blocks closed')
    assert float(status.values['worst residual [m, rad]']) < 1e-10
    assert status.values["'tip'"].startswith('closed, converged, residual ')
    status = look(solver, stream)
    assert (status.level, status.message) == (Level.OK, 'converged')
    assert status.values['singular'] == 'no'
    assert status.values['status'] == 'converged'
    assert int(status.values['iterations']) >= 0
    take(stream, {'crank': 2.5})
    status = look(loops, stream)
    assert status.level is Level.WARN
    assert status.message.startswith("'tip' does not close and is held where it was (stalled, ")
    assert float(status.values['worst residual [m, rad]']) > 0.1
    time.sleep(2 * hold / SECOND)
    take(stream, {'crank': 2.5})
    status = look(loops, stream, later=2.0)
    assert status.level is Level.ERROR
    assert status.message.startswith("'tip' does not close and is not published (stalled, ")
    assert 'not closed for 2.' in status.values["'tip'"]
    assert status.values['violations'] == '1'
    status = look(solver, stream)
    assert (status.level, status.message) == (Level.WARN, "stalled at 'tip'")
    assert status.values['singular'] == 'not known'
    take(stream, {'crank': 0.3})
    assert look(loops, stream).level is Level.OK
    assert look(solver, stream).level is Level.OK


def test_a_loop_that_has_never_closed():
    stream = stream_of(driven())
    take(stream, {'crank': 2.5})
    status = look(LoopsStanding(), stream)
    assert status.level is Level.ERROR
    assert status.message.startswith("'tip' has never closed (")


def test_a_closed_loop_stays_closed_when_messages_end():
    stream = stream_of(driven(), loops=LoopOptions(hold=1))
    take(stream, {'crank': 0.3})
    time.sleep(0.01)
    assert look(Limits(), stream).level is Level.OK
    assert look(LoopsStanding(), stream).level is Level.OK


def test_a_singular_four_bar_is_named():
    """Crank and coupler and rocker in one line: a parallelogram that lies flat."""
    stream = stream_of(four_bar(ground=2.0, crank=1.0, coupler=2.0, rocker=1.0))
    take(stream, {'crank': 0.7})
    assert look(Solver(), stream).values['singular'] == 'no'
    take(stream, {'crank': 0.0})
    status = look(Solver(), stream)
    assert (status.level, status.message) == (
        Level.WARN,
        'converged at a singular configuration',
    )


def test_a_loop_that_waits_for_its_motor():
    """The motor is what is missing, and not what follows from it."""
    builder = driven().edit()
    k = builder.joint_id('crank')
    builder.joints[k] = replace(builder.joints[k], actuated=True)
    stream = stream_of(builder.finalize())
    take(stream, {'rocker': 1.0})
    status = look(LoopsStanding(), stream)
    assert (status.level, status.message) == (Level.WARN, "'tip' waits for 'crank'")
    assert status.values['missing motors'] == 'crank'
    assert look(JointStates(), stream).values['missing joints'] == 'crank'
    status = look(Solver(), stream)
    assert (status.level, status.message) == (Level.STALE, 'nothing has been solved yet')


def test_joints_of_a_loop_of_which_nothing_is_measured_are_missing():
    stream = stream_of(driven())
    take(stream, {'elsewhere': 1.0})
    assert look(JointStates(), stream).values['missing joints'] == 'crank, coupler, rocker'
