# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Checks of states: limits, stops, mimics, loops, anchors, and numbers that are none."""
