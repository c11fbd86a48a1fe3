# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The errors of this package: one family, each carrying what went wrong as data."""

from __future__ import annotations


class KinematicsError(Exception):
    """Something the caller can mend: one sentence says what, where, and what would be right."""


class DescriptionError(KinematicsError):
    """A robot description that cannot be read.

    Attributes
    ----------
    element : str
        The element at fault, such as "joint 'elbow'"; empty where none can be named.
    line : int or None
        Line in the source text, where the reader knows it.
    """

    def __init__(self, message: str, *, element: str = '', line: int | None = None) -> None:
        where = element or ('the description' if line is not None else '')
        where += f' (line {line})' if line is not None else ''
        super().__init__(f'{where}: {message}' if where else message)
        self.element = element
        self.line = line


class ModelError(KinematicsError):
    """Elements that do not make a robot: no root, two parents, a cycle, a zero axis.

    Attributes
    ----------
    element : str
        The element at fault, such as "joint 'elbow'"; empty where none can be named.
    line : int or None
        Line of the element in the text that it was read from, where it was.
    """

    def __init__(self, message: str, *, element: str = '', line: int | None = None) -> None:
        where = element + (f' (line {line})' if line is not None else '')
        super().__init__(f'{where}: {message}' if where else message)
        self.element = element
        self.line = line


class MimicError(ModelError):
    """Mimic joints that follow each other in a ring.

    Attributes
    ----------
    joints : tuple of str
        The joints of the ring, in the order in which they follow each other.
    """

    def __init__(self, joints: tuple[str, ...]) -> None:
        ring = ' -> '.join((*joints, joints[0]))
        super().__init__(
            f'mimic joints follow each other in a ring: {ring}; '
            'let one of them move by itself (remove its <mimic>)'
        )
        self.joints = joints


class NameLookupError(KinematicsError):
    """A name that the model does not have.

    Attributes
    ----------
    kind : str
        What was looked for: 'link', 'joint', 'coordinate', 'frame'.
    name : str
        The name asked for.
    known : tuple of str
        The names there are.
    """

    def __init__(self, kind: str, name: str, known: tuple[str, ...]) -> None:
        shown = ', '.join(known[:8]) + (', ...' if len(known) > 8 else '')
        super().__init__(f"there is no {kind} '{name}'; known are: {shown}")
        self.kind = kind
        self.name = name
        self.known = known


class ValueShapeError(KinematicsError):
    """Numbers of the wrong count, or not finite, where the public boundary checks them."""


class ResourceError(KinematicsError):
    """A file, package or topic that a description points to and that is not there."""
