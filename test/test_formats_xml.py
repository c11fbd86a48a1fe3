# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""XML that is dirty, broken or hostile."""

from __future__ import annotations

import codecs
import time

import pytest

from kinematics_node.errors import DescriptionError
from kinematics_node.formats.urdf import read_urdf
from kinematics_node.formats.xml import MAX_BYTES
from kinematics_node.formats.xml import name_of
from kinematics_node.formats.xml import parse_xml

ROBOT = '<robot name="r"><link name="a"/></robot>'
DECLARED = '<?xml version="1.0" encoding="utf-8"?>'


@pytest.mark.parametrize(
    'text',
    [
        ROBOT,
        DECLARED + ROBOT,
        (DECLARED + ROBOT).encode(),
        '\n  ' + DECLARED + ROBOT,
        b' \n' + (DECLARED + ROBOT).encode(),
        '\ufeff' + DECLARED + ROBOT,
        codecs.BOM_UTF8 + ROBOT.encode(),
        codecs.BOM_UTF16_LE + ROBOT.encode('utf-16-le'),
        '<?xml version="1.0" encoding="latin-1"?><robot name="r"><!-- \xe9 --></robot>'.encode(
            'latin-1'
        ),
        ROBOT + '\n\0',
        ROBOT.encode() + b'\r\n\0\0',
        f'<urdf>{ROBOT}</urdf>',
        f'<!-- first --><?pi?>{ROBOT}<!-- last -->',
    ],
)
def test_dirty_documents_are_read(text):
    root = parse_xml(text)
    assert name_of(root) == 'robot'
    assert root.get('name') == 'r'


def test_lines_survive_a_declaration_behind_white_space():
    root = parse_xml('\n\n<?xml version="1.0"?>\n<robot>\n<link/></robot>')
    assert root[0].sourceline == 5


@pytest.mark.parametrize('declaration', ['', ' xmlns:drake="http://drake.mit.edu"'])
def test_prefixes_are_kept_as_written(declaration):
    root = parse_xml(f'<robot{declaration}><drake:joint a="1"/><xacro:if/></robot>')
    assert [name_of(child) for child in root] == ['drake:joint', 'xacro:if']


@pytest.mark.parametrize(
    ('text', 'sentence'),
    [
        ('', 'description is empty; give the text'),
        ('  \0', 'description is empty'),
        ('/opt/robot/arm.urdf', 'is the path of a file, where its text belongs; load the text'),
        ('robot.xacro', r'start kinematics\.launch\.py with model:='),
        ('hello', "'hello' is not XML; give the text"),
        ('<robot>', 'not well-formed XML'),
        ('<robot a=1/>', 'not well-formed XML'),
        ('<robot>&amp;&boom;</robot>', 'only the entities of XML itself are known'),
        ('<!-- <!DOCTYPE in a comment --><!DOCTYPE robot><robot/>', 'has a DOCTYPE.*remove it'),
        ('<?xml version="1.0"?>\n<!DOCTYPE r SYSTEM "file:///etc/passwd"><r/>', 'has a DOCTYPE'),
        (b'<robot>\n\xff</robot>', 'not valid utf-8; save the file as UTF-8'),
        (b'<?xml version="1.0" encoding="klingon"?><robot/>', "encoding 'klingon' is not known"),
        ('<robot>\ud800</robot>', 'half a surrogate pair'),
        ('<urdf><link/></urdf>', '<urdf> holds no <robot>; add one'),
    ],
)
def test_what_is_no_description_is_refused(text, sentence):
    with pytest.raises(DescriptionError, match=sentence):
        parse_xml(text)


def test_an_entity_bomb_is_not_expanded():
    bomb = '<!DOCTYPE r [<!ENTITY a "ha">' + ''.join(
        f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9)
    )
    with pytest.raises(DescriptionError, match='DOCTYPE'):
        parse_xml(bomb + ']><r>&j;</r>')


@pytest.mark.parametrize('filler', ['x', '<a/>', '<!--'])
def test_a_hundred_megabytes_are_refused_quickly(filler):
    text = '<robot>' + filler * (2 * MAX_BYTES // len(filler))
    start = time.perf_counter()
    with pytest.raises(DescriptionError, match='100 MB, more than the 50 MB that are read'):
        parse_xml(text)
    assert time.perf_counter() - start < 1.0


@pytest.mark.parametrize('closed', [True, False])
def test_a_hundred_thousand_levels_are_refused_quickly(closed):
    text = '<robot>' + '<a>' * 100_000 + ('</a>' * 100_000 + '</robot>' if closed else '')
    start = time.perf_counter()
    with pytest.raises(DescriptionError, match='nested too deeply for a robot description'):
        parse_xml(text)
    assert time.perf_counter() - start < 2.0


def test_many_comments_before_the_root_take_linear_time():
    start = time.perf_counter()
    root = parse_xml('<!--a-->\n' * 50_000 + ROBOT)
    assert time.perf_counter() - start < 2.0
    assert root.get('name') == 'r'


LIMITED = (
    '<robot name="r"><link name="a"/><link name="b"/>\n<joint name="j" type="revolute">'
    '<parent link="a"/><child link="b"/>\n<limit lower="{}" upper="1" effort="1" velocity="1"/>'
    '\n<axis xyz="{}"/></joint></robot>'
)


@pytest.mark.parametrize(
    ('number', 'reason'),
    [
        ('nan', 'is not finite; write a decimal number'),
        ('0x10', "is not a decimal number; write it like '0.5'"),
        ('1_0', 'is not a decimal number'),
        ('1,5', 'is not a decimal number'),
        ('1 2', 'is not a decimal number'),
        ('٣', 'is not a decimal number'),
        ('${pi/2}', 'is a xacro expression; run xacro over the file first'),
        ('one', 'is not a decimal number'),
    ],
)
def test_malformed_numbers_name_joint_line_and_remedy(number, reason):
    with pytest.raises(DescriptionError) as caught:
        read_urdf(LIMITED.format(number, '0 0 1'))
    error = caught.value
    assert (error.element, error.line) == ("joint 'j'", 3)
    assert f"lower of <limit> is '{number}', which {reason}" in str(error)


@pytest.mark.parametrize('vector', ['0,0,1', '0 0', '0 0 1 0', 'z', '0 0 inf', '0 0 1e999'])
def test_malformed_vectors_are_refused(vector):
    with pytest.raises(
        DescriptionError, match=r"joint 'j' \(line 4\): xyz of <axis> is"
    ) as caught:
        read_urdf(LIMITED.format('0', vector))
    assert caught.value.line == 4


def test_numbers_may_be_infinite_where_limits_are():
    model = read_urdf(LIMITED.format('-inf', '0 0 1')).finalize()
    assert model.lower[0] == -float('inf')
