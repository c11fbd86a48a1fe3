# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The launch files, really launched, and the parameter file that they load."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
import os
from pathlib import Path
import signal
import subprocess
import sys
import time

from domains import fresh_domain
import pytest
import yaml

pytest.importorskip('rclpy', reason='ROS 2 (rclpy) is not installed')
pytest.importorskip('tf2_msgs', reason='the messages tf2_msgs are not installed')

from rcl_interfaces.srv import GetParameters
import rclpy
from rclpy.node import Node
from rclpy.parameter import parameter_value_to_python
from rclpy.qos import DurabilityPolicy
from rclpy.qos import QoSProfile
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from kinematics_node.errors import KinematicsError
from kinematics_node.errors import ResourceError
from kinematics_node.ros import description_file
from kinematics_node.ros import settings
from kinematics_node.ros.description_file import share

ROOT = Path(__file__).resolve().parent.parent
LATCHED = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# A cold cache of kernels, on a slow machine.
PATIENCE = 150.0

# Colons, quotes and numbers would break if a description were read as YAML.
ROBOT = """<?xml version="1.0"?>
<!-- a: b
  - 1: 'c' # "d" -->
<robot name="small">
  <link name="base"/><link name="arm"/><link name="tip"/>
  <joint name="turn" type="continuous">
    <parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
  </joint>
  <joint name="mount" type="fixed"><parent link="arm"/><child link="tip"/></joint>
</robot>
"""
XACRO = """<robot name="small" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="height" value="${2 * 0.25}"/>
  <link name="base"/><link name="tip"/>
  <joint name="mount" type="fixed">
    <parent link="base"/><child link="tip"/><origin xyz="0 0 ${height}"/>
  </joint>
</robot>
"""
# What `ros2 launch` does with a file and its arguments.
LAUNCH = """
import sys
from launch import LaunchDescription
from launch import LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
path, *arguments = sys.argv[1:]
included = IncludeLaunchDescription(
    PythonLaunchDescriptionSource(path),
    launch_arguments=[tuple(argument.split(':=', 1)) for argument in arguments],
)
service = LaunchService(noninteractive=True)
service.include_launch_description(LaunchDescription([included]))
sys.exit(service.run())
"""


# The parameter file.


def test_the_parameter_file_says_the_same_as_the_node() -> None:
    text = (ROOT / 'config' / 'kinematics.yaml').read_text(encoding='utf-8')
    values = yaml.safe_load(text)['/**']['ros__parameters']
    assert values.pop('use_sim_time') is False
    defaults = settings.Settings()
    assert values == {name: getattr(defaults, name) for name in settings.DESCRIPTIONS}
    assert {name: type(value) for name, value in values.items()} == {
        name: type(getattr(defaults, name)) for name in settings.DESCRIPTIONS
    }


def test_every_parameter_in_the_file_has_a_comment() -> None:
    lines = (ROOT / 'config' / 'kinematics.yaml').read_text(encoding='utf-8').splitlines()
    for name in [*settings.DESCRIPTIONS, 'use_sim_time']:
        place = next(k for k, line in enumerate(lines) if line.startswith(f'    {name}:'))
        assert lines[place - 1].startswith('    # '), name


def test_the_rviz_file_shows_the_robot() -> None:
    text = (ROOT / 'config' / 'kinematics.rviz').read_text(encoding='utf-8')
    displays = yaml.safe_load(text)['Visualization Manager']['Displays']
    shown = {display['Class'].split('/')[1]: display for display in displays}
    assert {'Grid', 'RobotModel', 'TF'} <= set(shown)
    assert shown['RobotModel']['Description Topic']['Value'] == 'robot_description'
    assert shown['RobotModel']['Description Topic']['Durability Policy'] == 'Transient Local'


# Descriptions from files.


@pytest.mark.parametrize(
    ('name', 'content', 'sentence'),
    [
        ('none.urdf', None, "the model '.*none.urdf' does not exist"),
        ('bad.xacro', '<robot', 'xacro cannot expand .*bad.xacro'),
        (
            'macro.xacro',
            '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:none/></robot>',
            'unknown macro name: xacro:none',
        ),
        ('latin.urdf', b'<robot name="\xe4"/>', 'a byte is not valid utf-8'),
    ],
)
def test_a_file_that_is_no_description_is_refused(
    tmp_path: Path, name: str, content: str | bytes | None, sentence: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(KinematicsError, match=sentence):
        description_file.description_of(str(path))


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match='is a directory; give a file in it'):
        description_file.description_of(str(tmp_path))


def test_an_unknown_package_is_refused() -> None:
    with pytest.raises(ResourceError, match="package 'no_such_package' is neither installed"):
        description_file.description_of('package://no_such_package/robot.urdf')


def test_missing_xacro_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / 'robot.xacro'
    path.write_text(XACRO)
    monkeypatch.setitem(sys.modules, 'xacro', None)
    with pytest.raises(ResourceError, match='needs xacro, which is not installed'):
        description_file.description_of(str(path))


def test_a_missing_installation_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('AMENT_PREFIX_PATH', '')
    with pytest.raises(ResourceError, match="package 'joint_kinematics' is not in AMENT_PREFIX"):
        share()


def test_a_declared_encoding_is_followed(tmp_path: Path) -> None:
    path = tmp_path / 'robot.urdf'
    path.write_bytes(
        '<?xml version="1.0" encoding="latin-1"?>\n<robot name="ä"/>\0'.encode('latin-1')
    )
    assert description_file.description_of(str(path)).endswith('<robot name="ä"/>')


def test_the_root_link_is_found() -> None:
    assert description_file.root_link(ROBOT) == 'base'
    assert description_file.root_link('<robot name="empty"/>') == ''


# Launching.


@pytest.fixture
def domain() -> int:
    return fresh_domain()


@pytest.fixture
def launch(domain: int) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Return a function that launches a file of the package; Ctrl-C must end all it starts."""
    pytest.importorskip('launch', reason='launch is not installed')
    pytest.importorskip('launch_ros', reason='launch_ros is not installed')
    try:
        folder = share() / 'launch'
    except ResourceError as error:
        pytest.skip(str(error))
    environment = {
        **os.environ,
        'ROS_DOMAIN_ID': str(domain),
        'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
    }
    started: list[subprocess.Popen[str]] = []

    def start(file: str, *arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, '-c', LAUNCH, str(folder / file), *arguments],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def interrupt(process: subprocess.Popen[str]) -> str:
    """Press Ctrl-C; return the output once all processes have ended, as they must."""
    os.killpg(process.pid, signal.SIGINT)
    output = process.communicate(timeout=30)[0]
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    assert process.returncode == 0, output
    return output


class Client:
    """A node that listens to what a launch brings up.

    Attributes
    ----------
    transforms, static : dict of str to tuple of (str, float)
        By child frame, its parent and z.
    description : str
        What came on robot_description.
    """

    def __init__(self, node: Node, spin: Callable[[float], None], namespace: str) -> None:
        self._node, self._spin, self._namespace = node, spin, namespace
        self.transforms: dict[str, tuple[str, float]] = {}
        self.static: dict[str, tuple[str, float]] = {}
        self.description = ''
        for topic, qos, heard in (
            ('/tf', QoSProfile(depth=100), self.transforms),
            ('/tf_static', LATCHED, self.static),
        ):
            node.create_subscription(TFMessage, topic, self._taker(heard), qos)
        topic = f'{namespace}/robot_description'
        node.create_subscription(String, topic, self._on_description, LATCHED)

    def wait(self, until: Callable[[], bool], process: subprocess.Popen[str]) -> None:
        """Serve until a condition holds; fail with the output where it never does."""
        end = time.monotonic() + PATIENCE
        while not until():
            self._spin(0.05)
            if process.poll() is not None or time.monotonic() > end:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                pytest.fail('what was waited for never came:\n' + process.communicate()[0])

    def parameters(self, names: list[str], process: subprocess.Popen[str]) -> list[object]:
        """Ask the node for parameters."""
        service = f'{self._namespace}/kinematics/get_parameters'
        client = self._node.create_client(GetParameters, service)
        self.wait(client.service_is_ready, process)
        future = client.call_async(GetParameters.Request(names=names))
        self.wait(future.done, process)
        return [parameter_value_to_python(value) for value in future.result().values]

    def _taker(self, heard: dict[str, tuple[str, float]]) -> Callable[[TFMessage], None]:
        def take(message: TFMessage) -> None:
            for one in message.transforms:
                z = one.transform.translation.z
                heard[one.child_frame_id] = (one.header.frame_id, z)

        return take

    def _on_description(self, message: String) -> None:
        self.description = message.data


@pytest.fixture
def client(domain: int) -> Iterator[Callable[..., Client]]:
    """Return a function that makes a client in the domain of the launch."""
    context = rclpy.Context()
    rclpy.init(args=[], context=context, domain_id=domain)
    node = rclpy.create_node('client', context=context)
    executor = rclpy.executors.SingleThreadedExecutor(context=context)
    executor.add_node(node)
    yield lambda namespace='': Client(node, lambda t: executor.spin_once(timeout_sec=t), namespace)
    executor.shutdown()
    node.destroy_node()
    rclpy.shutdown(context=context)


def test_the_demo_moves(launch, client) -> None:
    process, listener = launch('demo.launch.py', 'rate:=50'), client()
    moving = {'forearm', 'tendon', 'index_distal_link', 'carriage'}
    listener.wait(lambda: moving <= set(listener.transforms), process)
    listener.wait(lambda: {'palm', 'grasp_frame'} <= set(listener.static), process)
    assert listener.transforms['index_distal_link'][0] == 'index_middle_link'
    interrupt(process)


def test_the_demo_plays_the_motors_of_a_mechanism(launch, client) -> None:
    process, listener = launch('demo.launch.py', 'example:=push_rod_ankle'), client()
    links = {'left_crank', 'right_crank', 'left_rod', 'right_rod', 'foot'}
    listener.wait(lambda: links <= set(listener.transforms), process)
    said = interrupt(process)
    assert 'playing 2 positions and 0 poses' in said
    assert 'nobody' not in said


def test_constraints_come_from_a_file(launch, client, tmp_path: Path) -> None:
    model, constraints = tmp_path / 'robot.urdf', tmp_path / 'robot.yaml'
    model.write_text(ROBOT)
    constraints.write_text('joints:\n  mount: {child_pose: [0.0, 0.0, 0.25]}\n')
    arguments = (f'model:={model}', f'constraints:={constraints}')
    process, listener = launch('kinematics.launch.py', *arguments), client()
    listener.wait(lambda: bool(listener.static), process)
    assert listener.static == {'tip': ('arm', 0.25)}
    interrupt(process)


def test_every_argument_reaches_the_node(launch, client, tmp_path: Path) -> None:
    model, parameters = tmp_path / 'robot.urdf', tmp_path / 'parameters.yaml'
    model.write_text(ROBOT)
    given = {'publish_frequency': 7.0, 'frame_prefix': 'below/', 'ignore_timestamp': True}
    parameters.write_text(yaml.safe_dump({'/**': {'ros__parameters': given}}))
    process = launch(
        'kinematics.launch.py',
        f'model:={model}',
        'namespace:=left',
        'frame_prefix:=123:/',
        f'params_file:={parameters}',
        'use_sim_time:=true',
    )
    listener = client('/left')
    listener.wait(lambda: bool(listener.static), process)
    assert listener.static == {'123:/tip': ('123:/arm', 0.0)}
    listener.wait(lambda: bool(listener.description), process)
    assert listener.description == ROBOT
    names = ['publish_frequency', 'frame_prefix', 'ignore_timestamp', 'use_sim_time']
    assert listener.parameters(names, process) == [7.0, '123:/', True, True]
    interrupt(process)


def test_arguments_that_are_not_given_leave_the_file_alone(launch, client, tmp_path: Path) -> None:
    parameters = tmp_path / 'parameters.yaml'
    given = {'robot_description': ROBOT, 'frame_prefix': 'file/', 'use_sim_time': True}
    parameters.write_text(yaml.safe_dump({'/**': {'ros__parameters': given}}))
    process, listener = launch('kinematics.launch.py', f'params_file:={parameters}'), client()
    listener.wait(lambda: bool(listener.static), process)
    assert listener.static == {'file/tip': ('file/arm', 0.0)}
    assert listener.parameters(['use_sim_time'], process) == [True]
    interrupt(process)


def test_xacro_is_expanded(launch, client, tmp_path: Path) -> None:
    model = tmp_path / 'robot.urdf.xacro'
    model.write_text(XACRO)
    process, listener = launch('kinematics.launch.py', f'model:={model}'), client()
    listener.wait(lambda: bool(listener.static), process)
    assert listener.static == {'tip': ('base', 0.5)}
    interrupt(process)


@pytest.mark.parametrize(
    ('file', 'arguments', 'sentence'),
    [
        ('kinematics.launch.py', ['model:=none.urdf'], "the model 'none.urdf' does not exist"),
        (
            'kinematics.launch.py',
            ['params_file:=none.yaml'],
            "the params_file 'none.yaml' does not exist",
        ),
        ('kinematics.launch.py', ['use_sim_time:=maybe'], 'Valid options are:'),
        ('kinematics.launch.py', ['rviz:=perhaps'], 'Valid options are:'),
        ('demo.launch.py', ['example:=none'], "there is no example 'none'; there are: "),
    ],
)
def test_wrong_arguments_end_the_launch_with_a_sentence(launch, file, arguments, sentence) -> None:
    process = launch(file, *arguments)
    output = process.communicate(timeout=60)[0]
    assert process.returncode == 1, output
    assert sentence in output


def test_without_a_model_the_node_says_what_is_missing(launch) -> None:
    output = launch('kinematics.launch.py').communicate(timeout=PATIENCE)[0]
    assert "parameter 'robot_description' is empty" in output


def test_a_model_from_a_package_is_found(launch, client) -> None:
    address = 'package://joint_kinematics/examples/mimic_hand/mimic_hand.urdf'
    process, listener = launch('kinematics.launch.py', f'model:={address}'), client()
    listener.wait(lambda: 'palm' in listener.static, process)
    interrupt(process)
