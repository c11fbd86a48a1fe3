# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The VRML dialect of Webots' .wbt and .proto files: nodes, fields, DEF and USE, IS.

A field is a list of tokens and nodes as they are written; its meaning is the reader's. Source:
Webots reference manual, chapters on nodes and PROTO.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field
import math
import re
from typing import TypeAlias

from kinematics_node.errors import DescriptionError

MAX_BYTES = 50_000_000
DEEPEST = 200
_TOKEN = re.compile(
    r'(?P<skip>[\s,]+|\#[^\n]*)'
    r'|(?P<string>"(?:[^"\\]|\\.)*")'
    r'|(?P<mark>[{}\[\]])'
    r'|(?P<word>[^\s,{}\[\]"#]+)',
    re.DOTALL,
)
_NUMBER = re.compile(r'[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?', re.ASCII)
_IDENTIFIER = re.compile(r'[A-Za-z_][A-Za-z0-9_]*')


@dataclass(eq=False)
class Node:
    """A node such as 'DEF WHEEL HingeJoint { ... }', with its fields by name."""

    type: str
    line: int
    define: str = ''
    fields: dict[str, list[Value]] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """How errors and findings name the node."""
        return f"{self.type} '{self.define}'" if self.define else self.type

    def refuse(self, message: str, name: str = '') -> DescriptionError:
        """Return the error of a field of this node."""
        return DescriptionError(message, element=self.label, line=self.lines.get(name, self.line))

    def nodes(self, name: str) -> list[Node]:
        """Return the nodes that a field holds."""
        return [value for value in self.fields.get(name, ()) if isinstance(value, Node)]

    def node(self, name: str) -> Node | None:
        """Return the one node that a field holds, or None."""
        found = self.nodes(name)
        return found[0] if found else None

    def text(self, name: str, default: str = '') -> str:
        """Return a field that is a string."""
        values = self.fields.get(name, [])
        if values and isinstance(values[0], str):
            return values[0].strip('"')
        return default

    def numbers(self, name: str, default: tuple[float, ...]) -> tuple[float, ...]:
        """Return a field that is as many numbers as its default.

        Raises
        ------
        DescriptionError
            There are more or fewer, or one is no decimal number.
        """
        values = self.fields.get(name)
        if values is None:
            return default
        if len(values) != len(default):
            raise self.refuse(f"'{name}' has {len(values)} values, not {len(default)}", name)
        return tuple(self._number(name, value) for value in values)

    def number(self, name: str, default: float) -> float:
        """Return a field that is one number."""
        return self.numbers(name, (default,))[0]

    def _number(self, name: str, value: Value) -> float:
        if isinstance(value, str) and _NUMBER.fullmatch(value):
            number = float(value)
            if math.isfinite(number):
                return number
        shown = value if isinstance(value, str) else f'a {value.type} node'
        raise self.refuse(f"'{name}' holds {shown[:40]}, which is not a decimal number", name)


Value: TypeAlias = 'str | Node'


def parse_vrml(text: str | bytes) -> tuple[list[Node], str]:
    """Return the top nodes of a .wbt or .proto text, and the name of its PROTO or ''.

    Of a PROTO it is the body, with the defaults of its fields in place of IS.

    Raises
    ------
    DescriptionError
        The text is too large, too deep, a template, or not well-formed.
    """
    if len(text) > MAX_BYTES:
        raise DescriptionError(
            f'the text has {len(text) / 1e6:.0f} MB, more than the {MAX_BYTES // 10**6} MB read'
        )
    if isinstance(text, bytes):
        try:
            text = text.decode('utf-8-sig')
        except UnicodeDecodeError:
            raise DescriptionError('the text is not UTF-8; save it as UTF-8') from None
    return _Parser(text).parse()


class _Parser:
    """Recursive descent over a token list; depth is bounded."""

    def __init__(self, text: str) -> None:
        if '%<' in text:
            raise DescriptionError(
                'the PROTO is a template with %< >% in it; give the text that Webots makes of it',
                line=text.count('\n', 0, text.index('%<')) + 1,
            )
        self._tokens: list[tuple[str, str, int]] = []
        self._at = 0
        self._defined: dict[str, Node] = {}
        self._proto_fields: dict[str, list[Value]] = {}
        self._tokenize(text)

    def _tokenize(self, text: str) -> None:
        at, line = 0, 1
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise DescriptionError('a string does not end; close it with "', line=line)
            kind = match.lastgroup or ''
            if kind != 'skip':
                self._tokens.append((kind, match.group(), line))
            line += match.group().count('\n')
            at = match.end()
        self._tokens.append(('end', 'the end of the text', line))

    def parse(self) -> tuple[list[Node], str]:
        nodes: list[Node] = []
        proto = ''
        while self._tokens[self._at][0] != 'end':
            word = self._tokens[self._at][1]
            if word in ('EXTERNPROTO', 'IMPORTABLE'):
                self._at += 1
                if self._tokens[self._at][0] == 'string':
                    self._at += 1
            elif word == 'PROTO':
                if proto or nodes:
                    raise self._error('a second PROTO stands here; give a file with one')
                proto, nodes = self._proto()
            else:
                nodes.append(self._node(0))
        if not nodes:
            raise DescriptionError('the text holds no node; give a .wbt or .proto file')
        return nodes, proto

    def _proto(self) -> tuple[str, list[Node]]:
        self._at += 1
        name = self._next()[1]
        self._expect('[')
        while self._tokens[self._at][1] != ']':
            word = self._next()[1]
            if word not in ('field', 'vrmlField', 'hiddenField', 'deprecatedField', 'w3dField'):
                raise self._error(f"'{word[:40]}' stands where 'field' or ']' belongs")
            kind = self._next()[1]
            self._skip_choices()
            field_name = self._next()[1]
            self._proto_fields[field_name] = self._field_value(kind, 1)
        self._expect(']')
        self._expect('{')
        node = self._node(0)
        self._expect('}')
        return name, [node]

    def _skip_choices(self) -> None:
        """Skip the list of allowed values after a field's type."""
        if self._tokens[self._at][1] == '{':
            while self._next()[1] != '}':
                pass

    def _field_value(self, kind: str, depth: int) -> list[Value]:
        """Return a PROTO field's default, whose length the type says."""
        if kind.startswith('MF') or kind == 'SFNode':
            return self._values(depth)
        count = {'SFVec2f': 2, 'SFVec3f': 3, 'SFColor': 3, 'SFRotation': 4}.get(kind, 1)
        return [self._next()[1] for _ in range(count)]

    def _node(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise self._error(f'nodes are nested more than {DEEPEST} deep; robots are not')
        kind, word, line = self._next()
        define = ''
        if word == 'USE':
            name = self._next()[1]
            if name not in self._defined:
                raise self._error(f"USE of '{name[:40]}', which no DEF before defines")
            return self._defined[name]
        if word == 'DEF':
            define = self._next()[1]
            kind, word, line = self._next()
        if kind != 'word' or not _IDENTIFIER.fullmatch(word):
            raise self._error(f"'{word[:40]}' stands where a node belongs")
        node = Node(word, line, define)
        self._expect('{')
        while self._tokens[self._at][1] != '}':
            kind, name, at = self._next()
            if kind != 'word' or not _IDENTIFIER.fullmatch(name):
                raise self._error(f"'{name[:40]}' stands where a field of {word} belongs")
            node.lines[name] = at
            if self._tokens[self._at][1] == 'IS':
                self._at += 1
                node.fields[name] = self._proto_fields.get(self._next()[1], [])
            else:
                node.fields[name] = self._values(depth + 1)
        self._expect('}')
        if define:
            self._defined[define] = node
        return node

    def _values(self, depth: int) -> list[Value]:
        """Return the values of a field: one list, one node, or what stands before the next."""
        values: list[Value] = []
        if self._tokens[self._at][1] == '[':
            self._at += 1
            while self._tokens[self._at][1] != ']':
                values.append(self._value(depth))
            self._at += 1
            return values
        if self._is_node() or self._tokens[self._at][1] == 'NULL':
            value = self._value(depth)
            return [] if value == 'NULL' else [value]
        while not values or _NUMBER.fullmatch(self._tokens[self._at][1]):
            values.append(self._next()[1])
            if not _NUMBER.fullmatch(str(values[0])):
                break
        return values

    def _value(self, depth: int) -> Value:
        return self._node(depth) if self._is_node() else self._next()[1]

    def _is_node(self) -> bool:
        kind, word, _ = self._tokens[self._at]
        if kind != 'word':
            return False
        following = self._tokens[min(self._at + 1, len(self._tokens) - 1)][1]
        return word in ('DEF', 'USE') or (following == '{' and word not in ('TRUE', 'FALSE'))

    def _next(self) -> tuple[str, str, int]:
        token = self._tokens[self._at]
        if token[0] == 'end':
            raise self._error("the text ends inside a node; close it with '}'")
        self._at += 1
        return token

    def _expect(self, mark: str) -> None:
        word = self._next()[1]
        if word != mark:
            raise self._error(f"'{word[:40]}' stands where '{mark}' belongs")

    def _error(self, message: str) -> DescriptionError:
        line = self._tokens[max(0, min(self._at - 1, len(self._tokens) - 1))][2]
        return DescriptionError(f'not well-formed: {message}', line=line)
