# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The command line, called as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path
import shlex
import subprocess
import sys

import numpy as np
import pytest

from kinematics_node.cli import COMMANDS
from kinematics_node.cli import main

ROOT = Path(__file__).parents[1]

ARM = """<robot name="arm">
  <link name="base"/><link name="upper"/><link name="tip"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 1"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/>
  </joint>
  <joint name="wrist" type="ball">
    <parent link="upper"/><child link="tip"/><origin xyz="1 0 0"/>
  </joint>
</robot>
"""


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / 'arm.urdf'
    path.write_text(ARM)
    return str(path)


def run(capsys, *words):
    status = main(words)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.mark.parametrize('command', COMMANDS, ids=lambda c: c.name)
def test_the_example_in_the_help_works(command, capsys, tmp_path, monkeypatch):
    words = shlex.split(command.example)
    assert words[0] == 'kinematics'
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'examples').symlink_to(ROOT / 'examples')
    status, _, err = run(capsys, *words[1:])
    assert status in (0, 1), err
    assert err == ''
    with pytest.raises(SystemExit) as ended:
        main([command.name, '--help'])
    assert ended.value.code == 0
    assert f'example: {command.example}' in capsys.readouterr().out


ABOUT_A_ROBOT = [command for command in COMMANDS if command.name != 'compile']


@pytest.mark.parametrize('command', ABOUT_A_ROBOT, ids=lambda c: c.name)
def test_a_command_alone_says_what_it_needs(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command.name])
    assert ended.value.code == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(
        f'kinematics {command.name}: error: the following arguments are required'
    )
    assert 'file' in last
    assert 'JOINT=VALUE' not in last, 'a state may be left out'


def test_fk_json_gives_the_pose_of_each_frame(arm, capsys):
    words = ('fk', arm, 'shoulder=0.5', 'wrist/axis3=0.25', '--json')
    status, out, _ = run(capsys, *words)
    document = json.loads(out)
    assert status == 0
    tip = document['frames']['tip']
    # The wrist is one metre along the upper arm; both turn about z.
    np.testing.assert_allclose(tip['position'], [np.cos(0.5), np.sin(0.5), 1.0], atol=1e-15)
    half = 0.375
    np.testing.assert_allclose(
        tip['quaternion_wxyz'], [np.cos(half), 0, 0, np.sin(half)], atol=1e-15
    )
    assert document['reference'] == 'base'
    assert document['coordinates']['shoulder'] == 0.5


def test_fk_in_another_frame(arm, capsys):
    words = ('fk', arm, 'shoulder=0.5', '--frame', 'base', '--in', 'upper', '--json')
    _, out, _ = run(capsys, *words)
    assert json.loads(out)['frames'].keys() == {'base'}
    np.testing.assert_allclose(
        json.loads(out)['frames']['base']['position'], [0, 0, -1], atol=1e-15
    )


def test_states_come_from_a_file_and_words_win(arm, capsys, tmp_path):
    (tmp_path / 'state.yaml').write_text('shoulder: 1.0\n')
    state = str(tmp_path / 'state.yaml')
    _, out, _ = run(capsys, 'fk', arm, '--state', state, '--json')
    assert json.loads(out)['coordinates']['shoulder'] == 1.0
    _, out, _ = run(capsys, 'fk', arm, 'shoulder=0.2', '--state', state, '--json')
    assert json.loads(out)['coordinates']['shoulder'] == 0.2


def test_tree_json_has_limits_and_null_where_there_is_none(arm, capsys):
    _, out, _ = run(capsys, 'tree', arm, '--json')
    document = json.loads(out)
    assert document['root'] == 'base'
    shoulder, wrist = document['joints']
    assert (shoulder['lower'], shoulder['upper']) == ([-2.0], [2.0])
    assert wrist['type'] == 'ball'
    assert wrist['upper'] == [None, None, None]


def test_review_exits_with_1_where_it_finds_something(arm, capsys):
    status, out, _ = run(capsys, 'review', arm, '--json')
    assert status == 0
    assert {finding['severity'] for finding in json.loads(out)['findings']} <= {'info'}
    Path(arm).write_text(ARM.replace('<axis xyz="0 0 1"/>', '<axis xyz="0 0 2"/>'))
    status, out, _ = run(capsys, 'review', arm, '--json')
    (finding,) = [f for f in json.loads(out)['findings'] if f['severity'] == 'warning']
    assert status == 1
    assert (finding['code'], finding['element']) == ('axis-not-unit', "joint 'shoulder'")
    assert finding['line'] == 3


def test_convert_writes_what_reads_back_as_the_same(arm, capsys, tmp_path):
    urdf, notation = str(tmp_path / 'out.urdf'), str(tmp_path / 'out.yaml')
    status, _, _ = run(capsys, 'convert', arm, '-o', urdf, '--notation', notation)
    assert status == 0
    state = ('shoulder=0.4', 'wrist/axis1=0.3', '--json')
    _, before, _ = run(capsys, 'fk', arm, *state)
    _, after, _ = run(capsys, 'fk', urdf, '--constraints', notation, *state)
    assert json.loads(before)['frames'] == json.loads(after)['frames']


@pytest.mark.parametrize(
    ('words', 'sentence'),
    [
        (['fk', 'ARM', 'elbow=1'], "there is no coordinate 'elbow'; known are: shoulder"),
        (['fk', 'ARM', 'shoulder=x'], "coordinate 'shoulder' is 'x'; it must be a number"),
        (['fk', 'ARM', 'shoulder=nan'], "coordinate 'shoulder' is 'nan'; it must be finite"),
        (['fk', 'ARM', 'shoulder'], "'shoulder' is not of the form JOINT=VALUE"),
        (['fk', 'ARM', '--frame', 'foot'], "there is no frame 'foot'"),
        (['fk', 'ARM', '--state', 'missing.yaml'], 'state file missing.yaml cannot be read'),
        (['tree', 'ARM', '--package', 'here'], "'here' is not of the form NAME=FOLDER"),
        (['tree', 'nowhere.urdf'], "the file 'nowhere.urdf' cannot be read"),
        (['convert', 'ARM', '-o', '/nowhere/at/all'], '/nowhere/at/all cannot be written'),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(words, sentence, arm, capsys):
    status, out, err = run(capsys, *(arm if word == 'ARM' else word for word in words))
    assert status == 2
    assert sentence in err
    assert err.count('\n') == 1
    assert out == ''


def test_a_state_file_must_be_a_mapping(arm, capsys, tmp_path):
    (tmp_path / 'state.yaml').write_text('- 1\n')
    status, _, err = run(capsys, 'fk', arm, '--state', str(tmp_path / 'state.yaml'))
    assert (status, 'must map coordinates to numbers' in err) == (2, True)


def test_the_robot_may_come_on_standard_input():
    words = [sys.executable, '-m', 'kinematics_node.cli', 'tree', '-', '--json']
    done = subprocess.run(words, input=ARM, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)['robot'] == 'arm'


def test_no_command_prints_the_usage(capsys):
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 2
    assert 'usage: kinematics' in capsys.readouterr().err
