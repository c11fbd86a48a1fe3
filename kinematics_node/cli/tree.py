# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""kinematics tree: links and joints from the root outward."""

from __future__ import annotations

import argparse
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.tree import Tree

from kinematics_node.cli.common import add_model_arguments
from kinematics_node.cli.common import Command
from kinematics_node.cli.common import FINE
from kinematics_node.cli.common import model_of
from kinematics_node.cli.common import numbers
from kinematics_node.cli.common import print_json
from kinematics_node.cli.common import say
from kinematics_node.model.elements import Joint
from kinematics_node.model.model import Model


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print the tree, then what closes loops or couples joints."""
    model = model_of(arguments)
    if arguments.json:
        print_json(console, document(model))
        return FINE
    console.print(tree(model))
    for closure in model.closures:
        ends = f'{closure.link_A} - {closure.link_B}'
        say(console, f"closure '{closure.name}': {closure.type}, {ends}")
    for coupling in model.couplings:
        terms = ' + '.join(f'{factor:g} {name}' for name, factor in coupling.terms)
        say(console, f"coupling '{coupling.name}': {terms} = {coupling.offset:g}")
    say(
        console,
        f"robot '{model.name}': {len(model.links)} links, {len(model.joints)} joints, "
        f'nq {model.nq}, nv {model.nv}, {len(model.mimics)} mimics, '
        f'{len(model.closures)} closures, {len(model.couplings)} couplings',
    )
    return FINE


def tree(model: Model) -> Tree:
    """Return the model as a tree for the terminal."""
    top = Tree(f'[bold]{escape(model.root)}[/bold]')
    branches = {0: top}
    for link, joint in enumerate(model.joints, start=1):
        parent = branches[int(model.tree[link, 0])]
        branches[link] = parent.add(
            f'[bold]{escape(joint.child)}[/bold]  {escape(_words(joint, model))}'
        )
    return top


def _words(joint: Joint, model: Model) -> str:
    words = [f'{joint.name}: {joint.type.name.lower()}']
    words += [f'axis {numbers(axis.direction)}' for axis in joint.axes]
    mimic = model.mimics.get(joint.name)
    if mimic is not None:
        words.append(f'= {mimic.multiplier:g} {mimic.master} + {mimic.offset:g}')
    if joint.actuated:
        words.append('actuated')
    return ', '.join(words)


def document(model: Model) -> dict[str, Any]:
    """Return the tree as JSON has it."""
    return {
        'robot': model.name,
        'root': model.root,
        'joints': [_record(joint, model) for joint in model.joints],
        'closures': [
            {'name': c.name, 'type': c.type, 'link_A': c.link_A, 'link_B': c.link_B}
            for c in model.closures
        ],
        'couplings': [
            {'name': c.name, 'terms': dict(c.terms), 'offset': c.offset} for c in model.couplings
        ],
    }


def _record(joint: Joint, model: Model) -> dict[str, Any]:
    mimic = model.mimics.get(joint.name)
    return {
        'name': joint.name,
        'type': joint.type.name.lower(),
        'parent': joint.parent,
        'child': joint.child,
        'axes': [list(axis.direction) for axis in joint.axes],
        'lower': [axis.limits.lower for axis in joint.axes],
        'upper': [axis.limits.upper for axis in joint.axes],
        'actuated': joint.actuated,
        'mimic': None
        if mimic is None
        else {'master': mimic.master, 'multiplier': mimic.multiplier, 'offset': mimic.offset},
    }


COMMAND = Command(
    name='tree',
    help='links and joints from the root outward',
    description='Prints the spanning tree of a robot, and what closes loops.',
    example='kinematics tree examples/mimic_hand/mimic_hand.urdf',
    configure=add_model_arguments,
    run=run,
)
