# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Our notation from whatever shape it comes in: nested, flat, or a ROS parameter file.

ROS joins names by dots, and joints may have dots in their names; so names that the model has are
looked for first, and otherwise a name ends before the first key that the notation knows.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Mapping
from typing import Any

from kinematics_node.errors import DescriptionError
from kinematics_node.formats.yaml_text import line_of
from kinematics_node.formats.yaml_text import LineDict

DEEPEST = 20


def parameters_of(source: Mapping[str, Any]) -> tuple[Mapping[str, Any], bool]:
    """Return the parameters of a mapping, and whether they came out of a ROS parameter file.

    A ROS parameter file holds them under <node>: ros__parameters:, below namespaces or not; those
    of all nodes are taken together, the later ones winning.
    """
    found = LineDict()
    pending: list[tuple[Mapping[str, Any], int]] = [(source, 0)]
    is_ros = False
    while pending:
        mapping, depth = pending.pop(0)
        for key, value in mapping.items():
            if not isinstance(value, Mapping):
                continue
            if key == 'ros__parameters':
                is_ros = True
                found.update(value)
                found.lines.update(getattr(value, 'lines', {}))
            elif depth < 4:
                pending.append((value, depth + 1))
    return (found, True) if is_ros else (source, False)


def gather(
    parameters: Mapping[str, Any], section: str, names: Collection[str], keys: Collection[str]
) -> dict[str, Mapping[str, Any]]:
    """Return what a section says, by element name: {'caster': {'anchor': [...]}}.

    Parameters
    ----------
    parameters : mapping
        Nested, flat ('joints.caster.anchor') or both mixed.
    section : str
        'joints', 'closures', 'couplings', ...
    names : collection of str
        The names that the model has.
    keys : collection of str
        The first keys that may follow a name.

    Raises
    ------
    DescriptionError
        A name without keys, or keys nested too deeply.
    """
    elements: dict[str, Mapping[str, Any]] = {}
    for key, value in parameters.items():
        line = line_of(parameters, key)
        if key == section and isinstance(value, Mapping):
            _gather_level(value, '', section, names, keys, elements, line)
        elif key == section and value is None:
            continue
        elif isinstance(key, str) and key.startswith(section + '.'):
            level = {key[len(section) + 1 :]: value}
            _gather_level(level, '', section, names, keys, elements, line)
    return elements


def _gather_level(
    level: Mapping[str, Any],
    before: str,
    section: str,
    names: Collection[str],
    keys: Collection[str],
    elements: dict[str, Mapping[str, Any]],
    line: int | None,
) -> None:
    for key, value in level.items():
        name = f'{before}{key}'
        at = line_of(level, key) or line
        if isinstance(value, Mapping) and (name in names or _has_keys(value, keys)):
            for inner, item in value.items():
                _put(elements, name, str(inner), item, line_of(value, inner) or at)
        elif isinstance(value, Mapping) and value and name.count('.') < DEEPEST:
            _gather_level(value, name + '.', section, names, keys, elements, at)
        else:
            _place(name, value, section, names, keys, elements, at)


def _has_keys(value: Mapping[str, Any], keys: Collection[str]) -> bool:
    return any(str(inner).split('.', 1)[0] in keys for inner in value)


def _place(
    path: str,
    value: Any,
    section: str,
    names: Collection[str],
    keys: Collection[str],
    elements: dict[str, Mapping[str, Any]],
    line: int | None,
) -> None:
    parts = path.split('.')
    cuts = range(1, len(parts))
    known = [n for n in cuts if '.'.join(parts[:n]) in names]
    likely = [n for n in cuts if parts[n] in keys]
    cut = known[-1] if known else likely[0] if likely else 1
    if len(parts) < 2:
        raise DescriptionError(
            f"'{section}.{path}' names an element and says nothing about it; give it keys",
            line=line,
        )
    _put(elements, '.'.join(parts[:cut]), '.'.join(parts[cut:]), value, line)


def _put(
    elements: dict[str, Mapping[str, Any]], name: str, path: str, value: Any, line: int | None
) -> None:
    """Put a value at a dotted path below an element, making the levels between."""
    into = elements.setdefault(name, LineDict())
    *levels, last = path.split('.') if '.' in path else [path]
    for level in levels:
        below = into.get(level)
        if not isinstance(below, Mapping):
            below = LineDict()
            _set(into, level, below, line)
        into = below
    _set(into, last, value, line)


def _set(into: Mapping[str, Any], key: str, value: Any, line: int | None) -> None:
    assert isinstance(into, dict)
    into[key] = value
    if line is not None and isinstance(into, LineDict):
        into.lines[key] = line
