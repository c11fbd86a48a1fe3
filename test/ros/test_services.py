# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The services over DDS: good requests, empty ones and bad ones, while joint states stream."""

from __future__ import annotations

from importlib.util import find_spec

from geometry_msgs.msg import Transform
from joint_kinematics.msg import DofReport
from joint_kinematics.msg import ExternalWrench
from joint_kinematics.msg import Payload
from joint_kinematics.msg import Violation
from joint_kinematics.srv import CheckState
from joint_kinematics.srv import ComputeFk
from joint_kinematics.srv import GetConstraintForces
from joint_kinematics.srv import GetDofReport
import numpy as np
import pytest
from ros.harness import running
from ros.messages import MultiDOFJointState
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory
from trajectory_msgs.msg import JointTrajectoryPoint

# A pendulum of 2 kg on a rod of 1 m, and beside it a parallelogram, closed by a rod end.
ROBOT = """<robot name="bench">
  <link name="base"/>
  <link name="bob"><inertial><origin xyz="1 0 0"/><mass value="2"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <joint name="swing" type="revolute"><parent link="base"/><child link="bob"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="100" velocity="3"/></joint>
  <link name="crank"/><link name="coupler"/><link name="rocker"/>
  <joint name="drive" type="revolute"><parent link="base"/><child link="crank"/>
    <origin xyz="0 5 0"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="1"/></joint>
  <joint name="pin" type="continuous"><parent link="crank"/><child link="coupler"/>
    <origin xyz="0 0 0.5"/><axis xyz="0 1 0"/></joint>
  <joint name="pivot" type="continuous"><parent link="base"/><child link="rocker"/>
    <origin xyz="1 5 0"/><axis xyz="0 1 0"/></joint>
</robot>
"""
PARAMETERS = {
    'robot_description': ROBOT,
    'publish_frequency': 0.0,
    'joints.drive.actuated': True,
    'joints.swing.actuated': True,
    'closures.end.type': 'ball',
    'closures.end.link_A': 'coupler',
    'closures.end.origin_A': [1.0, 0.0, 0.0],
    'closures.end.link_B': 'rocker',
    'closures.end.origin_B': [0.0, 0.0, 0.5],
}
ANSWER = 180.0


@pytest.fixture(scope='module')
def robot():
    with running(PARAMETERS) as robot:
        yield robot


@pytest.fixture
def call(robot):
    def call(name, request):
        kind = {
            'compute_fk': ComputeFk,
            'get_dof_report': GetDofReport,
            'check_state': CheckState,
            'get_constraint_forces': GetConstraintForces,
        }[name]
        client = robot.peer.node.create_client(kind, f'/kinematics/{name}')
        try:
            # The first answer of all may have kernels to compile.
            robot.peer.until(client.service_is_ready, ANSWER)
            future = client.call_async(request)
            robot.peer.until(future.done, ANSWER)
            return future.result()
        finally:
            robot.peer.node.destroy_client(client)

    return call


def state(**positions):
    return JointState(name=list(positions), position=[float(x) for x in positions.values()])


def test_an_empty_request_asks_about_the_latest_state(robot, call):
    robot.peer.ask({'swing': 0.5, 'drive': 0.2}, robot.peer.fresh(), 'bob')
    answer = call('compute_fk', ComputeFk.Request(frames=['bob', 'rocker']))
    assert answer.success
    bob, rocker = answer.states[0].frames
    assert (bob.pose.orientation.y, bob.pose.orientation.w) == pytest.approx(
        (np.sin(0.25), np.cos(0.25)), abs=1e-12
    )
    # In a parallelogram the rocker turns as the crank does.
    assert rocker.pose.orientation.y == pytest.approx(np.sin(0.1), abs=1e-9)
    assert answer.states[0].loops_closed


def test_fk_along_a_trajectory_has_velocities_accelerations_and_jacobians(call):
    point = JointTrajectoryPoint(positions=[0.0], velocities=[2.0], accelerations=[3.0])
    request = ComputeFk.Request(
        trajectory=JointTrajectory(joint_names=['drive'], points=[point, point]),
        frames=['coupler'],
        velocities=True,
        accelerations=True,
        jacobians=True,
    )
    answer = call('compute_fk', request)
    assert answer.success
    assert len(answer.states) == 2
    (coupler,) = answer.states[0].frames
    # The pin goes round on 0.5 m; the coupler stays level.
    assert coupler.velocity.linear.x == pytest.approx(1.0, abs=1e-9)
    assert coupler.velocity.angular.y == pytest.approx(0.0, abs=1e-9)
    assert coupler.acceleration.linear.x == pytest.approx(1.5, abs=1e-8)
    assert coupler.acceleration.linear.z == pytest.approx(-2.0, abs=1e-8)
    columns = answer.states[0].jacobian_columns
    assert len(coupler.jacobian) == 6 * len(columns)
    row = coupler.jacobian[3 * len(columns) : 4 * len(columns)]
    assert row[columns.index('drive')] == pytest.approx(0.5)


def test_fk_in_another_frame(call):
    request = ComputeFk.Request(state=state(swing=0.7), frames=['base'], reference_frame='bob')
    answer = call('compute_fk', request)
    assert answer.states[0].header.frame_id == 'bob'
    assert answer.states[0].frames[0].pose.orientation.y == pytest.approx(-np.sin(0.35))


def test_dof_report_names_what_moves(call):
    report = call('get_dof_report', GetDofReport.Request(state=state(swing=0.1, drive=0.3)))
    assert report.success
    assert report.message
    inside = report.report
    assert (inside.bodies, inside.mobility, inside.loop_rows, inside.loop_rank) == (4, 2, 3, 2)
    assert inside.redundant == 1
    assert set(inside.independent) == {'swing', 'drive'}
    roles = dict(zip(inside.joint_names, inside.joint_roles, strict=True))
    assert roles['drive'] == DofReport.MEASURED
    assert roles['pin'] == roles['pivot'] == DofReport.DEPENDENT
    assert inside.actuation == DofReport.FULL


def test_the_flat_parallelogram_is_singular(call):
    answer = call('get_dof_report', GetDofReport.Request(state=state(drive=np.pi / 2)))
    assert answer.success
    assert answer.report.singular


def test_check_state_names_each_violation(call):
    request = CheckState.Request(states=[state(swing=1.0, drive=0.1), state(swing=2.5, drive=0.1)])
    answer = call('check_state', request)
    assert answer.success
    assert not answer.valid
    assert answer.checks[0].valid
    (violation,) = answer.checks[1].violations
    assert (violation.kind, violation.element) == (Violation.POSITION, 'swing')
    assert (violation.value, violation.bound) == (2.5, 2.0)
    assert violation.margin == pytest.approx(-0.5)
    assert "joint 'swing'" in answer.message


def test_check_state_takes_measured_poses(call):
    poses = MultiDOFJointState(joint_names=['swing'], transforms=[Transform()])
    poses.transforms[0].translation.x = 0.01
    answer = call('check_state', CheckState.Request(states=[state(swing=0.0)], poses=poses))
    assert [v.kind for v in answer.checks[0].violations] == [Violation.ANCHOR]


def test_unknown_names_are_violations_not_refusals(call):
    answer = call('check_state', CheckState.Request(states=[state(elbow=0.0)]))
    assert answer.success
    assert answer.checks[0].violations[0].kind == Violation.UNKNOWN_NAME


def test_the_pendulum_is_held_by_its_motor(call):
    request = GetConstraintForces.Request(state=state(swing=0.0, drive=0.2))
    answer = call('get_constraint_forces', request)
    assert answer.success
    loads = answer.forces
    k = loads.names.index('swing')
    # The base carries 2 kg, and turns against their weight at 1 m; y points away from it.
    assert loads.forces[3 * k + 2] == pytest.approx(2 * 9.81)
    assert loads.torques[3 * k + 1] == pytest.approx(-2 * 9.81)
    assert loads.determinate[k]
    index = answer.forces.coordinates.index('swing')
    assert answer.forces.actuator_efforts[index] == pytest.approx(-2 * 9.81)
    assert answer.forces.held
    assert answer.dof.mobility == 2
    assert answer.message


def test_payloads_wrenches_and_gravity_count(call):
    payload = Payload(link='bob', mass=1.0)
    payload.center.x = 0.5
    push = ExternalWrench(link='bob')
    push.wrench.wrench.force.z = 4.0
    push.point.x = 1.0
    request = GetConstraintForces.Request(
        state=state(swing=0.0, drive=0.2), payloads=[payload], external=[push], joints=['swing']
    )
    swing = call('get_constraint_forces', request).forces
    assert swing.names == ['swing']
    assert swing.forces[2] == pytest.approx(3 * 9.81 - 4.0)
    assert swing.torques[1] == pytest.approx(-(2.5 * 9.81 - 4.0))
    request.without_gravity = True
    swing = call('get_constraint_forces', request).forces
    assert swing.forces[2] == pytest.approx(-4.0)


def test_forward_mode_finds_accelerations(call):
    request = GetConstraintForces.Request(
        state=JointState(name=['swing', 'drive'], position=[0.0, 0.2], effort=[0.0, 0.0]),
        mode=GetConstraintForces.Request.FORWARD,
    )
    answer = call('get_constraint_forces', request)
    # Without inertia, nothing says how the parallelogram accelerates.
    assert not answer.success
    assert 'inertia' in answer.message


@pytest.mark.parametrize(
    ('name', 'request_', 'sentence'),
    [
        ('compute_fk', ComputeFk.Request(frames=['foot']), "there is no frame 'foot'"),
        ('compute_fk', ComputeFk.Request(reference_frame='foot'), "there is no frame 'foot'"),
        ('compute_fk', ComputeFk.Request(state=state(elbow=1)), "there is no coordinate 'elbow'"),
        ('compute_fk', ComputeFk.Request(state=state(swing=np.nan)), "'swing' has nan"),
        (
            'compute_fk',
            ComputeFk.Request(state=JointState(name=['swing'])),
            'the state has 0 positions for 1 names',
        ),
        (
            'compute_fk',
            ComputeFk.Request(
                state=state(swing=0),
                trajectory=JointTrajectory(points=[JointTrajectoryPoint()]),
            ),
            'give a state or a trajectory, not both',
        ),
        (
            'compute_fk',
            ComputeFk.Request(state=JointState(name=['swing'] * 2, position=[0.0, 1.0])),
            "the state names 'swing' twice",
        ),
        ('get_dof_report', GetDofReport.Request(measured=['elbow']), "'elbow'"),
        ('check_state', CheckState.Request(tolerance=-1.0), 'the tolerance is -1.0'),
        (
            'check_state',
            CheckState.Request(states=[JointState(name=['swing'])]),
            'a state has 0 positions for 1 names',
        ),
        (
            'check_state',
            CheckState.Request(poses=MultiDOFJointState(joint_names=['swing'])),
            'poses have 0 transforms for 1 names',
        ),
        (
            'get_constraint_forces',
            GetConstraintForces.Request(mode=7),
            "'mode' is 7; it must be 0 (INVERSE) or 1 (FORWARD)",
        ),
        (
            'get_constraint_forces',
            GetConstraintForces.Request(frame=3),
            "'frame' is 3; it must be 0 (PARENT), 1 (CHILD) or 2 (WORLD)",
        ),
        ('get_constraint_forces', GetConstraintForces.Request(joints=['elbow']), "'elbow'"),
        (
            'get_constraint_forces',
            GetConstraintForces.Request(payloads=[Payload(link='bob', mass=-1.0)]),
            'mass -1 kg is negative',
        ),
        (
            'get_constraint_forces',
            GetConstraintForces.Request(accelerations=[1.0]),
            'accelerations need a state with names',
        ),
    ],
)
def test_a_bad_request_is_refused_by_a_sentence(call, name, request_, sentence):
    answer = call(name, request_)
    assert not answer.success
    assert sentence in answer.message


def test_moveits_question_is_offered_where_its_messages_are(robot):
    offered = [name for name, _ in robot.peer.node.get_service_names_and_types()]
    assert '/kinematics/compute_fk' in offered
    installed = find_spec('moveit_msgs') is not None
    assert ('/kinematics/compute_position_fk' in offered) == installed


def test_joint_states_are_answered_while_services_work(robot, call):
    """A stream that stops at a request would lose messages, or answer them late."""
    robot.peer.ask({'swing': 0.1, 'drive': 0.1}, robot.peer.fresh(), 'bob')
    client = robot.peer.node.create_client(
        GetConstraintForces, '/kinematics/get_constraint_forces'
    )
    robot.peer.until(client.service_is_ready, ANSWER)
    futures = [client.call_async(GetConstraintForces.Request()) for _ in range(5)]
    for k in range(50):
        answer = robot.peer.ask({'swing': 0.01 * k, 'drive': 0.1}, robot.peer.fresh(), 'bob')
        assert answer is not None
    robot.peer.until(lambda: all(future.done() for future in futures), ANSWER)
    assert all(future.result().success for future in futures)
