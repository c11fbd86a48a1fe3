# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The numerical rank of scaled rows, by the singular values of parts that share nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
import math
from typing import NamedTuple

import numpy as np

from kinematics_node.compiled import Array
from kinematics_node.compiled import Indices

RANK_THRESHOLD = 1e-6  # of the largest singular value, or of one: scaled rows are of that size
CLEAR = 100.0  # factor by which singular values stay off the threshold where a rank is certain


class Part(NamedTuple):
    """Rows and the columns that they hold, apart from all others, and where both are in J."""

    rows: Indices
    columns: Indices
    place: tuple[Indices, Indices]


@dataclass(frozen=True, eq=False)
class Rank:
    """The numerical rank of a set of rows, and how it was told.

    Attributes
    ----------
    rank : int
        Singular values above the threshold.
    threshold : float
        What counts as zero: RANK_THRESHOLD of the largest singular value, or of one.
    above, below : float
        The singular values next to the threshold on both sides; 0 where there is none.
    certain : bool
        Whether both stay off the threshold by a factor of CLEAR.
    motions : array, shape (columns, columns - rank)
        Orthonormal directions that the rows allow.
    conflicts : array, shape (rows, rows - rank)
        Orthonormal combinations of rows that say nothing new.
    """

    rank: int
    threshold: float
    above: float
    below: float
    certain: bool
    motions: Array
    conflicts: Array


class Spectrum(NamedTuple):
    """Ranks of parts, and the singular values around the threshold; above is infinite for none."""

    ranks: list[int]
    threshold: float
    above: float
    below: float


def rank_of(J: Array, parts: Sequence[Part], apart: Indices) -> Rank:
    """Return the rank of scaled rows, by the singular values of each part.

    Parts share neither rows nor columns, so that their singular values are those of the whole.
    Columns apart are those of no part.
    """
    m, n = J.shape
    split = [np.linalg.svd(J[part.place]) for part in parts]
    ranks, threshold, above, below = _spectrum([s.tolist() for _, s, _ in split])
    rank = sum(ranks)
    motions, conflicts = np.zeros((n, n - rank)), np.zeros((m, m - rank))
    motions[apart, np.arange(apart.size)] = 1.0
    column, row = apart.size, 0
    for part, (U, _, Vt), r in zip(parts, split, ranks, strict=True):
        free, left = part.columns.size - r, part.rows.size - r
        motions[part.columns, column : column + free] = Vt[r:].T
        conflicts[part.rows, row : row + left] = U[:, r:]
        column, row = column + free, row + left
    certain = above > CLEAR * threshold and below * CLEAR <= threshold
    above = above if rank else 0.0
    return Rank(rank, threshold, above, below, certain, motions, conflicts)


def _spectrum(values: Sequence[list[float]]) -> Spectrum:
    """Return what singular values of parts, each largest first, say together."""
    threshold = RANK_THRESHOLD * max([1.0, *(s[0] for s in values if s)])
    ranks = [sum(x > threshold for x in s) for s in values]
    pairs = list(zip(values, ranks, strict=True))
    above = min((s[r - 1] for s, r in pairs if r), default=math.inf)
    below = max((s[r] for s, r in pairs if r < len(s)), default=0.0)
    return Spectrum(ranks, threshold, above, below)
