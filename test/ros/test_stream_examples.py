# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Examples in the stream: loops around floating and ball joints, and around followers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from ros.messages import frames
from ros.messages import joint_state
from ros.messages import serialize_message
from ros.recorder import stream_of
from transforms3d.quaternions import quat2mat

from kinematics_node.fk import frame_poses
from kinematics_node.formats.load import load_model
from kinematics_node.ros.watch import Watch
from kinematics_node.solve import LoopSolver

EXAMPLES = Path(__file__).resolve().parents[2] / 'examples'


@pytest.mark.parametrize('name', ['delta', 'stewart', 'push_rod_ankle', 'tendon_t_coupler'])
def test_every_frame_moves_with_the_motors_alone(name: str) -> None:
    path = EXAMPLES / name / name
    model = load_model(path.with_suffix('.urdf'), side_cars=[path.with_suffix('.yaml')])
    motors = [joint.name for joint in model.joints if joint.actuated]
    solver, stream = LoopSolver(model, motors), stream_of(model)
    q = solver.assemble(model.zero).q
    for share in (0.0, 0.1, 0.2):
        positions = {
            motor: share * float(model.upper[model.coordinate_index[motor]]) for motor in motors
        }
        target = q.copy()
        for motor, position in positions.items():
            target[model.coordinate_index[motor]] = position
        q = solver.solve(target, start=q).q
        answer = frames(stream.take(serialize_message(joint_state(positions))))
        assert set(answer) == {joint.child for joint in model.joints if joint.type.nq}
        for joint in model.joints:
            if joint.type.nq:
                X = frame_poses(model, q, joint.child, relative_to=joint.parent)
                np.testing.assert_allclose(answer[joint.child][:3, 3], X[4:], atol=1e-8)
                np.testing.assert_allclose(answer[joint.child][:3, :3], quat2mat(X[:4]), atol=1e-8)
    Watch(stream).complain_of_silence()
    assert stream.complaints.sentences == []
