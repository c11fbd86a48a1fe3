# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""~/markers: computed while somebody listens, and not otherwise."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any
from typing import TYPE_CHECKING

from rclpy.node import Node
from visualization_msgs.msg import Marker
from visualization_msgs.msg import MarkerArray

from kinematics_node.ros.complaints import Complaints
from kinematics_node.ros.listened import ListenedTimer
from kinematics_node.ros.marker_options import MarkerOptions
from kinematics_node.ros.marker_shapes import deletion
from kinematics_node.ros.stream import Stream

if TYPE_CHECKING:
    from kinematics_node.ros.marker_scene import Scene

QUEUE = 10
Key = tuple[str, int]


class Markers:
    """Publishes what there is to see of a stream's state.

    Parameters
    ----------
    node : Node
        Where the topic is.
    stream : callable
        Returns the stream at work, or None.
    beside : callable
        Makes a call while joint states go on being answered.
    complaints : Complaints
        Takes what cannot be drawn.
    """

    def __init__(
        self,
        node: Node,
        stream: Callable[[], Stream | None],
        beside: Callable[[Callable[[], Any]], Any],
        complaints: Complaints,
    ) -> None:
        self._stream, self._beside, self._complaints = stream, beside, complaints
        self._publisher = node.create_publisher(MarkerArray, '~/markers', QUEUE)
        self._options = MarkerOptions(rate=0.0)
        self._timer = ListenedTimer(node, self._publisher, self.publish)
        self._drawing: Any = None
        self._scene: Scene | None = None
        self._sent: set[Key] = set()

    def follow(self, options: MarkerOptions) -> None:
        """Draw in this way from now on, as long as somebody listens."""
        self._options = options
        if self._timer.follow(options.rate) and not self._timer.rate:
            self._send([])

    def publish(self) -> None:
        """Publish all markers of the state as it is, and take away those that are no more."""
        if self._drawing is None:
            self._drawing = self._beside(_drawing)
        drawing, stream = self._drawing, self._stream()
        if stream is None:
            return
        if self._scene is None or self._scene.model is not stream.model:
            self._scene = drawing.Scene(stream.model, self._complaints)
        scene, shot, options = self._scene, drawing.Snapshot.of(stream), self._options
        # Forces take milliseconds, and the first time their code may have to be compiled.
        self._send(self._beside(lambda: scene.markers(shot, options)))

    def _send(self, markers: list[Marker]) -> None:
        keys = {(marker.ns, marker.id) for marker in markers}
        gone = [deletion(*key) for key in sorted(self._sent - keys)]
        self._sent = keys
        if markers or gone:
            self._publisher.publish(MarkerArray(markers=[*gone, *markers]))


def _drawing() -> Any:
    """Return the module that draws; a node that nobody asks for markers starts without it."""
    return import_module('kinematics_node.ros.marker_scene')
