# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""A small robot in which everything refers to everything, and its zero pose."""

from __future__ import annotations

import pytest

from kinematics_node import fk
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import Closure
from kinematics_node.model.elements import Coupling
from kinematics_node.model.elements import Frame
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Link
from kinematics_node.model.elements import Mimic
from kinematics_node.model.elements import Z_AXIS
from kinematics_node.model.joint_types import JointType

OFFSET = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def arm():
    """Return base -shoulder- upper -elbow- lower, with everything that refers to them."""
    builder = ModelBuilder('arm')
    for name in ('base', 'upper', 'lower'):
        builder.add_link(Link(name))
    axes = (Axis(Z_AXIS),)
    builder.add_joint(Joint('shoulder', JointType.REVOLUTE, 'base', 'upper', OFFSET, axes=axes))
    builder.add_joint(
        Joint(
            'elbow',
            JointType.REVOLUTE,
            'upper',
            'lower',
            OFFSET,
            axes=axes,
            mimic=Mimic('shoulder'),
        )
    )
    builder.add_frame(Frame('tool', 'lower', OFFSET))
    builder.add_closure(Closure('rod', 'distance', 'base', 'lower', length=2.0))
    builder.add_coupling(Coupling('gear', (('shoulder', 1.0), ('elbow', -1.0))))
    return builder


def zero_poses(builder):
    """Return the matrix of every frame in the zero pose, by name."""
    model = builder.finalize()
    poses = fk.pose_matrices(fk.frame_poses(model, model.zero))
    return dict(zip(fk.frame_names(model), poses, strict=True))


def assert_same_poses(before, after):
    assert before.keys() == after.keys()
    for name, X in before.items():
        assert after[name] == pytest.approx(X, abs=1e-12), name
