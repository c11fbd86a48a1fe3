# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What a reader does not use, collected so that a hundred alike become one finding."""

from __future__ import annotations

from collections.abc import Iterable

from kinematics_node.formats.xml import Element
from kinematics_node.formats.xml import name_of
from kinematics_node.formats.xml import where
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.findings import Severity

SHOWN_LINES = 8


class Ignored:
    """Elements and attributes that are left aside, by code, name and reason."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, Severity, str, str], list[tuple[str, int | None]]] = {}

    def note(
        self, code: str, severity: Severity, what: str, reason: str, element: Element
    ) -> None:
        """Note one thing; `what` reads like "<gazebo>", the reason completes a sentence."""
        place = (where(element), element.sourceline)
        self._places.setdefault((code, severity, what, reason), []).append(place)

    def unknown_element(self, element: Element) -> None:
        """Note an element that no reader understands."""
        parent = element.getparent()
        inside = f' in <{name_of(parent)}>' if parent is not None else ''
        what = f'<{name_of(element)}>{inside}'
        reason = 'is not known and is ignored; check its spelling, or remove it'
        self.note('element-unknown', Severity.WARNING, what, reason, element)

    def unknown_attribute(self, element: Element, name: str) -> None:
        """Note an attribute that no reader understands."""
        what = f"attribute '{name}' of <{name_of(element)}>"
        reason = 'is not known and is ignored; check its spelling, or remove it'
        self.note('attribute-unknown', Severity.WARNING, what, reason, element)

    def repeated(self, element: Element) -> None:
        """Note an element that may stand only once and has stood before."""
        reason = 'stands here once already; the first counts, remove the others'
        self.note('element-repeated', Severity.WARNING, f'<{name_of(element)}>', reason, element)

    def on_purpose(self, element: Element, reason: str) -> None:
        """Note an element that is known and plays no part here."""
        what = f'<{name_of(element)}>'
        self.note('element-ignored', Severity.INFO, what, f'is ignored: {reason}', element)

    def report(self, builder: ModelBuilder) -> None:
        """Report everything noted, one finding for what is alike."""
        for (code, severity, what, reason), places in self._places.items():
            element, line = places[0]
            message = f'{what} {reason}'
            if len(places) > 1:
                message += f' ({len(places)} times, at lines {_lines(n for _, n in places)})'
            builder.report(code, severity, element, message, line)


def _lines(numbers: Iterable[int | None]) -> str:
    known = [str(n) for n in numbers if n is not None]
    return ', '.join(known[:SHOWN_LINES]) + (', ...' if len(known) > SHOWN_LINES else '')
