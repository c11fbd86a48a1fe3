# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The node seen at work from outside: a player, a listener and an independent computation."""
