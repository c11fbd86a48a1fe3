# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The obvious node: message objects, a loop over the joints, the default executor.

What most people would write first, kept to measure against. It answers every message, handles
revolute, continuous, prismatic and fixed joints, and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
import math

from geometry_msgs.msg import TransformStamped
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy
from rclpy.qos import qos_profile_sensor_data
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage
from urdf_parser_py.urdf import URDF

Quaternion = tuple[float, float, float, float]
Vector = tuple[float, float, float]


@dataclass
class ChainJoint:
    """What a loop over the joints needs to know of one."""

    parent: str
    child: str
    type: str
    axis: Vector
    translation: Vector
    rotation: Quaternion


def quaternion_from_rpy(roll: float, pitch: float, yaw: float) -> Quaternion:
    """Return (w, x, y, z) of a rotation about fixed x, then y, then z."""
    cr, sr = math.cos(roll / 2), math.sin(roll / 2)
    cp, sp = math.cos(pitch / 2), math.sin(pitch / 2)
    cy, sy = math.cos(yaw / 2), math.sin(yaw / 2)
    return (
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    )


def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """Return the rotation b followed by a."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def rotate(q: Quaternion, v: Vector) -> Vector:
    """Return v turned by q."""
    _, x, y, z = multiply(multiply(q, (0.0, *v)), (q[0], -q[1], -q[2], -q[3]))
    return x, y, z


def read_joints(urdf: str) -> dict[str, ChainJoint]:
    """Return the joints of a description by name."""
    joints = {}
    for joint in URDF.from_xml_string(urdf).joints:
        origin = joint.origin
        length = math.sqrt(sum(a * a for a in joint.axis or (1, 0, 0)))
        joints[joint.name] = ChainJoint(
            parent=joint.parent,
            child=joint.child,
            type=joint.joint_type,
            axis=tuple(a / length for a in joint.axis or (1.0, 0.0, 0.0)),
            translation=tuple(origin.xyz) if origin else (0.0, 0.0, 0.0),
            rotation=quaternion_from_rpy(*origin.rpy) if origin else (1.0, 0.0, 0.0, 0.0),
        )
    return joints


def transform_of(joint: ChainJoint, position: float) -> TransformStamped:
    """Return the transform of a joint's child in its parent."""
    translation, rotation = joint.translation, joint.rotation
    if joint.type in ('revolute', 'continuous'):
        s = math.sin(position / 2)
        x, y, z = joint.axis
        rotation = multiply(rotation, (math.cos(position / 2), s * x, s * y, s * z))
    elif joint.type == 'prismatic':
        dx, dy, dz = rotate(rotation, tuple(position * a for a in joint.axis))
        translation = (translation[0] + dx, translation[1] + dy, translation[2] + dz)
    stamped = TransformStamped()
    stamped.header.frame_id = joint.parent
    stamped.child_frame_id = joint.child
    target = stamped.transform.translation
    target.x, target.y, target.z = translation
    target = stamped.transform.rotation
    target.w, target.x, target.y, target.z = rotation
    return stamped


class ObviousNode(Node):
    """Answers each joint state with the transforms of its joints."""

    def __init__(self) -> None:
        super().__init__('obvious_node')
        self.joints = read_joints(self.declare_parameter('robot_description', '').value)
        self.tf = self.create_publisher(TFMessage, '/tf', 100)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.tf_static = self.create_publisher(TFMessage, '/tf_static', latched)
        fixed = [joint for joint in self.joints.values() if joint.type == 'fixed']
        self.tf_static.publish(TFMessage(transforms=[transform_of(j, 0.0) for j in fixed]))
        self.create_subscription(
            JointState, 'joint_states', self.on_joint_state, qos_profile_sensor_data
        )

    def on_joint_state(self, state: JointState) -> None:
        """Publish the transforms of the joints in a message."""
        transforms = []
        for name, position in zip(state.name, state.position, strict=True):
            joint = self.joints.get(name)
            if joint is not None:
                transform = transform_of(joint, position)
                transform.header.stamp = state.header.stamp
                transforms.append(transform)
        self.tf.publish(TFMessage(transforms=transforms))


def main() -> None:
    """Run the node until it is asked to end."""
    rclpy.init()
    node = ObviousNode()
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == '__main__':
    main()
