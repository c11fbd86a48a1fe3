# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Where files named in a description are: package://, file:// and relative addresses."""

from __future__ import annotations

from collections.abc import Mapping
import os
from pathlib import Path
from urllib.parse import unquote

_MARKER = Path('share/ament_index/resource_index/packages')


class Resources:
    """Finds files by the addresses that descriptions use.

    Parameters
    ----------
    packages : mapping of str to path
        The share directory of packages by name; these come before ament's index.
    base : path, optional
        Where relative addresses start; without it they are not found.
    prefixes : sequence of paths, optional
        Install prefixes of ament's index; by default those in AMENT_PREFIX_PATH.
    """

    def __init__(
        self,
        packages: Mapping[str, str | Path] | None = None,
        base: str | Path | None = None,
        prefixes: list[str | Path] | None = None,
    ) -> None:
        self.packages = {name: Path(path) for name, path in (packages or {}).items()}
        self.base = Path(base) if base is not None else None
        if prefixes is None:
            listed = os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)
            prefixes = [path for path in listed if path]
        self.prefixes = [Path(path) for path in prefixes]

    def package(self, name: str) -> Path | None:
        """Return the share directory of a package, or None."""
        if name in self.packages:
            return self.packages[name]
        for prefix in self.prefixes:
            if (prefix / _MARKER / name).is_file():
                return prefix / 'share' / name
        return None

    def resolve(self, address: str) -> Path | None:
        """Return the file at an address, or None where it is not."""
        path = self._path(address)
        return path if path is not None and _is_file(path) else None

    def reason(self, address: str) -> str:
        """Return why an address leads to no file, to complete a sentence about it."""
        scheme, rest = _split(address)
        if scheme in ('package', 'model'):
            name = rest.split('/', 1)[0]
            if self.package(name) is None:
                return (
                    f"cannot be found: package '{name}' is neither installed nor given; give its "
                    'directory'
                )
        elif scheme not in ('', 'file'):
            return f"cannot be read: '{scheme}://' is not fetched; use package:// or file://"
        elif scheme == '' and self.base is None and not Path(rest).is_absolute():
            return 'cannot be found: it is relative, and the description has no directory'
        return 'does not exist; check its name, or install what it belongs to'

    def _path(self, address: str) -> Path | None:
        scheme, rest = _split(address)
        if scheme in ('package', 'model'):
            name, _, inside = rest.partition('/')
            share = self.package(name)
            return share / inside if share is not None else None
        if scheme == 'file':
            # file://host/path is not used on robots; file:///path and file://path both are.
            return Path(unquote(rest))
        if scheme:
            return None
        path = Path(rest)
        if path.is_absolute():
            return path
        return self.base / path if self.base is not None else None


def _split(address: str) -> tuple[str, str]:
    scheme, mark, rest = address.partition('://')
    return (scheme.lower(), rest) if mark else ('', address)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
