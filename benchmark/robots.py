# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Robots of any size for the benches."""

from __future__ import annotations

from pathlib import Path
import random

SHARED_ROBOTS = Path(__file__).resolve().parents[2] / 'shared' / 'robots'
AXES = ('1 0 0', '0 1 0', '0 0 1', '0.6 0 0.8')


def joint_names(joints: int) -> list[str]:
    """Return the names of a chain's joints, from the root outward."""
    return [f'joint_{k:05d}' for k in range(1, joints + 1)]


def chain(joints: int) -> str:
    """Return the URDF of a chain of revolute joints with slanted origins and mixed axes."""
    draw = random.Random(joints)
    lines = [f'<robot name="chain_{joints}">', '<link name="base_link"/>']
    parent = 'base_link'
    for k, name in enumerate(joint_names(joints), start=1):
        child = f'link_{k:05d}'
        xyz = f'{draw.uniform(-0.1, 0.1):.4f} 0.02 {draw.uniform(0.1, 0.3):.4f}'
        rpy = ' '.join(f'{draw.uniform(-1.5, 1.5):.4f}' for _ in range(3))
        lines += [
            f'<link name="{child}"/>',
            f'<joint name="{name}" type="revolute">',
            f'<parent link="{parent}"/><child link="{child}"/>',
            f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{AXES[k % len(AXES)]}"/>',
            '<limit lower="-3.1" upper="3.1" effort="100" velocity="10"/>',
            '</joint>',
        ]
        parent = child
    return '\n'.join([*lines, '</robot>'])
