# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The node as a process: from its start to its exit status."""

from __future__ import annotations

from collections.abc import Sequence
import gc

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.logging import get_logger

from kinematics_node.errors import KinematicsError
from kinematics_node.ros.executor import spin
from kinematics_node.ros.node import KinematicsNode


def run(args: Sequence[str] | None = None) -> int:
    """Run the node until a signal ends it; return the process' exit status.

    That is 1, after one sentence, where the node cannot start with what it is given.
    """
    rclpy.init(args=args)
    node = None
    try:
        node = KinematicsNode()
        # What there is now stays: the collector need not look through it again and again.
        gc.freeze()
        gc.enable()
        spin(node)
    except KinematicsError as error:
        get_logger('kinematics').fatal(str(error))
        return 1
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except RuntimeError:
        # A signal takes the context away from whatever is being made with it.
        if rclpy.ok():
            raise
    finally:
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
    return 0
