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

from benchmark.fk import packaged
from benchmark.fk import Peer
from benchmark.fk import shared
from benchmark.report import Column
from benchmark.report import number
from benchmark.robots import chain
from benchmark.targets import Verdict
from benchmark.timing import seconds_of
from kinematics_node.forces import constraint_forces
from kinematics_node.formats.load import load_model
from kinematics_node.model.model import Model
from kinematics_node.solve import LoopSolver

G1 = 'robots/g1_description/urdf/g1_29dof_rev_1_0.urdf'
LOOPED = 'digit_like'
STATES = 100  # that are timed together
CHAINS = (10, 100, 1000)
LINEAR = 1.15  # exponent up to which growth counts as about linear
TOLERANCE = 1e-8  # of the largest number: Pinocchio's proximal solver stops there
INERTIAL = (
    '><inertial><origin xyz="0.01 0.02 0.1"/><mass value="0.5"/><inertia ixx="0.01" iyy="0.01" '
    'izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
INVERSE, FORWARD = 'inverse', 'forward'
COLUMNS = (
    Column('question', 'question'),
    Column('robot', 'robot'),
    Column('joints', 'joints'),
    Column('this library us', 'ours_us', number(1)),
    Column('Pinocchio us', 'pin_us', number(1)),
    Column('ratio', 'ratio', number(2)),
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

    def wrenches(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> list[np.ndarray]:
        """Compute inverse dynamics, and read the force (f, tau) of every joint."""
        self._pin.rnea(self._model, self._data, q, v, a)
        return [force.vector for force in self._data.f]

    def check_wrenches(self, model: Model, ours: States, theirs: States) -> None:
        """Raise if the two do not find the same wrenches."""
        for (q, v, a), state in zip(
            zip(*ours, strict=True), zip(*theirs, strict=True), strict=True
        ):
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
    for bodies in CHAINS:
        text = re.sub(r'(<link name="link_\d+")/>', rf'\1{INERTIAL}', chain(bodies))
        model = load_model(text)
        times = seconds_of({'ours': inverse(model, states_of(model, 20))}, rounds)
        yield row(INVERSE, 'chain', model, times, 20)


def against_pinocchio(rounds: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of real robots."""
    humanoid = packaged(G1) or 'skipped: example-robot-data is not installed'
    for name, path in (('g1', humanoid), ('pr2', shared('pr2.urdf'))):
        if isinstance(path, str):
            yield {'question': INVERSE, 'robot': name, 'note': path}
            continue
        yield inverse_row(name, load_model(path), DynamicsPeer(path, load_model(path)), rounds)
    path = shared(f'{LOOPED}/robot.urdf')
    if isinstance(path, str):
        yield {'question': FORWARD, 'robot': LOOPED, 'note': path}
        return
    open_, closed = load_model(path), load_model(path, side_cars=[path.with_name('robot.yaml')])
    peer = DynamicsPeer(path, closed)
    DynamicsPeer(path, open_).check_wrenches(open_, *both(peer, states_of(open_, 5)))
    yield inverse_row(LOOPED, closed, peer, rounds, checked=True)
    yield forward_row(closed, peer, rounds)


def states_of(model: Model, count: int) -> States:
    """Return random positions, rates and accelerations or efforts."""
    draw = np.random.default_rng(0).uniform
    q = draw(-1.0, 1.0, (count, model.nq))
    return q, draw(-1.0, 1.0, (count, model.nv)), draw(-1.0, 1.0, (count, model.nv))


def both(peer: DynamicsPeer, states: States) -> tuple[States, States]:
    """Return states as they are, and as Pinocchio takes them."""
    q, v, a = states
    return states, (peer.positions(q), peer.rates(v), peer.rates(a))


def inverse(model: Model, states: States) -> Callable[[], object]:
    """Return a call that answers the inverse question at every state."""
    rows = list(zip(*states, strict=True))
    return lambda: [constraint_forces(model, q, v, a=a).wrenches for q, v, a in rows]


def inverse_row(
    name: str, model: Model, peer: DynamicsPeer, rounds: int, checked: bool = False
) -> dict[str, Any]:
    """Time wrenches of all joints beside rnea and the reading of all of data.f."""
    ours, theirs = both(peer, states_of(model, STATES))
    if not checked:
        few = tuple(part[:5] for part in ours), tuple(part[:5] for part in theirs)
        peer.check_wrenches(model, *few)
    rows = list(zip(*theirs, strict=True))
    calls = {
        'ours': inverse(model, ours),
        'pin': lambda: [peer.wrenches(*state) for state in rows],
    }
    return row(INVERSE, name, model, seconds_of(calls, rounds), STATES)


def forward_row(model: Model, peer: DynamicsPeer, rounds: int) -> dict[str, Any]:
    """Time accelerations and multipliers of a closed robot beside constraintDynamics."""
    motors = [joint.name for joint in model.joints if joint.actuated]
    q = LoopSolver(model, motors).assemble(model.zero).q
    J = constraint_forces(model, q).parts()[1].J
    _, v, tau = states_of(model, STATES)
    v -= v @ (np.linalg.pinv(J) @ J).T
    ours, theirs = both(peer, (np.tile(q, (STATES, 1)), v, tau))
    peer.close(model)
    few = tuple(part[:5] for part in ours), tuple(part[:5] for part in theirs)
    peer.check_accelerations(model, *few)
    mine, other = (list(zip(*states, strict=True)) for states in (ours, theirs))
    calls = {
        'ours': lambda: [
            constraint_forces(model, q, v, mode=FORWARD, efforts=tau).accelerations
            for q, v, tau in mine
        ],
        'pin': lambda: [peer.accelerations(*state) for state in other],
    }
    return row(FORWARD, LOOPED, model, seconds_of(calls, rounds), STATES)


def row(
    question: str, robot: str, model: Model, times: dict[str, float], count: int
) -> dict[str, Any]:
    """Return a row with times for one state."""
    found = {f'{name}_us': 1e6 * value / count for name, value in times.items()}
    if 'pin' in times:
        found['ratio'] = times['ours'] / times['pin']
    return {'question': question, 'robot': robot, 'joints': len(model.joints), **found, 'note': ''}


def growth(rows: Sequence[dict[str, Any]]) -> float:
    """Return the exponent with which the time grows with the bodies of a chain, from 100 on."""
    chains = [row for row in rows if row.get('robot') == 'chain' and row['joints'] >= CHAINS[1]]
    bodies, times = ([math.log(row[key]) for row in chains] for key in ('joints', 'ours_us'))
    return float(np.polyfit(bodies, times, 1)[0])


def verdicts(rows: Sequence[dict[str, Any]]) -> list[Verdict]:
    """Judge the ratios and the growth."""
    found = []
    for question, aim in (
        (INVERSE, 'all wrenches not slower than rnea and reading data.f'),
        (FORWARD, 'with loops not slower than constraintDynamics'),
    ):
        ratios = [row['ratio'] for row in rows if row['question'] == question and 'ratio' in row]
        if ratios:
            shown = ', '.join(f'{value:.2f}' for value in ratios)
            found.append(Verdict(f'{question}: {aim}', shown, max(ratios) <= 1.0))
    exponent = growth(rows)
    found.append(
        Verdict('growth with bodies about linear', f'^{exponent:.2f}', exponent <= LINEAR)
    )
    return found
