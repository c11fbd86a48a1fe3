# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Frame Jacobians, against Pinocchio, velocities and accelerations."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from pinocchio_oracle import PIN_REFERENCE
from pinocchio_oracle import Twin
import pytest
from random_robots import moving
from random_robots import random_robot

from kinematics_node import fk
from kinematics_node.errors import ValueShapeError
from kinematics_node.fk import Reference
from kinematics_node.formats.load import load_model
from kinematics_node.state import State


@pytest.mark.parametrize('reference', Reference)
@pytest.mark.parametrize('seed', range(4))
def test_a_jacobian_is_pinocchios(seed, reference):
    model, q, _, _ = moving(seed)
    twin = Twin(model)
    q_pin, T = twin.positions(q), twin.rate_map(q)
    for name in ('tool', 'link4', 'link0'):
        theirs = pin.computeFrameJacobian(
            twin.pin, twin.data, q_pin, twin.frame(name), PIN_REFERENCE[reference]
        )
        J = fk.frame_jacobian(model, q, name, reference)
        assert pytest.approx((theirs @ T)[[3, 4, 5, 0, 1, 2]], abs=1e-12) == J


@pytest.mark.parametrize('reference', Reference)
def test_a_jacobian_maps_rates_to_velocities_and_accelerations(reference):
    model, q, v, vdot = moving(8)
    J = fk.frame_jacobian(model, q, 'tool', reference)
    bias = fk.frame_jacobian_bias(model, q, v, 'tool', reference)
    assert J @ v == pytest.approx(fk.frame_velocities(model, q, v, 'tool', reference), abs=1e-12)
    assert J @ vdot + bias == pytest.approx(
        fk.frame_accelerations(model, q, v, vdot, 'tool', reference), abs=1e-11
    )


def test_a_masters_column_with_its_followers_is_pinocchios(shared_robot):
    path = shared_robot('h1_2.urdf')
    model = load_model(path)
    theirs = pin.buildModelFromUrdf(str(path), mimic=True)
    data = theirs.createData()
    q_pin = np.zeros(theirs.nq)
    for master in {mimic.master for mimic in model.mimics.values()}:
        state = State(model)
        state.set_velocity(master, 1.0)
        column = theirs.joints[theirs.getJointId(master)].idx_v
        for link in ('L_thumb_distal', 'R_index_intermediate', 'L_pinky_intermediate'):
            frame = theirs.getFrameId(link, pin.FrameType.BODY)
            J = pin.computeFrameJacobian(theirs, data, q_pin, frame, pin.LOCAL_WORLD_ALIGNED)
            mine = fk.frame_jacobian(model, state.q, link) @ state.v
            assert mine == pytest.approx(J[[3, 4, 5, 0, 1, 2], column], abs=1e-12)


def test_a_batch_of_jacobians_is_a_loop():
    model = random_robot(4).finalize()
    rng = np.random.default_rng(0)
    Q = np.array([State.random(model, rng).q for _ in range(3)])
    J = fk.frame_jacobian(model, Q, 'tool')
    assert J.shape == (3, 6, model.nv)
    for q, one in zip(Q, J, strict=True):
        assert np.array_equal(fk.frame_jacobian(model, q, 'tool'), one)


def test_a_jacobian_of_bad_positions_is_refused():
    model = random_robot(4).finalize()
    with pytest.raises(ValueShapeError, match='which is not finite'):
        fk.frame_jacobian(model, np.full(model.nq, np.nan), 'tool')
