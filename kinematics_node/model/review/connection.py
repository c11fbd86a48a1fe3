# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Connection: anchors apart from their child, mimics, couplings and closures that go nowhere.

Several roots, two parents, cycles, unreachable links and names used twice are refused when a model
is finalized, and need no review.
"""

from __future__ import annotations

from collections.abc import Iterator
import math

from kinematics_node.model.ball_joint import anchor_gap
from kinematics_node.model.findings import Finding
from kinematics_node.model.findings import Severity
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model

GAP = 1e-6
ANGLE_SLACK = 1e-6


def review_connection(model: Model) -> Iterator[Finding]:
    """Look at how elements refer to each other."""
    yield from _anchors(model)
    yield from _mimics(model)
    yield from _couplings(model)
    yield from _closures(model)


def _anchors(model: Model) -> Iterator[Finding]:
    for joint in model.joints:
        if joint.type not in (JointType.BALL, JointType.UNIVERSAL):
            continue
        gap = anchor_gap(joint)
        if gap > GAP:
            yield Finding(
                'anchor-apart',
                Severity.WARNING,
                f"joint '{joint.name}'",
                f"its anchor is {gap:.6g} m from the origin of its child '{joint.child}', which "
                'therefore swings about the anchor; set the anchor to the pivot, or ignore this '
                'where that is meant',
                joint.line,
            )


def _mimics(model: Model) -> Iterator[Finding]:
    for name, mimic in model.mimics.items():
        joint = model.joint(name)
        element = f"joint '{name}'"
        if mimic.multiplier == 0.0:
            yield Finding(
                'mimic-constant',
                Severity.WARNING,
                element,
                f"follows '{mimic.master}' with multiplier 0, so that it never moves; "
                'make it fixed, or give its ratio',
                joint.line,
            )
            continue
        k, m = model.coordinate_index[name], model.coordinate_index[mimic.master]
        ends = [mimic.multiplier * x + mimic.offset for x in (model.lower[m], model.upper[m])]
        low, high = min(ends), max(ends)
        if not math.isfinite(low) or not math.isfinite(high):
            continue
        if low < model.lower[k] - ANGLE_SLACK or high > model.upper[k] + ANGLE_SLACK:
            yield Finding(
                'mimic-leaves-limits',
                Severity.WARNING,
                element,
                f"'{mimic.master}' drives it from {low:.6g} to {high:.6g}, beyond its own limits "
                f'{model.lower[k]:.6g} to {model.upper[k]:.6g}; make the two agree',
                joint.line,
            )


def _couplings(model: Model) -> Iterator[Finding]:
    for coupling in model.couplings:
        element = f"coupling '{coupling.name}'"
        for term, factor in coupling.terms:
            if term not in model.coordinate_index:
                yield Finding(
                    'coupling-dangling',
                    Severity.ERROR,
                    element,
                    f"there is no coordinate '{term}'; name a joint with one",
                    coupling.line,
                )
            elif factor == 0.0:
                yield Finding(
                    'coupling-zero-factor',
                    Severity.WARNING,
                    element,
                    f"the factor of '{term}' is 0; leave the term out or give its ratio",
                    coupling.line,
                )


def _closures(model: Model) -> Iterator[Finding]:
    for closure in model.closures:
        if closure.link_A == closure.link_B:
            yield Finding(
                'closure-on-one-link',
                Severity.ERROR,
                f"closure '{closure.name}'",
                f"both ends are on link '{closure.link_A}'; a loop needs two links",
                closure.line,
            )
