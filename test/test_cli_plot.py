# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""kinematics plot as a user calls it, and the words it shares with kinematics forces."""

from __future__ import annotations

import json
import math
from pathlib import Path
import xml.etree.ElementTree

import numpy as np
from numpy.testing import assert_allclose
import pytest

from kinematics_node.cli import main

EXAMPLES = Path(__file__).parents[1] / 'examples'
ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><mass value="2"/><origin xyz="0.5 0 0"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tip"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="90" velocity="1"/>
  </joint>
  <joint name="wrist" type="ball">
    <parent link="upper"/><child link="tip"/><origin xyz="1 0 0"/>
  </joint>
</robot>
"""
G = 9.81


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / 'arm.urdf'
    path.write_text(ARM)
    return str(path)


def run(capsys, *words):
    status = main([str(word) for word in words])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def example(name):
    path = EXAMPLES / name / name
    return [path.with_suffix('.urdf'), '--constraints', path.with_suffix('.yaml')]


def words_in(path):
    root = xml.etree.ElementTree.parse(path).getroot()
    return {text.text for text in root.iter('{http://www.w3.org/2000/svg}text')}


def test_a_state_is_drawn_with_what_holds_it(arm, capsys, tmp_path):
    picture = tmp_path / 'arm.svg'
    status, out, err = run(capsys, 'plot', arm, 'shoulder=0.5', '-o', picture, '--json')
    assert (status, err) == (0, '')
    document = json.loads(out)
    assert (document['robot'], document['held'], document['picture']) == (
        'arm',
        True,
        str(picture),
    )
    loads = {load['name']: load for load in document['loads']}
    assert_allclose(loads['shoulder']['force'], (0, 0, 2 * G))
    assert_allclose(loads['shoulder']['torque'], (0, -G * math.cos(0.5), 0), atol=1e-12)
    assert_allclose(document['anchors']['wrist'], (math.cos(0.5), 0, 1 - math.sin(0.5)))
    assert document['links'].keys() == {'base', 'upper'}
    assert [(axis['joint'], axis['number']) for axis in document['axes']] == [
        ('shoulder', 1),
        ('wrist', 1),
        ('wrist', 2),
        ('wrist', 3),
    ]
    words = words_in(picture)
    assert {'arm', 'x [m]', 'at shoulder = 0.5', 'shoulder', 'wrist'} <= words
    assert 'at rest under gravity 0 0 -9.81 m/s²' in words


def test_gravity_payloads_and_wrenches_are_those_of_forces(arm, capsys, tmp_path):
    loads = ['--gravity', 0, 0, -2, '--payload', 'tip=1', '--wrench', 'tip=0,3,0']
    words = [arm, *loads, '--json', '--joint', 'shoulder']
    _, out, _ = run(capsys, 'forces', *words, '--frame', 'world')
    (told,) = json.loads(out)['joints']
    picture = tmp_path / 'arm.svg'
    _, out, _ = run(capsys, 'plot', *words, '-o', picture)
    (drawn,) = json.loads(out)['loads']
    assert_allclose(drawn['force'], (0.0, -3.0, 6.0), atol=1e-12)
    assert_allclose((drawn['torque'], drawn['force']), (told['torque'], told['force']))
    text = 'at rest under gravity 0 0 -2 m/s², payload tip=1, wrench tip=0,3,0'
    assert text in words_in(picture)


def test_without_arrows_no_forces_are_asked_for(arm, capsys, tmp_path):
    words = ['--force-scale', 0, '--torque-scale', 0, '--json']
    status, out, _ = run(capsys, 'plot', arm, '-o', tmp_path / 'arm.png', *words)
    document = json.loads(out)
    assert (status, document['held'], document['loads']) == (0, None, [])


def test_the_summary_is_that_of_forces(arm, capsys, tmp_path):
    # Only the wrist is given, so that nothing holds the shoulder.
    status, out, _ = run(capsys, 'plot', arm, 'wrist/axis1=0.2', '-o', tmp_path / 'arm.png')
    assert status == 1
    assert "This pose cannot be held: 9.81 N m at 'shoulder'" in out
    assert out.endswith(f'drawn: {tmp_path / "arm.png"}\n')
    _, told, _ = run(capsys, 'forces', arm, 'wrist/axis1=0.2')
    assert out.splitlines()[0] in told


def test_loops_are_closed_first(capsys, tmp_path):
    words = [*example('slider_crank'), 'motor=0.7', '-o', tmp_path / 'crank.svg', '--json']
    status, out, _ = run(capsys, 'plot', *words)
    document = json.loads(out)
    assert status == 0
    (pin,) = document['closures']
    assert max(pin['metres'], pin['radians']) < 1e-9
    assert_allclose(pin['A'], pin['B'], atol=1e-9)


def test_loops_that_stay_open_are_drawn_open(capsys, tmp_path):
    words = [*example('slider_crank'), 'motor=0.7', 'crank_pin=1.5', 'piston_slide=0']
    status, out, err = run(capsys, 'plot', *words, '-o', tmp_path / 'crank.svg')
    assert (status, err) == (1, '')
    assert out.startswith("the loops cannot be closed at this state; 'wrist_pin' is open by ")
    drawn = words_in(tmp_path / 'crank.svg')
    assert any(text.startswith('open by ') for text in drawn)
    assert not any('parent on child' in text for text in drawn)


def test_a_motion_is_followed_through_its_loops(capsys, tmp_path):
    words = ['--along', 'motor=0:6.28', '--steps', 13, '--load', 'crank_pin', '--json']
    picture = tmp_path / 'motion.svg'
    status, out, err = run(capsys, 'plot', *example('slider_crank'), '-o', picture, *words)
    assert (status, err) == (0, '')
    document = json.loads(out)
    assert_allclose(document['values'], np.linspace(0.0, 6.28, 13))
    assert (document['coordinate'], document['unit']) == ('motor', 'rad')
    assert document['load'] == 'crank_pin'
    assert all(document['closed'])
    assert set(document['mobility']) == {1.0}
    assert np.max(document['residuals']['wrist_pin']) < 1e-11
    assert {'motor [rad]', 'rank, mobility', "force at 'crank_pin' [N]"} <= words_in(picture)
    angle = document['values'][3]
    one = ['forces', *example('slider_crank'), f'motor={angle!r}', '--joint', 'crank_pin']
    _, out, _ = run(capsys, *one, '--json')
    (told,) = json.loads(out)['joints']
    assert_allclose(document['force'][3], np.linalg.norm(told['force']), rtol=1e-9)


def test_other_motors_stay(capsys, tmp_path):
    words = ['--along', 'motor_1=0:0.3', '--steps', 2, '-o', tmp_path / 'motion.png']
    status, out, _ = run(capsys, 'plot', *example('delta'), *words)
    assert status == 0
    assert out.startswith("2 states along 'motor_1', 0 to 0.3 rad; motor_2, motor_3 stay\n")


def test_a_ball_moves_about_one_of_its_axes_and_its_own_load_is_shown(arm, capsys, tmp_path):
    words = ['--along', 'wrist/axis2=-1:1', '--steps', 3, '--payload', 'tip=1,0.5,0,0', '--json']
    _, out, _ = run(capsys, 'plot', arm, '-o', tmp_path / 'motion.png', *words)
    document = json.loads(out)
    assert (document['load'], document['unit']) == ('wrist', 'rad')
    # The tip turns about y, and with it the payload.
    assert_allclose(document['torque'], 0.5 * G * np.cos(document['values']), rtol=1e-9)


def test_what_happens_on_the_way_is_told(capsys, tmp_path):
    words = ['--along', 'piston_slide=-0.3:0', '--steps', 7, '-o', tmp_path / 'motion.svg']
    status, out, _ = run(capsys, 'plot', *example('slider_crank'), *words)
    assert status == 1
    assert ' of them the loops cannot be closed\n' in out
    assert "of them statics do not wholly determine the load of 'piston_slide'\n" in out
    assert 'loops cannot be closed' in words_in(tmp_path / 'motion.svg')


def test_a_motion_that_nothing_holds_ends_with_1(arm, capsys, tmp_path):
    words = ['--along', 'wrist/axis1=0:1', '--steps', 2, '-o', tmp_path / 'motion.png']
    status, out, _ = run(capsys, 'plot', arm, *words)
    assert status == 1
    assert 'at 2 of them the pose cannot be held\n' in out


@pytest.mark.parametrize(
    ('words', 'sentence'),
    [
        (['-o', 'arm.jpg'], "'arm.jpg' is no picture that can be drawn; let it end in .png or"),
        (['-o', '/nowhere/at/all.png'], '/nowhere/at/all.png cannot be written: No such file'),
        (['shoulder=nan'], "coordinate 'shoulder' is 'nan'; it must be finite"),
        (['elbow=1'], "there is no coordinate 'elbow'"),
        (['--joint', 'elbow'], "there is no joint 'elbow'; known are: shoulder, wrist"),
        (['--gravity', 'nan', '0', '0'], "'gravity': nan is not finite"),
        (['--payload', 'tip'], "'tip' is not of the form LINK=KG or LINK=KG,X,Y,Z"),
        (['--wrench', 'tip=1'], "'tip=1' is not of the form LINK=FX,FY,FZ or LINK=FX,FY,FZ,TX"),
        (['--payload', 'hand=1'], "there is no frame 'hand'; known are: base, upper, tip"),
        (['--size', '-1'], 'the size of axes is -1.0; it must be positive, or 0 for none'),
        (['--force-scale', 'nan'], 'the force scale is nan; it must be positive, or 0 for none'),
        (['--view', 'nan', '0'], 'the view nan 0 must be two finite angles'),
        (['--load', 'wrist'], '--load is of a motion; give --along COORDINATE=FROM:TO as well'),
        (['--along', 'shoulder'], "'shoulder' is not of the form COORDINATE=FROM:TO, such as"),
        (['--along', 'shoulder=1'], "'shoulder=1' is not of the form COORDINATE=FROM:TO"),
        (['--along', 'shoulder=0:x'], "'shoulder=0:x' is not of the form COORDINATE=FROM:TO"),
        (['--along', 'shoulder=0:1:2'], "'shoulder=0:1:2' is not of the form COORDINATE=FROM:TO"),
        (['--along', '=0:1'], "'=0:1' is not of the form COORDINATE=FROM:TO"),
        (['--along', 'shoulder=0:nan'], "'shoulder=0:nan' must go from one finite number to"),
        (['--along', 'shoulder=1:1'], "'shoulder=1:1' goes nowhere; give two ends that differ"),
        (['--along', 'elbow=0:1'], "there is no coordinate 'elbow'"),
        (['--along', 'shoulder=0:1', '--load', 'elbow'], "there is no joint 'elbow'"),
        (['--along', 'shoulder=0:1', '--steps', '1'], 'a motion takes 2 steps or more, not 1'),
        (['--along', 'wrist/rot_x=0:1'], "joint 'wrist': 1 of 4 quaternion components are given"),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(words, sentence, arm, capsys, tmp_path):
    output = [] if '-o' in words else ['-o', tmp_path / 'arm.png']
    status, out, err = run(capsys, 'plot', arm, *output, *words)
    assert (status, out) == (2, '')
    assert err.startswith(f'kinematics: {sentence}')
    assert err.count('\n') == 1
    assert not (tmp_path / 'arm.png').exists()


def test_a_robot_of_one_link_is_refused(capsys, tmp_path):
    stone = tmp_path / 'stone.urdf'
    stone.write_text('<robot name="stone"><link name="stone"/></robot>')
    status, _, err = run(capsys, 'plot', stone, '-o', tmp_path / 'stone.png')
    assert status == 2
    assert "robot 'stone': it has no joints, so there is nothing to draw" in err
    for command in ('solve', 'forces', 'dof'):
        status, _, err = run(capsys, command, stone)
        assert (status, err) == (0, '')


def test_a_position_that_is_given_in_part_is_given_whole(capsys, tmp_path):
    kite = tmp_path / 'kite.urdf'
    kite.write_text(
        '<robot name="kite"><link name="a"/><link name="b"/><joint name="free" type="floating">'
        '<parent link="a"/><child link="b"/></joint></robot>'
    )
    status, out, _ = run(capsys, 'solve', kite, 'free/trans_z=1', '--json')
    assert status == 0
    given = [f'free/trans_{axis}' for axis in 'xyz']
    assert json.loads(out)['given'] == given
    status, out, _ = run(capsys, 'forces', kite, 'free/trans_z=1')
    assert status == 0
    words = ['--along', 'free/trans_z=0:1', '--steps', 2, '-o', tmp_path / 'kite.svg']
    status, out, _ = run(capsys, 'plot', kite, *words)
    assert out.startswith("2 states along 'free/trans_z', 0 to 1 m\n")
