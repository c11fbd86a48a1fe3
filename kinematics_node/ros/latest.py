# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The state that a question is asked about when it names no other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.errors import KinematicsError
from kinematics_node.model.model import Model
from kinematics_node.ros.stream import Stream


class RequestError(KinematicsError):
    """A request that cannot be answered as it is."""


@dataclass(frozen=True, eq=False)
class Latest:
    """A copy of what the stream knows, for a service to work on while the stream goes on.

    Attributes
    ----------
    model : Model
        The robot.
    q, v : array
        Positions and rates; rates that nobody gave are zero.
    given : set of int
        Coordinates that joint states give themselves.
    stamp : int
        Of the last joint state [ns]; 0 where none has come.
    """

    model: Model
    q: Array
    v: Array
    given: set[int]
    stamp: int

    @classmethod
    def of(cls, stream: Stream | None) -> Latest:
        """Copy the state of a stream.

        Raises
        ------
        RequestError
            There is no model yet.
        """
        if stream is None:
            raise RequestError('there is no robot yet: no description has come')
        model, rates = stream.model, stream.rates()
        return cls(
            model,
            stream.state[: model.nq].copy(),
            np.where(np.isnan(rates), 0.0, rates),
            stream.states.given(stream.measured, stream.known),
            stream.stamp,
        )

    @cached_property
    def measured(self) -> frozenset[str]:
        """The names of the coordinates that joint states give themselves."""
        return frozenset(self.model.coordinate_names[k] for k in self.given)
