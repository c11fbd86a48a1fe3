# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The publishers that are compared, each as a process of its own."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
import ctypes
from dataclasses import dataclass
from dataclasses import field
from itertools import cycle
import os
from pathlib import Path
import random
import signal
import subprocess
import sys
import tempfile
import time
from types import TracebackType
from typing import Any

import yaml

OBVIOUS_NODE = Path(__file__).with_name('obvious_node.py')
THIS = 'this'
OBVIOUS = 'obvious'
RSP = 'rsp'
RSP_EVERY = 'rsp-every'
# ROS domains in random order, so that two runs on one machine rarely meet.
DOMAINS = cycle(random.SystemRandom().sample(range(1, 101), 100))
# How a process is asked to end, and how long it may take [s].
ENDINGS = ((signal.SIGINT, 5.0), (signal.SIGTERM, 2.0), (signal.SIGKILL, 5.0))


@dataclass(frozen=True)
class Contender:
    """A publisher that takes part: how it is called in tables, started and set.

    Attributes
    ----------
    libraries : tuple of Path
        Folders of libraries that it needs besides those of the sourced installations.
    """

    key: str
    label: str
    command: tuple[str, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    libraries: tuple[Path, ...] = ()


def fresh_domain() -> int:
    """Return a ROS domain, another one each time until all had their turn.

    Two publishers that drew the same one would hear both drivers, and look as if they lost half.
    """
    return next(DOMAINS)


def find_executable(package: str, name: str) -> Path | None:
    """Return an installed ROS executable, looked up as `ros2 run` does."""
    for prefix in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep):
        path = Path(prefix, 'lib', package, name)
        if prefix and os.access(path, os.X_OK):
            return path
    return None


def find_contenders(rsp: Path | None) -> dict[str, Contender]:
    """Return the publishers that this machine has, by key.

    Parameters
    ----------
    rsp : Path or None
        Executable of the C++ robot_state_publisher, where it is not in a sourced installation.
    """
    every = {'publish_frequency': 0.0}
    command = (sys.executable, str(OBVIOUS_NODE))
    found = [Contender(OBVIOUS, 'obvious node', command)]
    node = find_executable('joint_kinematics', 'kinematics_node')
    if node:
        found.append(Contender(THIS, 'this node', (str(node),), every))
    rsp = rsp or find_executable('robot_state_publisher', 'robot_state_publisher')
    if rsp:
        found += cpp_contenders(rsp.resolve())
    return {contender.key: contender for contender in found}


def cpp_contenders(executable: Path) -> list[Contender]:
    """Return the C++ publisher as fast as it can be set, and told to ignore stamps besides.

    Its throttle leaves out messages that come sooner than a whole millisecond after the last;
    only ignore_timestamp makes it answer every one.
    """
    fastest = {'publish_frequency': 1000.0}
    libraries = (executable.parent, executable.parents[1])  # prefix/lib/package/executable
    return [
        Contender(RSP, 'C++', (str(executable),), fastest, libraries),
        Contender(
            RSP_EVERY,
            'C++ unthrottled',
            (str(executable),),
            {**fastest, 'ignore_timestamp': True},
            libraries,
        ),
    ]


class Publisher:
    """A running contender, ended by its process id whatever happens.

    Parameters
    ----------
    urdf : str
        Description of the robot; goes through a parameter file, since the command line takes
        a colon in it for YAML.
    domain : int
        ROS domain that it and nobody else shares with the driver.
    """

    def __init__(self, contender: Contender, urdf: str, domain: int) -> None:
        self.contender = contender
        self._folder = tempfile.TemporaryDirectory(prefix='bench_')
        folder = Path(self._folder.name)
        parameters = folder / 'parameters.yaml'
        values = {'robot_description': urdf, **contender.parameters}
        parameters.write_text(yaml.safe_dump({'/**': {'ros__parameters': values}}))
        self._log = (folder / 'output.txt').open('w+', encoding='utf-8', errors='replace')
        self.started_ns = time.monotonic_ns()
        self._process = subprocess.Popen(
            [*contender.command, '--ros-args', '--params-file', str(parameters)],
            env=environment(domain, folder, contender.libraries),
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )
        self._cpu_clock = cpu_clock(self._process.pid)

    def __enter__(self) -> Publisher:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def check_alive(self) -> None:
        """Raise with the end of its output if the process has ended."""
        status = self._process.poll()
        if status is not None:
            raise RuntimeError(
                f'{self.contender.label} ended with status {status}:\n{self.last_output()}'
            )

    def last_output(self) -> str:
        """Return the last lines that the process wrote."""
        self._log.flush()
        self._log.seek(0)
        return ''.join(self._log.readlines()[-15:])

    def cpu_ns(self) -> int:
        """Return the CPU time that all threads of the process have used so far [ns]."""
        self.check_alive()
        return time.clock_gettime_ns(self._cpu_clock)

    def resident_mb(self) -> float:
        """Return the resident memory of the process [MB]."""
        self.check_alive()
        status = Path(f'/proc/{self._process.pid}/status').read_text(encoding='utf-8')
        line = next(line for line in status.splitlines() if line.startswith('VmRSS'))
        return int(line.split()[1]) / 1024

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
        self._log.close()
        self._folder.cleanup()


def environment(domain: int, folder: Path, libraries: Sequence[Path]) -> dict[str, str]:
    """Return a publisher's environment: its own domain, this machine only, logs in folder."""
    sourced = os.environ.get('LD_LIBRARY_PATH', '')
    paths = [*map(str, libraries), *filter(None, [sourced])]
    return {
        **os.environ,
        'ROS_DOMAIN_ID': str(domain),
        'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
        'ROS_LOG_DIR': str(folder),
        **({'LD_LIBRARY_PATH': os.pathsep.join(paths)} if libraries else {}),
    }


def cpu_clock(pid: int) -> int:
    """Return the clock of a process's CPU time: nanoseconds, where /proc counts in 10 ms."""
    clock = ctypes.c_int()
    if ctypes.CDLL(None).clock_getcpuclockid(pid, ctypes.byref(clock)):
        raise RuntimeError(f'The system gives no CPU clock for process {pid}.')
    return clock.value
