# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What a robot is: an editable tree of elements, finalized into flat immutable arrays."""
