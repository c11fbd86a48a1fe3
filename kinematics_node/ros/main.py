# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The executable kinematics_node."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
import gc
import signal
import sys

# Numba imports these if it finds them, for matrix products and for test coverage. The kernels
# use neither, and the start would take a quarter longer.
UNUSED = ('scipy', 'coverage')


def main(args: Sequence[str] | None = None) -> int:
    """Run the node until it is interrupted; return the process' exit status."""
    # What is imported next takes a second. Until rclpy handles signals, Ctrl-C ends the process
    # as the system does it, and not with the trace of an import that was under way.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Nothing of it is ever garbage; run() collects again when the node is made.
    gc.disable()
    with hidden(UNUSED):
        import numba.np.arraymath  # noqa: F401
    from kinematics_node.ros.process import run

    return run(args)


@contextmanager
def hidden(modules: Sequence[str]) -> Iterator[None]:
    """Let modules seem not to be installed, unless they are imported already."""
    absent = [name for name in modules if name not in sys.modules]
    # None is how Python notes that a module must not be found (importlib's documentation).
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]


if __name__ == '__main__':
    sys.exit(main())
