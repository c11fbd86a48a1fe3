# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Small mechanisms and motions for the tests of closed loops."""

from __future__ import annotations

import math

import numpy as np
from transforms3d.quaternions import axangle2quat
from transforms3d.quaternions import qmult
from transforms3d.quaternions import rotate_vector

from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import Closure
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Limits
from kinematics_node.model.elements import Link
from kinematics_node.model.elements import Mimic
from kinematics_node.model.joint_types import JointType

Z = (0.0, 0.0, 1.0)


def at(x=0.0, y=0.0, z=0.0, turn=(1.0, 0.0, 0.0, 0.0)):
    """Return a pose at a position."""
    return (*turn, x, y, z)


def add_joint(builder, name, kind, parent, child, X_PF=None, axes=(), **keywords):
    """Add a child link and the joint that moves it."""
    if not builder.links:
        builder.add_link(Link(parent))
    builder.add_link(Link(child))
    limits = keywords.pop('limits', Limits())
    builder.add_joint(
        Joint(
            name,
            kind,
            parent,
            child,
            X_PF or at(),
            axes=tuple(Axis(direction, limits) for direction in axes),
            **keywords,
        )
    )


def four_bar(ground=2.0, crank=0.5, coupler=1.8, rocker=1.2, cut='tip', kind='revolute'):
    """Return a planar four-bar in x and y, cut at one of its four pins.

    Pins: crank (ground-crank, at the origin), coupler (crank-coupler), rocker (ground-rocker, at
    x = ground), tip (coupler-rocker). Angles of tree joints are relative.
    """
    builder = ModelBuilder(f'four_bar_{cut}')
    pins = {
        'crank': ('ground', 'crank', at(), at()),
        'coupler': ('crank', 'coupler', at(crank), at()),
        'tip': ('coupler', 'rocker', at(coupler), at(rocker)),
        'rocker': ('ground', 'rocker', at(ground), at()),
    }
    builder.add_link(Link('ground'))
    reached, waiting = {'ground'}, [name for name in pins if name != cut]
    while waiting:
        name = next(n for n in waiting if pins[n][0] in reached or pins[n][1] in reached)
        waiting.remove(name)
        parent, child, X_P, X_C = pins[name]
        if parent not in reached:
            parent, child, X_P, X_C = child, parent, X_C, X_P
        back = (*X_C[:4], -X_C[4], -X_C[5], -X_C[6])
        builder.add_link(Link(child))
        builder.add_joint(Joint(name, JointType.REVOLUTE, parent, child, X_P, back, (Axis(Z),)))
        reached.add(child)
    link_A, link_B, X_LA, X_LB = pins[cut]
    builder.add_closure(Closure(cut, kind, link_A, link_B, X_LA, X_LB, Z, Z))
    return builder.finalize()


def four_bar_chain(count):
    """Return a chain of four-bars, each standing on the coupler of the one before."""
    builder = ModelBuilder(f'chain_{count}')
    builder.add_link(Link('base'))
    ground = 'base'
    for n in range(count):
        add_joint(builder, f'crank{n}', JointType.REVOLUTE, ground, f'c{n}', at(0.1), (Z,))
        add_joint(builder, f'coupler{n}', JointType.REVOLUTE, f'c{n}', f'p{n}', at(0.0, 0.5), (Z,))
        add_joint(builder, f'rocker{n}', JointType.REVOLUTE, ground, f'r{n}', at(1.1), (Z,))
        X_LA, X_LB = at(0.8), at(0.0, 0.6)
        builder.add_closure(Closure(f'loop{n}', 'revolute', f'p{n}', f'r{n}', X_LA, X_LB, Z, Z))
        ground = f'p{n}'
    return builder.finalize()


def random_pose(rng):
    """Return a pose drawn at random."""
    turn = rng.normal(size=4)
    return (*(turn / np.linalg.norm(turn)), *rng.uniform(-0.5, 0.5, 3))


def random_axis(rng):
    """Return a unit vector drawn at random."""
    axis = rng.normal(size=3)
    return tuple(axis / np.linalg.norm(axis))


def random_tree(rng, kinds, mimic=False):
    """Return a builder with two branches that hold joints of the given types."""
    builder = ModelBuilder('random')
    ends = ['base', 'base']
    builder.add_link(Link('base'))
    for n, kind in enumerate(kinds):
        axes = [random_axis(rng) for _ in range(kind.axis_count)]
        if kind is JointType.UNIVERSAL and n % 2:
            side = np.cross(axes[0], random_axis(rng))
            axes[1] = tuple(side / np.linalg.norm(side))
        add_joint(
            builder,
            f'j{n}',
            kind,
            ends[n % 2],
            f'l{n}',
            random_pose(rng),
            axes,
            X_MC=random_pose(rng),
        )
        ends[n % 2] = f'l{n}'
    if mimic:
        add_joint(
            builder,
            'follower',
            JointType.REVOLUTE,
            ends[0],
            'tip',
            random_pose(rng),
            (Z,),
            mimic=Mimic('j0', -1.5, 0.2),
        )
        ends[0] = 'tip'
    return builder, ends


def random_positions(model, rng, spread=1.0):
    """Return coordinates drawn at random, quaternions over all rotations."""
    q = rng.uniform(-spread, spread, model.nq)
    for joint, row in zip(model.joints, model.tree[1:], strict=True):
        if joint.type.quaternion_offset == 0:
            turn = rng.normal(size=4)
            q[row[2] : row[2] + 4] = turn / np.linalg.norm(turn)
    for (f, m), (k, b) in zip(model.mimic_index, model.mimic_ratio, strict=True):
        q[f] = k * q[m] + b
    return q


def advance(model, q, v, t):
    """Return where constant velocities v lead from q in a time t, to second order in t."""
    new = q.copy()
    for joint, row in zip(model.joints, model.tree[1:], strict=True):
        k, n = row[2], row[3]
        if joint.type.quaternion_offset == 0:
            w = v[n : n + 3]
            angle = float(np.linalg.norm(w)) * t
            turn = axangle2quat(w, angle) if angle else np.array((1.0, 0.0, 0.0, 0.0))
            new[k : k + 4] = qmult(q[k : k + 4], turn)
            if joint.type is JointType.FLOATING:
                u = v[n + 3 : n + 6]
                step = t * u + 0.5 * t * t * np.cross(w, u)
                new[k + 4 : k + 7] += rotate_vector(step, q[k : k + 4])
        else:
            new[k : k + joint.type.nq] += t * v[n : n + joint.type.nv]
    return new


def law_of_cosines(a, b, c):
    """Return the angle between sides a and b, opposite to c."""
    return math.acos((a * a + b * b - c * c) / (2.0 * a * b))
