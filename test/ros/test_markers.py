# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Markers: what is drawn of a state, that it is drawn for listeners only, and the topic itself."""

from __future__ import annotations

from pathlib import Path

from loop_models import at
from loop_models import four_bar
import numpy as np
import pytest
from ros.harness import running
from ros.messages import joint_state
from ros.messages import serialize_message
from ros.oracle import rotation
from ros.recorder import Recorder
from ros.recorder import stream_of
from ros.robots import joint
from ros.robots import urdf
from visualization_msgs.msg import Marker
from visualization_msgs.msg import MarkerArray
import yaml

from kinematics_node.forces import constraint_forces
from kinematics_node.formats.load import load_model
from kinematics_node.model.builder import ModelBuilder
from kinematics_node.model.elements import Axis
from kinematics_node.model.elements import Inertia
from kinematics_node.model.elements import Joint
from kinematics_node.model.elements import Link
from kinematics_node.model.elements import X_AXIS
from kinematics_node.model.elements import Y_AXIS
from kinematics_node.model.elements import Z_AXIS
from kinematics_node.model.joint_types import JointType
from kinematics_node.ros.marker_options import MarkerOptions
from kinematics_node.ros.marker_scene import loads_of
from kinematics_node.ros.marker_scene import residual_color
from kinematics_node.ros.marker_scene import Scene
from kinematics_node.ros.marker_scene import Snapshot
from kinematics_node.ros.markers import Markers
from kinematics_node.solve import LoopSolver

QUARTER = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))


def taken(stream, positions):
    stream.take(serialize_message(joint_state(positions)))


def drawn(stream, scene=None, **options):
    """Return the markers of a stream's state by (namespace, id)."""
    scene = scene or Scene(stream.model, Recorder())
    found = scene.markers(Snapshot.of(stream), MarkerOptions(**options))
    return by_key(found)


def by_key(markers):
    keyed = {(m.ns, m.id): m for m in markers}
    assert len(keyed) == len(markers)
    return keyed


def numbers(point):
    return np.array([point.x, point.y, point.z])


def along(marker):
    """Return the vector of an arrow or a line."""
    start, end = marker.points
    return numbers(end) - numbers(start)


def pendulum(kind=JointType.BALL, axes=(X_AXIS, Y_AXIS, Z_AXIS), X_PF=None):
    """Return base -joint- bob, of 2 kg half a metre below the anchor."""
    builder = ModelBuilder('pendulum')
    builder.add_link(Link('base'))
    builder.add_link(Link('bob', Inertia(2.0, (0.0, 0.0, -0.5), (0.01, 0.01, 0.01, 0, 0, 0))))
    X_PF = X_PF or at(0.1, 0.2, 0.3, QUARTER)
    builder.add_joint(Joint('hip', kind, 'base', 'bob', X_PF, axes=tuple(map(Axis, axes))))
    return builder.finalize()


# What is drawn.


def test_anchor_and_axes_of_a_ball_joint():
    """Axis 1 is fixed on the parent; each later one is carried by the turns before it."""
    stream = stream_of(pendulum(), prefix='left/')
    found = drawn(stream, size=0.2)
    assert list(found) == [('anchors', 0)], 'axes are there once the joint has a state'
    taken(stream, {'hip/axis1': 0.4, 'hip/axis2': -0.7, 'hip/axis3': 1.1})
    found = drawn(stream, size=0.2)
    anchor = found['anchors', 0]
    assert (anchor.type, anchor.action) == (Marker.SPHERE, Marker.ADD)
    np.testing.assert_allclose(numbers(anchor.pose.position), [0.1, 0.2, 0.3])
    assert anchor.scale.x == pytest.approx(0.08)
    R_PF = rotation('z', np.pi / 2)
    first, second = rotation('x', 0.4), rotation('y', -0.7)
    right = [R_PF[:, 0], R_PF @ first[:, 1], R_PF @ first @ second[:, 2]]
    for n in range(3):
        axis = found['axes', n]
        assert axis.header.frame_id == 'left/base'
        assert axis.type == Marker.ARROW
        np.testing.assert_allclose(along(axis), 0.2 * right[n], atol=1e-12)
        np.testing.assert_allclose(numbers(axis.points[0]), [0.1, 0.2, 0.3])


def test_axes_of_a_ball_joint_do_not_turn_over():
    """Its middle angle passes a right angle, where another triple would be nearer to zero."""
    stream = stream_of(pendulum())
    scene, before = Scene(stream.model, Recorder()), None
    for angle in np.linspace(0.0, 3.0, 31):
        taken(stream, {'hip/axis1': 0.4, 'hip/axis2': angle, 'hip/axis3': -0.3})
        now = along(drawn(stream, scene)['axes', 1])
        assert before is None or now @ before > 0.0
        before = now


def test_axes_of_a_universal_joint():
    stream = stream_of(pendulum(JointType.UNIVERSAL, (X_AXIS, Z_AXIS), at(1.0)))
    taken(stream, {'hip/axis1': 0.5, 'hip/axis2': 2.0})
    found = drawn(stream, size=1.0)
    np.testing.assert_allclose(along(found['axes', 0]), [1.0, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(along(found['axes', 1]), rotation('x', 0.5)[:, 2], atol=1e-12)
    assert ('axes', 2) not in found


def test_force_of_a_hanging_bob_and_its_torque_when_it_is_held_aside():
    """The joint carries the weight; held out level it also carries weight times lever."""
    kind, weight = JointType.REVOLUTE, 2.0 * 9.81
    stream = stream_of(pendulum(kind, (X_AXIS,), at(0.1, 0.2, 0.3)))
    assert drawn(stream) == {}, 'nothing is known of the state yet'
    taken(stream, {'hip': 0.0})
    found = drawn(stream, force_scale=0.01, torque_scale=0.1)
    assert list(found) == [('forces', 0)]
    np.testing.assert_allclose(along(found['forces', 0]), [0.0, 0.0, 0.01 * weight], atol=1e-9)
    np.testing.assert_allclose(numbers(found['forces', 0].points[0]), [0.1, 0.2, 0.3], atol=1e-9)
    taken(stream, {'hip': np.pi / 2})
    found = drawn(stream, force_scale=0.01, torque_scale=0.1)
    np.testing.assert_allclose(along(found['forces', 0]), [0.0, 0.0, 0.01 * weight], atol=1e-9)
    # At a quarter turn about x the bob is at +y, and its weight turns about -x.
    right = [0.1 * weight * 0.5, 0.0, 0.0]
    np.testing.assert_allclose(along(found['torques', 0]), right, atol=1e-9)
    assert found['torques', 0].color != found['forces', 0].color


def test_loads_are_those_of_the_report(shared_robot):
    """Quick ones of joints and closures, against those that come with everything else."""
    path = shared_robot('digit_like/robot.urdf')
    model = load_model(path, side_cars=[path.parent / 'robot.yaml'])
    motors = [joint.name for joint in model.joints if joint.actuated]
    q = LoopSolver(model, motors).assemble(model.zero).q
    report = constraint_forces(model, q)
    right = [*report.joints, *report.closures]
    found = list(loads_of(report))
    assert len(right) == len(found) == len(model.joints) + len(model.closures)
    for load, (link, point, wrench) in zip(right, found, strict=True):
        assert model.links[link].name == load.frame
        np.testing.assert_allclose(point, load.point, atol=1e-12)
        np.testing.assert_allclose(wrench, load.total, atol=1e-9)
    assert max(np.abs(load.total).max() for load in report.closures) > 0.1


@pytest.mark.parametrize(
    ('scales', 'spaces'),
    [((0.01, 0.0), {'forces'}), ((0.0, 0.1), {'torques'}), ((0.0, 0.0), set())],
)
def test_a_scale_of_zero_draws_no_arrows(scales, spaces, monkeypatch):
    stream = stream_of(pendulum(JointType.REVOLUTE, (X_AXIS,)))
    taken(stream, {'hip': 1.0})
    if not spaces:
        monkeypatch.setattr('kinematics_node.ros.marker_scene.constraint_forces', None)
    found = drawn(stream, force_scale=scales[0], torque_scale=scales[1])
    assert {space for space, _ in found} == spaces


def test_residual_of_a_closure_is_a_line_between_its_frames():
    model = four_bar(ground=2.0, crank=1.0, coupler=0.8, rocker=0.8)
    stream = stream_of(model)
    assert list(drawn(stream)) == [('closures', 0)], 'no residual while it waits'
    taken(stream, {'crank': 0.3})
    found = drawn(stream)
    A, residual = found['closures', 0], found['residuals', 0]
    assert A.header.frame_id == residual.header.frame_id == 'coupler'
    np.testing.assert_allclose(numbers(A.pose.position), [0.8, 0.0, 0.0])
    np.testing.assert_allclose(along(residual), 0.0, atol=1e-9)
    assert (residual.color.r, residual.color.g) == (pytest.approx(0.0, abs=1e-6), 1.0)
    # The crank moves on and the other joints stay: the gap is that of the crank's tip.
    k = model.coordinate_index['crank']
    stream.state[k] += 0.5
    residual = drawn(stream)['residuals', 0]
    tip = np.linalg.norm(rotation('z', 0.8)[:, 0] - rotation('z', 0.3)[:, 0])
    elbow = np.linalg.norm(along(residual))
    assert elbow > 0.5 * tip
    assert (residual.color.r, residual.color.g) == (1.0, 0.0)


@pytest.mark.parametrize(
    ('residual', 'tolerance', 'color'),
    [
        (0.0, 1e-3, (0.0, 1.0, 0.0)),
        (5e-3, 1e-3, (1.0, 1.0, 0.0)),
        (1.0, 1e-3, (1.0, 0.0, 0.0)),
        (0.0, 0.0, (0.0, 1.0, 0.0)),
        (1e-9, 0.0, (1.0, 0.0, 0.0)),
    ],
)
def test_color_of_a_residual(residual, tolerance, color):
    assert residual_color(residual, tolerance) == pytest.approx(color)


# Only while somebody listens.


class NodeDouble:
    """As much of a node as Markers needs, with a number of listeners."""

    def __init__(self):
        self.listeners, self.timers, self.sent = 0, [], []

    def create_publisher(self, kind, name, queue):
        assert (kind, name) == (MarkerArray, '~/markers')
        return self

    def get_subscription_count(self):
        return self.listeners

    def publish(self, message):
        self.sent.append(message.markers)

    def create_timer(self, period, callback, clock):
        self.timers.append((period, callback))
        return self.timers[-1]

    def destroy_timer(self, timer):
        self.timers.remove(timer)


@pytest.fixture
def node():
    return NodeDouble()


def markers_of(node, stream):
    return Markers(node, lambda: stream, lambda call: call(), Recorder())


def test_nothing_is_computed_without_a_listener(node, monkeypatch):
    stream = stream_of(pendulum())
    markers = markers_of(node, stream)
    monkeypatch.setattr(Scene, '__init__', lambda *_: pytest.fail('a scene was made'))
    for _ in range(3):
        markers.follow(MarkerOptions())
    assert (node.timers, node.sent) == ([], [])


def test_a_listener_starts_it_and_leaving_ends_it(node):
    markers = markers_of(node, stream_of(pendulum()))
    node.listeners = 1
    markers.follow(MarkerOptions(rate=20.0))
    markers.follow(MarkerOptions(rate=20.0))
    ((period, tick),) = node.timers
    assert period == 0.05
    tick()
    assert list(by_key(node.sent[-1])) == [('anchors', 0)]
    markers.follow(MarkerOptions(rate=50.0))
    ((period, _),) = node.timers
    assert period == 0.02
    node.listeners = 0
    markers.follow(MarkerOptions(rate=50.0))
    assert node.timers == []


@pytest.mark.parametrize('rate', [0.0, 10.0])
def test_a_rate_of_zero_ends_it_and_clears_the_view(node, rate):
    markers = markers_of(node, stream_of(pendulum()))
    node.listeners = 1
    markers.follow(MarkerOptions(rate=10.0))
    markers.publish()
    count = len(node.sent)
    markers.follow(MarkerOptions(rate=rate))
    if rate:
        assert len(node.sent) == count
    else:
        assert node.timers == []
        (gone,) = node.sent[-1]
        assert (gone.ns, gone.id, gone.action) == ('anchors', 0, Marker.DELETE)


def test_what_vanishes_is_deleted_once_and_the_rest_keeps_its_ids(node):
    stream = stream_of(pendulum())
    markers = markers_of(node, stream)
    taken(stream, {'hip/axis1': 0.4, 'hip/axis2': 0.5, 'hip/axis3': 0.1})
    markers.publish()
    first = by_key(node.sent[-1])
    assert {space for space, _ in first} == {'anchors', 'axes', 'forces', 'torques'}
    markers.follow(MarkerOptions(force_scale=0.0, torque_scale=0.0))
    markers.publish()
    second = by_key(node.sent[-1])
    assert second.keys() == first.keys()
    deleted = {key for key, m in second.items() if m.action == Marker.DELETE}
    assert deleted == {key for key in first if key[0] in ('forces', 'torques')}
    markers.publish()
    assert by_key(node.sent[-1]).keys() == first.keys() - deleted


def test_forces_that_cannot_be_found_are_said_and_the_rest_is_drawn(monkeypatch):
    from kinematics_node.errors import ValueShapeError

    def refuse(*_, **__):
        raise ValueShapeError('no such thing')

    monkeypatch.setattr('kinematics_node.ros.marker_scene.constraint_forces', refuse)
    stream, complaints = stream_of(pendulum()), Recorder()
    taken(stream, {'hip/axis1': 0.4, 'hip/axis2': 0.5, 'hip/axis3': 0.1})
    found = drawn(stream, Scene(stream.model, complaints))
    assert {space for space, _ in found} == {'anchors', 'axes'}
    assert 'no forces are drawn: no such thing' in complaints


# The topic.

INERTIAL = (
    '<inertial><origin xyz="0 0.5 0"/><mass value="2"/>'
    '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
)
SWINGING = urdf(
    joint('q', 'continuous', 'base_link', 'arm', axis='1 0 0'),
    joint('hip', 'ball', 'arm', 'leg', xyz='0 1 0'),
).replace('<link name="arm"/>', f'<link name="arm">{INERTIAL}</link>')
BALL = {'hip/axis1': 0.0, 'hip/axis2': 0.0, 'hip/axis3': 0.0}


def test_arrows_on_the_topic_change_with_the_state():
    parameters = {
        'robot_description': SWINGING,
        'marker_rate': 20.0,
        'marker_torque_scale': 0.1,
    }
    with running(parameters) as robot:
        peer, heard = robot.peer, []
        peer.node.create_subscription(
            MarkerArray, 'kinematics/markers', lambda m: heard.append(by_key(m.markers)), 10
        )
        levers = {}
        for angle in (0.0, 1.0):
            peer.ask({'q': angle, **BALL}, peer.fresh(), 'arm')
            heard.clear()
            # The first forces may have to be compiled; and one set may have been under way.
            peer.until(lambda: len(heard) > 2 and ('torques', 0) in heard[-1], timeout=90.0)
            levers[angle] = along(heard[-1]['torques', 0])[0]
        weight = 2.0 * 9.81
        assert levers[0.0] == pytest.approx(0.1 * weight * 0.5)
        assert levers[1.0] == pytest.approx(0.1 * weight * 0.5 * np.cos(1.0))
        assert heard[-1].keys() == heard[-2].keys()
        assert heard[-1]['anchors', 1].header.frame_id == 'arm'
        peer.accept(frame_prefix='r/', marker_force_scale=0.0, marker_torque_scale=0.0)
        peer.until(lambda: heard[-1]['anchors', 1].header.frame_id == 'r/arm')
        peer.until(lambda: {space for space, _ in heard[-1]} == {'anchors', 'axes'})
        assert 'must be 0.0 or more m/N' in peer.refuse(marker_force_scale=-1.0)
        assert 'must be 0.0 or more m/(N m)' in peer.refuse(marker_torque_scale='big')
        assert 'must be 0.0 or more m' in peer.refuse(marker_size=float('inf'))
        peer.accept(marker_rate=0.0)
        peer.listen(0.5)
        heard.clear()
        peer.listen(0.5)
        assert heard == []


def test_rviz_shows_them():
    text = Path(__file__).parents[2].joinpath('config', 'kinematics.rviz').read_text()
    displays = yaml.safe_load(text)['Visualization Manager']['Displays']
    (display,) = [d for d in displays if d['Class'] == 'rviz_default_plugins/MarkerArray']
    assert display['Enabled'] is True
    assert display['Topic']['Value'] == '/kinematics/markers'
