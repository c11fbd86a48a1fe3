# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Robots for the tests: small ones written here, and the shared ones where the folder is there."""

from __future__ import annotations

from pathlib import Path

SHARED = Path(__file__).resolve().parents[3] / 'shared' / 'robots'
# Three joints that follow each other in a ring: refused, so no robot to stream.
REFUSED = ('mimic_cycle.urdf',)


def shared_descriptions() -> list[Path]:
    """Return every URDF of the shared folder that describes a robot; none without the folder."""
    found = [*SHARED.glob('*.urdf'), *SHARED.glob('*/robot.urdf')]
    return sorted(path for path in found if path.name not in REFUSED)


def robot_id(path: Path) -> str:
    """Return a short name of a description for test ids."""
    return path.parent.name if path.name == 'robot.urdf' else path.stem


def urdf(*elements: str, name: str = 'robot') -> str:
    """Return a description of these joints, with the links that they connect."""
    text = ''.join(elements)
    links: dict[str, None] = {}
    for piece in text.split('link="')[1:]:
        links[piece.split('"')[0]] = None
    inner = ''.join(f'<link name="{link}"/>' for link in links)
    return f'<robot name="{name}">{inner}{text}</robot>'


def joint(
    name: str,
    kind: str,
    parent: str,
    child: str,
    *,
    xyz: str = '0 0 0',
    rpy: str = '0 0 0',
    axis: str = '0 0 1',
    mimic: str = '',
) -> str:
    """Return a <joint>; mimic is the text of its attributes."""
    limit = '<limit lower="-3" upper="3" effort="1" velocity="1"/>'
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz="{xyz}" rpy="{rpy}"/>'
        f'<parent link="{parent}"/><child link="{child}"/>'
        + (f'<axis xyz="{axis}"/>' if kind not in ('fixed', 'floating') else '')
        + (limit if kind in ('revolute', 'prismatic') else '')
        + (f'<mimic {mimic}/>' if mimic else '')
        + '</joint>'
    )


def fixed_pair(x: float) -> str:
    """Return a -> b, fixed, b at x."""
    return urdf(joint('weld', 'fixed', 'a', 'b', xyz=f'{x} 0 0'))


def arm(joints: int = 3, *, name: str = 'arm') -> str:
    """Return a chain of continuous joints j1, j2, ... and a fixed tool at its end."""
    axes = ('0 0 1', '0 1 0', '1 0 0')
    elements = [
        joint(
            f'j{k}',
            'continuous',
            f'link{k - 1}',
            f'link{k}',
            xyz=f'0.1 0.02 {0.1 * k:.3f}',
            rpy='0.1 -0.2 0.3',
            axis=axes[k % 3],
        )
        for k in range(1, joints + 1)
    ]
    return urdf(
        *elements, joint('tool', 'fixed', f'link{joints}', 'tip', xyz='0 0 0.2'), name=name
    )


# q2 = 2 q1 + 0.1; q3 = 3 q2 + 0.2, that is 6 q1 + 0.5.
MIMIC_CHAIN = urdf(
    joint('q1', 'continuous', 'a', 'b'),
    joint('q2', 'continuous', 'b', 'c', mimic='joint="q1" multiplier="2" offset="0.1"'),
    joint('q3', 'continuous', 'c', 'd', mimic='joint="q2" multiplier="3" offset="0.2"'),
)
