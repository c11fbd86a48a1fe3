# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What every joint carries, and whether that is certain: constraint_forces and its answer."""

from kinematics_node.forces.indeterminacy import SharedLoad
from kinematics_node.forces.parts import Capacity
from kinematics_node.forces.parts import JointForce
from kinematics_node.forces.parts import Multiplier
from kinematics_node.forces.parts import Power
from kinematics_node.forces.question import constraint_forces
from kinematics_node.forces.report import ForceReport
from kinematics_node.forces.request import ExternalWrench
from kinematics_node.forces.request import Payload
from kinematics_node.forces.solution import SingularInertiaError

__all__ = [
    'Capacity',
    'ExternalWrench',
    'ForceReport',
    'JointForce',
    'Multiplier',
    'Payload',
    'Power',
    'SharedLoad',
    'SingularInertiaError',
    'constraint_forces',
]
