# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""A robot's description from a file, as launch files and tools need it: text for a parameter."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

from kinematics_node.errors import ResourceError
from kinematics_node.formats.resources import Resources
from kinematics_node.formats.xml import child
from kinematics_node.formats.xml import children
from kinematics_node.formats.xml import decoded
from kinematics_node.formats.xml import parse_xml

PACKAGE = 'joint_kinematics'
XACRO = '.xacro'


def description_of(model: str) -> str:
    """Return the text of the description in a file, with xacro expanded.

    Parameters
    ----------
    model : str
        A path, or an address package://<package>/<path>; a name that ends in .xacro is expanded.

    Raises
    ------
    KinematicsError
        The file is not there, is not in the encoding it declares, or xacro cannot expand it.
    """
    path = file_at(model)
    if path.suffix.lower() == XACRO:
        return _expanded(path)
    # A parameter cannot carry the NUL that some tools leave at the end.
    return decoded(path.read_bytes()).rstrip('\0')


def file_at(address: str, what: str = 'model') -> Path:
    """Return the file at a path or a package:// address; `what` it is, for the error.

    Raises
    ------
    ResourceError
        There is no such file; the error says why.
    """
    resources = Resources(base=Path.cwd())
    path = resources.resolve(str(Path(address).expanduser()) if '://' not in address else address)
    if path is None:
        if Path(address).is_dir():
            raise ResourceError(f"the {what} '{address}' is a directory; give a file in it")
        raise ResourceError(f"the {what} '{address}' {resources.reason(address)}")
    return path


def root_link(text: str) -> str:
    """Return the first link that is no joint's child, or '' where there is none.

    Raises
    ------
    DescriptionError
        The text is not XML.
    """
    robot = parse_xml(text)
    below = {part.get('link') for joint in robot if (part := child(joint, 'child')) is not None}
    names = [link.get('name') or '' for link in children(robot, 'link')]
    return next((name for name in names if name not in below), '')


def share() -> Path:
    """Return the package's share directory.

    Raises
    ------
    ResourceError
        The package is not installed where ament looks.
    """
    found = Resources().package(PACKAGE)
    if found is None:
        raise ResourceError(
            f"package '{PACKAGE}' is not in AMENT_PREFIX_PATH; build it and source its workspace"
        )
    return found


def example_file(name: str) -> Path:
    """Return the description of a robot that comes with the package.

    Raises
    ------
    ResourceError
        There is no example of that name; the error lists those there are.
    """
    examples = share() / 'examples'
    found = {folder.name: path for folder in examples.iterdir() if (path := _model_in(folder))}
    if name not in found:
        known = ', '.join(sorted(found))
        raise ResourceError(f"there is no example '{name}'; there are: {known}")
    return found[name]


def _model_in(folder: Path) -> Path | None:
    for ending in ('.urdf', '.urdf.xacro', '.xacro'):
        path = folder / (folder.name + ending)
        if path.is_file():
            return path
    return None


def _expanded(path: Path) -> str:
    xacro = _import_xacro(path)
    try:
        return str(xacro.process_file(str(path)).toprettyxml(indent='  '))
    except Exception as error:  # Expressions in the file may raise anything.
        raise ResourceError(f"xacro cannot expand '{path}': {_first_line(error)}") from error


def _import_xacro(path: Path) -> ModuleType:
    try:
        return importlib.import_module('xacro')
    except ImportError:
        raise ResourceError(
            f"'{path}' needs xacro, which is not installed: apt install ros-$ROS_DISTRO-xacro, or "
            'pip install xacro'
        ) from None


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
