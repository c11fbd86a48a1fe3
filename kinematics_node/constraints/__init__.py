# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Constraint rows: residual, Jacobian and quadratic term of every closure and coupling."""
