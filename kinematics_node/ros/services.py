# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The services: each works on a copy of the latest state, beside the stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from joint_kinematics.srv import CheckState
from joint_kinematics.srv import ComputeFk
from joint_kinematics.srv import GetConstraintForces
from joint_kinematics.srv import GetDofReport
from rclpy.node import Node

from kinematics_node.errors import KinematicsError
from kinematics_node.ros import service_check
from kinematics_node.ros import service_dof
from kinematics_node.ros import service_fk
from kinematics_node.ros import service_forces
from kinematics_node.ros.requests import Latest
from kinematics_node.ros.stream import Stream

Answer = Callable[[Any, Latest], Any]
SERVICES: dict[str, tuple[type, Answer]] = {
    'check_state': (CheckState, service_check.answer),
    'compute_fk': (ComputeFk, service_fk.answer),
    'get_dof_report': (GetDofReport, service_dof.answer),
    'get_constraint_forces': (GetConstraintForces, service_forces.answer),
}


class Services:
    """Serves a node's questions.

    Parameters
    ----------
    node : Node
        Where the services are created.
    stream : callable
        Returns the stream at work, or None.
    beside : callable
        Makes a call while joint states go on being answered.
    """

    def __init__(
        self,
        node: Node,
        stream: Callable[[], Stream | None],
        beside: Callable[[Callable[[], Any]], Any],
    ) -> None:
        self._stream = stream
        self._beside = beside
        for name, (kind, answer) in SERVICES.items():
            node.create_service(kind, f'~/{name}', self._handler(answer))

    def _handler(self, answer: Answer) -> Callable[[Any, Any], Any]:
        """Return a callback whose answer is refused by a sentence where the request is bad."""

        def handle(request: Any, response: Any) -> Any:
            try:
                latest = Latest.of(self._stream())
                return self._beside(lambda: answer(request, latest))
            except KinematicsError as error:
                response.success = False
                response.message = str(error)
                return response

        return handle
