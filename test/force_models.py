# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Small mechanisms with mass, for the tests of forces."""

from __future__ import annotations

from dataclasses import replace
import math

from loop_models import at
from loop_models import four_bar
from loop_models import random_positions
from loop_models import random_tree
from loop_models import Z
import numpy as np
from numpy.testing import assert_allclose
from random_robots import random_inertia
from random_robots import random_pose

from kinematics_node.dynamics.inertia import joint_inertia
from kinematics_node.fk import frame_poses
from kinematics_node.fk import pose_matrices
from kinematics_node.forces import constraint_forces
from kinematics_node.kinematics.joint_motion import coordinate_rates
from kinematics_node.kinematics.poses import accept_positions
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import Closure
from kinematics_node.model.elements import Inertia
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Link
from kinematics_node.model.joint_types import JointType
from kinematics_node.spatial import compose
from kinematics_node.spatial import invert

G = 9.81
X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
DOWN_Y = (0.0, -G, 0.0)


def point(mass, *center):
    """Return the inertia of a point mass."""
    return Inertia(mass, tuple(float(c) for c in center) or (0.0, 0.0, 0.0))


class Mechanism:
    """A builder that takes a joint and its child link at once."""

    def __init__(self, root='ground', inertia=None):
        self.builder = ModelBuilder('mechanism')
        self.builder.add_link(Link(root, inertia))

    def add(self, name, kind, parent, child, inertia=None, X_PF=None, axes=(), **keywords):
        """Add a joint and the link that it moves; axes are directions or Axis."""
        self.builder.add_link(Link(child, inertia))
        axes = tuple(a if isinstance(a, Axis) else Axis(a) for a in axes)
        self.builder.add_joint(
            Joint(name, kind, parent, child, X_PF or at(), axes=axes, **keywords)
        )
        return self

    def close(self, name, kind, link_A, link_B, X_LA, X_LB, axis=Z, length=0.0):
        """Add a closure."""
        self.builder.add_closure(
            Closure(name, kind, link_A, link_B, X_LA, X_LB, axis, axis, length)
        )
        return self

    def finalize(self):
        """Return the model."""
        return self.builder.finalize()


def with_mass(model, inertias):
    """Return a model with inertias by link."""
    builder = model.edit()
    for k, link in builder.links.items():
        if link.name in inertias:
            builder.links[k] = replace(link, inertia=inertias[link.name])
    return builder.finalize()


def with_random_mass(model, rng):
    """Return a model whose every link has a random inertia."""
    return with_mass(model, {link.name: random_inertia(rng) for link in model.links})


FOUR_BAR = {'ground': 2.0, 'crank': 0.5, 'coupler': 1.8, 'rocker': 1.2}


def four_bar_angles(theta):
    """Return the absolute angles of crank, coupler and rocker, the rocker's tip above."""
    g, a, b, c = FOUR_BAR.values()
    start = np.array((a * math.cos(theta), a * math.sin(theta)))
    across = np.array((g, 0.0)) - start
    d = float(np.linalg.norm(across))
    opening = math.acos((b * b + d * d - c * c) / (2.0 * b * d))
    coupler = math.atan2(across[1], across[0]) + opening
    tip = start + b * np.array((math.cos(coupler), math.sin(coupler)))
    return {
        'ground': 0.0,
        'crank': theta,
        'coupler': coupler,
        'rocker': math.atan2(tip[1], tip[0] - g),
    }


def four_bar_state(model, theta):
    """Return positions of a four-bar, however it is cut, at a crank angle."""
    angles = four_bar_angles(theta)
    return np.array([angles[j.child] - angles[j.parent] for j in model.joints])


def heavy_four_bar(cut='tip', kind='revolute'):
    """Return a four-bar whose links are uniform bars of 1, 2 and 3 kg."""
    bars = {}
    for mass, name in ((1.0, 'crank'), (2.0, 'coupler'), (3.0, 'rocker')):
        length = FOUR_BAR[name]
        moment = mass * length**2 / 12.0
        moments = (0.0, moment, moment, 0.0, 0.0, 0.0)
        bars[name] = Inertia(mass, (0.5 * length, 0.0, 0.0), moments)
    return with_mass(four_bar(cut=cut, kind=kind), bars)


def door(cut, kind=JointType.BALL, closure='ball'):
    """Return a door of 20 kg on two hinges 2 m apart, its weight 0.5 m out; cut at one of them."""
    tree = 'upper' if cut == 'lower' else 'lower'
    heights = {'lower': 0.0, 'upper': 2.0}
    axes = (Z,) if kind is JointType.REVOLUTE else (X, Y, Z)
    link_height = heights[tree]
    mechanism = Mechanism().add(
        tree,
        kind,
        'ground',
        'door',
        point(20.0, 0.5, 0.0, 1.0 - link_height),
        at(0.0, 0.0, link_height),
        axes,
    )
    mechanism.close(
        cut,
        closure,
        'ground',
        'door',
        at(0.0, 0.0, heights[cut]),
        at(0.0, 0.0, heights[cut] - link_height),
    )
    return mechanism.finalize()


def integrate(model, q, v, time, steps, **request):
    """Return where forward dynamics lead after a time, by Runge and Kutta's fourth order.

    For tests only: nothing in the package integrates.
    """

    def rate(q, v):
        report = constraint_forces(model, q, v, mode='forward', **request)
        qdot = np.zeros(model.nq)
        coordinate_rates(model.tree, report.q, report.v, qdot)
        return qdot, report.accelerations

    q, v, h = np.array(q, float), np.array(v, float), time / steps
    for _ in range(steps):
        q1, v1 = rate(q, v)
        q2, v2 = rate(q + 0.5 * h * q1, v + 0.5 * h * v1)
        q3, v3 = rate(q + 0.5 * h * q2, v + 0.5 * h * v2)
        q4, v4 = rate(q + h * q3, v + h * v3)
        q = q + h / 6.0 * (q1 + 2.0 * q2 + 2.0 * q3 + q4)
        v = v + h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4)
        accept_positions(model.tree, q)
    return q, v


def energy(model, q, v, gravity):
    """Return the kinetic energy, by M(q), and the potential energy of gravity."""
    M = np.empty((model.nv, model.nv))
    joint_inertia(model.tree, model.placement, model.inertia, q, M)
    poses = pose_matrices(frame_poses(model, q, [link.name for link in model.links]))
    potential = 0.0
    for T, (mass, *center) in zip(poses, model.inertia[:, :4], strict=True):
        potential -= mass * np.dot(gravity, T[:3, :3] @ center + T[:3, 3])
    return 0.5 * v @ M @ v + potential


T = JointType
MIXED = (T.REVOLUTE, T.UNIVERSAL, T.BALL, T.PRISMATIC, T.PLANAR, T.FIXED, T.FLOATING, T.REVOLUTE)
CLOSURES = ('point', 'revolute', 'fixed', 'distance', 'prismatic', 'universal', 'planar')


def loop(seed, kind, closed=False, kinds=MIXED, times=1):
    """Return a random model with a loop, with positions and velocities; closed ones satisfy it."""
    rng = np.random.default_rng(seed)
    builder, ends = random_tree(
        rng, [kinds[k] for k in rng.permutation(len(kinds))], seed % 2 == 0
    )
    model = with_random_mass(builder.finalize(), rng)
    q, v = random_positions(model, rng), rng.normal(size=model.nv)
    builder, X_LA, X_LB = model.edit(), random_pose(rng), random_pose(rng)
    if closed:
        X_WA, X_WB = (tuple(X) for X in frame_poses(model, q, ends))
        X_LB = compose(invert(X_WB), compose(X_WA, X_LA))
    for n in range(times):
        builder.add_closure(Closure(f'c{n}', kind, *ends, X_LA, X_LB, Z, Z, 0.7))
    model = builder.finalize()
    if closed:
        J = constraint_forces(model, q).parts()[1].J
        v = v - np.linalg.pinv(J) @ (J @ v)
    return model, q, v, rng


def compare(mine, other):
    """Assert that two reports say the same."""
    assert_allclose(mine.wrenches, other.wrenches, atol=1e-9)
    assert_allclose(mine.multiplier_values, other.multiplier_values, atol=1e-9)
    assert_allclose(mine.accelerations, other.accelerations, atol=1e-9)
    assert_allclose(mine.actuator_efforts, other.actuator_efforts, atol=1e-9)
    assert_allclose(mine.base, other.base, atol=1e-9)
    assert mine.summary == other.summary.replace('augmented', 'reduced')
    for report in (mine, other):
        assert abs(report.power.residual) < 1e-10 * (1.0 + abs(report.power.kinetic))


CLOSE = {'rtol': 1e-12, 'atol': 1e-10}
REVOLUTE, PRISMATIC, BALL, FIXED = T.REVOLUTE, T.PRISMATIC, T.BALL, T.FIXED


def pendulum(**axis):
    """Return 2 kg at 0.5 m along x, turning about y."""
    inertia = point(2.0, 0.5, 0.0, 0.0)
    return (
        Mechanism()
        .add('hip', REVOLUTE, 'ground', 'bob', inertia, axes=(Axis(Y, **axis),))
        .finalize()
    )
