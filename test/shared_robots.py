# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The robots shared between projects, which stand beside this repository."""

from __future__ import annotations

from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / 'shared' / 'robots'


def shared_robot(name: str) -> Path:
    """Return the path of a shared robot; the test is skipped where the folder is missing."""
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f'no shared robot {name}: the folder shared/robots is not beside the checkout')
    return path
