# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""MoveIt's GetPositionFK over DDS, where its messages are installed."""

from __future__ import annotations

from geometry_msgs.msg import Transform
import numpy as np
import pytest
from ros.harness import running
from ros.messages import MultiDOFJointState
from ros.oracle import matrix_of
from ros.oracle import motion
from ros.oracle import pose
from ros.oracle import read_joints
from ros.oracle import rotation
from ros.oracle import value_of
from ros.robots import joint
from ros.robots import urdf
from sensor_msgs.msg import JointState

pytest.importorskip('moveit_msgs.srv', reason="MoveIt's messages (moveit_msgs) are not installed")

from moveit_msgs.msg import MoveItErrorCodes
from moveit_msgs.msg import RobotState
from moveit_msgs.srv import GetPositionFK

# An arm whose elbow follows its shoulder, a drone that floats, and a five-bar linkage: two cranks
# of 0.5 m that stand 0.6 m apart, whose couplers of 0.5 m meet in a pin, 0.9 m up at zero.
TILT = float(np.arcsin(0.6))
ROBOT = urdf(
    joint('shoulder', 'continuous', 'base', 'upper', xyz='0.1 0 0.3', rpy='0.2 -0.1 0.4'),
    joint(
        'elbow',
        'continuous',
        'upper',
        'lower',
        xyz='0 0.02 0.5',
        rpy='-0.3 0 0.1',
        axis='0 1 0',
        mimic='joint="shoulder" multiplier="0.5" offset="0.2"',
    ),
    joint('tool', 'fixed', 'lower', 'tip', xyz='0 0 0.2', rpy='0 0.5 0'),
    joint('air', 'floating', 'base', 'drone', xyz='0 1 1', rpy='0 0 0.3'),
    joint('left', 'continuous', 'base', 'crank_l', axis='0 1 0'),
    joint('right', 'continuous', 'base', 'crank_r', xyz='0.6 0 0', axis='0 1 0'),
    joint(
        'pin_l',
        'continuous',
        'crank_l',
        'coupler_l',
        xyz='0 0 0.5',
        rpy=f'0 {TILT} 0',
        axis='0 1 0',
    ),
    joint(
        'pin_r',
        'continuous',
        'crank_r',
        'coupler_r',
        xyz='0 0 0.5',
        rpy=f'0 {-TILT} 0',
        axis='0 1 0',
    ),
)
PARAMETERS = {
    'robot_description': ROBOT,
    'publish_frequency': 0.0,
    'closures.meeting.type': 'ball',
    'closures.meeting.link_A': 'coupler_l',
    'closures.meeting.origin_A': [0.0, 0.0, 0.5],
    'closures.meeting.link_B': 'coupler_r',
    'closures.meeting.origin_B': [0.0, 0.0, 0.5],
}
JOINTS = read_joints(ROBOT)
NAME = '/kinematics/compute_position_fk'
ANSWER = 180.0


@pytest.fixture(scope='module')
def robot():
    with running(PARAMETERS) as robot:
        yield robot


@pytest.fixture
def ask(robot):
    def ask(links, state=None, frame=''):
        return asked(robot, links, state, frame)

    return ask


def asked(robot, links, state=None, frame=''):
    request = GetPositionFK.Request(fk_link_names=list(links), robot_state=state or RobotState())
    request.header.frame_id = frame
    client = robot.peer.node.create_client(GetPositionFK, NAME)
    try:
        robot.peer.until(client.service_is_ready, ANSWER)
        future = client.call_async(request)
        robot.peer.until(future.done, ANSWER)
        return future.result()
    finally:
        robot.peer.node.destroy_client(client)


def state(is_diff=False, **positions):
    values = [float(x) for x in positions.values()]
    named = JointState(name=list(positions), position=values)
    return RobotState(joint_state=named, is_diff=is_diff)


def matrices(answer):
    """Return the poses of an answer by link; there must be as many as links."""
    assert len(answer.pose_stamped) == len(answer.fk_link_names)
    return {
        name: matrix(stamped.pose)
        for name, stamped in zip(answer.fk_link_names, answer.pose_stamped, strict=True)
    }


def matrix(message):
    p, r = message.position, message.orientation
    return pose(matrix_of(r.x, r.y, r.z, r.w), np.array([p.x, p.y, p.z]))


def arm(**given):
    """Return the poses of upper, lower and tip by matrices."""
    T, poses = np.eye(4), {}
    for name in ('shoulder', 'elbow', 'tool'):
        q = 0.0 if JOINTS[name].kind == 'fixed' else value_of(name, JOINTS, given)
        T = T @ motion(JOINTS[name], q)
        poses[JOINTS[name].child] = T
    return poses


def meeting(left, right):
    """Return where circles about both cranks' ends meet, the upper of both places."""
    ends = np.array([(np.sin(left), 0.0, np.cos(left)), (np.sin(right), 0.0, np.cos(right))]) * 0.5
    ends[1, 0] += 0.6
    across = ends[1] - ends[0]
    up = np.array([-across[2], 0.0, across[0]]) / np.linalg.norm(across)
    return ends.mean(axis=0) + up * np.sqrt(0.25 - across @ across / 4)


def tips(answer):
    """Return the ends of both couplers."""
    end = np.array([0.0, 0.0, 0.5, 1.0])
    found = matrices(answer)
    return [(found[name] @ end)[:3] for name in ('coupler_l', 'coupler_r')]


def succeeded(answer):
    return answer.error_code.val == MoveItErrorCodes.SUCCESS


def refused(answer, code, sentence):
    assert answer.error_code.val == code
    if hasattr(answer.error_code, 'message'):
        assert sentence in answer.error_code.message
        assert answer.error_code.source == 'joint_kinematics'


@pytest.mark.parametrize('shoulder', [0.0, 0.7, -2.5])
def test_poses_are_those_of_the_chain(ask, shoulder):
    answer = ask(['tip', 'upper', 'lower'], state(shoulder=shoulder))
    assert succeeded(answer)
    assert answer.fk_link_names == ['tip', 'upper', 'lower']
    for name, found in matrices(answer).items():
        np.testing.assert_allclose(found, arm(shoulder=shoulder)[name], atol=1e-12)
    assert {stamped.header.frame_id for stamped in answer.pose_stamped} == {'base'}


def test_poses_are_given_in_the_frame_of_the_header(ask):
    answer = ask(['base', 'tip'], state(shoulder=0.7), frame='lower')
    assert succeeded(answer)
    lower, tip = arm(shoulder=0.7)['lower'], arm(shoulder=0.7)['tip']
    found = matrices(answer)
    np.testing.assert_allclose(found['base'], np.linalg.inv(lower), atol=1e-12)
    np.testing.assert_allclose(found['tip'], np.linalg.inv(lower) @ tip, atol=1e-12)
    assert {stamped.header.frame_id for stamped in answer.pose_stamped} == {'lower'}


def test_loops_are_solved(ask):
    answer = ask(['coupler_l', 'coupler_r'], state(left=0.3, right=-0.1))
    assert succeeded(answer)
    for tip in tips(answer):
        np.testing.assert_allclose(tip, meeting(0.3, -0.1), atol=1e-8)


def test_an_empty_state_is_the_latest(robot, ask):
    positions = {'shoulder': 0.4, 'left': 0.1, 'right': 0.2}
    stamp = robot.peer.fresh()
    robot.peer.ask(positions, stamp, 'upper')
    answer = ask(['tip', 'coupler_l', 'coupler_r'])
    assert succeeded(answer)
    np.testing.assert_allclose(matrices(answer)['tip'], arm(shoulder=0.4)['tip'], atol=1e-12)
    for tip in tips(answer):
        np.testing.assert_allclose(tip, meeting(0.1, 0.2), atol=1e-8)
    assert {stamped.header.stamp.sec for stamped in answer.pose_stamped} == {int(stamp)}


def test_a_difference_keeps_what_is_measured(robot, ask):
    robot.peer.ask({'shoulder': 0.4, 'left': 0.1, 'right': 0.2}, robot.peer.fresh(), 'upper')
    answer = ask(['tip', 'coupler_l', 'coupler_r'], state(is_diff=True, left=-0.2))
    assert succeeded(answer)
    np.testing.assert_allclose(matrices(answer)['tip'], arm(shoulder=0.4)['tip'], atol=1e-12)
    for tip in tips(answer):
        np.testing.assert_allclose(tip, meeting(-0.2, 0.2), atol=1e-8)


def test_without_a_difference_loops_move_what_is_not_named(robot, ask):
    robot.peer.ask({'shoulder': 0.4, 'left': 0.1, 'right': 0.2}, robot.peer.fresh(), 'upper')
    answer = ask(['crank_l', 'coupler_l', 'coupler_r', 'tip'], state(left=-0.2))
    assert succeeded(answer)
    np.testing.assert_allclose(
        matrices(answer)['crank_l'][:3, :3], rotation('y', -0.2), atol=1e-12
    )
    ends = tips(answer)
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-8)
    # What belongs to no loop stays.
    np.testing.assert_allclose(matrices(answer)['tip'], arm(shoulder=0.4)['tip'], atol=1e-12)


def test_a_difference_of_a_follower_moves_its_master(robot, ask):
    robot.peer.ask({'shoulder': 0.4}, robot.peer.fresh(), 'upper')
    answer = ask(['tip'], state(is_diff=True, elbow=0.5))
    expected = arm(shoulder=(0.5 - 0.2) / 0.5)['tip']
    np.testing.assert_allclose(matrices(answer)['tip'], expected, atol=1e-12)


@pytest.mark.parametrize('frame', ['', 'base'])
def test_poses_of_joints_count(ask, frame):
    poses = MultiDOFJointState(joint_names=['air'], transforms=[Transform()])
    poses.header.frame_id = frame
    t, r = poses.transforms[0].translation, poses.transforms[0].rotation
    t.x, t.y, t.z = 1.0, 2.0, 3.0
    r.x, r.w = np.sin(0.35), np.cos(0.35)
    answer = ask(['drone'], RobotState(multi_dof_joint_state=poses))
    expected = JOINTS['air'].origin @ pose(rotation('x', 0.7), np.array([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(matrices(answer)['drone'], expected, atol=1e-12)


def test_known_links_are_answered_beside_unknown_ones(ask):
    answer = ask(['upper', 'foot'], state(shoulder=0.7))
    refused(answer, MoveItErrorCodes.INVALID_LINK_NAME, "there is no frame 'foot'")
    assert answer.fk_link_names == ['upper']
    np.testing.assert_allclose(matrices(answer)['upper'], arm(shoulder=0.7)['upper'], atol=1e-12)


def test_no_link_is_no_question(ask):
    answer = ask([], state(shoulder=0.7))
    refused(answer, MoveItErrorCodes.INVALID_LINK_NAME, 'no link is asked for')
    assert not answer.pose_stamped


def test_open_loops_are_no_state(ask):
    # Ends of the cranks 1.6 m apart, for couplers of 1 m.
    answer = ask(['coupler_l'], state(left=-np.pi / 2, right=np.pi / 2))
    refused(answer, MoveItErrorCodes.INVALID_ROBOT_STATE, "'meeting' stays open by 0.6")


def of_poses(names, count=1, frame=''):
    message = MultiDOFJointState(joint_names=names, transforms=[Transform()] * count)
    message.header.frame_id = frame
    return RobotState(multi_dof_joint_state=message)


INVALID = MoveItErrorCodes.INVALID_ROBOT_STATE
UNREACHABLE = MoveItErrorCodes.FRAME_TRANSFORM_FAILURE


@pytest.mark.parametrize(
    ('given', 'frame', 'code', 'sentence'),
    [
        (state(knee=0.0), '', INVALID, "there is no coordinate 'knee'"),
        (state(shoulder=np.nan), '', INVALID, "'shoulder' has nan"),
        (
            RobotState(joint_state=JointState(name=['shoulder'])),
            '',
            INVALID,
            'joint_state has 0 positions for 1 names',
        ),
        (
            RobotState(joint_state=JointState(name=['left'] * 2, position=[0.0, 0.0])),
            '',
            INVALID,
            "the state names 'left' twice",
        ),
        (of_poses(['air'], 0), '', INVALID, 'has 0 transforms for 1 names'),
        (of_poses(['left']), '', INVALID, "has 'left', which is no ball, planar or floating"),
        (of_poses(['air'], frame='map'), '', UNREACHABLE, "is given in 'map'"),
        (state(shoulder=0.7), 'map', UNREACHABLE, "there is no frame 'map'"),
    ],
)
def test_a_bad_request_is_refused_by_its_code(ask, given, frame, code, sentence):
    answer = ask(['tip'], given, frame)
    refused(answer, code, sentence)
    assert not answer.pose_stamped
    assert not answer.fk_link_names


def test_without_a_robot_there_is_no_answer():
    with running(
        {'use_robot_description_topic': True}, ready='waiting for a description'
    ) as robot:
        answer = asked(robot, ['tip'])
    refused(answer, MoveItErrorCodes.FAILURE, 'no description has come')
