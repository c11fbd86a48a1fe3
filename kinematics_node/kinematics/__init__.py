# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels: joint motion, poses, velocities, accelerations, Jacobians."""
