# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""A stream with its complaints written down, for tests without a middleware."""

from __future__ import annotations

from collections.abc import Callable

from kinematics_node.formats.load import load_model
from kinematics_node.model.model import Model
from kinematics_node.ros.stream import Complaints
from kinematics_node.ros.stream import Options
from kinematics_node.ros.stream import Stream


class Recorder(Complaints):
    """Keeps every sentence that a stream says."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def once(self, key: str, sentence: str) -> None:
        """Keep a sentence."""
        self.sentences.append(sentence)

    def repeated(self, key: str, sentence: str) -> None:
        """Keep a sentence."""
        self.sentences.append(sentence)

    def __contains__(self, part: str) -> bool:
        """Tell whether a sentence with this part was said."""
        return any(part in sentence for sentence in self.sentences)


NOW = 1_700_000_000_000_000_000


def stream_of(
    description: str | Model,
    *,
    prefix: str = '',
    interval: int = 0,
    now: Callable[[], int] = lambda: NOW,
) -> Stream:
    """Return a stream of a description; its complaints are a Recorder."""
    model = description if isinstance(description, Model) else load_model(description)
    return Stream(model, Options(prefix, interval), Recorder(), now)
