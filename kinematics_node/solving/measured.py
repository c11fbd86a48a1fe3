# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Which coordinates are measured, from names or a mask."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kinematics_node.errors import NameLookupError
from kinematics_node.errors import ValueShapeError
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model


def measured_rates(model: Model, measured: Iterable[str] | np.ndarray) -> np.ndarray:
    """Return which velocity coordinates are measured, shape (nv,).

    Parameters
    ----------
    model : Model
        The robot.
    measured : iterable of str, or bool array of shape (nq,)
        Names of joints or of coordinates, or a mask over q. A rotation is measured whole or not at
        all, and so is the position of a floating joint.

    Raises
    ------
    NameLookupError
        A name that is neither a joint nor a coordinate.
    ValueShapeError
        A mask of another shape, or part of a rotation or of a floating joint's position.
    """
    if isinstance(measured, np.ndarray):
        mask = measured.astype(bool)
        if mask.shape != (model.nq,):
            raise ValueShapeError(
                f'the mask of measured coordinates has shape {mask.shape}; '
                f'the model takes {model.nq} values'
            )
    else:
        mask = _mask_of_names(model, measured)
    given = np.zeros(model.nv, bool)
    for joint, row in zip(model.joints, model.tree[1:].tolist(), strict=True):
        _, _, q, v = row
        if joint.type.quaternion_offset < 0:
            given[v : v + joint.type.nv] = mask[q : q + joint.type.nq]
            continue
        given[v : v + 3] = _whole(mask[q : q + 4], joint.name, 'rotation')
        if joint.type is JointType.FLOATING:
            given[v + 3 : v + 6] = _whole(mask[q + 4 : q + 7], joint.name, 'position')
    return given


def _mask_of_names(model: Model, names: Iterable[str]) -> np.ndarray:
    mask = np.zeros(model.nq, bool)
    for name in names:
        if name in model.joint_index:
            mask[model.coordinates_of(name)] = True
        elif name in model.coordinate_index:
            mask[model.coordinate_index[name]] = True
        else:
            raise NameLookupError('joint or coordinate', name, model.coordinate_names)
    return mask


def _whole(mask: np.ndarray, joint: str, part: str) -> bool:
    if mask.any() and not mask.all():
        raise ValueShapeError(
            f"joint '{joint}': {int(mask.sum())} of {mask.size} coordinates of its {part} are "
            'measured; measure all of them or none'
        )
    return bool(mask.all())


def measured_joints(model: Model, names: Iterable[str]) -> tuple[str, ...]:
    """Return the joints that names of joints or of coordinates belong to, each once.

    Raises
    ------
    NameLookupError
        A name that is neither a joint nor a coordinate.
    """
    mask = _mask_of_names(model, list(names))
    return tuple(
        joint.name for joint in model.joints if mask[model.coordinates_of(joint.name)].any()
    )
