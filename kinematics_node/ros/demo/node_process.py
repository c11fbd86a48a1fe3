# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The node as a process of its own, ended whatever happens."""

from __future__ import annotations

from collections.abc import Mapping
import os
from pathlib import Path
import re
import signal
import subprocess
import sys
import tempfile
from types import TracebackType
from typing import Any

from ament_index_python.packages import get_package_prefix
from ament_index_python.packages import PackageNotFoundError
import yaml

from kinematics_node.ros.description_file import PACKAGE

EXECUTABLE = 'kinematics_node'
ENDINGS = ((signal.SIGINT, 5.0), (signal.SIGTERM, 2.0), (signal.SIGKILL, 2.0))
_LOGGED = re.compile(r'\[(WARN|ERROR|FATAL)\](?: \[[^\]]*\])*: (.*)')


class NodeProcess:
    """The installed executable, started on a description.

    Parameters
    ----------
    description : str
        Text of the description; goes through a parameter file, as launch does it.
    constraints : mapping
        Parameters of our notation.
    """

    def __init__(self, description: str, constraints: Mapping[str, Any]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix='kinematics_demo_')
        folder = Path(self._folder.name)
        own = {'robot_description': description, 'publish_frequency': 0.0}
        values = {**constraints, **own}
        parameters = folder / 'parameters.yaml'
        parameters.write_text(yaml.safe_dump({'/**': {'ros__parameters': values}}))
        self._output = folder / 'output.txt'
        with self._output.open('wb') as output:
            self._process = subprocess.Popen(
                [*command(), '--ros-args', '--params-file', str(parameters)],
                env={**os.environ, 'ROS_LOG_DIR': str(folder), 'RCUTILS_COLORIZED_OUTPUT': '0'},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def __enter__(self) -> NodeProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def status(self) -> int | None:
        """Exit status of the process; None while it runs."""
        return self._process.poll()

    @property
    def reason(self) -> str:
        """Why the process ended, as far as it said so."""
        said = [text for level, text in self._logged() if level == 'FATAL']
        last = self._text().strip().splitlines()[-1:]
        return (said or last or [f'it ended with status {self.status}'])[-1]

    @property
    def warnings(self) -> list[str]:
        """What the node has warned of so far."""
        return [text for level, text in self._logged() if level in ('WARN', 'ERROR')]

    def stop(self) -> None:
        """End the process as Ctrl-C does, harder only if it does not listen."""
        for asking, patience in ENDINGS:
            if self._process.poll() is not None:
                break
            self._process.send_signal(asking)
            try:
                self._process.wait(patience)
            except subprocess.TimeoutExpired:
                continue
        self._folder.cleanup()

    def _logged(self) -> list[tuple[str, str]]:
        return [match.groups() for match in _LOGGED.finditer(self._text())]  # type: ignore[misc]

    def _text(self) -> str:
        return self._output.read_text(encoding='utf-8', errors='replace')


def command() -> list[str]:
    """Return how the node is started: its installed executable, else its module."""
    try:
        prefix = Path(get_package_prefix(PACKAGE))
    except PackageNotFoundError:
        return [sys.executable, '-m', 'kinematics_node.ros.main']
    return [str(prefix / 'lib' / PACKAGE / EXECUTABLE)]
