# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What is said of a stream's state, looked at now and then and not at every message."""

from __future__ import annotations

from kinematics_node.ros.diagnostic_checks import contradicting_mimics
from kinematics_node.ros.stream import Stream


class Watch:
    """Looks at one stream, and complains in its name."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._doubted: set[str] = set()

    def complain_of_silence(self) -> None:
        """Say once which planar, floating and other many-axis joints nobody gives a state."""
        stream = self._stream
        solved = frozenset().union(*stream.loops.values()) if stream.loops is not None else ()
        known = stream.known.union(solved)
        for link, joint in enumerate(stream.model.joints, start=1):
            if joint.type.nq > 1 and not known.issuperset(stream.states.coordinates(link)):
                kind = joint.type.name.lower()
                first = joint.name + joint.type.coordinate_suffixes[0]
                stream.complaints.once(
                    f'no-state-of-{joint.name}',
                    f"joint '{joint.name}' is {kind} and nobody gives its state, on "
                    f"multi_dof_joint_states or on joint_states as '{first}' and so on; it is "
                    'not published',
                )

    def complain_of_contradictions(self, tolerance: float) -> None:
        """Name measured followers further off than a tolerance [rad or m] at two looks in a row.

        A single look may fall between the messages of two publishers.
        """
        off = list(contradicting_mimics(self._stream, tolerance))
        for found in off:
            if found.name in self._doubted:
                self._stream.complaints.repeated(
                    f'contradiction-of-{found.name}',
                    f'joint {found.sentence}; it is published as measured',
                )
        self._doubted = {found.name for found in off}
