# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""YAML side-cars: read safely, with the line of every key."""

from __future__ import annotations

from collections.abc import Hashable
from collections.abc import Mapping
from typing import Any

import yaml

from kinematics_node.errors import DescriptionError

MAX_BYTES = 5_000_000


class LineDict(dict[Any, Any]):
    """A mapping that knows on which line of its text each key stands."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[Any, int] = {}


class _Loader(yaml.SafeLoader):
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        mapping = LineDict()
        for key_node, value_node in node.value:
            key = self.construct_object(key_node, deep=True)
            line = key_node.start_mark.line + 1
            if not isinstance(key, Hashable):
                raise DescriptionError('a key is a list or a mapping; use a name', line=line)
            if key in mapping:
                raise DescriptionError(f"key '{key}' stands here twice; remove one", line=line)
            mapping[key] = self.construct_object(value_node, deep=True)
            mapping.lines[key] = line
        return mapping


def _construct(loader: _Loader, node: yaml.MappingNode) -> dict[Hashable, Any]:
    return loader.construct_mapping(node)


_Loader.add_constructor('tag:yaml.org,2002:map', _construct)


def parse_yaml(text: str | bytes) -> Mapping[str, Any]:
    """Return the mapping of a YAML document, with lines of keys; an empty document is empty.

    Raises
    ------
    DescriptionError
        Not YAML, not a mapping, too large or too deep.
    """
    if len(text) > MAX_BYTES:
        raise DescriptionError(
            f'the YAML text has {len(text) / 1e6:.0f} MB, more than the {MAX_BYTES // 10**6} MB '
            'that are read'
        )
    try:
        value = yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise DescriptionError(f'not YAML: {error.problem}; mend it', line=line) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        first = str(error).split('\n', 1)[0]
        raise DescriptionError(f'not YAML: {first}; save the file as UTF-8') from None
    except RecursionError:
        raise DescriptionError('the YAML text is nested too deeply; write it flat') from None
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise DescriptionError(
            f'the YAML text holds {type(value).__name__} where a mapping belongs; start it with '
            "'joints:', 'closures:' or 'couplings:'"
        )
    return value


def line_of(mapping: Mapping[Any, Any], key: Any) -> int | None:
    """Return the line of a key, where it is known."""
    return mapping.lines.get(key) if isinstance(mapping, LineDict) else None
