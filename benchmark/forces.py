# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Forces through the public function, against Pinocchio from Python, and their growth."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from importlib.util import find_spec
import math
from pathlib import Path
import re
from typing import Any

import numpy as np

from benchmark.fk import G1
from benchmark.fk import packaged
from benchmark.fk import Peer
from benchmark.fk import shared
from benchmark.loops import motion
from benchmark.loops import ROBOT
from benchmark.report import Column
from benchmark.report import number
from benchmark.robots import chain
from benchmark.targets import Verdict
from benchmark.timing import seconds_of
from kinematics_node.forces import constraint_forces
from kinematics_node.forces import ForceReport
from kinematics_node.formats.load import load_model
from kinematics_node.model.model import Model
from kinematics_node.solve import LoopSolver

STATES = 100  # that are timed together
CHAINS = (10, 100, 1000)
LINEAR = 1.15  # exponent up to which growth counts as about linear
TOLERANCE = 1e-8  # of the largest number: Pinocchio's proximal solver stops there
INERTIAL = (
    '><inertial><origin xyz="0.01 0.02 0.1"/><mass value="0.5"/><inertia ixx="0.01" iyy="0.01" '
    'izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
INVERSE, FORWARD, CHAIN = 'inverse', 'forward', 'chain'
RATIOS = {'ratio': 'pin', 'each_ratio': 'pin_each', 'compute_ratio': 'pin_compute'}
AIMS = (
    (INVERSE, 'each_ratio', 'all wrenches not slower than rnea and data.f[i] of each joint'),
    (INVERSE, 'ratio', 'all wrenches not slower than rnea and data.f read the quickest way'),
    (FORWARD, 'ratio', 'with loops not slower than constraintDynamics'),
)
COLUMNS = (
    Column('question', 'question'),
    Column('robot', 'robot'),
    Column('joints', 'joints'),
    Column('this library us', 'ours_us', number(1)),
    Column('with wrenches us', 'ours_all_us', number(1)),
    Column('Pinocchio us', 'pin_us', number(1)),
    Column('one by one us', 'pin_each_us', number(1)),
    Column('unread us', 'pin_compute_us', number(1)),
    Column('ratio', 'ratio', number(2)),
    Column('ratio one by one', 'each_ratio', number(2)),
    Column('ratio unread', 'compute_ratio', number(2)),
    Column('', 'note'),
)
States = tuple[np.ndarray, np.ndarray, np.ndarray]


class DynamicsPeer(Peer):
    """Pinocchio's dynamics of a robot whose joints have one axis each."""

    def __init__(self, path: Path, model: Model) -> None:
        super().__init__(path, model)
        self._rates = [
            self._model.joints[self._model.getJointId(name)].idx_v for name in model.velocity_names
        ]
        self._moving = [name for name in self._model.names if name in model.joint_index]
        self._links = [model.joint_index[name] for name in self._moving]
        self._joints = [self._model.getJointId(name) for name in self._moving]

    def rates(self, v: np.ndarray) -> np.ndarray:
        """Return Pinocchio's v, tau or v' for this library's, shape (n, nv)."""
        out = np.zeros((len(v), self._model.nv))
        out[:, self._rates] = v
        return out

    def compute(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
        """Compute inverse dynamics, and read no force."""
        self._pin.rnea(self._model, self._data, q, v, a)

    def wrenches(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> list[np.ndarray]:
        """Compute inverse dynamics, and read the force (f, tau) of every joint.

        A list of all forces is the quickest way to get at them that keeps none between calls.
        """
        self._pin.rnea(self._model, self._data, q, v, a)
        return [force.vector for force in self._data.f.tolist()]

    def wrenches_one_by_one(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> list[np.ndarray]:
        """Do the same as one would write it down, a look into data.f for each joint."""
        self._pin.rnea(self._model, self._data, q, v, a)
        return [self._data.f[i].vector for i in range(self._model.njoints)]

    def check_wrenches(self, model: Model, ours: States, theirs: States) -> None:
        """Raise if the two do not find the same wrenches."""
        for (q, v, a), state in pairs(ours, theirs):
            mine = constraint_forces(model, q, v, a=a, frame='child').wrenches[self._links]
            other = np.array(self.wrenches(*state))[self._joints]
            refuse_difference(model, mine, np.roll(other, 3, axis=1))

    def close(self, model: Model) -> None:
        """Make the model's closures, which must be fixed, Pinocchio's."""
        pin = self._pin
        self._contacts = pin.StdVec_RigidConstraintModel()
        for closure in model.closures:
            sides: list[Any] = []
            for link, X in ((closure.link_A, closure.X_LA), (closure.link_B, closure.X_LB)):
                frame = self._model.frames[self._model.getFrameId(link)]
                w, x, y, z, *p = X
                at = pin.SE3(pin.Quaternion(w, x, y, z).matrix(), np.array(p))
                sides += [frame.parentJoint, frame.placement * at]
            self._contacts.append(
                pin.RigidConstraintModel(
                    pin.ContactType.CONTACT_6D, self._model, *sides, pin.LOCAL
                )
            )
        self._contact_data = pin.StdVec_RigidConstraintData()
        for contact in self._contacts:
            self._contact_data.append(contact.createData())
        pin.initConstraintDynamics(self._model, self._data, self._contacts, self._contact_data)
        self._settings = pin.ProximalSettings(1e-12, 1e-12, 100)

    def accelerations(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Return v' under closures and efforts, and leave the multipliers in the data."""
        found: np.ndarray = self._pin.constraintDynamics(
            self._model, self._data, q, v, tau, self._contacts, self._contact_data, self._settings
        )
        return found

    def check_accelerations(self, model: Model, ours: States, theirs: States) -> None:
        """Raise if the two do not find the same accelerations."""
        for (q, v, tau), state in pairs(ours, theirs):
            mine = constraint_forces(model, q, v, mode=FORWARD, efforts=tau).accelerations
            refuse_difference(model, mine, self.accelerations(*state)[self._rates])


def pairs(ours: States, theirs: States) -> Iterable[tuple[Any, Any]]:
    """Return each state as this library and as Pinocchio take it."""
    return zip(zip(*ours, strict=True), zip(*theirs, strict=True), strict=True)


def refuse_difference(model: Model, mine: np.ndarray, other: np.ndarray) -> None:
    """Raise if two do not compute the same: their times would say nothing."""
    off = float(np.abs(mine - other).max() / np.abs(other).max())
    if not off < TOLERANCE:
        raise RuntimeError(f'{model.name}: forces differ from those of Pinocchio by {off:.1e}')


def run(rounds: int) -> Iterator[dict[str, Any]]:
    """Yield rows of inverse and forward questions, then of chains."""
    if find_spec('pinocchio'):
        yield from against_pinocchio(rounds)
    else:
        yield {'question': 'all', 'note': 'Pinocchio is not there: pin is not installed'}
    yield from chains(rounds)


def against_pinocchio(rounds: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of real robots."""
    humanoid = packaged(G1) or 'skipped: example-robot-data is not installed'
    for name, path in (('g1', humanoid), ('pr2', shared('pr2.urdf'))):
        if isinstance(path, str):
            yield {'question': INVERSE, 'robot': name, 'note': path}
            continue
        model = load_model(path)
        peer = DynamicsPeer(path, model)
        states = both(peer, states_of(model))
        peer.check_wrenches(model, *few(states))
        yield inverse_row(name, model, peer, states, rounds)
    path = shared(f'{ROBOT}/robot.urdf')
    if isinstance(path, str):
        yield {'question': INVERSE, 'robot': ROBOT, 'note': path}
        yield {'question': FORWARD, 'robot': ROBOT, 'note': path}
        return
    closed = load_model(path, side_cars=[path.with_name('robot.yaml')])
    yield from looped_rows(load_model(path), closed, DynamicsPeer(path, closed), rounds)


def looped_rows(
    tree: Model, closed: Model, peer: DynamicsPeer, rounds: int
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a robot with loops, at states that keep them closed.

    Inverse dynamics of Pinocchio know no loops: wrenches are compared on the tree.
    """
    q, v, tau = closed_states(closed)
    peer.close(closed)
    forward = both(peer, (q, v, tau))
    peer.check_accelerations(closed, *few(forward))
    a = np.array(
        [
            constraint_forces(closed, *state, mode=FORWARD, efforts=efforts).accelerations
            for *state, efforts in zip(q, v, tau, strict=True)
        ]
    )
    states = both(peer, (q, v, a))
    peer.check_wrenches(tree, *few(states))
    yield inverse_row(ROBOT, closed, peer, states, rounds)
    yield forward_row(ROBOT, closed, peer, forward, rounds)


def chains(rounds: int) -> Iterator[dict[str, Any]]:
    """Yield a row for each length of a chain of bodies; the lengths take turns."""
    models = {}
    for bodies in CHAINS:
        text = re.sub(r'(<link name="link_\d+")/>', rf'\1{INERTIAL}', chain(bodies))
        models[bodies] = load_model(text)
    calls = {str(n): inverse(model, states_of(model)) for n, model in models.items()}
    times = seconds_of(calls, rounds)
    for bodies, model in models.items():
        yield row(INVERSE, CHAIN, model, {'ours': times[str(bodies)]})


def states_of(model: Model) -> States:
    """Return random positions, rates and accelerations or efforts."""
    draw = np.random.default_rng(0).uniform
    q = draw(-1.0, 1.0, (STATES, model.nq))
    return q, draw(-1.0, 1.0, (STATES, model.nv)), draw(-1.0, 1.0, (STATES, model.nv))


def closed_states(model: Model) -> States:
    """Return positions on a motion of the motors and rates that keep loops closed, and efforts."""
    motors = [joint.name for joint in model.joints if joint.actuated]
    where = [model.coordinates_of(name).start for name in motors]
    solver = LoopSolver(model, motors)
    start = solver.assemble(model.zero).q.copy()
    q, v, tau = states_of(model)
    moved = start.copy()
    for k, positions in enumerate(motion(model, motors, start, STATES)):
        moved[where] = positions
        if solver.step(moved) != 0:
            raise RuntimeError(f'{model.name}: a step of the motion was not solved')
        J = constraint_forces(model, moved).parts()[1].J
        q[k] = moved
        v[k] -= np.linalg.pinv(J) @ (J @ v[k])
    return q, v, tau


def both(peer: DynamicsPeer, states: States) -> tuple[States, States]:
    """Return states as they are, and as Pinocchio takes them."""
    q, v, a = states
    return states, (peer.positions(q), peer.rates(v), peer.rates(a))


def few(states: tuple[States, States]) -> tuple[States, States]:
    """Return every tenth of the states, to compare what two find there."""
    ours, theirs = (tuple(part[::10] for part in side) for side in states)
    return ours, theirs


def inverse(model: Model, states: States) -> Callable[[], object]:
    """Return a call that answers the inverse question at every state."""
    rows = list(zip(*states, strict=True))
    return lambda: [constraint_forces(model, q, v, a=a).wrenches for q, v, a in rows]


def inverse_row(
    name: str, model: Model, peer: DynamicsPeer, states: tuple[States, States], rounds: int
) -> dict[str, Any]:
    """Time wrenches of all joints beside rnea and the reading of all of data.f."""
    rows = list(zip(*states[1], strict=True))
    calls = {
        'ours': inverse(model, states[0]),
        'pin': lambda: [peer.wrenches(*state) for state in rows],
        'pin_each': lambda: [peer.wrenches_one_by_one(*state) for state in rows],
        'pin_compute': lambda: [peer.compute(*state) for state in rows],
    }
    return row(INVERSE, name, model, seconds_of(calls, rounds))


def forward_row(
    name: str, model: Model, peer: DynamicsPeer, states: tuple[States, States], rounds: int
) -> dict[str, Any]:
    """Time accelerations and multipliers of a closed robot beside constraintDynamics.

    Wrenches, which that does not compute, are worked out when they are looked at: timed besides.
    """
    mine, other = (list(zip(*side, strict=True)) for side in states)

    def reports() -> Iterator[ForceReport]:
        for q, v, tau in mine:
            yield constraint_forces(model, q, v, mode=FORWARD, efforts=tau)

    calls = {
        'ours': lambda: [report.accelerations for report in reports()],
        'ours_all': lambda: [(report.accelerations, report.wrenches) for report in reports()],
        'pin': lambda: [peer.accelerations(*state) for state in other],
    }
    return row(FORWARD, name, model, seconds_of(calls, rounds))


def row(question: str, robot: str, model: Model, times: dict[str, float]) -> dict[str, Any]:
    """Return a row with times for one state, and the ratios to what Pinocchio took."""
    found = {f'{name}_us': 1e6 * value / STATES for name, value in times.items()}
    for name, peer in RATIOS.items():
        if peer in times:
            found[name] = times['ours'] / times[peer]
    return {'question': question, 'robot': robot, 'joints': len(model.joints), **found, 'note': ''}


def growth(rows: Sequence[dict[str, Any]]) -> float:
    """Return the exponent with which the time grows with the bodies of a chain, from 100 on."""
    chains = [row for row in rows if row.get('robot') == CHAIN and row['joints'] >= CHAINS[1]]
    bodies, times = ([math.log(row[key]) for row in chains] for key in ('joints', 'ours_us'))
    return float(np.polyfit(bodies, times, 1)[0])


def verdicts(rows: Sequence[dict[str, Any]]) -> list[Verdict]:
    """Judge the ratios and the growth."""
    found = []
    for question, ratio, aim in AIMS:
        ratios = [row[ratio] for row in rows if row['question'] == question and ratio in row]
        if ratios:
            shown = ', '.join(f'{value:.2f}' for value in ratios)
            found.append(Verdict(f'{question}: {aim}', shown, max(ratios) <= 1.0))
    exponent = growth(rows)
    found.append(
        Verdict('growth with bodies about linear', f'^{exponent:.2f}', exponent <= LINEAR)
    )
    return found
