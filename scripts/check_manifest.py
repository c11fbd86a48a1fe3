#!/usr/bin/env python3
# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Check package.xml, and the lists that must agree with it and with each other."""

import configparser
import pathlib
import re
import sys

from catkin_pkg.package import parse_package

ROOT = pathlib.Path(__file__).resolve().parent.parent


def names(text: str) -> set[str]:
    """Return the distribution names in a list of requirements."""
    lines = (line.split('#')[0].strip() for line in text.splitlines())
    return {re.split(r'[<>=!~;\[ ]', line)[0].lower() for line in lines if line}


def differ(what: str, left: set[str], right: set[str]) -> list[str]:
    """Return a sentence if two lists that must be the same are not."""
    return [f'{what}: {", ".join(sorted(left ^ right))} is in one alone'] if left != right else []


def main() -> int:
    """Print what is wrong, and return how much."""
    warnings: list[str] = []
    package = parse_package(str(ROOT / 'package.xml'), warnings=warnings)
    found = list(warnings)

    cmake = (ROOT / 'CMakeLists.txt').read_text(encoding='utf-8')
    listed = set(re.findall(r'"((?:msg|srv)/\w+\.(?:msg|srv))"', cmake))
    present = {
        str(path.relative_to(ROOT))
        for folder in ('msg', 'srv')
        for path in (ROOT / folder).glob(f'*.{folder}')
    }
    found += differ('interfaces in CMakeLists.txt and in msg/ and srv/', listed, present)

    depends = {dependency.name for dependency in package.build_depends}
    required = set(re.findall(r'find_package\((\w+_(?:msgs|interfaces)) ', cmake))
    found += differ('interface packages in package.xml and CMakeLists.txt', depends, required)

    setup = configparser.ConfigParser()
    setup.read(ROOT / 'setup.cfg', encoding='utf-8')
    for group, text in (
        ('run', setup['options']['install_requires']),
        ('test', setup['options.extras_require']['test']),
    ):
        pinned = names((ROOT / 'requirements' / f'{group}.txt').read_text(encoding='utf-8'))
        found += differ(
            f'requirements/{group}.txt and setup.cfg', pinned - {'setuptools'}, names(text)
        )

    for sentence in found:
        print(sentence)
    if not found:
        print(f'package.xml is valid: {package.name} {package.version}')
    return len(found)


if __name__ == '__main__':
    sys.exit(main())
