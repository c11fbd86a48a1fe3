# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Solving closed loops: plans, compiled Newton steps, rates, assembly from far away."""
