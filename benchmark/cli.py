# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The command line of the benches: options, which benches run, what is printed and written."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
import os
from pathlib import Path
import signal
import sys
from typing import Any

from benchmark import targets
from benchmark.processes import Contender
from benchmark.processes import find_contenders
from benchmark.processes import OBVIOUS
from benchmark.processes import RSP
from benchmark.processes import THIS
from benchmark.report import Column
from benchmark.report import print_table
from benchmark.report import write_results

Rows = list[dict[str, Any]]
Options = argparse.Namespace
USUAL = ('stream', 'startup', 'fk', 'load', 'loops', 'streamed-loops', 'forces', 'services')
USUAL_CONTENDERS = (THIS, OBVIOUS, RSP)
BUSY = 0.5  # load average above which figures are not worth much


def parser() -> argparse.ArgumentParser:
    """Return the parser of the options."""
    options = argparse.ArgumentParser(prog='make bench', description=__doc__)
    add = options.add_argument
    add('--only', type=words, default=USUAL, help=f'benches to run: {",".join(BENCHES)}')
    add('--quick', action='store_true', help='a look that takes about a minute')
    add('--rsp', type=Path, help='executable of the C++ robot_state_publisher')
    add('--publishers', type=words, help='this,obvious,rsp,rsp-every; the first three if left out')
    add('--joints', type=integers, help='7,30,60,120')
    add('--rates', type=numbers, help='100,500,1000,2000 [Hz]')
    add('--rounds', type=int, help='5')
    add('--seconds', type=float, help='length of one measurement, 0.6')
    add('--jitter', type=float, default=0.1, help='displacement of messages, share of the period')
    add('--exact-stamps', action='store_true', help='stamps on a regular grid, not of real time')
    add('--soak', type=float, metavar='SECONDS', help='a long run of one publisher instead')
    add('--soak-rate', type=float, default=1000.0, metavar='HZ', help='1000')
    add('--soak-joints', type=int, default=60, metavar='N', help='60')
    add('--soak-messages', type=int, metavar='N', help='the same, by number of messages')
    return options


def words(text: str) -> tuple[str, ...]:
    """Return a list separated by commas."""
    return tuple(word for word in text.split(',') if word)


def integers(text: str) -> tuple[int, ...]:
    """Return whole numbers separated by commas."""
    return tuple(int(word) for word in words(text))


def numbers(text: str) -> tuple[float, ...]:
    """Return numbers separated by commas."""
    return tuple(float(word) for word in words(text))


def complete(options: Options) -> Options:
    """Fill in what was left out, and refuse what cannot be."""
    usual = vars(QUICK if options.quick else FULL)
    for name, value in usual.items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    if options.soak or options.soak_messages:
        options.only = ('soak',)
    unknown = set(options.only) - BENCHES.keys()
    if unknown:
        raise SystemExit(
            f'There is no bench {sorted(unknown)[0]}: choose of {", ".join(BENCHES)}.'
        )
    if options.rsp and not os.access(options.rsp, os.X_OK):
        raise SystemExit(f'{options.rsp} is not an executable file.')
    return options


def contenders_of(options: Options) -> list[Contender]:
    """Return the publishers that take part; those that are missing are named."""
    found = find_contenders(options.rsp)
    asked = options.publishers or USUAL_CONTENDERS
    for key in asked:
        if key not in found:
            print(f'{key}: not found, left out; `make build` or RSP=path brings it.')
    chosen = [found[key] for key in asked if key in found]
    if not chosen:
        raise SystemExit('None of the publishers asked for was found.')
    return chosen


def this_node(options: Options) -> Contender:
    """Return this node, which must be installed."""
    node = find_contenders(options.rsp).get(THIS)
    if node is None:
        raise SystemExit('This node is not installed; `make build` brings it.')
    return node


def shown(samples: Iterable[dict[str, Any]], total: int) -> Iterator[dict[str, Any]]:
    """Count the samples on the terminal as they come."""
    for done, sample in enumerate(samples, start=1):
        if sys.stderr.isatty():
            print(f'\r{done} of {total} ', end='', file=sys.stderr, flush=True)
        yield sample
    if sys.stderr.isatty():
        print('\r', end='', file=sys.stderr)


def finish(
    bench: str,
    title: str,
    columns: Sequence[Column],
    rows: Rows,
    options: Options,
    verdicts: Iterable[targets.Verdict] = (),
) -> None:
    """Print a bench's table and verdicts, write its results."""
    print_table(title, columns, rows)
    for verdict in verdicts:
        print(verdict)
    plain = {name: str(v) if isinstance(v, Path) else v for name, v in vars(options).items()}
    print(f'Written: {write_results(bench, plain, rows)}\n')


def bench_stream(options: Options) -> None:
    """Compare publishers at several sizes and rates."""
    from benchmark import stream

    contenders = contenders_of(options)
    sweep = stream.Sweep(
        options.joints,
        options.rates,
        options.rounds,
        options.seconds,
        options.jitter,
        options.exact_stamps,
    )
    total = len(sweep.joints) * len(sweep.rates) * sweep.rounds * len(contenders)
    rows = stream.summarize(list(shown(stream.run(sweep, contenders), total)))
    title = f'Streaming, medians of {sweep.rounds} alternating runs'
    verdicts = targets.stream_verdicts(rows)
    finish('stream', title, stream.COLUMNS, rows, options, verdicts)


def bench_startup(options: Options) -> None:
    """Compare how soon publishers answer after their start."""
    from benchmark import startup

    contenders = contenders_of(options)
    rounds = 1 if options.quick else options.rounds
    samples = list(shown(startup.run(60, rounds, contenders), rounds * len(contenders)))
    rows = startup.summarize(samples)
    title = f'Start-up, medians of {rounds} starts'
    verdicts = targets.startup_verdicts(rows)
    finish('startup', title, startup.COLUMNS, rows, options, verdicts)


def bench_fk(options: Options) -> None:
    """Compare forward kinematics with Pinocchio's."""
    from benchmark import fk

    rows = list(fk.run(1_000 if options.quick else 10_000, min(options.rounds, 3)))
    title = 'Poses of all links, time a configuration'
    finish('fk', title, fk.COLUMNS, rows, options)


def bench_load(options: Options) -> None:
    """Time the loading of models."""
    from benchmark import load

    rows = list(load.run(1 if options.quick else 3, large=not options.quick))
    finish('load', 'Loading a model', load.COLUMNS, rows, options)


def bench_loops(options: Options) -> None:
    """Time the solving of closed loops, beside scipy, and its growth."""
    from benchmark import loops

    rows = loops.summarize(list(loops.run(500 if options.quick else 3_000)))
    title = 'Closed loops, one step of a 1 kHz motion'
    finish('loops', title, loops.COLUMNS, rows, options, loops.verdicts(rows))


def bench_streamed_loops(options: Options) -> None:
    """Stream a robot with closed loops beside the same robot without them."""
    from benchmark import streamed_loops
    from benchmark.player import Pace

    node = this_node(options)
    pace = Pace(1000.0, options.jitter, options.exact_stamps)
    total = len(streamed_loops.LABELS) * options.rounds
    samples = shown(streamed_loops.run(node, pace, options.rounds, options.seconds), total)
    rows = streamed_loops.summarize(list(samples))
    title = f'Streaming closed loops, medians of {options.rounds} alternating runs'
    verdicts = streamed_loops.verdicts(rows)
    finish('streamed-loops', title, streamed_loops.COLUMNS, rows, options, verdicts)


def bench_forces(options: Options) -> None:
    """Time the forces of all joints, beside Pinocchio, and their growth."""
    from benchmark import forces

    rows = list(forces.run(min(options.rounds, 3) if options.quick else 9))
    title = 'Forces of all joints, time a state'
    finish('forces', title, forces.COLUMNS, rows, options, forces.verdicts(rows))


def bench_services(options: Options) -> None:
    """Time the round trips of the services."""
    from benchmark import services

    node = this_node(options)
    rows = list(services.run(node, 50 if options.quick else 200))
    title = 'Services, round trips over loopback'
    finish('services', title, services.COLUMNS, rows, options, services.verdicts(rows))


def bench_soak(options: Options) -> None:
    """Run one publisher for long."""
    from benchmark import soak
    from benchmark.player import Pace

    rate = options.soak_rate
    count = options.soak_messages or round((options.soak or 60.0) * rate)
    pace = Pace(rate, options.jitter, options.exact_stamps)
    contender = contenders_of(options)[0]
    rows = list(shown(soak.run(contender, options.soak_joints, pace, count), soak.PARTS + 1))
    title = f'Soak, {options.soak_joints} joints at {rate:.0f} Hz'
    finish('soak', title, soak.COLUMNS, rows, options, targets.soak_verdicts(rows))


BENCHES: dict[str, Callable[[Options], None]] = {
    'stream': bench_stream,
    'startup': bench_startup,
    'fk': bench_fk,
    'load': bench_load,
    'loops': bench_loops,
    'streamed-loops': bench_streamed_loops,
    'forces': bench_forces,
    'services': bench_services,
    'soak': bench_soak,
}
FULL = Options(
    joints=(7, 30, 60, 120), rates=(100.0, 500.0, 1000.0, 2000.0), rounds=5, seconds=0.6
)
QUICK = Options(joints=(60,), rates=(1000.0,), rounds=3, seconds=0.5)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benches asked for; return the exit status."""
    options = complete(parser().parse_args(arguments))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    load = os.getloadavg()[0]
    if load > BUSY:
        print(f'The machine is busy (load {load:.1f}): expect figures that vary.')
    try:
        for bench in options.only:
            BENCHES[bench](options)
    except KeyboardInterrupt:
        return 130
    except RuntimeError as error:
        print(f'error: {error}', file=sys.stderr)
        return 1
    return 0
