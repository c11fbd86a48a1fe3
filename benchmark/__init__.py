# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of the node and of the library, run by `make bench`."""
