# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of our notation as the demo reads them, on purpose not by this package's reader."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
import math
import re
from typing import Any

import numpy as np
from transforms3d.euler import euler2mat
from transforms3d.quaternions import quat2mat

from kinematics_node.ros.demo.elements import Array
from kinematics_node.ros.demo.elements import DemoClosure
from kinematics_node.ros.demo.elements import DemoCoupling
from kinematics_node.ros.demo.elements import DemoJoint
from kinematics_node.ros.demo.elements import SINGLE_AXIS
from kinematics_node.ros.demo.elements import UncheckableError

SAME = {
    'spherical': 'ball',
    'point': 'ball',
    'weld': 'fixed',
    'continuous': 'revolute',
}
# What says where links are, and what says something else.
PLACING = ('type', 'parent', 'child', 'origin', 'child_origin', 'child_pose', 'anchor', 'axes_in')
OTHER = (
    'velocity',
    'effort',
    'spring',
    'rest',
    'damping',
    'friction',
    'stops',
    'motor',
    'brake',
    'brake_damping',
    'rotor_inertia',
    'gear_ratio',
    'slide_damping',
    'soft_limits',
)
AXES = ('axis', 'axis1', 'axis2', 'axis3')
KEYS = {
    'joints': (*PLACING, *AXES, 'lower', 'upper', 'mimic', 'actuated', 'independent', *OTHER),
    'closures': (
        'type',
        *('link_A', 'link_B', 'frame_A', 'frame_B', 'origin_A', 'origin_B'),
        *('axis', 'axis_A', 'axis_B', 'length'),
    ),
    'couplings': ('terms', 'joints', 'coefficients', 'offset'),
    'frames': ('link', 'origin'),
    'links': ('shapes',),
}

Parameters = Mapping[str, Any]


def elements_of(parameters: Parameters, section: str) -> dict[str, dict[str, Any]]:
    """Return a section by element: 'joints.caster.mimic.joint' is ['caster']['mimic.joint'].

    Raises
    ------
    UncheckableError
        A key that the demo does not know.
    """
    pattern = re.compile(rf'{section}\.(.+?)\.((?:{"|".join(KEYS[section])})(?:\..+)?)')
    found: dict[str, dict[str, Any]] = {}
    for name, value in parameters.items():
        if name.split('.', 1)[0] != section:
            continue
        match = pattern.fullmatch(name)
        if match is None:
            raise UncheckableError(f"'{name}' is not known to the demo's own computation")
        found.setdefault(match[1], {})[match[2]] = value
    return found


def changed_joints(joints: Mapping[str, DemoJoint], parameters: Parameters) -> list[DemoJoint]:
    """Return all joints, those that the parameters name as they change them."""
    changed = dict(joints)
    for name, said in elements_of(parameters, 'joints').items():
        changed[name] = _joint(name, changed.get(name), said)
    return list(changed.values())


def closures_of(joints: Sequence[DemoJoint], parameters: Parameters) -> tuple[DemoClosure, ...]:
    """Return the closures that the parameters describe."""
    places = {joint.name: (joint.child, np.eye(4)) for joint in joints}
    for name, said in elements_of(parameters, 'frames').items():
        places[name] = (said['link'], _pose(said, 'origin', np.eye(4)))
    places |= {joint.parent: (joint.parent, np.eye(4)) for joint in joints}
    places |= {joint.child: (joint.child, np.eye(4)) for joint in joints}
    closures = []
    for name, said in elements_of(parameters, 'closures').items():
        sides = []
        for side in 'AB':
            link, X_LS = places[said.get(f'link_{side}') or said[f'frame_{side}']]
            sides += [link, X_LS @ _pose(said, f'origin_{side}', np.eye(4))]
        axis = said.get('axis', (1.0, 0.0, 0.0))
        axis_A = said.get('axis_A', axis)
        axis_B = said.get('axis_B', axis if 'axis' in said else axis_A)
        kind = SAME.get(said['type'], said['type'])
        length = float(said.get('length', 0.0))
        closures.append(DemoClosure(name, kind, *sides, _unit(axis_A), _unit(axis_B), length))
    return tuple(closures)


def couplings_of(parameters: Parameters) -> tuple[DemoCoupling, ...]:
    """Return the couplings that the parameters describe."""
    couplings = []
    for name, said in elements_of(parameters, 'couplings').items():
        terms = {key[6:]: float(k) for key, k in said.items() if key.startswith('terms.')}
        terms |= dict(zip(said.get('joints', ()), said.get('coefficients', ()), strict=True))
        couplings.append(DemoCoupling(name, terms, float(said.get('offset', 0.0))))
    return tuple(couplings)


def _joint(name: str, joint: DemoJoint | None, said: Mapping[str, Any]) -> DemoJoint:
    kind = said.get('type', joint.kind if joint else '')
    kind = 'ball' if kind == 'spherical' else kind
    if joint is None:
        joint = DemoJoint(name, kind, said['parent'], said['child'], np.eye(4), np.zeros((0, 3)))
    new = replace(
        joint,
        kind=kind,
        parent=said.get('parent', joint.parent),
        child=said.get('child', joint.child),
        motor=bool(said.get('actuated', joint.motor) or said.get('independent', False)),
        mimic=_mimic(joint, kind, said),
        **_frames(joint, said),
    )
    new = replace(new, axes=_axes(joint, new, said))
    if kind in ('revolute', 'prismatic'):
        return replace(
            new, lower=said.get('lower', joint.lower), upper=said.get('upper', joint.upper)
        )
    return replace(new, lower=-math.inf, upper=math.inf)


def _frames(joint: DemoJoint, said: Mapping[str, Any]) -> dict[str, Array]:
    """Return X_PF and X_MC: given themselves, or by the anchor and the child's pose at zero."""
    X_PF = _pose(said, 'origin', joint.X_PF)
    X_MC = _pose(said, 'child_origin', joint.X_MC)
    X_PC = _pose(said, 'child_pose', X_PF @ X_MC)
    X_PF = X_PF.copy()
    if 'anchor' in said:
        X_PF[:3, 3] = said['anchor']
    if said.get('axes_in', 'parent' if 'anchor' in said else 'joint') == 'parent':
        X_PF[:3, :3] = np.eye(3)
    return {'X_PF': X_PF, 'X_MC': np.linalg.solve(X_PF, X_PC)}


def _axes(old: DemoJoint, new: DemoJoint, said: Mapping[str, Any]) -> Array:
    """Return the axes in F; those that nothing is said about stay where they are in space."""
    given = [_direction(said, key) for key in AXES]
    if new.kind == 'universal':
        axes = old.axes if old.kind == 'universal' else np.eye(3)[[0, 2]]
        pairs = zip(given[1:3], axes, strict=True)
        return np.array([_unit(axis if said is None else said) for said, axis in pairs])
    if new.kind not in (*SINGLE_AXIS, 'planar'):
        return np.zeros((0, 3))
    axis = given[0] if given[0] is not None else given[1]
    if axis is not None:
        return _unit(axis)[np.newaxis]
    if len(old.axes) == 1:
        return np.asarray(old.axes @ old.X_PF[:3, :3].T @ new.X_PF[:3, :3])
    return np.eye(3)[:1]


def _direction(said: Mapping[str, Any], key: str) -> Any:
    return said.get(key, said.get(f'{key}.direction'))


def _mimic(
    joint: DemoJoint, kind: str, said: Mapping[str, Any]
) -> tuple[str, float, float] | None:
    if 'mimic.joint' in said:
        multiplier, offset = said.get('mimic.multiplier', 1.0), said.get('mimic.offset', 0.0)
        return said['mimic.joint'], float(multiplier), float(offset)
    return joint.mimic if said.get('mimic', True) and kind in SINGLE_AXIS else None


def _pose(said: Mapping[str, Any], key: str, default: Array) -> Array:
    """Return a pose: a list of 3 or 6 numbers, or xyz with rpy or quaternion_wxyz."""
    X = np.eye(4)
    if key in said:
        numbers = said[key]
        X[:3, 3] = numbers[:3]
        if len(numbers) == 6:
            X[:3, :3] = euler2mat(*numbers[3:], 'sxyz')
    elif any(part.startswith(f'{key}.') for part in said):
        X[:3, 3] = said.get(f'{key}.xyz', (0.0, 0.0, 0.0))
        if f'{key}.quaternion_wxyz' in said:
            X[:3, :3] = quat2mat(said[f'{key}.quaternion_wxyz'])
        elif f'{key}.rpy' in said:
            X[:3, :3] = euler2mat(*said[f'{key}.rpy'], 'sxyz')
    else:
        return default
    return X


def _unit(axis: Sequence[float]) -> Array:
    return np.asarray(np.array(axis, float) / np.linalg.norm(axis))
