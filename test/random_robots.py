# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Random robots and states, from a seed."""

from __future__ import annotations

import numpy as np

from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import Frame
from kinematics_node.model.elements import IDENTITY_POSE
from kinematics_node.model.elements import Inertia
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Limits
from kinematics_node.model.elements import Link
from kinematics_node.model.elements import Pose
from kinematics_node.model.elements import Vector
from kinematics_node.model.joint_types import JointType
from kinematics_node.state import State

ALL_TYPES = tuple(JointType)


def random_vector(rng: np.random.Generator, size: float = 1.0) -> Vector:
    """Return three numbers from -size..size."""
    x, y, z = rng.uniform(-size, size, 3).tolist()
    return (x, y, z)


def random_unit(rng: np.random.Generator, count: int = 3) -> tuple[float, ...]:
    """Return a uniformly random unit vector, or quaternion."""
    x = rng.normal(size=count)
    return tuple((x / np.linalg.norm(x)).tolist())


def random_pose(rng: np.random.Generator) -> Pose:
    """Return a pose with any rotation."""
    return (*random_unit(rng, 4), *random_vector(rng))  # type: ignore[return-value]


def random_inertia(rng: np.random.Generator) -> Inertia:
    """Return an inertia that a body may have: that of a few point masses."""
    masses = rng.uniform(0.1, 1.0, 6)
    points = rng.uniform(-0.3, 0.3, (6, 3))
    center = masses @ points / masses.sum()
    r = points - center
    I = np.einsum('k,kij->ij', masses, [p @ p * np.eye(3) - np.outer(p, p) for p in r])  # noqa: E741
    six = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
    return Inertia(float(masses.sum()), tuple(center.tolist()), tuple(map(float, six)))


def random_axes(rng: np.random.Generator, kind: JointType) -> tuple[Axis, ...]:
    """Return unit axes as the type needs them, with limits."""
    return tuple(
        Axis(random_unit(rng), Limits(-rng.uniform(0.5, 2.0), rng.uniform(0.5, 2.0)))
        for _ in range(kind.axis_count)
    )


def random_robot(
    seed: int,
    links: int = 12,
    types: tuple[JointType, ...] = ALL_TYPES,
    anchors: bool = True,
) -> ModelBuilder:
    """Return a random tree, each joint type in turn, with a frame on its last link.

    With anchors, every other joint has its child's frame away from M.
    """
    rng = np.random.default_rng(seed)
    builder = ModelBuilder(f'random{seed}')
    for i in range(links):
        builder.add_link(Link(f'link{i}', inertia=random_inertia(rng)))
    for i in range(1, links):
        kind = types[i % len(types)]
        builder.add_joint(
            Joint(
                f'joint{i}',
                kind,
                parent=f'link{rng.integers(max(0, i - 4), i)}',
                child=f'link{i}',
                X_PF=random_pose(rng),
                X_MC=random_pose(rng) if anchors and i % 2 else IDENTITY_POSE,
                axes=random_axes(rng, kind),
            )
        )
    builder.add_frame(Frame('tool', f'link{links - 1}', random_pose(rng)))
    return builder


def moving(seed, links=14):
    """Return a random model with positions, velocities and accelerations."""
    rng = np.random.default_rng(seed)
    model = random_robot(seed, links).finalize()
    state = State.random(model, rng, speed=1.0)
    return model, state.q, state.v, rng.uniform(-1.0, 1.0, model.nv)
