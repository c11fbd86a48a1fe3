# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Every shared robot: counts as its README gives them, poses as Pinocchio has them."""

from __future__ import annotations

from model_compare import assert_same_model
from model_compare import link_poses
from model_compare import matrix
from model_compare import random_coordinates
import numpy as np
import pinocchio as pin
import pytest
from shared_robots import shared_robot

from kinematics_node.errors import MimicError
from kinematics_node.formats.export import export_model
from kinematics_node.formats.load import apply_side_car
from kinematics_node.formats.load import load_model
from kinematics_node.formats.load import read_description
from kinematics_node.formats.xml import parse_xml
from kinematics_node.model.joint_types import JointType

# Links, joints by type (fixed, revolute, continuous, prismatic, universal, ball, planar,
# floating), mimics, closures, couplings.
COUNTS = {
    '64_joint_robot.urdf': (65, (0, 0, 64, 0, 0, 0, 0, 0), 0, 0, 0),
    'anymal_c.urdf': (78, (65, 12, 0, 0, 0, 0, 0, 0), 0, 0, 0),
    'baxter.urdf': (57, (37, 15, 0, 4, 0, 0, 0, 0), 2, 0, 0),
    'four_bar.sdf': (4, (0, 3, 0, 0, 0, 0, 0, 0), 0, 0, 0),
    'h1_2.urdf': (58, (6, 51, 0, 0, 0, 0, 0, 0), 12, 0, 0),
    'mimic_chain.urdf': (4, (0, 3, 0, 0, 0, 0, 0, 0), 2, 0, 0),
    'panda.urdf': (13, (3, 7, 0, 2, 0, 0, 0, 0), 1, 0, 0),
    'pr2.urdf': (82, (51, 25, 4, 1, 0, 0, 0, 0), 10, 0, 0),
    'pybullet_humanoid.urdf': (16, (3, 4, 0, 0, 0, 8, 0, 0), 0, 0, 0),
    'robotiq_2f_85.urdf': (10, (3, 6, 0, 0, 0, 0, 0, 0), 5, 0, 0),
    'slash_fiction.urdf': (3, (0, 2, 0, 0, 0, 0, 0, 0), 0, 0, 0),
    'stewart_rotary.urdf': (25, (6, 18, 0, 0, 0, 0, 0, 0), 0, 0, 0),
    'ur10.urdf': (11, (4, 6, 0, 0, 0, 0, 0, 0), 0, 0, 0),
    'urdfplus_four_bar.urdf': (4, (0, 3, 0, 0, 0, 0, 0, 0), 0, 1, 0),
    'urdfplus_mit_humanoid.urdf': (38, (0, 36, 0, 0, 0, 0, 0, 1), 0, 0, 18),
    'urdfplus_planar_leg_linkage.urdf': (5, (0, 0, 4, 0, 0, 0, 0, 0), 0, 1, 0),
    'urdfplus_six_bar.urdf': (6, (0, 0, 5, 0, 0, 0, 0, 0), 0, 1, 0),
    '5bar_linkage/robot.urdf': (8, (1, 6, 0, 0, 0, 0, 0, 0), 0, 1, 0),
    '5bar_linkage_iso3d/robot.urdf': (9, (3, 5, 0, 0, 0, 0, 0, 0), 0, 1, 0),
    'cassie_like/robot.urdf': (26, (6, 19, 0, 0, 0, 0, 0, 0), 0, 2, 0),
    'digit_like/robot.urdf': (36, (8, 27, 0, 0, 0, 0, 0, 0), 0, 3, 0),
    'robot_delta/robot.urdf': (16, (1, 14, 0, 0, 0, 0, 0, 0), 0, 3, 0),
    'talos_like/robot.urdf': (18, (4, 13, 0, 0, 0, 0, 0, 0), 0, 1, 0),
    'webots/RobotWithBallJoint.proto': (2, (0, 0, 0, 0, 0, 1, 0, 0), 0, 0, 0),
    'webots/TurtleBot3Burger.proto': (4, (0, 0, 2, 0, 0, 1, 0, 0), 0, 0, 0),
    # 17 solids and robots and the world; four robots in it, four markers and a supervisor.
    'webots/ball_joint_vs_hinge_joints.wbt': (18, (7, 0, 6, 0, 0, 2, 0, 2), 0, 0, 0),
    'webots/spring_damping_force.wbt': (14, (4, 0, 2, 2, 0, 2, 0, 3), 0, 0, 0),
}
URDFS = [name for name in COUNTS if name.endswith('.urdf')]
MOTORS = {
    '5bar_linkage': 2,
    '5bar_linkage_iso3d': 2,
    'cassie_like': 5,
    'digit_like': 6,
    'robot_delta': 2,
    'talos_like': 6,
}


def load(name):
    """Return the model of a shared robot with the robot.yaml beside it."""
    path = shared_robot(name)
    beside = path.with_name('robot.yaml')
    return load_model(path, side_cars=[beside] if beside.exists() else [])


@pytest.mark.parametrize('name', COUNTS)
def test_a_shared_robot_has_the_counts_of_its_readme(name):
    model = load(name)
    kinds = tuple(sum(j.type is kind for j in model.joints) for kind in JointType)
    counts = (len(model.links), kinds, len(model.mimics), len(model.closures))
    assert (*counts, len(model.couplings)) == COUNTS[name]


def test_the_ring_of_mimics_is_refused_by_name():
    path = shared_robot('mimic_cycle.urdf')
    with pytest.raises(MimicError, match='mimic joints follow each other in a ring: j12 -> j34'):
        load_model(path)


@pytest.mark.parametrize('name', MOTORS)
def test_motors_of_a_side_car_are_actuated(name):
    model = load(f'{name}/robot.urdf')
    assert sum(joint.actuated is True for joint in model.joints) == MOTORS[name]
    assert all(j.actuated is False for j in model.joints if j.type.nq and not j.actuated)
    expected = 'ball' if name == '5bar_linkage_iso3d' else 'fixed'
    assert {closure.type for closure in model.closures} == {expected}


@pytest.mark.parametrize('name', COUNTS)
def test_written_and_read_again_it_is_the_same_model(name):
    model = load(name)
    urdf_text, notation = export_model(model)
    builder = read_description(urdf_text)
    if notation:
        apply_side_car(builder, notation)
    again = builder.finalize()
    assert_same_model(model, again)
    q = random_coordinates(model, np.random.default_rng(3))
    for ours, theirs in zip(link_poses(model, q), link_poses(again, q), strict=True):
        np.testing.assert_allclose(matrix(ours), matrix(theirs), atol=1e-12)


@pytest.mark.parametrize('name', [n for n in URDFS if n not in ('mimic_cycle.urdf',)])
def test_poses_agree_with_pinocchio(name):
    path = shared_robot(name)
    model = load_model(path)
    if any(joint.type is JointType.BALL for joint in model.joints):
        oracle = _with_spherical_joints(path)
    else:
        oracle = pin.buildModelFromXML(_plain_text(path))
    data = oracle.createData()
    rng = np.random.default_rng(len(name))
    for _ in range(3):
        q = random_coordinates(model, rng)
        poses = link_poses(model, q)
        for follower, master in model.mimic_index:
            k, offset = model.mimic_ratio[list(model.mimic_index[:, 0]).index(follower)]
            q[follower] = k * q[master] + offset
        pin.framesForwardKinematics(oracle, data, _pinocchio_coordinates(model, oracle, q))
        for link, pose in zip(model.links, poses, strict=True):
            frame = oracle.getFrameId(link.name, pin.FrameType.BODY)
            X = matrix(pose)
            np.testing.assert_allclose(X, data.oMf[frame].homogeneous, atol=1e-12)


def _plain_text(path):
    """Return a URDF as Pinocchio's parser takes it: <robot> outermost, and no shapes."""
    from lxml import etree

    root = parse_xml(path.read_bytes())
    for shape in [*root.iter('visual'), *root.iter('collision')]:
        shape.getparent().remove(shape)
    for other in list(root):
        if other.tag not in ('link', 'joint'):
            root.remove(other)
    return etree.tostring(root, encoding='unicode')


def _with_spherical_joints(path):
    """Return Pinocchio's model with its own spherical joints where the URDF has them."""
    model = load_model(path)
    oracle = pin.Model()
    parents = {model.root: (0, pin.SE3.Identity())}
    oracle.addFrame(pin.Frame(model.root, 0, 0, pin.SE3.Identity(), pin.FrameType.BODY))
    kinds = {JointType.BALL: pin.JointModelSpherical}
    for joint in model.joints:
        at, before = parents[joint.parent]
        X = before * pin.SE3(matrix(joint.X_PF))
        if joint.type is JointType.FIXED:
            parents[joint.child] = (at, X)
        else:
            if joint.type is JointType.REVOLUTE:
                kind = pin.JointModelRevoluteUnaligned(np.array(joint.axes[0].direction))
            else:
                kind = kinds[joint.type]()
            parents[joint.child] = (oracle.addJoint(at, kind, X, joint.name), pin.SE3.Identity())
        index, X = parents[joint.child]
        oracle.addFrame(pin.Frame(joint.child, index, 0, X, pin.FrameType.BODY))
    return oracle


def _pinocchio_coordinates(model, oracle, q):
    """Return our coordinates in Pinocchio's order: quaternions x first, continuous as cos, sin."""
    out = pin.neutral(oracle)
    for joint in model.joints:
        if joint.type is JointType.FIXED:
            continue
        at = model.coordinates_of(joint.name)
        start = oracle.joints[oracle.getJointId(joint.name)].idx_q
        value = q[at]
        if joint.type is JointType.CONTINUOUS:
            out[start : start + 2] = np.cos(value[0]), np.sin(value[0])
        elif joint.type is JointType.BALL:
            out[start : start + 4] = np.roll(value, -1)
        elif joint.type is JointType.FLOATING:
            out[start : start + 3] = value[4:]
            out[start + 3 : start + 7] = np.roll(value[:4], -1)
        else:
            out[start] = value[0]
    return out
