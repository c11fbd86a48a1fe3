#!/usr/bin/env python3
# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Point the CMake exports of the ROS 2 wheels at this environment.

The wheels carry the include paths of the machine that built them. This replaces the Python and
numpy include directories by those of the interpreter that runs this script, which is the
environment's own.
"""

import pathlib
import re
import sys
import sysconfig

import numpy

NUMPY = re.compile(r'/opt/python/cp\d+-cp\d+/lib/python3\.\d+/site-packages/numpy/_?core/include')
PYTHON = re.compile(r'/opt/python/cp\d+-cp\d+/include/python3\.\d+')


def main() -> None:
    """Rewrite every exported CMake file below <prefix>/share."""
    numpy_include = numpy.get_include()
    python_include = sysconfig.get_paths()['include']
    for path in pathlib.Path(sys.prefix, 'share').rglob('*.cmake'):
        text = path.read_text(encoding='utf-8')
        patched = NUMPY.sub(lambda _: numpy_include, text)
        patched = PYTHON.sub(lambda _: python_include, patched)
        if patched != text:
            path.write_text(patched, encoding='utf-8')


if __name__ == '__main__':
    main()
