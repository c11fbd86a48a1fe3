# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Figures made and written by matplotlib's objects; nothing of pyplot, which keeps a state."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from kinematics_node.plotting.output import format_of
from kinematics_node.plotting.output import PictureError

DPI = 130
# Text stays text; the same numbers give the same file.
SVG = {'svg.fonttype': 'none', 'svg.hashsalt': 'kinematics'}


def new_figure(width: float, height: float, **keywords: Any) -> Figure:
    """Return an empty figure of some size [inches]."""
    figure = Figure(figsize=(width, height), dpi=DPI, facecolor='white', **keywords)
    FigureCanvasAgg(figure)
    return figure


def plain(text: str) -> str:
    """Return a text that matplotlib writes as it is: dollars begin no formula."""
    return text.replace('$', r'\$')


def picture_bytes(figure: Figure, kind: str) -> bytes:
    """Return a figure as the bytes of a 'png' or 'svg'."""
    written = io.BytesIO()
    metadata = {'Date': None} if kind == 'svg' else {'Software': None}
    with matplotlib.rc_context(SVG):
        figure.savefig(written, format=kind, metadata=metadata)
    return written.getvalue()


def save(figure: Figure, path: Path) -> None:
    """Write a figure as the picture that the file's suffix stands for.

    Raises
    ------
    PictureError
        Another suffix than .png and .svg, or a file that cannot be written.
    """
    content = picture_bytes(figure, format_of(path))
    try:
        path.write_bytes(content)
    except OSError as error:
        raise PictureError(f'{path} cannot be written: {error.strerror}') from None
