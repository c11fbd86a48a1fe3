# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Solvers kept between questions: the same answers, no model kept for ever, threads in turn."""

from concurrent.futures import ThreadPoolExecutor
import gc
import weakref

from loop_models import four_bar
import numpy as np
from numpy.testing import assert_allclose

from kinematics_node.check import check_state
from kinematics_node.solve import LoopSolver
from kinematics_node.solving.kept import kept_solver
from kinematics_node.solving.kept import MOST

CRANK = frozenset({'crank'})


def test_the_same_coordinates_get_the_same_solver():
    model = four_bar()
    kept = kept_solver(model, CRANK)
    assert kept_solver(model, frozenset({'crank'})) is kept
    assert kept_solver(model, frozenset()) is not kept
    assert kept_solver(four_bar(), CRANK) is not kept


def test_models_that_nobody_asks_about_any_more_are_let_go():
    gone = weakref.ref(kept_solver(four_bar(), CRANK).solver.model)
    for _ in range(MOST):
        kept_solver(four_bar(), CRANK)
    gc.collect()
    assert gone() is None


def test_earlier_questions_and_other_threads_change_no_answer():
    model = four_bar()
    fresh = LoopSolver(model, CRANK)
    angles = np.random.default_rng(0).uniform(-3.0, 3.0, 200)

    def start(angle):
        q = model.zero.copy()
        q[model.coordinate_index['crank']] = angle
        return q

    def assembled(angle):
        solver, lock = kept_solver(model, CRANK)
        with lock:
            return solver.assemble(start(angle)).q.copy()

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(assembled, angles))
    for angle, q in zip(angles, found, strict=True):
        assert_allclose(q, fresh.assemble(start(angle)).q, atol=1e-12)
        assert check_state(model, {'crank': angle}).valid
