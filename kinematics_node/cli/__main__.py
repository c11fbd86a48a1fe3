# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""python3 -m kinematics_node.cli is the command 'kinematics'."""

from __future__ import annotations

import sys

from kinematics_node.cli import main

sys.exit(main())
