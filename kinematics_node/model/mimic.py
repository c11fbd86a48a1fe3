# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Mimic chains, flattened to one master with composed multiplier and offset."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass

from kinematics_node.compiled import Array
from kinematics_node.compiled import Ints
from kinematics_node.errors import MimicError
from kinematics_node.errors import ValueShapeError
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


class MimicRows:
    """Followers as rows y_f = multiplier * y_m + offset over one vector, of positions or rates.

    Parameters
    ----------
    index : int32 array, shape (followers, 2)
        Coordinates of follower and master.
    multipliers, offsets : array, shape (followers,)
        The factors of each row.
    """

    def __init__(self, index: Ints, multipliers: Array, offsets: Array) -> None:
        self._followers = index[:, 0]
        self._masters = index[:, 1]
        self._multipliers = multipliers
        self._offsets = offsets
        pairs: list[list[int]] = index.tolist()
        self._row = {follower: k for k, (follower, _) in enumerate(pairs)}
        self._master = {follower: master for follower, master in pairs}  # noqa: C416
        self._family: dict[int, list[int]] = {}
        for follower, master in pairs:
            self._family.setdefault(master, [master]).append(follower)

    def apply(self, y: Array) -> None:
        """Set every follower from its master."""
        if self._row:
            y[self._followers] = self._multipliers * y[self._masters] + self._offsets

    def pull_masters(self, y: Array, given: Sequence[int], names: Sequence[str]) -> None:
        """Set the masters, unless given themselves, of the followers among the given coordinates.

        Raises
        ------
        ValueShapeError
            A follower's multiplier is 0, so that it says nothing about its master.
        """
        for k in given if self._row else ():
            master = self._master.get(k)
            if master is None or master in given:
                continue
            row = self._row[k]
            if self._multipliers[row] == 0.0:
                raise ValueShapeError(
                    f"'{names[k]}' follows '{names[master]}' with multiplier 0 and cannot move "
                    f"it; set '{names[master]}' instead"
                )
            y[master] = (y[k] - self._offsets[row]) / self._multipliers[row]

    def relatives(self, given: Sequence[int]) -> list[int]:
        """Return masters and followers that move with the given coordinates."""
        if not self._row:
            return []
        masters = dict.fromkeys(self._master.get(k, k) for k in given)
        return [k for master in masters for k in self._family.get(master, ())]

    def counting(self, given: Sequence[int]) -> list[int]:
        """Return the given coordinates that count: not the followers of a given master."""
        if not self._row:
            return list(given)
        return [k for k in given if self._master.get(k) not in given]
