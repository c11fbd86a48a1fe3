# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Mimic chains, flattened to one master with composed multiplier and offset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kinematics_node.errors import MimicError
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Mimic
from kinematics_node.model.findings import Finding
from kinematics_node.model.findings import Severity


@dataclass(frozen=True)
class FlatMimics:
    """The mimic of each follower in terms of a joint that follows nobody, and what was ignored."""

    mimics: dict[str, Mimic]
    findings: tuple[Finding, ...]


def flatten_mimics(joints: Mapping[str, Joint]) -> FlatMimics:
    """Compose chains of mimics: q = k1 (k2 q_master + b2) + b1.

    A mimic on or of a joint that has not exactly one coordinate, or of a joint that is not there,
    is ignored with a finding; its joint then moves by itself.

    Raises
    ------
    MimicError
        Joints that follow each other in a ring; the error names them.
    """
    findings: list[Finding] = []
    direct: dict[str, Mimic] = {}
    for joint in joints.values():
        if joint.mimic is None:
            continue
        reason = _reason_to_ignore(joint, joints)
        if reason:
            findings.append(
                Finding(
                    'mimic-ignored',
                    Severity.WARNING,
                    f"joint '{joint.name}'",
                    f'mimic is ignored: {reason}',
                    joint.line,
                )
            )
        else:
            direct[joint.name] = joint.mimic
    flat: dict[str, Mimic] = {}
    for name in direct:
        _flatten(name, direct, flat)
    return FlatMimics(flat, tuple(findings))


def _reason_to_ignore(joint: Joint, joints: Mapping[str, Joint]) -> str:
    assert joint.mimic is not None
    if not joint.type.is_single_axis:
        return f'a {joint.type.name.lower()} joint cannot follow one number'
    master = joints.get(joint.mimic.master)
    if master is None:
        return f"there is no joint '{joint.mimic.master}' to follow"
    if not master.type.is_single_axis:
        return f"'{master.name}' is {master.type.name.lower()} and has no single number to follow"
    return ''


def _flatten(name: str, direct: Mapping[str, Mimic], flat: dict[str, Mimic]) -> None:
    """Fill flat[name], and the links of its chain on the way, without recursion."""
    chain: dict[str, None] = {}
    current = name
    while current in direct and current not in flat:
        if current in chain:
            walked = list(chain)
            raise MimicError(tuple(walked[walked.index(current) :]))
        chain[current] = None
        current = direct[current].master
    for follower in reversed(chain):
        own = direct[follower]
        above = flat.get(own.master)
        if above is None:
            flat[follower] = own
        else:
            flat[follower] = Mimic(
                above.master,
                own.multiplier * above.multiplier,
                own.multiplier * above.offset + own.offset,
            )
