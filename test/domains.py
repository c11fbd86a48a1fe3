# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""ROS domains in which tests are alone."""

from __future__ import annotations

from itertools import cycle
from itertools import islice
import random
import socket

# In random order, so that two runs on one machine rarely meet.
DOMAINS = cycle(random.SystemRandom().sample(range(1, 101), 100))
# Ports of a domain's first participant by the mapping of DDSI-RTPS 2.3, section 9.6.1.1.
BASE_PORT, PORTS_PER_DOMAIN, UNICAST = 7400, 250, 10


def fresh_domain() -> int:
    """Return a ROS domain that nobody on this machine uses, another one at each call.

    Nodes that two tests run at a time would hear each other in a domain drawn twice.
    """
    return next(domain for domain in islice(DOMAINS, 100) if not _is_used(domain))


def first_port(domain: int) -> int:
    """Return the UDP port that a domain's first participant listens on."""
    return BASE_PORT + PORTS_PER_DOMAIN * domain + UNICAST


def _is_used(domain: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(('', first_port(domain)))
        except OSError:
            return True
    return False
