# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The executable kinematics_node."""

from __future__ import annotations

from collections.abc import Sequence
import sys

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.logging import get_logger

from kinematics_node.errors import KinematicsError
from kinematics_node.ros.executor import spin
from kinematics_node.ros.node import KinematicsNode


def main(args: Sequence[str] | None = None) -> int:
    """Run the node until it is interrupted; return the process' exit status."""
    rclpy.init(args=args)
    node = None
    try:
        node = KinematicsNode()
        spin(node)
    except KinematicsError as error:
        get_logger('kinematics').fatal(str(error))
        return 1
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
    return 0


if __name__ == '__main__':
    sys.exit(main())
