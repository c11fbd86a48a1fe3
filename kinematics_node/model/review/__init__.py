# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Review of a model: what is wrong, or looks wrong, in a robot that could be finalized.

In the order in which an asset is best looked through: length and pose, connection, mass, geometry
roles, limits, and what the readers said about the import. docs/review.md lists the codes.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from dataclasses import replace

from kinematics_node.model.findings import Finding
from kinematics_node.model.findings import Severity
from kinematics_node.model.model import Model
from kinematics_node.model.review.connection import review_connection
from kinematics_node.model.review.geometry import review_geometry
from kinematics_node.model.review.lengths import review_lengths
from kinematics_node.model.review.limits import review_limits
from kinematics_node.model.review.mass import review_mass

Check = Callable[[Model], Iterator[Finding]]

# Each group with the codes of readers and of finalize that belong to it.
GROUPS: tuple[tuple[Check, frozenset[str]], ...] = (
    (review_lengths, frozenset({'axis-not-unit', 'axis-missing', 'axis-zero', 'axes-parallel'})),
    (
        review_connection,
        frozenset({'mimic-ignored', 'closure-type', 'drive-dangling', 'loop-closed'}),
    ),
    (review_mass, frozenset({'inertia-missing'})),
    (review_geometry, frozenset({'resource-missing', 'geometry-empty', 'geometry-unknown'})),
    (
        review_limits,
        frozenset(
            {
                'limit-missing',
                'limit-incomplete',
                'limit-ignored',
                'motor-range',
                'motor-outside-stops',
                'position-outside-stops',
                'stops-range',
            }
        ),
    ),
)


def review(model: Model, strict: bool = False) -> tuple[Finding, ...]:
    """Return everything noticed about a model, group by group.

    Parameters
    ----------
    model : Model
        The robot; what its reader and finalize found is part of the result.
    strict : bool
        Turn warnings into errors.

    Returns
    -------
    tuple of Finding
        At most one for each code and element. The last group holds what concerns the import.
    """
    findings: dict[tuple[str, str], Finding] = {}
    left = list(model.findings)
    for check, codes in GROUPS:
        _collect(findings, (finding for finding in left if finding.code in codes))
        _collect(findings, check(model))
        left = [finding for finding in left if finding.code not in codes]
    for number, finding in enumerate(left):
        findings.setdefault((finding.code, f'{finding.element} {number}'), finding)
    if strict:
        return tuple(_strict(finding) for finding in findings.values())
    return tuple(findings.values())


def _collect(findings: dict[tuple[str, str], Finding], found: Iterable[Finding]) -> None:
    for finding in found:
        findings.setdefault((finding.code, finding.element), finding)


def _strict(finding: Finding) -> Finding:
    if finding.severity is not Severity.WARNING:
        return finding
    return replace(finding, severity=Severity.ERROR)
