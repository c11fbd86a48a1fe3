# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Solvers kept between questions: the same answers, no model kept for ever, threads in turn."""

from concurrent.futures import ThreadPoolExecutor
import gc
from pathlib import Path
import weakref

from loop_models import four_bar
import numpy as np
from numpy.testing import assert_allclose

from kinematics_node.check import check_state
from kinematics_node.formats.load import load_model
from kinematics_node.solve import LoopSolver
from kinematics_node.solve import SolveStatus
from kinematics_node.solving.kept import kept_solver
from kinematics_node.solving.kept import MOST

CRANK = frozenset({'crank'})


def lent(model, measured=CRANK):
    with kept_solver(model, measured) as solver:
        return solver


def test_the_same_coordinates_get_the_same_solver():
    model = four_bar()
    solver = lent(model)
    assert lent(model, frozenset({'crank'})) is solver
    assert lent(model, frozenset()) is not solver
    assert lent(four_bar()) is not solver


def test_models_that_nobody_asks_about_any_more_are_let_go():
    gone = weakref.ref(lent(four_bar()).model)
    for _ in range(MOST):
        lent(four_bar())
    gc.collect()
    assert gone() is None


def test_idle_coordinates_do_not_remember_earlier_questions():
    folder = Path(__file__).parents[1] / 'examples' / 'push_rod_ankle'
    model = load_model(folder / f'{folder.name}.urdf', side_cars=[folder / f'{folder.name}.yaml'])
    motors = frozenset(joint.name for joint in model.joints if joint.actuated)
    where = [model.coordinate_index[name] for name in sorted(motors)]
    start = LoopSolver(model, motors).assemble(model.zero).q

    def answer():
        q = start.copy()
        q[where] = 0.1, -0.05
        with kept_solver(model, motors) as solver:
            assert solver.step(q) == SolveStatus.CONVERGED
        return q

    before = answer()
    # The rods' spins end elsewhere there, and are then held.
    assert check_state(model, dict.fromkeys(motors, 0.3)).valid
    np.testing.assert_array_equal(answer(), before)


def test_earlier_questions_and_other_threads_change_no_answer():
    model = four_bar()
    fresh = LoopSolver(model, CRANK)
    angles = np.random.default_rng(0).uniform(-3.0, 3.0, 200)

    def start(angle):
        q = model.zero.copy()
        q[model.coordinate_index['crank']] = angle
        return q

    def assembled(angle):
        with kept_solver(model, CRANK) as solver:
            return solver.assemble(start(angle)).q.copy()

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(assembled, angles))
    for angle, q in zip(angles, found, strict=True):
        assert_allclose(q, fresh.assemble(start(angle)).q, atol=1e-12)
        assert check_state(model, {'crank': angle}).valid
