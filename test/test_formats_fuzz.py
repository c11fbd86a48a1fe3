# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Whatever is done to a description, it is read or refused by an error of this package."""

from __future__ import annotations

import random

import pytest
from shared_robots import shared_robot

from kinematics_node.errors import KinematicsError
from kinematics_node.formats.load import apply_side_car
from kinematics_node.formats.load import read_description
from kinematics_node.formats.urdf import read_urdf

SNIPPETS = (
    '', ' ', '"', '<', '>', '</', '/>', '{', '}', '[', ']', ':', '- ', '\n', '\0', '&', 'nan',
    '-1e999', '0x1', '1,2', '${x}', 'inf', 'world', '<joint/>', '<link name="a"/>', '<limit/>',
    '<axis xyz="0"/>', '<origin xyz="1 2 3" rpy="x"/>', '<mimic joint=""/>', 'USE X', 'DEF X',
    'NULL', 'TRUE', '%<', '#', '!!python/object:os.system', '&a', '*a', '? ', '\ud800', 'é', '٣',
)  # fmt: skip
FILES = (
    'panda.urdf',
    'urdfplus_four_bar.urdf',
    'urdfplus_mit_humanoid.urdf',
    'robotiq_2f_85.urdf',
    'four_bar.sdf',
    'webots/RobotWithBallJoint.proto',
    'webots/spring_damping_force.wbt',
)
NOTATION = """
joints:
  panda_joint1: {type: ball, anchor: [0, 0, 1], axis1: [1, 0, 1], damping: [1, 2, 3]}
  panda_joint2: {mimic: {joint: panda_joint3, multiplier: 2}, stops: [-1, 1]}
frames: {f: {link: panda_link3, origin: {xyz: [0, 0, 1], rpy: [1, 2, 3]}}}
closures: {c: {type: distance, frame_A: f, link_B: panda_link0, length: 0.3}}
couplings: {k: {joints: [panda_joint3], coefficients: [1.5], offset: 2}}
closed_loops: []
"""


def damaged(text, rng):
    """Return a text with a few pieces cut out, copied elsewhere or replaced."""
    for _ in range(rng.randint(1, 3)):
        start = rng.randrange(len(text))
        end = min(len(text), start + int(rng.expovariate(0.1)))
        if rng.random() < 0.2:
            copied = text[start:end]
            at = rng.randrange(len(text))
            text = text[:at] + copied + text[at:]
        else:
            text = text[:start] + rng.choice(SNIPPETS) + text[end:]
    return text


@pytest.mark.parametrize('name', FILES)
def test_damaged_descriptions_are_read_or_refused(name, capfd):
    text = shared_robot(name).read_text(encoding='utf-8')
    rng = random.Random(name)
    refused = 0
    for _ in range(60):
        try:
            read_description(damaged(text, rng)).finalize()
        except KinematicsError as error:
            refused += 1
            assert str(error)
    assert refused > 0
    assert capfd.readouterr() == ('', '')


def test_damaged_side_cars_are_read_or_refused():
    robot = shared_robot('panda.urdf').read_bytes()
    rng = random.Random(5)
    refused = 0
    for _ in range(150):
        builder = read_urdf(robot)
        try:
            apply_side_car(builder, damaged(NOTATION, rng))
            builder.finalize()
        except KinematicsError as error:
            refused += 1
            assert str(error)
    assert 0 < refused < 150
