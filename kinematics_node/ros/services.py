# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The services: each works on a copy of the latest state, beside the stream."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from traceback import format_exc
from typing import Any

from joint_kinematics.srv import CheckState
from joint_kinematics.srv import ComputeFk
from joint_kinematics.srv import GetConstraintForces
from joint_kinematics.srv import GetDofReport
from rclpy.node import Node

from kinematics_node.errors import KinematicsError
from kinematics_node.ros.latest import Latest
from kinematics_node.ros.stream import Stream

# The module that answers is imported at the first request: all of them together would make the
# node's start a fifth longer.
SERVICES = {
    'check_state': (CheckState, 'kinematics_node.ros.service_check'),
    'compute_fk': (ComputeFk, 'kinematics_node.ros.service_fk'),
    'get_dof_report': (GetDofReport, 'kinematics_node.ros.service_dof'),
    'get_constraint_forces': (GetConstraintForces, 'kinematics_node.ros.service_forces'),
}
POSITION_FK = 'kinematics_node.ros.service_position_fk'


class FailureError(KinematicsError):
    """A request that could not be answered by a mistake of the node."""

    def __init__(self, error: Exception) -> None:
        super().__init__(
            f'the node failed at this request ({type(error).__name__}: {error}); '
            'its log says where, please report it'
        )


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
        self._logger = node.get_logger()
        for name, (kind, module) in SERVICES.items():
            node.create_service(kind, f'~/{name}', self._handler(module, _refuse))
        if (kind := _position_fk()) is not None:
            handler = self._handler(POSITION_FK, _refuse_position_fk)
            node.create_service(kind, '~/compute_position_fk', handler)

    def _handler(
        self, module: str, refuse: Callable[[Any, KinematicsError], Any]
    ) -> Callable[[Any, Any], Any]:
        """Return a callback whose answer is refused by a sentence where the request is bad."""

        def handle(request: Any, response: Any) -> Any:
            try:
                latest = Latest.of(self._stream())
                self._beside(lambda: import_module(module).answer(request, latest, response))
            except KinematicsError as error:
                # Another one, of which nothing is filled in.
                return refuse(type(response)(), error)
            except Exception as error:
                # A mistake of ours: the robot's transforms must not end with it.
                self._logger.error(f'{module} failed:\n{format_exc()}')
                return refuse(type(response)(), FailureError(error))
            return response

        return handle


def _refuse(response: Any, error: KinematicsError) -> Any:
    response.success = False
    response.message = str(error)
    return response


def _position_fk() -> type | None:
    """Return MoveIt's service, or None where its messages are not installed."""
    try:
        from moveit_msgs.srv import GetPositionFK
    except ImportError:
        return None
    return GetPositionFK


def _refuse_position_fk(response: Any, error: KinematicsError) -> Any:
    return import_module(POSITION_FK).refuse(response, error)
