# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Spheres, arrows and lines as visualization_msgs/Marker."""

from __future__ import annotations

from collections.abc import Sequence

from geometry_msgs.msg import Point
from geometry_msgs.msg import Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

Color = tuple[float, float, float]

# Of an arrow's size or an anchor's, how thick its shaft, its head and a line are.
SHAFT, HEAD, LINE = 0.08, 0.16, 0.08


def sphere(space: str, number: int, frame: str, at: Sequence[float], size: float) -> Marker:
    """Return a sphere of some diameter [m] at a point of a frame."""
    marker = _marker(space, number, frame, Marker.SPHERE, (1.0, 0.8, 0.1))
    marker.pose.position = _point(at)
    marker.scale = Vector3(x=size, y=size, z=size)
    return marker


def arrow(
    space: str,
    number: int,
    frame: str,
    start: Sequence[float],
    along: Sequence[float],
    color: Color,
    size: float,
) -> Marker:
    """Return an arrow from a point of a frame along a vector; size [m] makes it thick or thin."""
    marker = _marker(space, number, frame, Marker.ARROW, color)
    marker.points = [_point(start), _point([a + b for a, b in zip(start, along, strict=True)])]
    marker.scale = Vector3(x=SHAFT * size, y=HEAD * size, z=0.0)
    return marker


def line(
    space: str,
    number: int,
    frame: str,
    ends: tuple[Sequence[float], Sequence[float]],
    color: Color,
    size: float,
) -> Marker:
    """Return a line between two points of a frame."""
    marker = _marker(space, number, frame, Marker.LINE_LIST, color)
    marker.points = [_point(end) for end in ends]
    marker.scale.x = LINE * size
    return marker


def deletion(space: str, number: int) -> Marker:
    """Return what takes a marker away."""
    return Marker(ns=space, id=number, action=Marker.DELETE)


def _marker(space: str, number: int, frame: str, kind: int, color: Color) -> Marker:
    # Without a stamp it is drawn by the latest transform, and goes along with its link.
    marker = Marker(ns=space, id=number, type=kind, action=Marker.ADD, frame_locked=True)
    marker.header.frame_id = frame
    marker.pose.orientation.w = 1.0
    red, green, blue = color
    marker.color = ColorRGBA(r=red, g=green, b=blue, a=1.0)
    return marker


def _point(p: Sequence[float]) -> Point:
    return Point(x=float(p[0]), y=float(p[1]), z=float(p[2]))
