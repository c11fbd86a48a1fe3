# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What `kinematics compile` is for: after it, no service has a kernel left to compile."""

from __future__ import annotations

from pathlib import Path
import subprocess
import sys

EXAMPLES = Path(__file__).parents[2] / 'examples'
PROGRAM = """
from pathlib import Path
import sys

from joint_kinematics import msg, srv
import numpy as np
from numba.core.dispatcher import Dispatcher
from sensor_msgs.msg import JointState

from kinematics_node.cli import main
from kinematics_node.formats.load import load_model
from kinematics_node.ros.latest import Latest
from kinematics_node.ros.service_check import answer as check
from kinematics_node.ros.service_dof import answer as dof
from kinematics_node.ros.service_fk import answer as fk
from kinematics_node.ros.service_forces import answer as forces


def signatures():
    kernels = {
        kernel.py_func.__qualname__: kernel
        for name, module in list(sys.modules.items())
        if name.startswith('kinematics_node')
        for kernel in vars(module).values()
        if isinstance(kernel, Dispatcher)
    }
    return {(name, s) for name, kernel in kernels.items() for s in map(str, kernel.signatures)}


main(['compile'])
before = signatures()
for example in ('delta', 'ball_caster', 'four_bar_gripper', 'mimic_hand'):
    folder = f'{sys.argv[1]}/{example}/{example}'
    side_cars = [path for path in [Path(f'{folder}.yaml')] if path.exists()]
    model = load_model(f'{folder}.urdf', side_cars=side_cars)
    latest = Latest(model, model.zero.copy(), np.full(model.nv, 0.1), set(), 0)
    free = (joint for joint in model.joints if joint.name not in model.mimics)
    motor = next(joint.name for joint in free if joint.type.is_single_axis)
    for state in (JointState(), JointState(name=[motor], position=[0.0], velocity=[0.1])):
        load = msg.Payload(link=model.links[-1].name, mass=1.0)
        asked = srv.ComputeFk.Request(state=state, velocities=True, jacobians=True)
        asked.accelerations = True
        loaded = srv.GetConstraintForces.Request(state=state, payloads=[load])
        for answer, kind, request in (
            (check, srv.CheckState, srv.CheckState.Request(states=[state])),
            (dof, srv.GetDofReport, srv.GetDofReport.Request(state=state)),
            (fk, srv.ComputeFk, asked),
            (forces, srv.GetConstraintForces, srv.GetConstraintForces.Request(state=state)),
            (forces, srv.GetConstraintForces, loaded),
        ):
            response = kind.Response()
            answer(request, latest, response)
            assert response.success
print('more:', *sorted(signatures() - before), sep='\\n')
"""


def test_services_have_nothing_left_to_compile():
    done = subprocess.run(
        [sys.executable, '-c', PROGRAM, str(EXAMPLES)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith('more:\n'), done.stdout
    assert 'constraint forces' in done.stdout
