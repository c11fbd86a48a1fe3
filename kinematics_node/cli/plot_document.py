# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What pictures show, as JSON has it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from kinematics_node.forces import ForceReport
from kinematics_node.plotting.motion import Motion
from kinematics_node.plotting.scales import Scales
from kinematics_node.plotting.skeleton import LinkLines
from kinematics_node.plotting.skeleton import Skeleton


def of_skeleton(
    skeleton: Skeleton, scales: Scales, report: ForceReport | None, picture: str
) -> dict[str, Any]:
    """Return what the picture of a state shows."""
    return {
        'picture': picture,
        'robot': skeleton.robot,
        'held': None if report is None else report.held,
        'links': {link.link: _lines(link) for link in skeleton.links},
        'anchors': {anchor.joint: anchor.point.tolist() for anchor in skeleton.anchors},
        'axes': [
            {'joint': a.joint, 'number': a.number + 1, 'direction': a.direction.tolist()}
            for a in skeleton.axes
        ],
        'closures': [
            {
                'name': closure.name,
                'A': closure.A.tolist(),
                'B': closure.B.tolist(),
                'metres': closure.metres,
                'radians': closure.radians,
            }
            for closure in skeleton.closures
        ],
        'loads': [
            {
                'name': load.name,
                'point': load.point.tolist(),
                'force': load.force.tolist(),
                'torque': load.torque.tolist(),
                'force_determinate': load.force_determinate,
                'torque_determinate': load.torque_determinate,
            }
            for load in skeleton.loads
        ],
        'scales': asdict(scales),
    }


def of_motion(motion: Motion, picture: str) -> dict[str, Any]:
    """Return what the picture of a motion shows; where loops stay open, numbers are null."""
    return {
        'picture': picture,
        'robot': motion.robot,
        'coordinate': motion.coordinate,
        'unit': motion.unit,
        'values': motion.values.tolist(),
        'closed': motion.closed.tolist(),
        'residuals': {name: series.tolist() for name, series in motion.residuals.items()},
        'rank': motion.rank.tolist(),
        'mobility': motion.mobility.tolist(),
        'smallest_singular_value': motion.smallest.tolist(),
        'singular': motion.singular.tolist(),
        'load': motion.load,
        'force': motion.force.tolist(),
        'torque': motion.torque.tolist(),
        'force_determinate': motion.force_determinate.tolist(),
        'torque_determinate': motion.torque_determinate.tolist(),
        'held': motion.held.tolist(),
    }


def _lines(link: LinkLines) -> list[list[list[float]]]:
    lines: list[list[list[float]]] = link.segments.tolist()
    return lines if link.reach is None else [*lines, link.reach.tolist()]
