# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The executable's own work: what it keeps from being imported."""

import importlib
import sys

import pytest

from kinematics_node.ros.main import hidden


def test_hidden_modules_cannot_be_imported_and_later_can(monkeypatch):
    monkeypatch.delitem(sys.modules, 'colorsys', raising=False)
    with hidden(['colorsys']), pytest.raises(ImportError):
        importlib.import_module('colorsys')
    assert importlib.import_module('colorsys').rgb_to_hsv(0.0, 0.0, 0.0) == (0.0, 0.0, 0.0)


def test_modules_that_are_imported_already_stay(monkeypatch):
    module = importlib.import_module('colorsys')
    with hidden(['colorsys']):
        assert sys.modules['colorsys'] is module
    assert sys.modules['colorsys'] is module


def test_an_error_shows_them_again():
    with pytest.raises(RuntimeError, match='inside'), hidden(['no_such_module']):
        raise RuntimeError('inside')
    assert 'no_such_module' not in sys.modules
