# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""How markers are drawn."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MarkerOptions:
    """How markers are drawn.

    Attributes
    ----------
    rate : float
        Times a second; 0 for not at all.
    size : float
        Length of an axis' arrow [m]; anchors are less than half of it.
    force_scale, torque_scale : float
        Length of arrows [m/N, m/(N m)]; 0 for none.
    """

    rate: float = 10.0
    size: float = 0.05
    force_scale: float = 1e-3
    torque_scale: float = 1e-2
