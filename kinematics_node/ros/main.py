# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The executable kinematics_node."""

from __future__ import annotations

from collections.abc import Sequence
import signal
import sys


def main(args: Sequence[str] | None = None) -> int:
    """Run the node until it is interrupted; return the process' exit status."""
    # What is imported next takes a second. Until rclpy handles signals, Ctrl-C ends the process
    # as the system does it, and not with the trace of an import that was under way.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from kinematics_node.ros.process import run

    return run(args)


if __name__ == '__main__':
    sys.exit(main())
