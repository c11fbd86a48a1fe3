#!/usr/bin/env python3
# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""A planner's questions about a state: is it possible, where is the tool, what moves, what holds.

The state is given as motor=position; without one the questions are about the latest state:

    ros2 launch joint_kinematics demo.launch.py example:=delta
    ros2 run joint_kinematics planner_client.py motor_1=0.3 motor_2=0.1 motor_3=0

ROS parameters: the tool's frame, its payload [kg], the server to ask, the patience [s] to have
with it, as the first answers of an installation compile for some seconds.
"""

from __future__ import annotations

import math
import sys
from typing import Any

from joint_kinematics.msg import ConstraintForces
from joint_kinematics.msg import Payload
from joint_kinematics.srv import CheckState
from joint_kinematics.srv import ComputeFk
from joint_kinematics.srv import GetConstraintForces
from joint_kinematics.srv import GetDofReport
import rclpy
from rclpy.exceptions import InvalidParameterTypeException
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.utilities import remove_ros_args
from sensor_msgs.msg import JointState


class NoAnswerError(Exception):
    """The node is not there, or cannot use the request."""


class Planner(Node):
    """Asks the kinematics node."""

    def __init__(self) -> None:
        super().__init__('planner')
        self.server = self.declare_parameter('server', '/kinematics').value
        self.frame = self.declare_parameter('frame', 'platform').value
        self.payload = self.declare_parameter('payload', 0.5).value
        self.patience = self.declare_parameter('patience', 60.0).value

    def ask(self, kind: type, name: str, request: Any) -> Any:
        """Return the answer of a service.

        Raises
        ------
        NoAnswerError
            There is none in time, or the node says why there is none.
        """
        client = self.create_client(kind, f'{self.server}/{name}')
        if not client.wait_for_service(timeout_sec=self.patience):
            raise NoAnswerError(f'{client.srv_name} is not there')
        future = client.call_async(request)
        rclpy.spin_until_future_complete(self, future, timeout_sec=self.patience)
        if not future.done():
            raise NoAnswerError(f'{client.srv_name} does not answer')
        answer = future.result()
        if not answer.success:
            raise NoAnswerError(answer.message)
        return answer


def plan(planner: Planner, state: JointState) -> bool:
    """Print what a planner wants to know of a state; return whether the robot can stand there."""
    check = planner.ask(CheckState, 'check_state', CheckState.Request(states=[state]))
    print('state     ', 'possible' if check.valid else check.message)

    request = ComputeFk.Request(state=state, frames=[planner.frame])
    frames = planner.ask(ComputeFk, 'compute_fk', request).states[0]
    p, reference = frames.frames[0].pose.position, frames.header.frame_id
    print(f'{planner.frame:<10} x {p.x:.4f}  y {p.y:.4f}  z {p.z:.4f} m in {reference}')

    dof = planner.ask(GetDofReport, 'get_dof_report', GetDofReport.Request(state=state)).report
    print(f'moves      in {dof.mobility} ways, motors drive {dof.actuated_rank}')
    print(f'loops      {dof.loop_rows} rows, {dof.loop_rank} independent')

    payload = Payload(link=planner.frame, mass=planner.payload)
    request = GetConstraintForces.Request(state=state, payloads=[payload])
    # This answer brings the DOF report of the same state along: who needs forces asks only this.
    answer = planner.ask(GetConstraintForces, 'get_constraint_forces', request)
    print_forces(answer.forces, answer.dof.actuated)
    return bool(check.valid and answer.forces.held)


def print_forces(forces: ConstraintForces, motors: list[str]) -> None:
    """Print efforts of motors, and what closures carry."""
    print('load      ', 'held' if forces.held else forces.summary)
    print('motors     [N m; N where they slide]')
    for name, effort in zip(forces.coordinates, forces.actuator_efforts, strict=True):
        if name in motors or name.rpartition('/')[0] in motors:
            print(f'  {name:<8} {effort:8.3f}')
    print('closures   [N]')
    for k in range(forces.joints, len(forces.names)):
        force = math.hypot(*forces.forces[3 * k : 3 * k + 3])
        shared = '' if forces.determinate[k] else '  or another share: statics leave it open'
        print(f'  {forces.names[k]:<8} {force:8.3f}{shared}')


def state_of(arguments: list[str]) -> JointState:
    """Return the state that name=position arguments give.

    Raises
    ------
    ValueError
        An argument is not of that form.
    """
    state = JointState()
    for argument in arguments:
        name, _, position = argument.partition('=')
        state.name.append(name)
        state.position.append(float(position))
    return state


def main() -> int:
    """Ask about the state on the command line; 0 where the robot can stand there."""
    rclpy.init()
    try:
        return 0 if plan(Planner(), state_of(remove_ros_args(sys.argv)[1:])) else 1
    except (NoAnswerError, InvalidParameterTypeException) as error:
        print(f'error: {error}', file=sys.stderr)
    except ValueError as error:
        print(f'error: give motors as name=position; {error}', file=sys.stderr)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        rclpy.try_shutdown()
    return 2


if __name__ == '__main__':
    sys.exit(main())
