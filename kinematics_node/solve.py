# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Closed loops solved: the coordinates that are not measured, from those that are.

    solver = LoopSolver(model, measured=('motor_left', 'motor_right'))
    first = solver.assemble(q)
    later = solver.solve(q, start=first.q)

In a stream, step() does the same in place on one array, with no report.
"""

from __future__ import annotations

from kinematics_node.solving.result import RateResult
from kinematics_node.solving.result import Residual
from kinematics_node.solving.result import SolveResult
from kinematics_node.solving.solver import LoopSolver
from kinematics_node.solving.solver import SolveOptions
from kinematics_node.solving.status import SolveStatus

__all__ = [
    'LoopSolver',
    'RateResult',
    'Residual',
    'SolveOptions',
    'SolveResult',
    'SolveStatus',
]
