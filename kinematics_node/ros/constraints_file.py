# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Constraints from a file beside a description, as parameters of the node."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kinematics_node.errors import ResourceError
from kinematics_node.formats.export import export_notation
from kinematics_node.formats.export import export_urdf
from kinematics_node.formats.gepetto import is_gepetto
from kinematics_node.formats.load import apply_side_car
from kinematics_node.formats.load import read_description
from kinematics_node.formats.notation import SECTIONS
from kinematics_node.formats.parameter_tree import parameters_of
from kinematics_node.formats.yaml_text import parse_yaml
from kinematics_node.ros.description_file import file_at


def constraint_parameters(address: str, description: str) -> dict[str, Any]:
    """Return what a file says about a description, as parameters: 'joints.caster.type' and so on.

    Parameters
    ----------
    address : str
        A path, or package://<package>/<path>: our notation, a ROS parameter file, or Gepetto's
        robot.yaml.
    description : str
        The text of the description that the file belongs to; where it is not known, '', the file
        is not checked against it, and must be in our notation.

    Raises
    ------
    KinematicsError
        The file is not there, cannot be read, or does not fit the description.
    """
    text = file_at(address, 'constraints').read_bytes()
    mapping = parse_yaml(text)
    if description:
        builder = read_description(description)
        apply_side_car(builder, text)
        if is_gepetto(mapping):
            return flat(export_notation(builder.finalize(), description))
    elif is_gepetto(mapping):
        raise ResourceError(
            f"the constraints '{address}' are Gepetto's, which say nothing without the model; "
            'give the model too'
        )
    return flat(parameters_of(mapping)[0])


def own_constraints(description: str) -> dict[str, Any]:
    """Return the constraints that a description holds itself, as parameters.

    Raises
    ------
    KinematicsError
        The description cannot be read.
    """
    builder = read_description(description)
    if not (builder.closures or builder.couplings):
        return {}
    return flat(export_notation(builder.finalize(), description))


def as_urdf(description: str) -> tuple[str, dict[str, Any]]:
    """Return a description in any format as plain URDF, and what that cannot say as parameters.

    Raises
    ------
    KinematicsError
        The description cannot be read, or does not make a robot.
    """
    model = read_description(description).finalize()
    urdf = export_urdf(model)
    return urdf, flat(export_notation(model, urdf))


def constraints_beside(model: Path) -> str:
    """Return the path of the constraints that belong to an example, or '' where it has none."""
    path = model.parent / f'{model.parent.name}.yaml'
    return str(path) if path.is_file() else ''


def flat(notation: Mapping[str, Any]) -> dict[str, Any]:
    """Return our notation with dots between its levels, in values that a parameter can hold."""
    return {
        name: _value(value)
        for name, value in _leaves(notation, '')
        if name.split('.', 1)[0] in SECTIONS
    }


def _leaves(level: Mapping[str, Any], before: str) -> Iterator[tuple[str, Any]]:
    for key, value in level.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f'{before}{key}.')
        elif value is not None:
            yield f'{before}{key}', value


def _value(value: Any) -> Any:
    """Return a value as a parameter: lists are not nested, and all their numbers are floats."""
    if not isinstance(value, (list, tuple)):
        return value
    items: list[Any] = []
    for item in value:
        items.extend(item if isinstance(item, (list, tuple)) else [item])
    plain = any(isinstance(item, (bool, str)) for item in items)
    return items if plain else [float(item) for item in items]
