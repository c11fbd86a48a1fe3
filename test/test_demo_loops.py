# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The demo's own computation for mechanisms: that it agrees with the library, and finds faults."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 (rclpy) is not installed')
pytest.importorskip('tf2_msgs', reason='the messages tf2_msgs are not installed')

from geometry_msgs.msg import TransformStamped
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage
from transforms3d.axangles import axangle2mat
from transforms3d.quaternions import mat2quat
from transforms3d.quaternions import quat2mat

from kinematics_node.errors import KinematicsError
from kinematics_node.errors import ResourceError
from kinematics_node.fk import frame_poses
from kinematics_node.formats.load import load_model
from kinematics_node.formats.load import read_description
from kinematics_node.formats.notation import apply_notation
from kinematics_node.ros.constraints_file import as_urdf
from kinematics_node.ros.constraints_file import constraint_parameters
from kinematics_node.ros.constraints_file import flat
from kinematics_node.ros.constraints_file import own_constraints
from kinematics_node.ros.demo import expected
from kinematics_node.ros.demo.check import Check
from kinematics_node.ros.demo.elements import DemoClosure
from kinematics_node.ros.demo.elements import UncheckableError
from kinematics_node.ros.demo.loops import gaps
from kinematics_node.ros.demo.motion import Motion
from kinematics_node.ros.demo.player import Sent
from kinematics_node.ros.demo.robot import read_robot
from kinematics_node.solve import LoopSolver

EXAMPLES = Path(__file__).resolve().parent.parent / 'examples'
LOOPS = (
    'four_bar_gripper',
    'slider_crank',
    'delta',
    'stewart',
    'push_rod_ankle',
    'differential_wrist',
    'tendon_t_coupler',
)
SECOND = 10**9


class Scene:
    """An example with a solver, whose answers are turned into messages."""

    def __init__(self, name: str) -> None:
        path = EXAMPLES / name / name
        text = path.with_suffix('.urdf').read_text(encoding='utf-8')
        self.given = constraint_parameters(str(path.with_suffix('.yaml')), text)
        self.robot = read_robot(text, self.given)
        self.motion = Motion(self.robot)
        builder = read_description(text)
        apply_notation(builder, self.given)
        self.model = builder.finalize()
        self.solver = LoopSolver(self.model, [joint.name for joint in self.robot.played])
        self.q = self.solver.assemble(self.model.zero).q
        self.times = np.linspace(0.0, 6.0, 13)
        sent = {k * SECOND: Sent(float(t), k * SECOND, False) for k, t in enumerate(self.times)}
        self.check = Check(self.robot, self.motion, sent)

    def at(self, time: float) -> np.ndarray:
        """Return q as the node would have it at a time."""
        target = self.q.copy()
        index = [self.model.coordinate_index[name] for name in self.motion.names]
        target[index] = self.motion.positions(np.array([time]))[0]
        result = self.solver.solve(target, start=self.q)
        assert result.converged
        self.q = result.q
        return self.q

    def transforms(self, q: np.ndarray, stamp: int, joints) -> TFMessage:
        message = TFMessage()
        for joint in joints:
            X = frame_poses(self.model, q, joint.child, relative_to=joint.parent)
            one = TransformStamped()
            one.header.stamp.sec = stamp
            one.header.frame_id, one.child_frame_id = joint.parent, joint.child
            r, t = one.transform.rotation, one.transform.translation
            r.w, r.x, r.y, r.z, t.x, t.y, t.z = (float(x) for x in X)
            message.transforms.append(one)
        return message

    def play(self, bend=None) -> list[str]:
        """Let the check hear everything; bend may change q before it is told. Return problems."""
        self.check.take_static([(self.transforms(self.q, 0, self.robot.static), 0)])
        for k, time in enumerate(self.times):
            q = self.at(time).copy()
            if bend is not None:
                bend(self, q)
            state = JointState(name=list(self.model.coordinate_names), position=q.tolist())
            state.header.stamp.sec = k
            self.check.take_transforms([(self.transforms(q, k, self.robot.moving), 0)])
            self.check.take_states([(state, 0)])
        self.check.take_transforms([])
        return self.check.problems()


@pytest.mark.parametrize('name', LOOPS)
def test_what_the_library_solves_is_right(name: str) -> None:
    scene = Scene(name)
    assert {j.name for j in scene.robot.played} == {
        j.name for j in scene.model.joints if j.actuated
    }
    # No velocities came, and what never came is no problem there.
    assert scene.play() == []
    assert scene.check.answered == len(scene.times)
    assert set(scene.check.loops) == {
        c.name for c in (*scene.model.closures, *scene.model.couplings)
    }
    assert all(loop.count == len(scene.times) for loop in scene.check.loops.values())
    assert all(loop.gap < 1e-9 for loop in scene.check.loops.values())


@pytest.mark.parametrize('name', LOOPS)
def test_a_loop_that_is_open_is_found(name: str) -> None:
    def bend(scene: Scene, q: np.ndarray) -> None:
        first = scene.robot.solved[0].coordinates[-1]
        q[scene.model.coordinate_index[first]] += 1e-4

    problems = Scene(name).play(bend)
    assert problems
    assert all(p.startswith("loop '") and ' is open by up to ' in p for p in problems)


def test_transforms_that_do_not_agree_with_the_state_are_found() -> None:
    scene = Scene('slider_crank')
    q = scene.at(0.0)
    state = JointState(name=list(scene.model.coordinate_names), position=q.tolist())
    scene.check.take_states([(state, 0)])
    q[scene.model.coordinate_index['piston_slide']] += 1e-6
    scene.check.take_transforms([(scene.transforms(q, 0, scene.robot.moving), 0)])
    assert any("'piston' most, by 1e-06" in problem for problem in scene.check.problems())


def test_a_loop_that_is_seldom_seen_is_found() -> None:
    scene = Scene('slider_crank')
    q = scene.at(0.0)
    state = JointState(name=list(scene.model.coordinate_names), position=q.tolist())
    scene.check.take_states([(state, 0)])
    moved = [joint for joint in scene.robot.moving if joint.child != 'rod']
    scene.check.take_transforms([(scene.transforms(q, 0, moved), 0)])
    problems = scene.check.problems()
    assert "loop 'wrist_pin' was seen at 0 of 1 moments only" in problems
    assert "1 of 3 moving frames never came: 'rod'" in problems


def test_transforms_wait_for_the_state_of_their_stamp() -> None:
    scene = Scene('slider_crank')
    q = scene.at(0.0)
    scene.check.take_transforms([(scene.transforms(q, 0, scene.robot.moving), 0)])
    assert scene.check.moving['piston'].count == 0
    state = JointState(name=list(scene.model.coordinate_names), position=q.tolist())
    scene.check.take_states([(state, 0)])
    scene.check.take_transforms([])
    assert scene.check.moving['piston'].count == 1


@pytest.mark.parametrize(
    ('kind', 'shift', 'metres', 'radians'),
    [
        ('ball', [0.0, 0.0, 0.003], 0.003, 0.0),
        ('fixed', [0.0, 0.004, 0.003], 0.005, 0.2),
        ('revolute', [0.0, 0.004, 0.003], 0.005, 0.2),
        ('prismatic', [0.0, 0.004, 0.003], 0.004, 0.2),
        ('planar', [0.0, 0.004, 0.003], 0.003, 0.2),
        ('universal', [0.0, 0.004, 0.003], 0.005, math.pi / 2 - 0.2),
        ('distance', [0.0, 0.3, 0.4], 0.1, 0.0),
    ],
)
def test_gaps_of_every_type_by_hand(kind, shift, metres, radians) -> None:
    """B is shifted, and turned by 0.2 rad about x, across the axis z."""
    axis, length = np.array([0.0, 0.0, 1.0]), 0.4 if kind == 'distance' else 0.0
    closure = DemoClosure('one', kind, 'a', np.eye(4), 'b', np.eye(4), axis, axis, length)
    X_AB = np.eye(4)[np.newaxis].copy()
    X_AB[0, :3, :3] = axangle2mat([1.0, 0.0, 0.0], 0.2)
    X_AB[0, :3, 3] = shift
    m, rad = gaps(closure, X_AB)
    np.testing.assert_allclose(m, [metres], atol=1e-12)
    # An angle of rotation is measured by its chord.
    chord = kind in ('fixed', 'prismatic')
    np.testing.assert_allclose(rad, [2.0 * math.sin(0.1) if chord else radians], atol=1e-12)


def test_closures_of_other_types_are_refused() -> None:
    closure = DemoClosure('one', 'screw', 'a', np.eye(4), 'b', np.eye(4), *np.eye(3)[:2])
    with pytest.raises(UncheckableError, match="type 'screw' are not known"):
        gaps(closure, np.eye(4)[np.newaxis])


SMALL = """<robot name="small">
  <link name="base"/><link name="a"/><link name="b"/>
  <joint name="j.1" type="revolute">
    <parent link="base"/><child link="a"/><origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>
    <axis xyz="0 0.6 0.8"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
  <joint name="k" type="fixed">
    <parent link="a"/><child link="b"/><origin xyz="0.3 0 0.1" rpy="0.1 0.2 0.3"/>
  </joint>
</robot>"""


@pytest.mark.parametrize(
    'joints',
    [
        {'j.1': {'anchor': [0.0, 0.1, 0.0]}, 'k': {'type': 'ball', 'anchor': [1, 2, 3]}},
        {'j.1': {'type': 'prismatic', 'axis': [1, 2, 2]}, 'k': {'type': 'planar'}},
        {'k': {'type': 'universal', 'axis1': {'direction': [0, 1, 1], 'damping': 1.0}}},
        {'k': {'type': 'universal', 'axis1': [0, 0, 1], 'axis2': [1, 1, 0], 'axes_in': 'parent'}},
        {'k': {'type': 'floating', 'child_pose': {'xyz': [0, 0, 1], 'rpy': [0.3, 0.1, 0.2]}}},
        {'k': {'type': 'planar', 'axis': [0, 0, -1]}, 'j.1': {'mimic': False}},
        {'k': {'type': 'planar', 'axis': [0.6, 0, 0.8], 'origin': [0, 0, 1, 0.1, 0.2, 0.3]}},
        {
            'k': {
                'type': 'continuous',
                'child_origin': {'xyz': [0, 1, 0], 'quaternion_wxyz': [1, 1, 0, 0]},
                'mimic': {'joint': 'j.1', 'multiplier': 2.0, 'offset': 0.1},
            }
        },
    ],
)
def test_both_readers_of_the_notation_put_links_in_the_same_place(joints) -> None:
    given = flat({'joints': joints})
    builder = read_description(SMALL)
    apply_notation(builder, given)
    model = builder.finalize()
    robot = read_robot(SMALL, given)
    q = np.random.default_rng(2).uniform(-1.0, 1.0, model.nq)
    for joint, row in zip(model.joints, model.tree[1:], strict=True):
        if joint.type.quaternion_offset == 0:
            q[row[2] : row[2] + 4] /= np.linalg.norm(q[row[2] : row[2] + 4])
    for (f, m), (k, b) in zip(model.mimic_index, model.mimic_ratio, strict=True):
        q[f] = k * q[m] + b
    values = {name: q[[k]] for name, k in model.coordinate_index.items()}
    poses = expected.value_poses(robot, values)
    assert len(poses) == len(robot.moving)
    for child, X in poses.items():
        joint = next(j for j in robot.joints.values() if j.child == child)
        right = frame_poses(model, q, child, relative_to=joint.parent)
        np.testing.assert_allclose(X[0, :3, :3], quat2mat(right[:4]), atol=1e-14)
        np.testing.assert_allclose(X[0, :3, 3], right[4:], atol=1e-14)
        assert np.isfinite(mat2quat(X[0, :3, :3])).all()


@pytest.mark.parametrize(
    ('notation', 'sentence'),
    [
        ({'joints': {'k': {'position': [0.1]}}}, "'joints.k.position' is not known to the demo"),
        ({'closures': {'c': {'type': 'ball', 'link_A': 'a'}}}, "lack 'frame_B', or name it"),
        (
            {'closures': {'c': {'type': 'ball', 'link_A': 'base', 'link_B': 'b'}}},
            'no motor moves the loops of this robot; name motors by <ros2_control>',
        ),
    ],
)
def test_what_cannot_be_checked_is_told(notation, sentence) -> None:
    with pytest.raises(UncheckableError, match=sentence):
        read_robot(SMALL, flat(notation))


def test_a_motion_starts_at_rest_where_the_mechanism_is_assembled() -> None:
    motion = Scene('delta').motion
    at = np.array([0.0])
    np.testing.assert_array_equal(motion.positions(at), 0.0)
    np.testing.assert_array_equal(motion.velocities(at), 0.0)


def test_parameters_hold_what_the_file_says() -> None:
    path = EXAMPLES / 'ball_caster' / 'ball_caster'
    text = path.with_suffix('.urdf').read_text(encoding='utf-8')
    given = constraint_parameters(str(path.with_suffix('.yaml')), text)
    assert given['joints.caster.type'] == 'ball'
    assert given['joints.caster.anchor'] == [-0.081, 0.0, -0.0085]
    assert given['joints.caster.axis1.direction'] == [1.0, 0.0, 0.0]
    assert all(type(x) is float for x in given['joints.caster.axis1.direction'])


def test_without_a_description_our_notation_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / 'own.yaml'
    path.write_text('closures:\n  c: {type: ball, link_A: nobody, link_B: b}\n')
    assert constraint_parameters(str(path), '')['closures.c.link_A'] == 'nobody'
    path.write_text('name_mot: [a]\n')
    with pytest.raises(ResourceError, match=r'say nothing without the model; give the model too'):
        constraint_parameters(str(path), '')


def test_gepettos_file_becomes_parameters_that_make_the_same_model(shared_robot) -> None:
    folder = shared_robot('digit_like')
    text = (folder / 'robot.urdf').read_text(encoding='utf-8')
    given = constraint_parameters(str(folder / 'robot.yaml'), text)
    builder = read_description(text)
    apply_notation(builder, given)
    model = builder.finalize()
    right = load_model(folder / 'robot.urdf', side_cars=[folder / 'robot.yaml'])
    assert [j.name for j in model.joints if j.actuated] == [
        j.name for j in right.joints if j.actuated
    ]
    assert [(c.name, c.type, c.link_A, c.link_B) for c in model.closures] == [
        (c.name, c.type, c.link_A, c.link_B) for c in right.closures
    ]


def test_constraints_inside_a_description_are_found() -> None:
    loop = """<loop name="weld" type="revolute"><predecessor link="base"/>
      <successor link="b"/><axis xyz="0 0 1"/></loop></robot>"""
    given = own_constraints(SMALL.replace('</robot>', loop))
    assert given['closures.weld.link_B'] == 'b'
    assert own_constraints(SMALL) == {}


def test_constraints_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    path = tmp_path / 'wrong.yaml'
    path.write_text('closures:\n  c: {type: ball, link_A: nobody, link_B: b}\n')
    with pytest.raises(KinematicsError, match=r"line 2.*'nobody', which is no link of the model"):
        constraint_parameters(str(path), SMALL)


def test_other_formats_are_played_as_urdf_and_parameters() -> None:
    world = """#VRML_SIM R2023b utf8
Robot { name "cart" children [ BallJoint {
  jointParameters BallJointParameters { anchor -0.1 0 0 }
  endPoint Solid { name "caster" translation -0.1 0 0.05 } } ] }
"""
    urdf, parameters = as_urdf(world)
    assert '<link name="caster"' in urdf
    assert 'ball' in [value for name, value in parameters.items() if name.endswith('.type')]
