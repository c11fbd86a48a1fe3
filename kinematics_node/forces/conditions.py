# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Conditions: what is asked, but for the state; made once a model where nothing is special."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from kinematics_node.addresses import table_of
from kinematics_node.compiled import Array
from kinematics_node.forces.plan import Mask
from kinematics_node.forces.plan import Plan
from kinematics_node.forces.plan import plan_of
from kinematics_node.forces.request import FRAMES
from kinematics_node.forces.request import gains_of
from kinematics_node.forces.request import refuse_unknown_words
from kinematics_node.forces.request import vector_of
from kinematics_node.forces.solution import Conditions
from kinematics_node.model.model import Model

EARTH = (0.0, 0.0, -9.81)
DOWN = np.array(EARTH)
NO_EXTERNAL = np.zeros((0, 6))
NO_GAINS = (0.0, 0.0)

_usual: WeakKeyDictionary[Model, dict[tuple[str, str, str], Conditions]] = WeakKeyDictionary()


def usual_conditions(model: Model, mode: str, method: str, frame: str) -> Conditions:
    """Return the conditions of a request without loads, with the model's own actuation.

    Raises
    ------
    ValueShapeError
        An unknown word.
    """
    known = _usual.get(model)
    if known is None:
        known = _usual[model] = {}
    words = (mode, method, frame)
    found = known.get(words)
    if found is None:
        plan = plan_of(model)
        actuation = (plan.actuated, plan.actuated_from)
        found = known[words] = make_conditions(
            plan, words, model.inertia, NO_EXTERNAL, EARTH, actuation, NO_GAINS
        )
    return found


def make_conditions(
    plan: Plan,
    words: tuple[str, str, str],
    inertia: Array,
    external: Array,
    gravity: Sequence[float] | ArrayLike,
    actuation: tuple[Mask, str],
    baumgarte: Sequence[float],
) -> Conditions:
    """Return conditions; words are mode, method and frame.

    Raises
    ------
    ValueShapeError
        An unknown word, gravity that is no vector, or gains below zero.
    """
    mode, method, frame = words
    refuse_unknown_words(mode, method, frame)
    actuated, actuated_from = actuation
    down = DOWN if gravity is EARTH else vector_of(gravity, 3, 'gravity')
    alpha, beta = NO_GAINS if baumgarte is NO_GAINS else gains_of(baumgarte)
    own = table_of((inertia, down, external, actuated))
    return Conditions(
        plan=plan,
        mode=mode,
        method=method,
        frame=FRAMES.index(frame),
        inertia=inertia,
        external=external,
        gravity=down,
        actuated=actuated,
        actuated_from=actuated_from,
        alpha=alpha,
        beta=beta,
        table=np.concatenate((plan.table_rows, own)),
    )
