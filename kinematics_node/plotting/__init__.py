# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Pictures: what there is to see as plain numbers, and then drawn.

Modules whose names start with draw_ need matplotlib; nothing else imports it.
"""
