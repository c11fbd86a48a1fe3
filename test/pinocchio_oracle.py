# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The same robot in Pinocchio, with the maps of positions and velocities between the two."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from kinematics_node.fk import Reference
from kinematics_node.kinematics.joint_motion import plane_rotation
from kinematics_node.model.joint_types import JointType
from kinematics_node.model.model import Model

PIN_REFERENCE = {
    Reference.WORLD: pin.WORLD,
    Reference.LOCAL: pin.LOCAL,
    Reference.LOCAL_WORLD_ALIGNED: pin.LOCAL_WORLD_ALIGNED,
}


def se3(X) -> pin.SE3:
    """Return a pose (quaternion w first, position) as an SE3."""
    w, x, y, z = X[:4]
    return pin.SE3(pin.Quaternion(w, x, y, z).matrix(), np.array(X[4:7]))


class Twin:
    """A Pinocchio model of a model, all joint types, links and frames as frames.

    Planar joints turn about z there, with rates on the moving axes; both are undone by the maps.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.pin = pin.Model()
        self.joint_of: list[int] = [0]
        below = [pin.SE3.Identity()]
        self._add_frame(model.links[0].name, 0, below[0])
        for i, joint in enumerate(model.joints, start=1):
            parent = int(model.tree[i, 0])
            X_PF, X_MC = below[parent] * se3(joint.X_PF), se3(joint.X_MC)
            if joint.type is JointType.FIXED:
                self.joint_of.append(self.joint_of[parent])
                below.append(X_PF * X_MC)
            else:
                turn = pin.SE3.Identity()
                if joint.type is JointType.PLANAR:
                    turn = se3((*plane_rotation(joint.axes[0].direction), 0.0, 0.0, 0.0))
                self.joint_of.append(
                    self.pin.addJoint(
                        self.joint_of[parent], _joint_model(joint), X_PF * turn, joint.name
                    )
                )
                below.append(turn.inverse() * X_MC)
            self._add_frame(model.links[i].name, self.joint_of[i], below[i])
        for frame in model.frames:
            i = model.link_index[frame.link]
            self._add_frame(frame.name, self.joint_of[i], below[i] * se3(frame.X_BA))
        self.data = self.pin.createData()

    def positions(self, q) -> np.ndarray:
        """Return Pinocchio's configuration of positions q."""
        out = pin.neutral(self.pin)
        for kind, mine, _, theirs in self._joints():
            x = q[mine]
            if kind is JointType.BALL:
                x = x[[1, 2, 3, 0]]
            elif kind is JointType.FLOATING:
                x = x[[4, 5, 6, 1, 2, 3, 0]]
            elif kind is JointType.PLANAR:
                x = np.array([x[0], x[1], np.cos(x[2]), np.sin(x[2])])
            out[theirs.idx_q : theirs.idx_q + theirs.nq] = x
        return out

    def rates(self, q, v) -> np.ndarray:
        """Return Pinocchio's velocity of positions q and velocities v."""
        return self.rate_map(q) @ v

    def rate_map(self, q) -> np.ndarray:
        """Return T with v_pin = T v."""
        T = np.zeros((self.pin.nv, self.model.nv))
        for kind, mine, rates, theirs in self._joints():
            block = np.eye(theirs.nv)
            if kind is JointType.FLOATING:
                block = np.roll(block, 3, axis=0)
            elif kind is JointType.PLANAR:
                c, s = np.cos(q[mine][2]), np.sin(q[mine][2])
                block[:2, :2] = [[c, s], [-s, c]]
            T[theirs.idx_v : theirs.idx_v + theirs.nv, rates] = block
        return T

    def accelerations(self, q, v, vdot) -> np.ndarray:
        """Return the time derivative of rates(q, v)."""
        out = self.rate_map(q) @ vdot
        for kind, mine, rates, theirs in self._joints():
            if kind is JointType.PLANAR:
                c, s = np.cos(q[mine][2]), np.sin(q[mine][2])
                turning = v[rates][2] * np.array([[-s, c], [-c, -s]])
                out[theirs.idx_v : theirs.idx_v + 2] += turning @ v[rates][:2]
        return out

    def frame(self, name: str) -> int:
        """Return the id of a link or frame."""
        return self.pin.getFrameId(name, pin.FrameType.OP_FRAME)

    def _add_frame(self, name: str, joint: int, X: pin.SE3) -> None:
        self.pin.addFrame(pin.Frame(name, joint, 0, X, pin.FrameType.OP_FRAME))

    def _joints(self):
        for joint in self.model.joints:
            if joint.type is not JointType.FIXED:
                yield (
                    joint.type,
                    self.model.coordinates_of(joint.name),
                    self.model.velocities_of(joint.name),
                    self.pin.joints[self.pin.getJointId(joint.name)],
                )


def _joint_model(joint):
    axes = [np.array(axis.direction) for axis in joint.axes]
    if joint.type in (JointType.REVOLUTE, JointType.CONTINUOUS):
        return pin.JointModelRevoluteUnaligned(axes[0])
    if joint.type is JointType.PRISMATIC:
        return pin.JointModelPrismaticUnaligned(axes[0])
    if joint.type is JointType.UNIVERSAL:
        both = pin.JointModelComposite(pin.JointModelRevoluteUnaligned(axes[0]))
        return both.addJoint(pin.JointModelRevoluteUnaligned(axes[1]))
    if joint.type is JointType.BALL:
        return pin.JointModelSpherical()
    if joint.type is JointType.PLANAR:
        return pin.JointModelPlanar()
    return pin.JointModelFreeFlyer()
