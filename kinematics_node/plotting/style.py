# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Colours of pictures: those of the node's markers, so that both are read alike."""

from __future__ import annotations

Color = tuple[float, float, float]

AXIS_COLORS: tuple[Color, ...] = ((0.9, 0.2, 0.2), (0.2, 0.8, 0.2), (0.3, 0.4, 1.0))
FORCE_COLOR: Color = (1.0, 0.5, 0.0)
TORQUE_COLOR: Color = (0.7, 0.2, 0.9)
ANCHOR_COLOR: Color = (1.0, 0.8, 0.1)

LINK_COLOR = '#33475b'
REACH_COLOR = '#8a9bab'
TEXT_COLOR = '#222222'
GRID_COLOR = '#dddddd'
OPEN_TEXT_COLOR = '#b01010'
GAP_COLOR = '#e8e8e8'

# A residual so many times the tolerance is all red.
RED = 10.0
TOLERANCE = 1e-3  # m, rad: the node's loop_tolerance, by which its markers go


def residual_color(residual: float, tolerance: float = TOLERANCE) -> Color:
    """Return green for a closed loop, yellow and then red for one that is open."""
    open_by = residual / (RED * tolerance) if tolerance else float(residual > 0.0)
    share = min(open_by, 1.0)
    return (min(2.0 * share, 1.0), min(2.0 - 2.0 * share, 1.0), 0.0)
