# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Forward kinematics of all links through the public API, against Pinocchio from Python."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmark.report import Column
from benchmark.report import number
from benchmark.robots import SHARED_ROBOTS
from benchmark.timing import seconds_of
from kinematics_node.fk import frame_poses
from kinematics_node.fk import pose_matrices
from kinematics_node.formats.load import load_model
from kinematics_node.model.model import Model

TOLERANCE = 1e-12
G1 = 'robots/g1_description/urdf/g1_29dof_rev_1_0.urdf'
SINGLES = 200  # calls of one configuration that are timed together
COLUMNS = (
    Column('robot', 'robot'),
    Column('links', 'links'),
    Column('q a call', 'batch'),
    Column('this library us', 'ours_us', number(2)),
    Column('Pinocchio us', 'pin_us', number(2)),
    Column('unread us', 'pin_compute_us', number(2)),
    Column('ratio', 'ratio', number(2)),
    Column('ratio unread', 'compute_ratio', number(2)),
    Column('', 'note'),
)


def robots() -> dict[str, Path | str]:
    """Return a description for each robot, or the reason why there is none."""
    found: dict[str, Path | str] = {}
    found['pr2'] = shared('pr2.urdf')
    humanoid = packaged(G1)
    if humanoid:
        found['g1'] = humanoid
    else:
        found['h1_2'] = shared('h1_2.urdf')
    return found


def shared(name: str) -> Path | str:
    """Return a robot's file in the folder of shared robots, or that there is none."""
    path = SHARED_ROBOTS / name
    return path if path.exists() else f'skipped: no shared/robots/{name}'


def packaged(ending: str) -> Path | None:
    """Return the file of the distribution example-robot-data whose path ends like that."""
    try:
        files = metadata.files('example-robot-data') or []
    except metadata.PackageNotFoundError:
        return None
    return next((Path(file.locate()) for file in files if str(file).endswith(ending)), None)


class Peer:
    """Pinocchio's model of the same robot, asked for the same links.

    Its mimic joints keep coordinates of their own, as in this library's q.
    """

    def __init__(self, path: Path, model: Model) -> None:
        import pinocchio

        self._pin = pinocchio
        self._model = pinocchio.buildModelFromUrdf(str(path))
        self._data = self._model.createData()
        self._ids = [self._model.getFrameId(link.name) for link in model.links]
        self._places = [
            (start, self._model.joints[self._model.getJointId(name)])
            for name, start in model.coordinate_index.items()
        ]

    def positions(self, q: np.ndarray) -> np.ndarray:
        """Return Pinocchio's q for this library's, shape (n, nq): cos and sin of a continuous."""
        out = np.zeros((len(q), self._model.nq))
        for start, joint in self._places:
            if joint.nq == 2:
                out[:, joint.idx_q] = np.cos(q[:, start])
                out[:, joint.idx_q + 1] = np.sin(q[:, start])
            else:
                out[:, joint.idx_q] = q[:, start]
        return out

    def compute_all(self, q: np.ndarray) -> None:
        """Compute all frames of each configuration, and read none."""
        for row in q:
            self._pin.framesForwardKinematics(self._model, self._data, row)

    def poses(self, q: np.ndarray) -> list[np.ndarray]:
        """Compute all frames and read the links' as matrices, its quickest way to read them."""
        self._pin.framesForwardKinematics(self._model, self._data, q)
        placements = self._data.oMf
        return [placements[i].homogeneous for i in self._ids]


def run(batch: int, rounds: int) -> Iterator[dict[str, Any]]:
    """Yield two rows a robot: one configuration a call, and a batch in one call."""
    if not find_spec('pinocchio'):
        yield {'robot': 'all', 'note': 'skipped: pin is not installed'}
        return
    for name, path in robots().items():
        if isinstance(path, str):
            yield {'group': name, 'robot': name, 'note': path}
            continue
        model = load_model(path)
        peer = Peer(path, model)
        drawn = np.random.default_rng(0).uniform(-1.0, 1.0, (batch, model.nq))
        check_agreement(model, peer, drawn[:10])
        common = {'group': name, 'robot': name, 'links': len(model.links)}
        yield {**common, **single_calls(model, peer, drawn[:SINGLES], rounds)}
        yield {**common, **one_call(model, peer, drawn, rounds)}


def check_agreement(model: Model, peer: Peer, q: np.ndarray) -> None:
    """Raise if the two do not compute the same: their times would say nothing."""
    ours = pose_matrices(frame_poses(model, q))
    theirs = np.array([peer.poses(row) for row in peer.positions(q)])
    worst = float(np.abs(ours - theirs).max())
    if not worst < TOLERANCE:
        raise RuntimeError(f'{model.name}: poses differ from those of Pinocchio by {worst:.1e}')


def compared(
    ours: Callable[[], object], peer: Peer, q: np.ndarray, rounds: int, batch: int
) -> dict[str, Any]:
    """Return times a configuration in turn with Pinocchio's, and the ratios."""
    theirs = peer.positions(q)
    times = seconds_of(
        {
            'ours': ours,
            'pin': lambda: [peer.poses(row) for row in theirs],
            'pin_compute': lambda: peer.compute_all(theirs),
        },
        rounds,
    )
    return {
        'batch': batch,
        **{f'{name}_us': 1e6 * value / len(q) for name, value in times.items()},
        'ratio': times['ours'] / times['pin'],
        'compute_ratio': times['ours'] / times['pin_compute'],
        'note': '',
    }


def single_calls(model: Model, peer: Peer, q: np.ndarray, rounds: int) -> dict[str, Any]:
    """Time calls of one configuration each."""
    return compared(lambda: [frame_poses(model, row) for row in q], peer, q, rounds, 1)


def one_call(model: Model, peer: Peer, q: np.ndarray, rounds: int) -> dict[str, Any]:
    """Time one call for all configurations, for which Pinocchio needs a loop."""
    return compared(lambda: frame_poses(model, q), peer, q, rounds, len(q))
