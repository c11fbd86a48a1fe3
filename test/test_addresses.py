# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Arrays behind a table of addresses: compiled code reads and writes the arrays themselves."""

from __future__ import annotations

import numpy as np
import pytest

from kinematics_node.addresses import doubles
from kinematics_node.addresses import int_rows
from kinematics_node.addresses import ints
from kinematics_node.addresses import matrix
from kinematics_node.addresses import table_of
from kinematics_node.compiled import kernel


@kernel
def weigh_rows(table):
    """Write into row 3 of a table the sums of row 0's lines, weighed by row 1, turned by row 2."""
    rows, weights, order, out = (
        matrix(table, 0),
        doubles(table, 1),
        ints(table, 2),
        int_rows(table, 3),
    )
    for i in range(rows.shape[0]):
        total = 0.0
        for j in range(rows.shape[1]):
            total += rows[i, j] * weights[j]
        out[order[i], 1] = int(total)
    return rows.shape[0] * 100 + out.shape[1]


def test_kernels_work_on_the_arrays_themselves():
    rows = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    weights = np.array([100.0, 10.0, 1.0])
    order = np.array([1, 0], np.int32)
    out = np.zeros((2, 4), np.int32)
    table = table_of((rows, weights, order, out))
    assert weigh_rows(table) == 204
    np.testing.assert_array_equal(out, [[0, 456, 0, 0], [0, 123, 0, 0]])
    weights[:] = 1.0
    weigh_rows(table)
    np.testing.assert_array_equal(out[:, 1], [15, 6])


def test_an_array_with_gaps_is_refused():
    with pytest.raises(ValueError, match=r'an array of shape \(2,\) is not contiguous'):
        table_of((np.zeros(4)[::2],))


def test_rows_left_out_are_no_rows():
    assert table_of((np.zeros((0, 3), np.int32),))[0, 1:].tolist() == [0, 3]
