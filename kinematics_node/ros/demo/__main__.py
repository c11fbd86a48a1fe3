# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""python3 -m kinematics_node.ros.demo"""

import signal
import sys


def main() -> int:
    """Run the demo; until it has imported what it needs, Ctrl-C ends it without a word."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from kinematics_node.ros.demo.command import main as run

    return run()


if __name__ == '__main__':
    sys.exit(main())
