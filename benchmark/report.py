# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Percentiles, ratios, tables and result files: what every bench shares."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib import metadata
import json
import math
import os
from pathlib import Path
import platform
import statistics
from typing import Any

from rich.console import Console
from rich.table import Table

RESULTS = Path(__file__).resolve().parent / 'results'
DISTRIBUTIONS = ('numpy', 'numba', 'ros-rclpy', 'pin')
Row = Mapping[str, Any]


def text(value: Any) -> str:
    """Return a value as it is; one that is not there is left blank."""
    return '' if value is None else str(value)


@dataclass(frozen=True)
class Column:
    """One column of a printed table: its heading, the key of its value, how it is written."""

    heading: str
    key: str
    write: Callable[[Any], str] = text


def number(digits: int) -> Callable[[Any], str]:
    """Return a writer of numbers with so many decimals; a value that is not there is a dash."""

    def write(value: Any) -> str:
        return '-' if value is None or math.isnan(value) else f'{value:.{digits}f}'

    return write


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which a share of the values lie, interpolated; nan for none.

    Parameters
    ----------
    values : sequence of float
        In any order.
    share : float
        Between 0 and 1: 0.5 is the median.
    """
    if not values:
        return math.nan
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def median(values: Iterable[float]) -> float:
    """Return the median of the values that are numbers, nan where there are none."""
    known = [value for value in values if not math.isnan(value)]
    return statistics.median(known) if known else math.nan


def ratio(value: float, reference: float) -> float:
    """Return value / reference; nan where the reference is zero or not there."""
    return value / reference if reference else math.nan


def growth_exponent(small: tuple[float, float], large: tuple[float, float]) -> float:
    """Return k of time ~ size^k through two points (size, time)."""
    return math.log(large[1] / small[1]) / math.log(large[0] / small[0])


def console() -> Console:
    """Return where the tables go; a pipe or a file gets lines wide enough for them."""
    target = Console(highlight=False)
    return target if target.is_terminal else Console(highlight=False, width=140)


def print_table(title: str, columns: Sequence[Column], rows: Iterable[Row]) -> None:
    """Print the rows; a rule separates rows whose `group` differs."""
    table = Table(title=title, title_justify='left')
    for k, column in enumerate(columns):
        table.add_column(column.heading, justify='left' if k == 0 else 'right')
    previous = None
    for row in rows:
        if previous is not None and row.get('group') != previous.get('group'):
            table.add_section()
        table.add_row(*(column.write(row.get(column.key)) for column in columns))
        previous = row
    console().print(table)


def machine() -> dict[str, Any]:
    """Return what the figures depend on besides the code."""
    versions: dict[str, str | None] = {}
    for name in DISTRIBUTIONS:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = None
    return {
        'system': platform.platform(),
        'processor': processor_name(),
        'cores': os.cpu_count(),
        'load': os.getloadavg(),
        'python': platform.python_version(),
        'ros': os.environ.get('ROS_DISTRO'),
        'rmw': os.environ.get('RMW_IMPLEMENTATION'),
        'versions': versions,
    }


def processor_name() -> str:
    """Return the processor's name as Linux tells it, else what Python knows."""
    cpuinfo = Path('/proc/cpuinfo')
    lines = cpuinfo.read_text(encoding='utf-8').splitlines() if cpuinfo.exists() else []
    names = [line.partition(':')[2].strip() for line in lines if line.startswith('model name')]
    return names[0] if names else platform.processor()


def write_results(bench: str, options: Mapping[str, Any], rows: Sequence[Row]) -> Path:
    """Write rows, options and machine to results/<date>-<bench>.json; return the path."""
    now = datetime.now()
    path = RESULTS / f'{now:%Y%m%dT%H%M%S}-{bench}.json'
    content = {
        'bench': bench,
        'date': now.isoformat(timespec='seconds'),
        'machine': machine(),
        'options': dict(options),
        'rows': [without_nan(row) for row in rows],
    }
    RESULTS.mkdir(exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + '\n', encoding='utf-8')
    return path


def without_nan(value: Any) -> Any:
    """Return the value with None for what JSON has no number for."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: without_nan(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_nan(inner) for inner in value]
    return value
