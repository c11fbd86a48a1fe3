# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Messages made from a whole state: static transforms, and the complete joint state."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Sequence

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import Ints
from kinematics_node.compiled import kernel
from kinematics_node.kinematics.joint_motion import coordinate_rates
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model
from kinematics_node.ros import cdr
from kinematics_node.ros.frames import layout_of
from kinematics_node.ros.rate import SECOND
from kinematics_node.ros.stream_kernels import write_transforms


def static_transforms(model: Model, prefix: str, now: int) -> bytes:
    """Return the serialized TFMessage of all fixed joints, stamped now [ns]."""
    links = [i for i, j in enumerate(model.joints, start=1) if j.type is JointType.FIXED]
    return transforms_of(model, links, prefix, np.array(model.zero), now)


def transforms_of(
    model: Model, links: Sequence[int], prefix: str, state: Array, now: int
) -> bytes:
    """Return the serialized TFMessage of some links at a state, stamped now [ns]."""
    moving, answer = layout_of(model, links, prefix)
    words, doubles = answer.buffer.words, answer.buffer.doubles
    write_transforms(
        model.tree, model.placement, state, moving, *divmod(now, SECOND), words, doubles
    )
    return answer.buffer.bytes.tobytes()


class CompleteState:
    """The serialized JointState of every coordinate that has a value, by name."""

    def __init__(self, model: Model, known: Collection[int]) -> None:
        self.model = model
        self.known = frozenset(known)
        self.coordinates: Ints = np.array(sorted(k for k in known if k < model.nq), np.int32)
        names = [model.coordinate_names[k] for k in self.coordinates]
        zeros = [0.0] * len(names)
        self._with_rates = cdr.joint_state_buffer(names, zeros, zeros)
        self._without_rates = cdr.joint_state_buffer(names, zeros)
        layout = cdr.joint_state_layout(bytes(self._with_rates.memory))
        self._position, self._velocity = layout.position, layout.velocity
        self._rates: Array = np.zeros(model.nq)

    def serialize(self, state: Array, v: Array, stamp: int) -> bytes:
        """Return the message; velocities, q' = N(q) v, are there when all of them are known."""
        coordinate_rates(self.model.tree, state, v, self._rates)
        rates = self._rates[self.coordinates]
        complete = bool(np.isfinite(rates).all())
        buffer = self._with_rates if complete else self._without_rates
        buffer.words[0], buffer.words[1] = divmod(stamp, SECOND)
        copy_selected(state, self.coordinates, buffer.doubles, self._position)
        if complete:
            copy_selected(self._rates, self.coordinates, buffer.doubles, self._velocity)
        return buffer.bytes.tobytes()


@kernel
def copy_selected(source: Array, indices: Ints, target: Array, start: int) -> None:
    """Write source[indices] to target[start:]."""
    for i in range(indices.shape[0]):
        target[start + i] = source[indices[i]]
