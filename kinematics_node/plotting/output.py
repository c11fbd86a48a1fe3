# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Which files pictures can be."""

from __future__ import annotations

from pathlib import Path

from kinematics_node.errors import KinematicsError

FORMATS = ('png', 'svg')


class PictureError(KinematicsError):
    """A picture that cannot be drawn or written."""


def format_of(path: Path) -> str:
    """Return the format that a file's suffix stands for: 'png' or 'svg'.

    Raises
    ------
    PictureError
        Another suffix.
    """
    suffix = path.suffix.lower().lstrip('.')
    if suffix not in FORMATS:
        raise PictureError(f"'{path}' is no picture that can be drawn; let it end in .png or .svg")
    return suffix
