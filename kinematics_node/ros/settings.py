# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The node's parameters: names, defaults and meaning in one table, checked as a whole."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
import math

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.node import Node
from rclpy.parameter import Parameter

from kinematics_node.errors import KinematicsError
from kinematics_node.formats.notation import SECTIONS
from kinematics_node.ros.diagnostic_status import Thresholds
from kinematics_node.ros.loop_blocks import LoopOptions
from kinematics_node.ros.marker_options import MarkerOptions
from kinematics_node.ros.rate import SECOND
from kinematics_node.ros.stream import Options


class ParameterError(KinematicsError):
    """A parameter value that the node cannot work with."""


@dataclass(frozen=True)
class Settings:
    """The values of all parameters; see DESCRIPTIONS for their meaning."""

    robot_description: str = ''
    use_robot_description_topic: bool = False
    publish_frequency: float = 20.0
    frame_prefix: str = ''
    ignore_timestamp: bool = False
    loop_hold_time: float = 1.0
    loop_tolerance: float = 1e-3
    project_measured: bool = False
    diagnostics_period: float = 1.0
    stale_after: float = 1.0
    limit_tolerance: float = 1e-3
    mimic_tolerance: float = 1e-3
    marker_rate: float = 10.0
    marker_size: float = 0.05
    marker_force_scale: float = 1e-3
    marker_torque_scale: float = 1e-2
    constraint_forces_rate: float = 0.0
    notation: Mapping[str, object] = field(default_factory=dict)

    @property
    def stream_options(self) -> Options:
        """What of the settings the stream follows."""
        interval = round(SECOND / self.publish_frequency) if self.publish_frequency else 0
        hold = round(SECOND * self.loop_hold_time)
        loops = LoopOptions(hold, self.loop_tolerance, self.project_measured)
        return Options(self.frame_prefix, interval, self.ignore_timestamp, loops)

    @property
    def thresholds(self) -> Thresholds:
        """From where on diagnostics warn."""
        return Thresholds(self.stale_after, self.limit_tolerance, self.mimic_tolerance)

    @property
    def marker_options(self) -> MarkerOptions:
        """How markers are drawn."""
        return MarkerOptions(
            self.marker_rate, self.marker_size, self.marker_force_scale, self.marker_torque_scale
        )


DESCRIPTIONS = {
    'robot_description': 'The robot: the text of a URDF document (not a path). Changing it '
    'replaces the model if the new one is valid.',
    'use_robot_description_topic': 'Take the description from the topic robot_description '
    'instead of the parameter, and do not publish it.',
    'publish_frequency': 'Most answers a second to the joint states of one set of joints [Hz]; '
    '0.0 answers every message.',
    'frame_prefix': 'Put in front of every frame name as it is; a separating slash is yours to '
    'give. No frame name ever starts with a slash.',
    'ignore_timestamp': 'Answer every message, whatever its time stamp.',
    'loop_hold_time': 'How long frames of a closed loop stay where they were when the loop can no '
    'longer be closed [s]; then they are not published.',
    'loop_tolerance': 'Residual up to which a loop counts as closed [m, rad], where measured '
    'coordinates contradict each other.',
    'project_measured': 'Publish measured coordinates that contradict the loops at the nearest '
    'place where the loops close.',
    'diagnostics_period': 'Time between two messages on /diagnostics [s]; 0.0 publishes none.',
    'stale_after': 'How old the last message of a publisher of joint states may be before its '
    'joints count as silent in the diagnostics [s].',
    'limit_tolerance': 'How far a joint may be beyond a limit of position or velocity before the '
    'diagnostics warn [rad, m, rad/s, m/s].',
    'mimic_tolerance': 'How far a measured follower may be from what its mimic says before it is '
    'logged, and that or a coupling be off before the diagnostics warn [rad, m].',
    'marker_rate': 'How often ~/markers is published while somebody listens [Hz]; 0.0 publishes '
    'none.',
    'marker_size': 'Length of the arrows of axes in ~/markers [m]; anchors are smaller.',
    'marker_force_scale': 'Length of force arrows in ~/markers [m/N]; 0.0 draws none.',
    'marker_torque_scale': 'Length of torque arrows in ~/markers [m/(N m)]; 0.0 draws none.',
    'constraint_forces_rate': 'How often ~/constraint_forces is published while somebody listens '
    '[Hz]; 0.0 publishes none.',
}


def declare(node: Node) -> Settings:
    """Declare the parameters of a node, and return their values at start.

    Raises
    ------
    ParameterError
        A value given at start cannot be used.
    """
    given: list[Parameter] = []
    for name, text in DESCRIPTIONS.items():
        descriptor = ParameterDescriptor(description=text, dynamic_typing=True)
        if node.has_parameter(name):
            node.set_descriptor(name, descriptor)
            given.append(node.get_parameter(name))
        else:
            node.declare_parameter(name, getattr(Settings, name), descriptor)
    for group in SECTIONS:
        below = node.get_parameters_by_prefix(group)
        given += [Parameter(f'{group}.{name}', value=p.value) for name, p in below.items()]
    return updated(Settings(), given)


def updated(settings: Settings, parameters: Iterable[Parameter]) -> Settings:
    """Return the settings with some parameters changed.

    Raises
    ------
    ParameterError
        A value that cannot be used, named with what would be right.
    """
    changes: dict[str, object] = {}
    notation = dict(settings.notation)
    for parameter in parameters:
        name, value = parameter.name, parameter.value
        if name in CHECKS:
            changes[name] = CHECKS[name](name, value)
        elif name.split('.')[0] in SECTIONS:
            # Parameters below these names are constraints in the package's own notation.
            if value is None:
                notation.pop(name, None)
            else:
                notation[name] = list(value) if isinstance(value, array) else value
    return replace(settings, notation=notation, **changes)  # type: ignore[arg-type]


def is_known(name: str) -> bool:
    """Tell whether the node has a use for a parameter of this name."""
    return name in CHECKS or name.split('.')[0] in SECTIONS


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise ParameterError(f"parameter '{name}' is {value!r}; it must be a text")
    return value


def _switch(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise ParameterError(f"parameter '{name}' is {value!r}; it must be true or false")
    return value


def _seconds(name: str, value: object) -> float:
    return _not_negative(name, value, 'seconds')


def _tolerance(name: str, value: object) -> float:
    return _not_negative(name, value, 'm or rad')


def _not_negative(name: str, value: object, unit: str) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not (is_number and math.isfinite(value) and value >= 0.0):
        raise ParameterError(f"parameter '{name}' is {value!r}; it must be 0.0 or more {unit}")
    return float(value)


def _length(name: str, value: object) -> float:
    return _not_negative(name, value, 'm')


def _force_scale(name: str, value: object) -> float:
    return _not_negative(name, value, 'm/N')


def _torque_scale(name: str, value: object) -> float:
    return _not_negative(name, value, 'm/(N m)')


def _frequency(name: str, value: object) -> float:
    return _not_negative(name, value, 'Hz')


CHECKS: dict[str, Callable[[str, object], object]] = {
    'robot_description': _text,
    'use_robot_description_topic': _switch,
    'publish_frequency': _frequency,
    'frame_prefix': _text,
    'ignore_timestamp': _switch,
    'loop_hold_time': _seconds,
    'loop_tolerance': _tolerance,
    'project_measured': _switch,
    'diagnostics_period': _seconds,
    'stale_after': _seconds,
    'limit_tolerance': _tolerance,
    'mimic_tolerance': _tolerance,
    'marker_rate': _frequency,
    'marker_size': _length,
    'marker_force_scale': _force_scale,
    'marker_torque_scale': _torque_scale,
    'constraint_forces_rate': _frequency,
}
