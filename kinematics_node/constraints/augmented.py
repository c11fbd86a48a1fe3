# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""Body coordinates: six a body, every joint a set of rows, the textbook's Phi_q.

A body's velocity is [w_WC_W; v_WCo_W], on world axes about its link's origin. Tree joints,
closures, couplings and mimics are all rows; bodies are the links but the root. Tree coordinates
satisfy the rows of the tree joints by themselves: Phi_q (d body velocity / d v) is zero in those
rows, and the Jacobian of the tree view in the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kinematics_node.compiled import Array
from kinematics_node.constraints.evaluate import evaluate_rows
from kinematics_node.constraints.evaluate import Work
from kinematics_node.constraints.kinds import Kind
from kinematics_node.constraints.kinds import KIND_OF_JOINT
from kinematics_node.constraints.table import coupling_element
from kinematics_node.constraints.table import Element
from kinematics_node.constraints.table import model_elements
from kinematics_node.constraints.table import pack
from kinematics_node.constraints.table import z_turned_to
from kinematics_node.kinematics.joint_motion import joint_bias
from kinematics_node.kinematics.joint_motion import joint_frame
from kinematics_node.kinematics.joint_motion import joint_rate_motion
from kinematics_node.kinematics.joint_motion import JOINT_RATES
from kinematics_node.model.elements import Coupling
from kinematics_node.model.elements import IDENTITY_POSE
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model
from kinematics_node.numeric import finite_vector
from kinematics_node.spatial import compose
from kinematics_node.spatial import invert
from kinematics_node.spatial import position
from kinematics_node.spatial import rotation
from kinematics_node.spatial import rotation_rows


@dataclass(frozen=True, eq=False)
class BodyRows:
    """All rows in body coordinates, at one configuration.

    Attributes
    ----------
    phi, phi_dot, gamma : array, shape (rows,)
        Residuals [m or rad], their rates, and the right side of Phi_q a = gamma, where a holds
        [alpha_WC_W; a_WCo_W] of every body.
    jacobian : array, shape (rows, 6 bodies)
        Phi_q.
    body_velocities : array, shape (6 bodies, nv)
        The body velocities that unit velocity coordinates give, d(body velocity)/dv.
    """

    phi: Array
    phi_dot: Array
    gamma: Array
    jacobian: Array
    body_velocities: Array


@dataclass(frozen=True, eq=False)
class Bodies:
    """Coordinates, and the poses and velocities of links that they give."""

    q: Array
    v: Array
    X: Array
    V: Array


class AugmentedSystem:
    """Every tree joint, closure, coupling and mimic of a model as rows in body coordinates.

    Parameters
    ----------
    model : Model
        The robot.

    Attributes
    ----------
    elements : tuple of Element
        Tree joints that hold anything, then closures, couplings and mimics.
    slices : tuple of slice
        Where each element's rows are.
    units : str
        Unit of each row, 'm' or 'r'.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        joints = [joint_element(model, k) for k in range(len(model.joints))]
        held = tuple(element for element in joints if element is not None)
        self.elements = held + model_elements(model) + mimic_elements(model)
        self.joint_element_count = len(held)
        self.units = ''.join(element.units for element in self.elements)
        self._table = pack(self.elements)
        self.slices = tuple(slice(int(row[3]), int(row[4])) for row in self._table.elements)

    @property
    def row_count(self) -> int:
        """Number of rows."""
        return self._table.row_count

    def evaluate(
        self, q: ArrayLike, v: ArrayLike | None = None, alpha: float = 0.0, beta: float = 0.0
    ) -> BodyRows:
        """Return the rows where positions q and velocities v of the tree put the bodies.

        Raises
        ------
        ValueShapeError
            A wrong count, or a number that is not finite.
        """
        model = self.model
        positions = finite_vector(q, model.coordinate_names, 'q')
        velocities = (
            np.zeros(model.nv) if v is None else finite_vector(v, model.velocity_names, 'v')
        )
        bodies, S, records, rates = self._place(positions, velocities)
        body_velocities = link_jacobians(model, bodies.X, S)
        jacobian = np.zeros((self.row_count, len(model.links), 6))
        for element, rows in zip(self.elements, self.slices, strict=True):
            if element.kind is Kind.COUPLING:
                self._write_coupling(element, rows.start, bodies, rates, jacobian)
                continue
            for link, sign in ((element.link_A, -1.0), (element.link_B, 1.0)):
                jacobian[rows, link] += sign * about_point(records[rows, 1:7], bodies.X[link, 4:7])
        phi, phi_dot = records[:, 0].copy(), rates[:, 0].copy()
        gamma = -rates[:, 1] - 2.0 * alpha * phi_dot - beta * beta * phi
        return BodyRows(
            phi,
            phi_dot,
            gamma,
            np.ascontiguousarray(jacobian[:, 1:].reshape(self.row_count, -1)),
            body_velocities[1:].reshape(-1, model.nv),
        )

    def _place(self, q: Array, v: Array) -> tuple[Bodies, Array, Array, Array]:
        """Return bodies, twists S, and the records and rates of rows of unaccelerated bodies."""
        model, table = self.model, self._table
        work = Work(model, self.row_count)
        evaluate_rows(
            model.tree,
            model.placement,
            table.elements,
            table.geometry,
            table.support,
            table.coefficient,
            q,
            v,
            False,
            work.X,
            work.V,
            work.A,
            work.S,
            work.records,
            work.rates,
            work.J,
        )
        return Bodies(q, v, work.X, work.V), work.S, work.records, work.rates

    def _write_coupling(
        self, element: Element, row: int, bodies: Bodies, rates: Array, jacobian: Array
    ) -> None:
        """Write a coupling's row: each of its rates as the bodies on both sides show it."""
        rates[row, 1] = 0.0
        for v, _, k in element.support:
            link = self._link_of(v)
            parent = int(self.model.tree[link, 0])
            wrench, bias = coordinate_rate(self.model, link, v, bodies)
            for body, sign in ((parent, -1.0), (link, 1.0)):
                jacobian[row, body] += sign * k * about_point(wrench, bodies.X[body, 4:7])
            rates[row, 1] += k * bias

    def _link_of(self, v: int) -> int:
        starts = self.model.tree[:, 3]
        moving = [j + 1 for j, joint in enumerate(self.model.joints) if joint.type.nv]
        return max(link for link in moving if starts[link] <= v)


def coordinate_rate(model: Model, link: int, v: int, bodies: Bodies) -> tuple[Array, float]:
    """Return how the bodies on both sides of a joint show one of its rates.

    With the relative twist t = S u of M in F, a rate is u = D^T t, D = S (S^T S)^-1, and its
    derivative D^T (t' - S' u), derivatives taken in M. Returned are D's column as a wrench about
    Wo on W's axes, and the derivative where no body coordinate accelerates.
    """
    _, kind, k, n = (int(x) for x in model.tree[link])
    parent = int(model.tree[link, 0])
    arguments = (kind, model.placement, link, bodies.q, k)
    S = np.array(
        [np.concatenate(joint_rate_motion(*arguments, j)) for j in range(JOINT_RATES[kind])]
    ).T
    D = (S @ np.linalg.inv(S.T @ S))[:, v - n]
    X_WM = joint_frame(model.placement, link, bodies.X)
    R_WM = np.array(rotation_rows(rotation(X_WM)))
    p_M = np.array(position(X_WM))
    w_P, w_C = bodies.V[parent, :3], bodies.V[link, :3]
    v_P, v_C = bodies.V[parent, 3:], bodies.V[link, 3:]
    p_PM, p_CM = p_M - bodies.X[parent, 4:7], p_M - bodies.X[link, 4:7]
    v_M = v_C + np.cross(w_C, p_CM)
    u = v_M - v_P - np.cross(w_P, p_PM)
    u_dot = np.cross(w_C, np.cross(w_C, p_CM)) - np.cross(w_P, v_M - v_P) - np.cross(w_C, u)
    w_dot = np.cross(w_C, w_P)
    bias = np.concatenate(joint_bias(*arguments, bodies.v, n))
    derivative = D @ (np.concatenate((R_WM.T @ w_dot, R_WM.T @ u_dot)) - bias)
    f = R_WM @ D[3:]
    return np.concatenate((R_WM @ D[:3] + np.cross(p_M, f), f)), float(derivative)


def mimic_elements(model: Model) -> tuple[Element, ...]:
    """Return every mimic joint as a coupling of two terms."""
    return tuple(
        coupling_element(
            model,
            Coupling(name, ((name, 1.0), (mimic.master, -mimic.multiplier)), mimic.offset),
        )
        for name, mimic in model.mimics.items()
    )


def joint_element(model: Model, k: int) -> Element | None:
    """Return a tree joint as a closure of its frames F and M; None if it holds nothing."""
    joint = model.joints[k]
    kind = KIND_OF_JOINT.get(joint.type)
    if kind is None:
        return None
    where = f"joint '{joint.name}'"
    turn_F = turn_M = IDENTITY_POSE
    cosine = 0.0
    if joint.type is JointType.UNIVERSAL:
        first, second = joint.axes[0].direction, joint.axes[1].direction
        turn_F, turn_M = z_turned_to(first, where), z_turned_to(second, where)
        cosine = sum(a * b for a, b in zip(first, second, strict=True))
    elif kind is not Kind.FIXED and kind is not Kind.BALL:
        turn_F = turn_M = z_turned_to(joint.axes[0].direction, where)
    return Element(
        name=joint.name,
        kind=kind,
        link_A=int(model.tree[k + 1, 0]),
        link_B=k + 1,
        X_LA=compose(joint.X_PF, turn_F),
        X_LB=compose(invert(joint.X_MC), turn_M),
        extra=cosine,
        support=(),
    )


def about_point(wrenches: Array, p: Array) -> Array:
    """Return wrenches (..., 6) about Wo as they are about the point at p_WoP_W."""
    shifted: Array = wrenches.copy()
    shifted[..., :3] -= np.cross(p, wrenches[..., 3:])
    return shifted


def link_jacobians(model: Model, X: Array, S: Array) -> Array:
    """Return the velocities (links, 6, nv) of links, on world axes about their origins.

    S holds the columns about Wo on world axes, as place_links gives them.
    """
    about_W: Array = np.zeros((len(model.links), 6, model.nv))
    for link in range(1, len(model.links)):
        about_W[link] = about_W[model.tree[link, 0]]
        columns = range(model.tree[link, 3], model.tree[link, 3] + model.joints[link - 1].type.nv)
        for v in columns:
            about_W[link, :, v] = S[v]
    about_origin: Array = about_W.copy()
    w, p = about_W[:, :3], X[:, 4:7, None]
    about_origin[:, 3] += w[:, 1] * p[:, 2] - w[:, 2] * p[:, 1]
    about_origin[:, 4] += w[:, 2] * p[:, 0] - w[:, 0] * p[:, 2]
    about_origin[:, 5] += w[:, 0] * p[:, 1] - w[:, 1] * p[:, 0]
    return about_origin
