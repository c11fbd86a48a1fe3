# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The service ~/get_constraint_forces: what every joint carries, and whether that is certain."""

from __future__ import annotations

from collections.abc import Sequence

from geometry_msgs.msg import Point
from geometry_msgs.msg import Vector3
from joint_kinematics import msg
from joint_kinematics.srv import GetConstraintForces
import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.dof import dof_report
from kinematics_node.errors import ValueShapeError
from kinematics_node.forces import constraint_forces
from kinematics_node.forces import ExternalWrench
from kinematics_node.forces import ForceReport
from kinematics_node.forces import Payload
from kinematics_node.forces.conditions import EARTH
from kinematics_node.forces.conditions import NO_GAINS
from kinematics_node.forces.labels import labels_of
from kinematics_node.forces.request import FRAMES
from kinematics_node.forces.request import METHODS
from kinematics_node.forces.request import MODES
from kinematics_node.model.model import Model
from kinematics_node.ros.forces_message import fill_forces
from kinematics_node.ros.latest import Latest
from kinematics_node.ros.latest import RequestError
from kinematics_node.ros.requests import Asked
from kinematics_node.ros.requests import States
from kinematics_node.ros.service_dof import fill_dof


def answer(
    request: GetConstraintForces.Request, latest: Latest, response: GetConstraintForces.Response
) -> None:
    """Write the answer to a request.

    Raises
    ------
    KinematicsError
        The request cannot be used.
    """
    asked, report = _asked_and_report(request, latest)
    freedom = dof_report(
        latest.model,
        asked.q,
        measured=asked.measured,
        actuated=list(request.actuated) or None,
    )
    fill_forces(response.forces, report, latest.stamp)
    fill_dof(response.dof, latest.model, freedom)
    response.success, response.message = True, report.summary


def forces_of(request: GetConstraintForces.Request, latest: Latest) -> msg.ConstraintForces:
    """Return the forces alone that a request asks for.

    Raises
    ------
    KinematicsError
        The request cannot be used.
    """
    _, report = _asked_and_report(request, latest)
    message = msg.ConstraintForces()
    fill_forces(message, report, latest.stamp)
    return message


def _asked_and_report(
    request: GetConstraintForces.Request, latest: Latest
) -> tuple[Asked, ForceReport]:
    mode = _word(request.mode, MODES, 'mode')
    asked = _asked(request, States(latest), mode)
    if asked.worst:
        raise RequestError(
            f"the loops cannot be closed at this state; '{asked.worst}' is open by "
            f'{asked.residual:.3g}'
        )
    report = constraint_forces(
        latest.model,
        asked.q,
        asked.v,
        mode=mode,
        a=asked.a if mode == 'inverse' else None,
        efforts=_efforts(latest.model, asked) if mode == 'forward' else None,
        external=[_external(wrench) for wrench in request.external],
        payloads=[_payload(payload) for payload in request.payloads],
        gravity=_gravity(request),
        actuated=list(request.actuated) or None,
        measured=_joints_of(latest.model, asked.measured) or None,
        frame=_word(request.frame, FRAMES, 'frame'),
        joints=list(request.joints) or None,
        method=_word(request.method, METHODS, 'method'),
        baumgarte=_gains(request),
    )
    return asked, report


def _asked(request: GetConstraintForces.Request, states: States, mode: str) -> Asked:
    state = request.state
    if len(request.accelerations) and mode == 'forward':
        raise RequestError('accelerations are found in mode FORWARD; leave them out')
    if len(request.accelerations) and not state.name:
        raise RequestError('accelerations need a state with names in the same order')
    efforts = state.effort if mode == 'forward' else ()
    return states.of_numbers(
        state.name, state.position, state.velocity, request.accelerations, efforts
    )


def _joints_of(model: Model, coordinates: Sequence[str]) -> list[str]:
    """Return the joints that some coordinates belong to."""
    joint_of = labels_of(model).joint_of
    return list(dict.fromkeys(joint_of[name] for name in coordinates))


def _efforts(model: Model, asked: Asked) -> Array:
    efforts = np.zeros(model.nv)
    for name, value in asked.effort.items():
        k = model.velocity_index.get(name)
        if k is None:
            raise ValueShapeError(f"'{name}' takes no effort; give those of single axes by name")
        efforts[k] = value
    return efforts


def _gravity(request: GetConstraintForces.Request) -> Sequence[float]:
    if request.without_gravity:
        return (0.0, 0.0, 0.0)
    given = _three(request.gravity)
    return given if any(given) else EARTH


def _gains(request: GetConstraintForces.Request) -> tuple[float, float]:
    gains = (request.baumgarte_alpha, request.baumgarte_beta)
    return gains if any(gains) else NO_GAINS


def _external(wrench: msg.ExternalWrench) -> ExternalWrench:
    inside = wrench.wrench.wrench
    return ExternalWrench(
        on=wrench.link,
        force=_three(inside.force),
        torque=_three(inside.torque),
        point=_three(wrench.point),
        frame=wrench.wrench.header.frame_id or None,
    )


def _payload(payload: msg.Payload) -> Payload:
    return Payload(
        on=payload.link,
        mass=payload.mass,
        center=_three(payload.center),
        inertia=tuple(float(x) for x in payload.inertia),
    )


def _three(message: Point | Vector3) -> tuple[float, float, float]:
    return (message.x, message.y, message.z)


def _word(number: int, words: Sequence[str], field: str) -> str:
    if number >= len(words):
        *first, last = [f'{k} ({word.upper()})' for k, word in enumerate(words)]
        raise RequestError(f"'{field}' is {number}; it must be {', '.join(first)} or {last}")
    return words[number]
