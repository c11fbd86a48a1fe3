# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""A robot of ours that moves: the kinematics node and a player of joint states."""

from launch import LaunchContext
from launch import LaunchDescription
from launch import LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument
from launch.actions import IncludeLaunchDescription
from launch.actions import OpaqueFunction
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from kinematics_node.ros.constraints_file import constraint_parameters
from kinematics_node.ros.constraints_file import constraints_beside
from kinematics_node.ros.description_file import description_of
from kinematics_node.ros.description_file import example_file
from kinematics_node.ros.description_file import share

ARGUMENTS = [
    DeclareLaunchArgument(
        'example',
        default_value='mimic_hand',
        description='The robot: a folder in the examples of the package.',
    ),
    DeclareLaunchArgument(
        'rate', default_value='100.0', description='Joint states a second [Hz].'
    ),
    DeclareLaunchArgument(
        'rviz',
        default_value='false',
        choices=['true', 'false'],
        description='Whether to start RViz on the robot.',
    ),
]


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments; the example is looked up when they have their values."""
    return LaunchDescription([*ARGUMENTS, OpaqueFunction(function=start)])


def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the node on the example, and the player."""
    model = example_file(LaunchConfiguration('example').perform(context))
    beside = constraints_beside(model)
    constraints = constraint_parameters(beside, description_of(str(model))) if beside else {}
    kinematics = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(share() / 'launch' / 'kinematics.launch.py')),
        launch_arguments={
            'model': str(model),
            'constraints': beside,
            'rviz': LaunchConfiguration('rviz'),
        }.items(),
    )
    rate = ParameterValue(LaunchConfiguration('rate'), value_type=float)
    player = Node(
        package='joint_kinematics',
        executable='demo_player',
        parameters=[{**constraints, 'rate': rate}],
        output='screen',
    )
    return [kinematics, player]
