# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""One reader a file: robot descriptions in, a builder out; and the way back."""
