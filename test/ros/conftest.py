# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Tests that need ROS 2: skipped where it is not installed, and heard by nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
import os
from pathlib import Path

import pytest

MISSING = [name for name in ('rclpy', 'sensor_msgs', 'tf2_msgs') if find_spec(name) is None]

# Before any participant is made: nobody outside this machine hears the tests.
os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'


class WithoutRos(pytest.Module):
    """A module that is not even imported."""

    def collect(self) -> Iterator[pytest.Item]:
        """Skip the module."""
        pytest.skip(f'ROS 2 is not installed: no {", ".join(MISSING)}', allow_module_level=True)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> object:
    """Leave modules to pytest where ROS 2 is installed."""
    return WithoutRos.from_parent(parent, path=module_path) if MISSING else None
