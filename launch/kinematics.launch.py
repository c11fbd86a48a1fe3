# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The kinematics node on a robot: model:=<path of a .urdf or .xacro file>."""

from launch import LaunchContext
from launch import LaunchDescription
from launch import LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument
from launch.actions import OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from kinematics_node.ros.constraints_file import constraint_parameters
from kinematics_node.ros.description_file import description_of
from kinematics_node.ros.description_file import file_at
from kinematics_node.ros.description_file import root_link
from kinematics_node.ros.description_file import share

ARGUMENTS = [
    DeclareLaunchArgument(
        'model',
        default_value='',
        description='The robot: path of a .urdf or .xacro file, or package://<package>/<path>. '
        'Empty: robot_description of the params_file, or the topic, holds.',
    ),
    DeclareLaunchArgument(
        'constraints',
        default_value='',
        description='What the model cannot say, such as closed loops: path of a .yaml file in '
        "our notation or Gepetto's, or package://<package>/<path>.",
    ),
    DeclareLaunchArgument(
        'namespace',
        default_value='',
        description='Namespace of the node; /tf and /tf_static stay global.',
    ),
    DeclareLaunchArgument(
        'frame_prefix',
        default_value='',
        description="Put in front of every frame name, such as 'left/'. Empty: as in params_file.",
    ),
    DeclareLaunchArgument(
        'params_file',
        default_value='',
        description='Parameter file of the node. Empty: config/kinematics.yaml, the defaults.',
    ),
    DeclareLaunchArgument(
        'use_sim_time',
        default_value='',
        choices=['', 'true', 'false'],
        description="Whether time is the simulation's, from /clock. Empty: as in params_file.",
    ),
    DeclareLaunchArgument(
        'rviz',
        default_value='false',
        choices=['true', 'false'],
        description='Whether to start RViz on the robot.',
    ),
]


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments; the model is read when they have their values."""
    return LaunchDescription([*ARGUMENTS, OpaqueFunction(function=start)])


def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the node, and RViz where it is wanted."""
    given = {
        argument.name: LaunchConfiguration(argument.name).perform(context)
        for argument in ARGUMENTS
    }
    description = description_of(given['model']) if given['model'] else ''
    node = Node(
        package='joint_kinematics',
        executable='kinematics_node',
        name='kinematics',
        namespace=given['namespace'],
        parameters=[parameters_file(given['params_file']), parameters(given, description)],
        output='screen',
    )
    return [node, rviz(given, description)] if given['rviz'] == 'true' else [node]


def parameters_file(path: str) -> str:
    """Return the parameter file to use."""
    return str(file_at(path, 'params_file') if path else share() / 'config' / 'kinematics.yaml')


def parameters(given: dict[str, str], description: str) -> dict[str, object]:
    """Return the parameters that the arguments set, over those of the file."""
    values: dict[str, object] = {}
    if given['constraints']:
        values.update(constraint_parameters(given['constraints'], description))
    if description:
        # As a string whatever it looks like: a description is full of colons and numbers.
        values['robot_description'] = ParameterValue(description, value_type=str)
    if given['frame_prefix']:
        values['frame_prefix'] = ParameterValue(given['frame_prefix'], value_type=str)
    if given['use_sim_time']:
        values['use_sim_time'] = given['use_sim_time'] == 'true'
    return values


def rviz(given: dict[str, str], description: str) -> Node:
    """Return RViz, looking at the robot's root if that is known."""
    arguments = ['-d', str(share() / 'config' / 'kinematics.rviz')]
    if description:
        root = given['frame_prefix'] + root_link(description)
        arguments += ['-f', root.lstrip('/')]
    return Node(
        package='rviz2',
        executable='rviz2',
        namespace=given['namespace'],
        arguments=arguments,
        parameters=[{'use_sim_time': given['use_sim_time'] == 'true'}],
        output='screen',
    )
