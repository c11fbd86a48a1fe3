# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Kinematics, constraints and joint forces of robots that URDF alone cannot describe."""
