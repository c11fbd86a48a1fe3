# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Name and version for pip; everything else is in setup.cfg, which the ROS build reads too."""

import pathlib
import xml.etree.ElementTree

from setuptools import setup

ROOT = pathlib.Path(__file__).resolve().parent
README = ROOT / 'README.md'

# The ROS build names the distribution after the module and refuses a name in setup.cfg.
setup(
    name='joint-kinematics',
    version=xml.etree.ElementTree.parse(ROOT / 'package.xml').findtext('version'),
    long_description=README.read_text(encoding='utf-8') if README.exists() else '',
    long_description_content_type='text/markdown',
)
