# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Fixtures that all tests share."""

from __future__ import annotations

import pytest
import shared_robots


@pytest.fixture(scope='session')
def shared_robot():
    """Return a function that finds a shared robot by name, or skips with the reason."""
    return shared_robots.shared_robot
