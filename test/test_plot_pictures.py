# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Pictures as files: valid, with their words, colours and lengths, and nothing left behind."""

from __future__ import annotations

import io
import subprocess
import sys
import xml.etree.ElementTree

from force_models import BALL
from force_models import door
from force_models import DOWN_Y
from force_models import FOUR_BAR
from force_models import four_bar_state
from force_models import heavy_four_bar
from force_models import Mechanism
from force_models import pendulum
from force_models import REVOLUTE
from force_models import X
from force_models import Y
from loop_models import at
from loop_models import four_bar
from loop_models import Z
from matplotlib.image import imread
from matplotlib.text import Text
import numpy as np
from numpy.testing import assert_allclose
import pytest

from kinematics_node.forces import constraint_forces
from kinematics_node.plotting import style
from kinematics_node.plotting.draw_file import picture_bytes
from kinematics_node.plotting.draw_file import save
from kinematics_node.plotting.draw_labels import on_paper
from kinematics_node.plotting.draw_motion import draw_motion
from kinematics_node.plotting.draw_skeleton import draw_skeleton
from kinematics_node.plotting.draw_skeleton import SkeletonOptions
from kinematics_node.plotting.motion import motion_along
from kinematics_node.plotting.output import format_of
from kinematics_node.plotting.output import PictureError
from kinematics_node.plotting.scales import scales_of
from kinematics_node.plotting.skeleton import skeleton_of

SVG = '{http://www.w3.org/2000/svg}'
NEAR = 0.02  # of a colour's parts, between a colour and what is painted


def picture_of(model, q, gravity=DOWN_Y, options=None, **scales):
    """Return the figure of a state, with what joints carry."""
    report = constraint_forces(model, q, frame='world', gravity=gravity)
    skeleton = skeleton_of(model, q, report)
    return draw_skeleton(skeleton, scales_of(skeleton, **scales), options)


def words_of(figure):
    """Return the lines of text in a figure, from its SVG."""
    root = xml.etree.ElementTree.fromstring(picture_bytes(figure, 'svg'))
    assert root.tag == f'{SVG}svg'
    return {''.join(text.itertext()).strip() for text in root.iter(f'{SVG}text')}


def painted(figure, *colors):
    """Return how many pixels of a figure's PNG have each of some colours."""
    pixels = imread(io.BytesIO(picture_bytes(figure, 'png')))[:, :, :3]
    return [int((np.abs(pixels - np.array(c)) < NEAR).all(axis=2).sum()) for c in colors]


def four_bar_picture(**keywords):
    model = heavy_four_bar()
    return picture_of(model, four_bar_state(model, 0.7), **keywords)


def test_a_picture_has_its_axes_names_and_units():
    words = words_of(four_bar_picture(options=SkeletonOptions(title='crank = 0.7')))
    assert {'x [m]', 'y [m]', 'z [m]', 'four_bar_tip', 'crank = 0.7'} <= words
    assert {'crank', 'coupler', 'rocker', 'tip'} <= words
    assert {'link', 'anchor of a joint', 'ends of a closure', 'axis of a joint'} <= words


def test_names_may_be_left_out():
    words = words_of(four_bar_picture(options=SkeletonOptions(names=False)))
    assert words.isdisjoint({'crank', 'coupler', 'rocker', 'tip'})
    assert 'x [m]' in words


def test_lengths_are_equal_along_all_axes():
    view = four_bar_picture().axes[0]
    # Seen from a corner of a cube no direction is nearer than another.
    view.view_init(elev=np.degrees(np.arctan(np.sqrt(0.5))), azim=45.0)
    start, *ends = on_paper(view, np.array(((0, 0, 0), X, Y, Z), float))
    lengths = np.linalg.norm(np.array(ends) - start, axis=1)
    assert_allclose(lengths, lengths[0], rtol=1e-9)


def test_arrows_are_painted_in_the_colours_of_the_markers():
    model = pendulum()
    down = (0.0, 0.0, -9.81)
    colors = (style.FORCE_COLOR, style.TORQUE_COLOR, style.AXIS_COLORS[0], style.ANCHOR_COLOR)
    both = painted(picture_of(model, [0.3], down), *colors)
    assert (np.array(both) > (200, 200, 50, 20)).all()
    none = picture_of(model, [0.3], down, axis=0.0, force=0.0, torque=0.0)
    assert painted(none, *colors[:3]) == [0, 0, 0]
    assert not any('parent on child' in text for text in words_of(none))


def test_the_colours_are_those_of_the_markers():
    pytest.importorskip('visualization_msgs')
    from kinematics_node.ros import marker_scene
    from kinematics_node.ros.marker_shapes import sphere

    assert marker_scene.AXIS_COLORS == style.AXIS_COLORS
    assert marker_scene.FORCE_COLOR == style.FORCE_COLOR
    assert marker_scene.TORQUE_COLOR == style.TORQUE_COLOR
    color = sphere('', 0, '', (0, 0, 0), 1.0).color
    assert_allclose((color.r, color.g, color.b), style.ANCHOR_COLOR, rtol=1e-6)
    for residual in (0.0, 1e-4, 5e-3, 1.0):
        marked = marker_scene.residual_color(residual, style.TOLERANCE)
        assert marked == style.residual_color(residual)


def test_the_legend_says_how_long_and_what_is_not_certain():
    words = words_of(picture_of(pendulum(), [0.0], (0.0, 0.0, -9.81)))
    assert {'force, parent on child: longest', '19.6 N, drawn at 0.005 m/N'} <= words
    assert {'torque, parent on child: longest', '9.81 N m, drawn at 0.01 m/(N m)'} <= words
    assert not any('determine' in text for text in words)
    hinges = words_of(picture_of(door('upper'), (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, -9.81)))
    assert {'Statics do not wholly determine it:', 'the least of all that fit'} <= hinges
    assert {'axis 1 of a joint, as turned', 'axis 3 of a joint, as turned'} <= hinges


def test_what_is_open_is_said():
    model = heavy_four_bar()
    skeleton = skeleton_of(model, four_bar_state(model, 0.7) + np.array((0.0, 0.2, 0.0)))
    figure = draw_skeleton(skeleton, scales_of(skeleton))
    words = words_of(figure)
    assert {'tip', 'open by 0.359 m', 'between them: rod, or what is open'} <= words
    assert painted(figure, (1.0, 0.0, 0.0))[0] > 50
    assert painted(four_bar_picture(), (1.0, 0.0, 0.0)) == [0]


def test_a_rod_is_drawn_in_green():
    rod = Mechanism().add('hip', BALL, 'ground', 'leg', None, at(0.3), (X, Y, Z))
    rod.close('rod', 'distance', 'ground', 'leg', at(), at(0.7), length=1.0)
    skeleton = skeleton_of(rod.finalize(), (1.0, 0.0, 0.0, 0.0))
    assert skeleton.closures[0].largest < 1e-12
    figure = draw_skeleton(skeleton, scales_of(skeleton))
    assert painted(figure, (0.0, 1.0, 0.0))[0] > 50


def test_the_axis_along_the_view_has_no_numbers():
    words = words_of(four_bar_picture(options=SkeletonOptions(view=(-90.0, 90.0))))
    assert 'z [m]' not in words
    assert {'x [m]', 'y [m]'} <= words


def many_joints(count, step):
    """Return a chain of hinges, beside one a metre away."""
    chain = Mechanism().add('far', REVOLUTE, 'ground', 'arm', None, at(1.0), (Z,))
    before = 'ground'
    for n in range(count):
        chain.add(f'joint_{n}', REVOLUTE, before, f'link_{n}', None, at(step), (Z,))
        before = f'link_{n}'
    return chain.finalize()


def boxes_of(figure):
    """Return where names are, and the numbers beside the axes."""
    figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer()
    view = figure.axes[0]
    texts = [text for text in view.texts if text.get_text()]
    texts += [axis.label for axis in (view.xaxis, view.yaxis, view.zaxis)]
    texts += [tick.label1 for axis in (view.xaxis, view.yaxis) for tick in axis.majorTicks]
    # An annotation's own extent has its leader, too.
    return [Text.get_window_extent(text, renderer).extents for text in texts]


@pytest.mark.parametrize(('count', 'step', 'all_named'), [(30, 0.04, True), (120, 0.01, False)])
def test_names_do_not_cover_each_other(count, step, all_named):
    model = many_joints(count, step)
    skeleton = skeleton_of(model, model.zero)
    figure = draw_skeleton(skeleton, scales_of(skeleton))
    boxes = boxes_of(figure)
    assert len(boxes) > 20
    for n, (x0, y0, x1, y1) in enumerate(boxes):
        for u0, v0, u1, v1 in boxes[:n]:
            assert x0 >= u1 or u0 >= x1 or y0 >= v1 or v0 >= y1
    # Every joint is named, counted with others of its place, or said to be left out.
    lines = [line for text in figure.axes[0].texts for line in text.get_text().split('\n')]
    joints = {line for line in lines if line.startswith(('joint_', 'far'))}
    more = sum(int(line.split()[1]) for line in lines if line.startswith('+ '))
    left = sum(int(text.split()[0]) for text in words_of(figure) if 'left out' in text)
    assert len(joints) + more + left == count + 1
    assert (left == 0) is all_named


def test_names_are_no_formulas():
    arm = Mechanism().add('a$b$', REVOLUTE, 'ground', 'arm', None, at(1.0), (Z,)).finalize()
    skeleton = skeleton_of(arm, [0.0])
    title = SkeletonOptions(title='at a$b$ = 0')
    words = words_of(draw_skeleton(skeleton, scales_of(skeleton), title))
    assert {'a$b$', 'at a$b$ = 0'} <= words
    values = np.array((0.0, 1.0))
    motion = motion_along(arm, values[:, None], 'a$b$', values, ['a$b$'], 'a$b$')
    words = words_of(draw_motion(motion, 'along a$b$'))
    assert {'a$b$ [rad]', "force at 'a$b$' [N]", 'along a$b$'} <= words


def turning_crank(theta):
    """Return the motion of a four-bar through some crank angles."""
    model = heavy_four_bar()
    values = np.asarray(theta, float)
    targets = np.tile(four_bar_state(model, values[0]), (values.size, 1))
    targets[:, model.coordinate_index['crank']] = values
    return motion_along(model, targets, 'crank', values, ['crank'], 'crank', gravity=DOWN_Y)


def test_a_motion_has_three_panels_with_its_numbers():
    motion = turning_crank(np.linspace(0.3, 6.5, 25))
    figure = draw_motion(motion, 'along crank')
    residuals, rank, load, values, torque = figure.axes
    words = words_of(figure)
    assert {'crank [rad]', 'open by [m or rad]', 'rank, mobility', 'four_bar_tip'} <= words
    assert {"force at 'crank' [N]", "torque at 'crank' [N m]", 'closed below 1e-11'} <= words
    assert {'tip', 'rank of loop rows', 'mobility', 'along crank'} <= words
    assert residuals.get_yscale() == 'log'
    lines = {line.get_label(): line for line in rank.lines}
    assert_allclose(lines['rank of loop rows'].get_ydata(), 2.0)
    assert_allclose(lines['mobility'].get_ydata(), 1.0)
    assert_allclose(values.lines[0].get_ydata(), motion.smallest)
    # The pins of a planar loop share what acts across its plane: all of it is dashed.
    for axes, series in ((load, motion.force), (torque, motion.torque)):
        solid, dashed = axes.lines
        assert np.isnan(solid.get_ydata()).all()
        assert_allclose(dashed.get_ydata(), series)


def test_what_cannot_be_closed_is_grey_and_empty():
    model = four_bar(**{**FOUR_BAR, 'crank': 1.5})
    values = np.linspace(1.0, 3.0, 11)
    targets = np.zeros((values.size, model.nq))
    targets[:, model.coordinate_index['crank']] = values
    motion = motion_along(model, targets, 'crank', values, ['crank'], 'crank')
    assert 0 < motion.closed.sum() < values.size
    figure = draw_motion(motion)
    assert 'loops cannot be closed' in words_of(figure)
    assert painted(figure, (0xE8 / 255.0,) * 3)[0] > 1000


def test_a_tree_says_that_it_has_no_loops():
    values = np.linspace(0.0, 1.0, 5)
    motion = motion_along(pendulum(), values[:, None], 'hip', values, ['hip'], 'hip')
    figure = draw_motion(motion)
    assert 'no closures and no couplings' in words_of(figure)
    assert_allclose(figure.axes[2].lines[0].get_ydata(), motion.force)


def test_files_are_what_their_suffix_says(tmp_path):
    figure = four_bar_picture()
    save(figure, tmp_path / 'a.PNG')
    save(figure, tmp_path / 'a.svg')
    assert (tmp_path / 'a.PNG').read_bytes().startswith(b'\x89PNG\r\n\x1a\n')
    assert imread(tmp_path / 'a.PNG', format='png').shape == (1040, 1495, 4)
    xml.etree.ElementTree.parse(tmp_path / 'a.svg')


def test_the_same_numbers_give_the_same_file():
    assert picture_bytes(four_bar_picture(), 'svg') == picture_bytes(four_bar_picture(), 'svg')


@pytest.mark.parametrize('name', ['a.jpg', 'a', 'png', 'a.svg.gz'])
def test_other_suffixes_are_refused(name, tmp_path):
    with pytest.raises(
        PictureError, match=r'is no picture that can be drawn; let it end in \.png'
    ):
        format_of(tmp_path / name)


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(PictureError, match=r'none/a\.png cannot be written: No such file'):
        save(four_bar_picture(), tmp_path / 'none' / 'a.png')


PROGRAM = """
import sys
from kinematics_node.cli import main
assert not any(name.startswith('matplotlib') for name in sys.modules)
for words in (['fk'], ['plot', '-o', sys.argv[2]]):
    assert main([words[0], sys.argv[1], *words[1:]]) == 0, words
    loaded = 'matplotlib' in sys.modules
    assert loaded is (words[0] == 'plot'), words
assert 'matplotlib.pyplot' not in sys.modules
import matplotlib
assert matplotlib.rcParams['svg.fonttype'] == 'path'
"""


def test_matplotlib_is_loaded_by_pictures_alone_and_keeps_no_state(tmp_path):
    urdf = tmp_path / 'arm.urdf'
    urdf.write_text(
        '<robot name="arm"><link name="a"/><link name="b"/><joint name="j" type="continuous">'
        '<parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>'
    )
    words = [sys.executable, '-c', PROGRAM, str(urdf), str(tmp_path / 'arm.svg')]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
