# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""From a file or a text to a model, whatever the format."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path

from kinematics_node.errors import DescriptionError
from kinematics_node.errors import ResourceError
from kinematics_node.formats.resources import Resources
from kinematics_node.formats.urdf import read_robot
from kinematics_node.formats.xml import name_of
from kinematics_node.formats.xml import parse_xml
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.model import Model


def load_model(
    path_or_text: str | bytes | Path,
    *,
    side_cars: Sequence[str | Path] = (),
    packages: Mapping[str, str | Path] | None = None,
) -> Model:
    """Return the model that a file or a text describes.

    Parameters
    ----------
    path_or_text : str, bytes or Path
        A file (.urdf, .xacro, .sdf, .proto, .wbt), or the text of a description.
    side_cars : sequence of str or Path
        Files with closures, couplings and joint parameters that belong to the description.
    packages : mapping of str to path, optional
        Share directories of packages, before ament's index.

    Raises
    ------
    KinematicsError
        The description cannot be read, or does not make a robot.
    """
    path = _path(path_or_text)
    if path is None:
        text: str | bytes = path_or_text  # type: ignore[assignment]
        builder = read_description(text, Resources(packages))
    else:
        builder = read_description(_read(path), Resources(packages, path.parent))
    return builder.finalize()


def read_description(text: str | bytes, resources: Resources | None = None) -> ModelBuilder:
    """Return a builder that holds what a text describes; its first element says the format.

    Raises
    ------
    DescriptionError
        The text cannot be read.
    """
    root = parse_xml(text)
    if name_of(root) == 'robot':
        return read_robot(root, resources)
    raise DescriptionError(
        f'the root element is <{name_of(root)}>; a description is <robot>', line=root.sourceline
    )


def _path(path_or_text: str | bytes | Path) -> Path | None:
    if isinstance(path_or_text, Path):
        return path_or_text
    if isinstance(path_or_text, bytes) or '\n' in path_or_text or '<' in path_or_text:
        return None
    return Path(path_or_text)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror or 'cannot be read'
        raise ResourceError(
            f"the file '{path}' cannot be read: {reason}; check the path"
        ) from None
