# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Tests that run nodes at the same time do not hear each other."""

from __future__ import annotations

import socket

from domains import first_port
from domains import fresh_domain


def test_a_domain_comes_again_only_after_all_others() -> None:
    drawn = [fresh_domain() for _ in range(50)]
    assert len(set(drawn)) == 50


def test_a_domain_in_use_is_passed_over() -> None:
    used = fresh_domain()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as participant:
        participant.bind(('', first_port(used)))
        assert used not in {fresh_domain() for _ in range(150)}
