# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""constraint_forces: from a request to a report."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from kinematics_node.compiled import Array
from kinematics_node.errors import NameLookupError
from kinematics_node.errors import ValueShapeError
from kinematics_node.forces.actuation import actuated_coordinates
from kinematics_node.forces.augmented import solve_augmented
from kinematics_node.forces.conditions import EARTH
from kinematics_node.forces.conditions import make_conditions
from kinematics_node.forces.conditions import NO_EXTERNAL
from kinematics_node.forces.conditions import NO_GAINS
from kinematics_node.forces.conditions import usual_conditions
from kinematics_node.forces.plan import plan_of
from kinematics_node.forces.reduced import solve_reduced
from kinematics_node.forces.report import ForceReport
from kinematics_node.forces.request import external_on_links
from kinematics_node.forces.request import ExternalWrench
from kinematics_node.forces.request import loaded_inertia
from kinematics_node.forces.request import new_state
from kinematics_node.forces.request import Payload
from kinematics_node.forces.solution import Question
from kinematics_node.forces.solution import refuse_unusable
from kinematics_node.kinematics.poses import forward_kinematics
from kinematics_node.model.model import Model

FOUND = (
    "efforts are what mode 'inverse' finds; leave them out, or ask in mode 'forward'",
    "accelerations a are what mode 'forward' finds; leave them out, or ask in mode 'inverse'",
)


def constraint_forces(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    *,
    mode: str = 'inverse',
    a: ArrayLike | None = None,
    efforts: ArrayLike | Mapping[str, float] | None = None,
    external: Sequence[ExternalWrench] = (),
    payloads: Sequence[Payload] = (),
    gravity: Sequence[float] = EARTH,
    actuated: Iterable[str] | None = None,
    measured: Iterable[str] | None = None,
    frame: str = 'parent',
    joints: Sequence[str] | None = None,
    method: str = 'reduced',
    baumgarte: Sequence[float] = NO_GAINS,
) -> ForceReport:
    """Return what every joint and closure carries, and whether that is certain.

    Parameters
    ----------
    model : Model
        The robot.
    q, v : array_like, shapes (nq,) and (nv,)
        Positions and velocities; at rest where v is left out. Followers of mimic joints and closed
        loops are taken as they are given; how far they are open is reported.
    mode : {'inverse', 'forward'}
        inverse: accelerations are given, efforts of the actuators are found; forward: efforts are
        given, accelerations are found.
    a : array_like, shape (nv,), optional
        Accelerations v' (inverse); zero where left out.
    efforts : array_like, shape (nv,), or mapping of joint to effort, optional
        Efforts of the actuators (forward) [N m or N]; zero where left out.
    external : sequence of ExternalWrench
        What the outside puts on links.
    payloads : sequence of Payload
        What links hold.
    gravity : tuple of float
        Acceleration on world axes [m/s^2].
    actuated, measured : iterable of str, optional
        Joints, or velocity coordinates, that are actuated; and those that are measured, which
        count where neither the request nor the description says what is actuated.
    frame : {'parent', 'child', 'world'}
        On the axes of which link wrenches are given; moments are about the anchor in any case.
    joints : sequence of str, optional
        Joints and closures to report; all where left out.
    method : {'reduced', 'augmented'}
        Coordinates of the tree, or six coordinates of every body and all joints as rows.
    baumgarte : tuple of float
        Gains (alpha, beta) [1/s] that pull open constraints together (forward).

    Raises
    ------
    NameLookupError
        There is no joint, link or frame of that name.
    ValueShapeError
        A wrong count, a number that is not finite, a payload that no body is, an unknown word, or
        an argument that does not go with the mode.
    SingularInertiaError
        Forward mode, and something without inertia is free to move.
    """
    forward = mode == 'forward'
    if (a if forward else efforts) is not None:
        raise ValueShapeError(FOUND[forward])
    state = new_state(model, q, v, efforts if forward else a, forward)
    if (
        actuated is None
        and (measured is None or plan_of(model).described)
        and gravity is EARTH
        and baumgarte is NO_GAINS
        and not (external or payloads)
    ):
        conditions = usual_conditions(model, mode, method, frame)
    else:
        plan = plan_of(model)
        conditions = make_conditions(
            plan,
            (mode, method, frame),
            loaded_inertia(model, payloads) if payloads else model.inertia,
            external_at(model, state, external) if external else NO_EXTERNAL,
            gravity,
            actuated_coordinates(model, plan, actuated, measured),
            baumgarte,
        )
    question = Question(model, conditions, state)
    names = None if joints is None else wanted_names(model, joints)
    solve = solve_reduced if method == 'reduced' else solve_augmented
    return ForceReport(question, solve(question), names)


def external_at(model: Model, state: Array, external: Sequence[ExternalWrench]) -> Array:
    """Return external wrenches on links at a state."""
    refuse_unusable(model, state)
    X = np.empty((len(model.links), 7))
    forward_kinematics(model.tree, model.placement, state[: model.nq], X)
    return external_on_links(model, external, X)


def wanted_names(model: Model, joints: Sequence[str]) -> tuple[str, ...]:
    """Return the joints and closures asked for."""
    known = (*model.joint_index, *(closure.name for closure in model.closures))
    for name in joints:
        if name not in known:
            raise NameLookupError('joint', name, known)
    return tuple(joints)
