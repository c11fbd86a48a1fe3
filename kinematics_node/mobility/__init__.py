# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Degrees of freedom: rank and redundancy, modes, and what each joint is to the others."""
