# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""What a robot is made of: links, joints, closures, couplings, as immutable records.

Vectors and poses are tuples, so that records compare by value; arrays appear when a model is
finalized. Poses are (qw, qx, qy, qz, x, y, z).
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field
import math

from kinematics_node.model.joint_types import JointType

Vector = tuple[float, float, float]
Pose = tuple[float, float, float, float, float, float, float]

IDENTITY_POSE: Pose = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
ZERO: Vector = (0.0, 0.0, 0.0)
X_AXIS: Vector = (1.0, 0.0, 0.0)
Y_AXIS: Vector = (0.0, 1.0, 0.0)
Z_AXIS: Vector = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Limits:
    """Bounds of one axis, in rad, m, rad/s, m/s, N m, N; infinite where there is none."""

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf


@dataclass(frozen=True)
class SoftLimits:
    """The safety controller of a single-axis joint, with the gains of its bounds.

    Velocity is bounded by -k_position (q - upper) from above and -k_position (q - lower) from
    below; effort by -k_velocity (v - bound) likewise.
    """

    lower: float = 0.0
    upper: float = 0.0
    k_position: float = 0.0
    k_velocity: float = 0.0


@dataclass(frozen=True)
class Motor:
    """The range of a motor on one axis, inside the axis' stops; infinite where unlimited."""

    lower: float = -math.inf
    upper: float = math.inf


@dataclass(frozen=True)
class Axis:
    """One axis of a joint, expressed in F, with what acts about or along it.

    Spring [N m/rad or N/m] with its rest position, damping [N m s/rad or N s/m], static friction
    [N m or N], stops (None where there are none), motor, brake damping and rotor.
    """

    direction: Vector = X_AXIS
    limits: Limits = field(default_factory=Limits)
    spring: float = 0.0
    rest: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    stops: tuple[float, float] | None = None
    motor: Motor | None = None
    brake_damping: float = 0.0
    braked: bool = False
    rotor_inertia: float = 0.0
    gear_ratio: float = 1.0


@dataclass(frozen=True)
class Mimic:
    """q = multiplier * q_master + offset."""

    master: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Inertia:
    """Mass [kg], centre of mass p_BoBcm_B [m], rotational inertia about Bcm in B [kg m^2].

    The rotational inertia is (ixx, iyy, izz, ixy, ixz, iyz), B the link's frame.
    """

    mass: float = 0.0
    center: Vector = ZERO
    rotational: tuple[float, float, float, float, float, float] = (0.0,) * 6


@dataclass(frozen=True)
class Geometry:
    """One shape of a link: its role ('visual' or 'collision'), kind and size.

    The size is (x, y, z) of a box, (radius, length) of a cylinder or capsule, (radius,) of a
    sphere, the scale of a mesh; the resource is a mesh's address as the description gave it.
    """

    role: str
    kind: str
    X_BG: Pose = IDENTITY_POSE
    size: tuple[float, ...] = ()
    resource: str = ''
    name: str = ''


@dataclass(frozen=True)
class Link:
    """A rigid body B; inertia is None where the description gives none."""

    name: str
    inertia: Inertia | None = None
    geometry: tuple[Geometry, ...] = ()
    line: int | None = None


@dataclass(frozen=True)
class Frame:
    """A frame A fixed on a link B, besides the link's own."""

    name: str
    link: str
    X_BA: Pose = IDENTITY_POSE
    line: int | None = None


@dataclass(frozen=True)
class Joint:
    """A joint between a parent link P and a child link C: X_PC = X_PF X_FM(q) X_MC.

    A planar joint's axis carries what acts about its normal; slide_damping [N s/m] acts along its
    first two coordinates.
    """

    name: str
    type: JointType
    parent: str
    child: str
    X_PF: Pose = IDENTITY_POSE
    X_MC: Pose = IDENTITY_POSE
    axes: tuple[Axis, ...] = ()
    mimic: Mimic | None = None
    soft_limits: SoftLimits | None = None
    actuated: bool | None = None
    independent: bool | None = None
    line: int | None = None
    slide_damping: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class Closure:
    """A joint that closes a loop: frame A on one link, frame B on another, held by its type.

    Types are those of joints, and 'distance' with its length [m]. axis_A and axis_B are expressed
    in A and in B.
    """

    name: str
    type: str
    link_A: str
    link_B: str
    X_LA: Pose = IDENTITY_POSE
    X_LB: Pose = IDENTITY_POSE
    axis_A: Vector = X_AXIS
    axis_B: Vector = X_AXIS
    length: float = 0.0
    line: int | None = None


@dataclass(frozen=True)
class Coupling:
    """sum(k_i q_i) = offset, over single-axis coordinates by name."""

    name: str
    terms: tuple[tuple[str, float], ...]
    offset: float = 0.0
    line: int | None = None
