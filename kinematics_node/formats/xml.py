# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""XML that may be dirty or hostile: a safe parse, and attributes read with their place.

Nothing in a document is fetched or expanded. Names keep the prefix that the text gives them,
whether it was declared or not, since dialects of URDF are matched by prefix.
"""

from __future__ import annotations

import codecs
import math
import re
from typing import TypeAlias

from lxml import etree

from kinematics_node.errors import DescriptionError

Element: TypeAlias = etree._Element

MAX_BYTES = 50_000_000
_DECIMAL = re.compile(r'[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?', re.ASCII)
_INFINITE = re.compile(r'[+-]?inf(?:inity)?', re.IGNORECASE)
_DECLARATION = re.compile(r'<\?xml\s[^>]*\?>')
_ENCODING = re.compile(rb'\s*<\?xml\s[^>]*?encoding\s*=\s*["\']([A-Za-z0-9._-]+)["\']')
_BOMS = (
    (codecs.BOM_UTF8, 'utf-8'),
    (codecs.BOM_UTF16_LE, 'utf-16'),
    (codecs.BOM_UTF16_BE, 'utf-16'),
)
_UNDECLARED_PREFIX = 'NS_ERR_UNDEFINED_NAMESPACE'
_FILE_NAME = re.compile(
    r'[^\n<>]{1,4096}\.(?:urdf|xacro|xml|sdf|proto|wbt|yaml|yml)', re.IGNORECASE
)


def parse_xml(text: str | bytes) -> Element:
    """Return the root element of an XML document; a <urdf> around <robot> is taken off.

    Byte order marks, white space in front, an encoding declared in a str and NUL bytes at the end
    are accepted; prefixes without a declaration are kept as they are written.

    Raises
    ------
    DescriptionError
        Not XML, too large, nested too deeply, or with a DOCTYPE; the sentence says what to do.
    """
    source = _document(text)
    parser = etree.XMLParser(
        encoding='utf-8',
        recover=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
        huge_tree=False,
    )
    try:
        root = etree.fromstring(source.encode('utf-8'), parser)
    except etree.XMLSyntaxError as error:
        raise _syntax_error(error.msg, error.lineno) from None
    except UnicodeEncodeError:
        raise DescriptionError('the text holds half a surrogate pair; save it as UTF-8') from None
    # Recovering keeps undeclared prefixes; every other error is one.
    for entry in parser.error_log:
        if entry.type_name != _UNDECLARED_PREFIX:
            raise _syntax_error(entry.message, entry.line)
    if root is None:
        raise DescriptionError('the document has no element; a robot description is XML')
    return _unwrapped(root)


def name_of(element: Element) -> str:
    """Return an element's name as it is written, 'drake:joint' with or without a declaration."""
    tag = element.tag
    if tag[0] != '{':
        return str(tag)
    local = tag[tag.index('}') + 1 :]
    return f'{element.prefix}:{local}' if element.prefix else str(local)


def where(element: Element) -> str:
    """Return the nearest named element around, such as "joint 'elbow'"."""
    current: Element | None = element
    while current is not None:
        name = current.get('name')
        if name and name_of(current) in _OWNERS:
            return f"{name_of(current)} '{name}'"
        current = current.getparent()
    return f'<{name_of(element)}>'


_OWNERS = frozenset(
    [
        'link',
        'joint',
        'loop',
        'coupling',
        'constraint',
        'transmission',
        'ros2_control',
        'frame',
        'robot',
        'model',
        'drake:joint',
    ]
)


def refuse(element: Element, message: str) -> DescriptionError:
    """Return the error of an element, with its place."""
    return DescriptionError(message, element=where(element), line=element.sourceline)


def children(element: Element, name: str) -> list[Element]:
    """Return the children of that name."""
    return [child for child in element if name_of(child) == name]


def child(element: Element, name: str) -> Element | None:
    """Return the first child of that name, or None."""
    for candidate in element:
        if name_of(candidate) == name:
            return candidate
    return None


def required_child(element: Element, name: str) -> Element:
    """Return the first child of that name.

    Raises
    ------
    DescriptionError
        There is none.
    """
    found = child(element, name)
    if found is None:
        raise refuse(element, f'<{name}> is missing from <{name_of(element)}>; add it')
    return found


def text_attribute(element: Element, name: str, default: str | None = None) -> str:
    """Return an attribute's text, without white space around it.

    Raises
    ------
    DescriptionError
        The attribute is absent or empty, and there is no default.
    """
    value = (element.get(name) or '').strip()
    if value:
        return value
    if default is None:
        raise refuse(element, f"attribute '{name}' of <{name_of(element)}> is missing; add it")
    return default


def number_attribute(
    element: Element, name: str, default: float | None = None, *, infinite: bool = False
) -> float:
    """Return an attribute that is one decimal number, infinite only where that is allowed.

    Raises
    ------
    DescriptionError
        The attribute is absent without a default, or no decimal number.
    """
    if default is not None and element.get(name) is None:
        return default
    text = text_attribute(element, name)
    return _number(element, f'{name} of <{name_of(element)}>', text, infinite)


def vector_attribute(
    element: Element, name: str, default: tuple[float, float, float] | None = None
) -> tuple[float, float, float]:
    """Return an attribute that is three decimal numbers with white space between.

    Raises
    ------
    DescriptionError
        The attribute is absent without a default, or not three decimal numbers.
    """
    if default is not None and element.get(name) is None:
        return default
    what = f'{name} of <{name_of(element)}>'
    return vector_of(element, what, text_attribute(element, name))


def vector_of(element: Element, what: str, text: str) -> tuple[float, float, float]:
    """Return three numbers written in an element; `what` names them in the error."""
    x, y, z = numbers_of(element, what, text, 3)
    return (x, y, z)


def numbers_of(element: Element, what: str, text: str, count: int) -> tuple[float, ...]:
    """Return so many decimal numbers written in an element; `what` names them in the error.

    Raises
    ------
    DescriptionError
        There are more or fewer, or one is no decimal number.
    """
    parts = text.split()
    if len(parts) != count:
        example = ' '.join(['0'] * (count - 1) + ['1'])
        raise refuse(
            element,
            f"{what} is '{_short(text)}'; write {count} numbers with spaces between, "
            f"such as '{example}'",
        )
    return tuple(_number(element, what, part, False) for part in parts)


def number_of(element: Element, what: str, text: str, *, infinite: bool = False) -> float:
    """Return one number written in an element; `what` names it in the error."""
    return _number(element, what, text.strip(), infinite)


def _number(element: Element, what: str, text: str, infinite: bool) -> float:
    if _DECIMAL.fullmatch(text):
        value = float(text)
        if infinite or math.isfinite(value):
            return value
        raise refuse(element, f"{what} is '{_short(text)}', which is too large for a number")
    if infinite and _INFINITE.fullmatch(text):
        return float(text)
    if '${' in text or '$(' in text:
        remedy = 'a xacro expression; run xacro over the file first'
    elif _INFINITE.fullmatch(text) or text.lower().lstrip('+-') == 'nan':
        remedy = 'not finite; write a decimal number'
    else:
        remedy = "not a decimal number; write it like '0.5'"
    raise refuse(element, f"{what} is '{_short(text)}', which is {remedy}")


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + '...'


def _document(text: str | bytes) -> str:
    """Return the text to parse: decoded, within bounds, without declaration and DOCTYPE."""
    if len(text) > MAX_BYTES:
        raise DescriptionError(
            f'the description has {len(text) / 1e6:.0f} MB, more than the {MAX_BYTES // 10**6} MB '
            'that are read; leave meshes in files of their own'
        )
    source = decoded(text) if isinstance(text, bytes) else text
    source = source.lstrip('\ufeff').rstrip('\0 \t\r\n')
    if '<' not in source:
        raise _not_xml(source.strip())
    start = len(source) - len(source.lstrip())
    declaration = _DECLARATION.match(source, start)
    if declaration:
        lines = source.count('\n', 0, declaration.end())
        source = '\n' * lines + source[declaration.end() :]
    if _starts_with_doctype(source):
        raise DescriptionError(
            'the document has a DOCTYPE, which could define entities; remove it'
        )
    return source


def decoded(data: bytes) -> str:
    """Return the text of a document, by its byte order mark or the encoding that it declares.

    Raises
    ------
    DescriptionError
        The encoding is not known, or the bytes are not in it.
    """
    encoding = next((name for bom, name in _BOMS if data.startswith(bom)), '')
    if not encoding:
        declared = _ENCODING.match(data[:1000])
        encoding = declared.group(1).decode('ascii') if declared else 'utf-8'
    try:
        return data.decode(encoding)
    except LookupError:
        raise DescriptionError(
            f"the encoding '{encoding}' is not known; save the file as UTF-8"
        ) from None
    except UnicodeDecodeError as error:
        line = data.count(b'\n', 0, error.start) + 1
        raise DescriptionError(
            f'a byte is not valid {encoding}; save the file as UTF-8', line=line
        ) from None


def _starts_with_doctype(source: str) -> bool:
    """Look behind white space, comments and processing instructions for a DOCTYPE."""
    at = 0
    while True:
        at += len(source[at : at + 4096]) - len(source[at : at + 4096].lstrip())
        if source.startswith('<!--', at):
            end, length = source.find('-->', at + 4), 3
        elif source.startswith('<?', at):
            end, length = source.find('?>', at + 2), 2
        elif source[at : at + 1].isspace():
            continue
        else:
            return source.startswith('<!DOCTYPE', at)
        if end < 0:
            return False
        at = end + length


def _not_xml(source: str) -> DescriptionError:
    if not source:
        return DescriptionError('the description is empty; give the text of a robot description')
    if _FILE_NAME.fullmatch(source) or ('/' in source and '\n' not in source):
        return DescriptionError(
            f"'{_short(source)}' is the path of a file, where its text belongs; load the text, or "
            'start kinematics.launch.py with model:=<path>'
        )
    return DescriptionError(f"'{_short(source)}' is not XML; give the text of a robot description")


def _syntax_error(message: str | None, line: int | None) -> DescriptionError:
    detail = (message or 'cannot be read').strip()
    if 'depth' in detail.lower():
        return DescriptionError(
            'elements are nested too deeply for a robot description; links and joints stand side '
            'by side',
            line=line,
        )
    if 'entity' in detail.lower():
        detail += '; only the entities of XML itself are known'
    return DescriptionError(f'not well-formed XML: {detail}', line=line)


def _unwrapped(root: Element) -> Element:
    if name_of(root) == 'urdf':
        robot = child(root, 'robot')
        if robot is None:
            raise DescriptionError('<urdf> holds no <robot>; add one', line=root.sourceline)
        return robot
    return root
