# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Round trips of the services over loopback, about a robot with closed loops."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import replace
import time
from typing import Any

from joint_kinematics.srv import CheckState
from joint_kinematics.srv import ComputeFk
from joint_kinematics.srv import GetConstraintForces
from joint_kinematics.srv import GetDofReport
from rcl_interfaces.srv import GetParameterTypes
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from benchmark.loops import ROBOT
from benchmark.processes import Contender
from benchmark.processes import fresh_domain
from benchmark.processes import Publisher
from benchmark.report import Column
from benchmark.report import median
from benchmark.report import number
from benchmark.report import percentile
from benchmark.robots import SHARED_ROBOTS
from benchmark.targets import Verdict
from kinematics_node.formats.load import load_model
from kinematics_node.model.model import Model
from kinematics_node.ros.constraints_file import constraint_parameters
from kinematics_node.solve import LoopSolver

PATIENCE = 300.0  # seconds; a first answer compiles kernels
WARM_UP = 10  # calls that are not counted
FORCES = 'get_constraint_forces'
NOTHING = 'get_parameter_types'  # one of rclpy's own
ALL, ONE = 'all', 'one closure'
KINDS = {
    FORCES: GetConstraintForces,
    'get_dof_report': GetDofReport,
    'compute_fk': ComputeFk,
    'check_state': CheckState,
    NOTHING: GetParameterTypes,
}
GOAL = 2.0  # median of the forces' round trip [ms]
COLUMNS = (
    Column('service', 'service'),
    Column('asked about', 'asked'),
    Column('robot', 'robot'),
    Column('bytes', 'bytes'),
    Column('median ms', 'p50_ms', number(2)),
    Column('p99 ms', 'p99_ms', number(2)),
    Column('client ms', 'client_ms', number(2)),
    Column('', 'note'),
)


def run(node: Contender, calls: int) -> Iterator[dict[str, Any]]:
    """Yield a row for each service."""
    folder = SHARED_ROBOTS / ROBOT
    if not folder.exists():
        yield {'service': 'all', 'robot': ROBOT, 'note': f'skipped: no shared/robots/{ROBOT}'}
        return
    urdf, side_car = (folder / 'robot.urdf').read_text(encoding='utf-8'), folder / 'robot.yaml'
    model = load_model(folder / 'robot.urdf', side_cars=[side_car])
    looped = {**node.parameters, **constraint_parameters(str(side_car), urdf)}
    domain = fresh_domain()
    context = rclpy.Context()
    rclpy.init(args=[], context=context, domain_id=domain)
    try:
        client = rclpy.create_node('client', context=context)
        with Publisher(replace(node, parameters=looped), urdf, domain) as publisher:
            wait_for(client, publisher)
            asked = requests(model)
            say(client, asked[FORCES, ALL].state)
            for (name, what), request in asked.items():
                times, answer = round_trips(client, publisher, name, request, calls)
                refuse_partial(model, name, what, answer)
                yield row(name, what, times, answer)
    finally:
        context.shutdown()


def requests(model: Model) -> dict[tuple[str, str], Any]:
    """Return requests about a given state, by service and by what is asked about."""
    motors = [joint.name for joint in model.joints if joint.actuated]
    q = LoopSolver(model, motors).assemble(model.zero).q
    where = [model.coordinate_index[name] for name in motors]
    state = JointState(name=motors, position=q[where].tolist())
    return {
        (FORCES, ALL): GetConstraintForces.Request(state=state),
        (FORCES, ONE): GetConstraintForces.Request(state=state, joints=[model.closures[0].name]),
        ('get_dof_report', ALL): GetDofReport.Request(state=state),
        ('compute_fk', ALL): ComputeFk.Request(state=state),
        ('check_state', ALL): CheckState.Request(states=[state]),
        (NOTHING, 'nothing'): GetParameterTypes.Request(),
    }


def wait_for(node: Node, publisher: Publisher) -> None:
    """Wait until the publisher's process has a subscription; the first start compiles."""
    deadline = time.monotonic() + PATIENCE
    while not node.count_subscribers('/joint_states'):
        publisher.check_alive()
        if time.monotonic() > deadline:
            raise RuntimeError(f'the node does not listen:\n{publisher.last_output()}')
        time.sleep(0.1)


def say(node: Node, state: JointState) -> None:
    """Publish a state for two seconds, so that the node closes its loops there."""
    states = node.create_publisher(JointState, '/joint_states', 10)
    for _ in range(40):
        state.header.stamp = node.get_clock().now().to_msg()
        states.publish(state)
        time.sleep(0.05)


def round_trips(
    node: Node, publisher: Publisher, name: str, request: Any, calls: int
) -> tuple[list[float], Any]:
    """Return how long so many calls took [ms], and the last answer; first ones may compile."""
    client = node.create_client(KINDS[name], f'/kinematics/{name}')
    if not client.wait_for_service(PATIENCE):
        raise RuntimeError(f'{name} was not offered:\n{publisher.last_output()}')
    executor = SingleThreadedExecutor(context=node.context)
    executor.add_node(node)
    times = []
    for _ in range(WARM_UP + calls):
        start = time.perf_counter()
        question = client.call_async(request)
        executor.spin_until_future_complete(question, PATIENCE)
        times.append(1e3 * (time.perf_counter() - start))
        answer = question.result()
        if answer is None or not getattr(answer, 'success', True):
            raise RuntimeError(f'{name}: {getattr(answer, "message", "no answer")}')
    executor.shutdown()
    node.destroy_client(client)
    return times[WARM_UP:], answer


def refuse_partial(model: Model, name: str, what: str, answer: Any) -> None:
    """Raise if an answer leaves out what it was asked for: its time would say nothing."""
    joints, closures = len(model.joints), len(model.closures)
    if name == FORCES:
        found = (answer.forces.joints, len(answer.forces.names), len(answer.dof.joint_names))
        asked = (joints, joints + closures) if what == ALL else (0, 1)
        wanted: tuple[object, ...] = (*asked, joints)
    elif name == 'get_dof_report':
        found, wanted = (len(answer.report.joint_names),), (joints,)
    elif name == 'compute_fk':
        found, wanted = tuple(len(s.frames) for s in answer.states), (len(model.links),)
    elif name == 'check_state':
        found, wanted = (answer.valid, len(answer.checks)), (True, 1)
    else:
        return
    if found != wanted:
        raise RuntimeError(f'{name} answers {found} where {wanted} were asked for')


def row(name: str, what: str, times: Sequence[float], answer: Any) -> dict[str, Any]:
    """Return a row of a service's round trips [ms], and what reading its answer takes."""
    message = serialize_message(answer)
    seconds = [reading(message, KINDS[name].Response) for _ in range(20)]
    return {
        'service': name,
        'asked': what,
        'robot': ROBOT,
        'bytes': len(message),
        'p50_ms': median(times),
        'p99_ms': percentile(times, 0.99),
        'client_ms': 1e3 * median(seconds),
        'note': '',
    }


def reading(message: bytes, kind: Any) -> float:
    """Return how long it takes to make Python objects of an answer [s]."""
    start = time.perf_counter()
    deserialize_message(message, kind)
    return time.perf_counter() - start


def verdicts(rows: Sequence[dict[str, Any]]) -> list[Verdict]:
    """Judge the round trip of the forces."""
    return [
        Verdict(
            f'{FORCES} of {row["asked"]} in {GOAL:g} ms',
            f'{row["p50_ms"]:.2f} ms',
            row['p50_ms'] < GOAL,
        )
        for row in rows
        if row['service'] == FORCES
    ]
