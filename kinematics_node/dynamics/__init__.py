# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels: inverse dynamics, joint-space inertia, passive efforts, their factors."""
