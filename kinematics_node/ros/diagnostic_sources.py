# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The diagnostic task 'joint states': who sends what, how often, and who does not any more."""

from __future__ import annotations

from collections import deque

from kinematics_node.ros.diagnostic_status import all_of
from kinematics_node.ros.diagnostic_status import Level
from kinematics_node.ros.diagnostic_status import Moment
from kinematics_node.ros.diagnostic_status import Status
from kinematics_node.ros.diagnostic_status import Thresholds
from kinematics_node.ros.plan import listed
from kinematics_node.ros.rate import SECOND
from kinematics_node.ros.sources import Source
from kinematics_node.ros.stream import Stream

# Rates are means over so many looks.
LOOKS = 5
MOST_SOURCES_SHOWN = 16


class JointStates:
    """Rate and age of each source; joints that are silent, missing or unknown."""

    name = 'joint states'

    def __init__(self) -> None:
        self._looks: deque[tuple[int, dict[frozenset[str], int]]] = deque(maxlen=LOOKS + 1)

    def look(self, stream: Stream, thresholds: Thresholds, now: Moment) -> Status:
        """Return the status at a moment."""
        sources = stream.sources.all
        self._looks.append((now.steady, {key: s.count for key, s in sources.items()}))
        limit = round(SECOND * thresholds.stale_after)
        fresh = [s for s in sources.values() if now.steady - s.last <= limit]
        heard = frozenset[str]().union(*(s.joints for s in fresh))
        old = [s for s in sources.values() if now.steady - s.last > limit]
        silent = sorted(frozenset[str]().union(*(s.joints for s in old)) - heard)
        missing = missing_joints(stream)
        unknown = sorted({name for s in fresh for name in s.unknown})
        values = self._values(stream, now)
        values['silent joints'] = all_of(silent)
        values['missing joints'] = all_of(missing)
        values['unknown joints'] = all_of(unknown)
        if not any(joint.type.nq for joint in stream.model.joints):
            return Status(Level.OK, 'the robot has no moving joints', values)
        if not sources:
            return Status(Level.STALE, 'no joint states have come', values)
        if not fresh:
            age = min(now.steady - s.last for s in sources.values()) / SECOND
            return Status(Level.STALE, f'no joint states for {age:.1f} s', values)
        wrong = []
        if silent:
            wrong.append(f'not heard of any more: {listed(silent)}')
        if missing:
            wrong.append(f'nobody gives {listed(missing)}')
        if unknown:
            wrong.append(f'the model does not have {listed(unknown)}')
        level = Level.ERROR if silent else Level.WARN if wrong else Level.OK
        return Status(level, '; '.join(wrong) or f'{values["rate [Hz]"]} Hz', values)

    def _values(self, stream: Stream, now: Moment) -> dict[str, str]:
        sources = stream.sources.all
        last = max((s.last for s in sources.values()), default=None)
        values = {
            'rate [Hz]': f'{sum(self._rate(key) for key in sources):.1f}',
            'age [s]': 'none' if last is None else f'{(now.steady - last) / SECOND:.3f}',
            'delay of the last stamp [s]': 'none'
            if last is None
            else f'{(now.stamp - stream.stamp) / SECOND:.3f}',
            'messages': str(sum(s.count for s in sources.values())),
            'malformed messages': str(stream.sources.malformed),
        }
        for number, (key, source) in enumerate(list(sources.items())[:MOST_SOURCES_SHOWN], 1):
            values[f'source {number}'] = self._described(key, source, now)
        return values

    def _described(self, key: frozenset[str], source: Source, now: Moment) -> str:
        refused = f', {source.refused} with unusable positions' if source.refused else ''
        return (
            f'{self._rate(key):.1f} Hz, age {(now.steady - source.last) / SECOND:.3f} s, '
            f'{source.count} messages{refused}: {listed(sorted(key))}'
        )

    def _rate(self, key: frozenset[str]) -> float:
        """Return messages a second since the oldest look that is remembered."""
        (since, before), (now, counts) = self._looks[0], self._looks[-1]
        elapsed = (now - since) / SECOND
        return (counts.get(key, 0) - before.get(key, 0)) / elapsed if elapsed > 0.0 else 0.0


def missing_joints(stream: Stream) -> list[str]:
    """Return the moving joints that nobody gives, and that no loop will once it can be solved."""
    given = set(stream.known)
    for block in stream.loops.blocks if stream.loops is not None else ():
        # Of a block that waits for its motors, it is the motors that somebody must give.
        if block.given or block.missing:
            solved = block.solved.tolist()
            given.update(k for k in solved if stream.states.joint(k) not in block.missing)
    return [
        joint.name
        for link, joint in enumerate(stream.model.joints, start=1)
        if joint.type.nq and not given.issuperset(stream.states.coordinates(link))
    ]
