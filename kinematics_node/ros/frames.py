# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Names of frames, and the layout of the transforms of some links."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinematics_node.compiled import Ints
from kinematics_node.model.model import Model
from kinematics_node.ros.cdr import transform_buffer
from kinematics_node.ros.cdr import TransformBuffer


def layout_of(model: Model, links: Sequence[int], prefix: str) -> tuple[Ints, TransformBuffer]:
    """Lay out a TFMessage of some links.

    Returns
    -------
    places : int32 array, shape (links, 3)
        Link, word of its stamp, first double of its pose.
    TransformBuffer
        The message.
    """
    answer = transform_buffer([frames_of(model, link, prefix) for link in links])
    places = np.column_stack((np.array(links, np.int32), answer.places)).astype(np.int32)
    return places, answer


def frames_of(model: Model, link: int, prefix: str) -> tuple[str, str]:
    """Return the names of a link's parent frame and of its own, as TF carries them."""
    parent = model.links[model.tree[link, 0]].name
    return frame_id(prefix, parent), frame_id(prefix, model.links[link].name)


def frame_id(prefix: str, name: str) -> str:
    """Put the prefix in front, and never start with a slash: TF refuses such names."""
    return (prefix + name).lstrip('/')
