# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Who sends joint states: a source for each set of names, when and how often it was heard."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kinematics_node.ros.state_layout import StateLayout

MOST_SOURCES = 64


@dataclass
class Source:
    """Messages that give the same names, in whatever order.

    Attributes
    ----------
    joints : frozenset of str
        The model's moving joints among the names.
    unknown : tuple of str
        Names that the model does not have.
    count : int
        Messages heard.
    refused : int
        Those of them with positions that cannot be used.
    last : int
        When the last one came, on the steady clock [ns].
    """

    joints: frozenset[str] = frozenset()
    unknown: tuple[str, ...] = ()
    count: int = 0
    refused: int = 0
    last: int = 0


class Sources:
    """The sources that a stream has heard, by their names.

    Attributes
    ----------
    all : dict of frozenset of str to Source
        Those heard, the oldest first; of too many the one silent for longest is forgotten.
    malformed : int
        Messages that could not be read, whoever sent them.
    """

    def __init__(self, states: StateLayout) -> None:
        self.all: dict[frozenset[str], Source] = {}
        self.malformed = 0
        self._states = states

    def of(self, names: Iterable[str]) -> Source:
        """Return the source that gives these names."""
        key = frozenset(names)
        if key not in self.all:
            if len(self.all) >= MOST_SOURCES:
                del self.all[min(self.all, key=lambda k: self.all[k].last)]
            self.all[key] = self._new(key)
        return self.all[key]

    def adopt(self, other: Sources) -> None:
        """Take over what was heard for the model before."""
        self.malformed = other.malformed
        for key, before in other.all.items():
            source = self.all[key] = self._new(key)
            source.count, source.refused, source.last = before.count, before.refused, before.last

    def _new(self, names: frozenset[str]) -> Source:
        states = self._states
        given = [name for name in names if name in states.index]
        joints = frozenset(states.joint(states.index[name]) for name in given)
        unknown = sorted(names.difference(given, states.fixed))
        return Source(joints, tuple(unknown))
