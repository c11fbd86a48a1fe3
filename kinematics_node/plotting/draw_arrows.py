# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Arrows in space with heads of points on paper, which short arrows get smaller."""

from __future__ import annotations

from typing import Any

from matplotlib.patches import FancyArrowPatch
from mpl_toolkits.mplot3d import proj3d
from mpl_toolkits.mplot3d.axes3d import Axes3D
import numpy as np

from kinematics_node.compiled import Array

HEAD = 11.0  # points
HEAD_SHARE = 0.6  # of the arrow's length, at most
HEAD_LENGTH = 0.4  # of a head's scale, as '-|>' draws it
POINTS = 72.0


class SpaceArrow(FancyArrowPatch):  # type: ignore[misc]
    """An arrow from a point of a 3-D view to another.

    Parameters
    ----------
    start, end : array, shape (3,)
        Its ends in data coordinates.
    back : float
        How far before the end it stops, in lengths of its head: 1 for the second head of a double
        arrow.
    """

    def __init__(self, start: Array, end: Array, back: float = 0.0, **keywords: Any) -> None:
        super().__init__((0.0, 0.0), (0.0, 0.0), shrinkA=0.0, shrinkB=0.0, **keywords)
        self._ends, self._back = np.array((start, end)), back

    def do_3d_projection(self, renderer: object = None) -> float:
        """Lay the arrow on paper; matplotlib calls this before it draws."""
        x, y, z = proj3d.proj_transform(*self._ends.T, self.axes.get_proj())
        ends = np.column_stack((x, y))
        on_paper = self.axes.transData.transform(ends) * POINTS / self.figure.dpi
        length = float(np.linalg.norm(on_paper[1] - on_paper[0]))
        head = min(HEAD, HEAD_SHARE * length)
        if length > 0.0:
            ends[1] -= (ends[1] - ends[0]) * self._back * HEAD_LENGTH * head / length
        self.set_mutation_scale(max(head, 1e-3))
        self.set_positions(tuple(ends[0]), tuple(ends[1]))
        return float(np.min(z))


def add_arrow(view: Axes3D, start: Array, along: Array, double: bool, **keywords: Any) -> None:
    """Add an arrow from a point along a vector, with two heads where it is double."""
    for back in (0.0, 1.0)[: 1 + double]:
        view.add_artist(SpaceArrow(start, start + along, back, arrowstyle='-|>', **keywords))
