# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The import contract: the core knows no ROS, and dependencies point downwards."""

from __future__ import annotations

import os
from pathlib import Path
import subprocess
import sys

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = """
import importlib
import pkgutil
import sys


class Blocked:
    def find_spec(self, name, path=None, target=None):
        root = name.split('.')[0]
        if root in ('rclpy', 'launch', 'launch_ros') or root.endswith(('_msgs', '_interfaces')):
            raise ImportError(name + ' is blocked')


sys.meta_path.insert(0, Blocked())
try:
    import rclpy
except ImportError:
    pass
else:
    raise SystemExit('rclpy is not blocked')
import kinematics_node

names = [
    module.name
    for module in pkgutil.walk_packages(kinematics_node.__path__, 'kinematics_node.')
    if not module.name.startswith('kinematics_node.ros') and not module.name.endswith('__main__')
]
for name in names:
    importlib.import_module(name)
print(len(names))
"""


def run(*command):
    environment = {**os.environ, 'PYTHONPATH': str(ROOT)}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120
    )


def test_the_core_imports_without_ros():
    result = run(sys.executable, '-c', PROGRAM)
    assert result.returncode == 0, result.stderr
    assert int(result.stdout) > 20


def test_dependencies_point_downwards():
    pytest.importorskip('importlinter')
    code = 'import sys; from importlinter.cli import lint_imports_command as c; sys.exit(c())'
    result = run(sys.executable, '-c', code)
    assert result.returncode == 0, result.stdout + result.stderr
    assert '0 broken' in result.stdout
