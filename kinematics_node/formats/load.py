# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""From a file or a text to a model, whatever the format.

Readers other than URDF's are imported when they are needed: they would make a node's start longer.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
import contextlib
import io
from pathlib import Path

from kinematics_node.errors import DescriptionError
from kinematics_node.errors import ResourceError
from kinematics_node.formats.notation import apply_notation
from kinematics_node.formats.resources import Resources
from kinematics_node.formats.urdf import read_robot
from kinematics_node.formats.xml import name_of
from kinematics_node.formats.xml import parse_xml
from kinematics_node.formats.yaml_text import parse_yaml
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.model import Model

WEBOTS = '#VRML_SIM'


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
        Files with closures, couplings and joint parameters that belong to the description: our
        notation, a ROS parameter file, or Gepetto's robot.yaml.
    packages : mapping of str to path, optional
        Share directories of packages, before ament's index.

    Raises
    ------
    KinematicsError
        The description cannot be read, or does not make a robot.
    """
    builder = load_builder(path_or_text, packages=packages)
    for side_car in side_cars:
        apply_side_car(builder, _read(Path(side_car)))
    return builder.finalize()


def load_builder(
    path_or_text: str | bytes | Path,
    *,
    packages: Mapping[str, str | Path] | None = None,
) -> ModelBuilder:
    """Return a builder that holds what a file or a text describes, without side-cars.

    Raises
    ------
    KinematicsError
        The file or its description cannot be read.
    """
    path = _path(path_or_text)
    if path is None:
        assert not isinstance(path_or_text, Path)
        return read_description(path_or_text, Resources(packages))
    text: str | bytes = _read(path)
    if path.suffix == '.xacro':
        text = expand_xacro(path, text)
    return read_description(text, Resources(packages, path.parent))


def read_description(text: str | bytes, resources: Resources | None = None) -> ModelBuilder:
    """Return a builder that holds what a text describes; the text itself says the format.

    Raises
    ------
    DescriptionError
        The text cannot be read.
    """
    if is_webots(text):
        from kinematics_node.formats.webots import read_webots

        return read_webots(text, resources)
    root = parse_xml(text)
    tag = name_of(root)
    if tag == 'robot':
        return read_robot(root, resources)
    if tag == 'sdf':
        from kinematics_node.formats.sdf import read_sdf

        return read_sdf(root, resources)
    raise DescriptionError(
        f'the root element is <{tag}>; a description is <robot> (URDF) or <sdf>',
        line=root.sourceline,
    )


def is_webots(text: str | bytes) -> bool:
    """Return whether a text is a Webots file, by its header."""
    if isinstance(text, bytes):
        return text.lstrip(b'\xef\xbb\xbf \t\r\n').startswith(WEBOTS.encode())
    return text.lstrip('\ufeff \t\r\n').startswith(WEBOTS)


def apply_side_car(builder: ModelBuilder, text: str | bytes) -> None:
    """Apply the text of a side-car file: our notation, or Gepetto's robot.yaml.

    Raises
    ------
    DescriptionError
        The text cannot be read, or does not fit the model.
    """
    from kinematics_node.formats.gepetto import apply_gepetto
    from kinematics_node.formats.gepetto import is_gepetto

    mapping = parse_yaml(text)
    if is_gepetto(mapping):
        apply_gepetto(builder, mapping)
    else:
        apply_notation(builder, mapping)


def expand_xacro(path: Path, text: str | bytes) -> str:
    """Return the URDF that a xacro file expands to.

    Raises
    ------
    DescriptionError
        The file is no XML, or xacro cannot expand it.
    """
    import xacro

    # xacro's own parser would expand entities; ours refuses a document that has any.
    parse_xml(text)
    try:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            return str(xacro.process_file(str(path)).toxml())
    except Exception as error:  # xacro lets errors of every kind through
        first = str(error).strip().split('\n', 1)[0] or type(error).__name__
        raise DescriptionError(
            f'xacro cannot expand it: {first}; mend the file, or expand it by hand',
            element=f"file '{path.name}'",
        ) from None


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
