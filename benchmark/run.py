# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Runs the benches: `make bench`, or scripts/run python3 benchmark/run.py --help."""

from __future__ import annotations

from pathlib import Path
import sys

# The benches are a package of the repository, but what they measure is what is installed.
del sys.path[0]
sys.path.append(str(Path(__file__).resolve().parents[1]))

from benchmark.cli import main  # noqa: E402

if __name__ == '__main__':
    sys.exit(main())
