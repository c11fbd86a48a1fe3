# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The node: joint states in, transforms out, parameters that may change while it runs."""

from __future__ import annotations

from collections.abc import Callable
import time
from typing import TypeVar

from rcl_interfaces.msg import SetParametersResult
from rclpy.clock import Clock
from rclpy.clock import ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy
from rclpy.qos import HistoryPolicy
from rclpy.qos import QoSProfile
from rclpy.qos import ReliabilityPolicy
from rclpy.qos_overriding_options import QoSOverridingOptions
from sensor_msgs.msg import JointState
from sensor_msgs.msg import MultiDOFJointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from kinematics_node.errors import KinematicsError
from kinematics_node.formats.load import read_description
from kinematics_node.formats.notation import apply_notation
from kinematics_node.model.findings import Severity
from kinematics_node.model.model import Model
from kinematics_node.ros import settings as parameters
from kinematics_node.ros.background import Background
from kinematics_node.ros.cdr import REPRESENTATION
from kinematics_node.ros.diagnostics import Diagnostics
from kinematics_node.ros.forces_topic import ForcesTopic
from kinematics_node.ros.foreign import in_own_representation
from kinematics_node.ros.markers import Markers
from kinematics_node.ros.multi_dof import coordinates_of
from kinematics_node.ros.outputs import CompleteState
from kinematics_node.ros.outputs import static_transforms
from kinematics_node.ros.reports import LoggedComplaints
from kinematics_node.ros.services import Services
from kinematics_node.ros.settings import ParameterError
from kinematics_node.ros.settings import Settings
from kinematics_node.ros.stream import Stream
from kinematics_node.ros.watch import Watch

T = TypeVar('T')
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# tf2's own listeners and broadcasters use these.
TF = QoSProfile(depth=100)
# Sensor data, with a queue long enough for what comes in while a call is answered.
JOINT_STATES = QoSProfile(
    depth=500, history=HistoryPolicy.KEEP_LAST, reliability=ReliabilityPolicy.BEST_EFFORT
)
LOOK_PERIOD = 0.2
# How long a planar or floating joint of a new model may wait for its state unnoticed [s].
PATIENCE = 3.0
MOST_FINDINGS_LOGGED = 10


class KinematicsNode(Node):
    """Publishes the transforms of a robot from its joint states.

    Attributes
    ----------
    stream : Stream or None
        The model at work with its state; None until a description has come.
    """

    def __init__(self, **kwargs: object) -> None:
        super().__init__(
            'kinematics',
            allow_undeclared_parameters=True,
            automatically_declare_parameters_from_overrides=True,
            **kwargs,
        )
        self._background = Background(self._take_waiting)
        self.complaints = LoggedComplaints(self.get_logger())
        self.settings = parameters.declare(self)
        self.stream: Stream | None = None
        self._watch: Watch | None = None
        self._text = self.settings.robot_description
        self._prepared: tuple[Settings, Model | None] | None = None
        self._complete: CompleteState | None = None
        self._heard = False
        self._started = time.monotonic()
        self._make_publishers()
        self._joint_states = self.create_subscription(
            JointState,
            'joint_states',
            self._on_joint_state,
            JOINT_STATES,
            raw=True,
            qos_overriding_options=QoSOverridingOptions.with_default_policies(),
        )
        self.create_subscription(
            MultiDOFJointState, 'multi_dof_joint_states', self._on_multi_dof, JOINT_STATES
        )
        self.diagnostics = Diagnostics(self, lambda: self.stream)
        self.markers = Markers(self, lambda: self.stream, self._beside, self.complaints)
        self.forces = ForcesTopic(self, lambda: self.stream, self._beside, self.complaints)
        self.questions = Services(self, lambda: self.stream, self._beside)
        # Not the node's clock, which stands still while simulated time does.
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(LOOK_PERIOD, self._look_around, clock=steady)
        self.add_on_set_parameters_callback(self._prepare)
        self.add_post_set_parameters_callback(self._apply_prepared)
        # Last, since it says that the node is ready.
        if self.settings.use_robot_description_topic:
            self.create_subscription(String, 'robot_description', self._on_description, LATCHED)
            self.get_logger().info('waiting for a description on the topic robot_description')
        else:
            self._start_with(self._text)

    def _make_publishers(self) -> None:
        self._tf = self.create_publisher(TFMessage, '/tf', TF)
        # What publish() calls for bytes, without what it looks at before.
        self._publish_raw = self._tf.handle.publish_raw
        self._tf_static = self.create_publisher(TFMessage, '/tf_static', LATCHED)
        self._state_out = self.create_publisher(JointState, '~/joint_states', TF)
        self._description_out = None
        if not self.settings.use_robot_description_topic:
            self._description_out = self.create_publisher(String, 'robot_description', LATCHED)

    # Descriptions: read and checked first, then at work as a whole or not at all.

    def _start_with(self, text: str) -> None:
        if not text:
            raise ParameterError(
                "parameter 'robot_description' is empty; give it the text of a URDF document, "
                "or set 'use_robot_description_topic' to true"
            )
        self._put_to_work(self._read(text, self.settings), self.settings)

    def _read(self, text: str, settings: Settings) -> Model:
        builder = read_description(text)
        if settings.notation:
            apply_notation(builder, settings.notation)
        return builder.finalize()

    def _put_to_work(self, model: Model, settings: Settings) -> None:
        """Exchange the stream for one of a new model, and send what is latched."""
        options = settings.stream_options
        stream = Stream(model, options, self.complaints, self._now)
        stream.warm_up()
        if self.stream is not None:
            stream.adopt(self.stream)
        fresh = self.stream is None or self.stream.model is not model
        self.stream = stream
        self._watch = Watch(stream)
        self.settings = settings
        self._complete = None
        self._tf_static.publish(static_transforms(model, settings.frame_prefix, self._now()))
        moving = stream.everything()
        if moving is not None:
            self._tf.publish(moving)
        if fresh:
            self._started = time.monotonic()
            self._announce(model)

    def _announce(self, model: Model) -> None:
        if self._description_out is not None:
            self._description_out.publish(String(data=self._text))
        warnings = [f for f in model.findings if f.severity >= Severity.WARNING]
        for finding in warnings[:MOST_FINDINGS_LOGGED]:
            self.get_logger().warning(str(finding))
        if len(warnings) > MOST_FINDINGS_LOGGED:
            self.get_logger().warning(f'and {len(warnings) - MOST_FINDINGS_LOGGED} more findings')
        moving = sum(1 for joint in model.joints if joint.type.nq)
        self.get_logger().info(
            f"robot '{model.name}' is ready: {len(model.links)} links, {moving} moving joints"
        )

    def _on_description(self, message: String) -> None:
        try:
            model = self._beside(lambda: self._read(message.data, self.settings))
        except KinematicsError as error:
            self.get_logger().error(f'the description on robot_description is refused: {error}')
            return
        self._text = message.data
        self._put_to_work(model, self.settings)

    # Parameters: a callback that only checks and prepares, and one that applies.

    def _prepare(self, changed: list[Parameter]) -> SetParametersResult:
        """Check a change; what takes time is done here, so that applying it cannot fail."""
        self._prepared = None
        try:
            for parameter in changed:
                if not (parameters.is_known(parameter.name) or self.has_parameter(parameter.name)):
                    raise ParameterError(f"there is no parameter '{parameter.name}'")
            new = parameters.updated(self.settings, changed)
            self._prepared = new, self._model_for(new)
        except KinematicsError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _model_for(self, new: Settings) -> Model | None:
        """Return the model that new settings ask for; the one at work where nothing changes it."""
        old = self.settings
        if new.use_robot_description_topic != old.use_robot_description_topic:
            raise ParameterError("'use_robot_description_topic' can only be set at start")
        text = self._text
        if new.robot_description != old.robot_description:
            if new.use_robot_description_topic:
                raise ParameterError(
                    'the description comes from the topic robot_description; publish it there'
                )
            text = new.robot_description
            if not text:
                raise ParameterError("parameter 'robot_description' must not be empty")
        elif new.notation == old.notation:
            return self.stream.model if self.stream is not None else None
        return self._beside(lambda: self._read(text, new)) if text else None

    def _apply_prepared(self, _: list[Parameter]) -> None:
        if self._prepared is None:
            return
        (settings, model), self._prepared = self._prepared, None
        if settings == self.settings:
            return
        if not settings.use_robot_description_topic:
            self._text = settings.robot_description
        if model is None or not self._changes_stream(settings, model):
            self.settings = settings
        else:
            self._put_to_work(model, settings)

    def _changes_stream(self, settings: Settings, model: Model) -> bool:
        stream = self.stream
        return (
            stream is None
            or stream.model is not model
            or stream.options != settings.stream_options
        )

    # The stream.

    def _on_joint_state(self, message: bytes) -> None:
        if self.stream is None:
            return
        if message[:2] != REPRESENTATION:
            message = in_own_representation(message)
        answer = self.stream.take(message)
        if answer is not None:
            self._send(answer)

    def _send(self, answer: bytes) -> None:
        self._publish_raw(answer)
        if self._heard:
            self._publish_complete_state()

    def _publish_complete_state(self) -> None:
        stream = self.stream
        assert stream is not None
        shown = stream.shown()
        if self._complete is None or self._complete.known != shown:
            self._complete = CompleteState(stream.model, shown)
        self._state_out.publish(
            self._complete.serialize(stream.state, stream.rates(), stream.stamp)
        )

    def _on_multi_dof(self, message: MultiDOFJointState) -> None:
        if self.stream is None:
            return
        names, values, wrong = coordinates_of(self.stream.model, message)
        for what in wrong:
            self.complaints.repeated(what, f'multi_dof_joint_states hold {what}')
        if names:
            stamp = message.header.stamp
            answer = self.stream.take_named(names, values, (stamp.sec, stamp.nanosec))
            if answer is not None:
                self._send(answer)

    def _beside(self, call: Callable[[], T]) -> T:
        """Make a call; meanwhile joint states are taken and answered as ever, in a thread."""
        return self._background.run(call)

    def _take_waiting(self) -> None:
        subscription = self._joint_states
        with subscription.handle:
            while (taken := subscription.handle.take_message(JointState, True)) is not None:
                self._on_joint_state(taken[0])

    def _look_around(self) -> None:
        """See who listens, and complain of what is wrong with the state."""
        self._heard = self._state_out.get_subscription_count() > 0
        self.diagnostics.follow(self.settings.diagnostics_period, self.settings.thresholds)
        self.markers.follow(self.settings.marker_options)
        self.forces.follow(self.settings.constraint_forces_rate)
        if self._watch is None:
            return
        self._watch.complain_of_contradictions(self.settings.mimic_tolerance)
        if time.monotonic() - self._started > PATIENCE:
            self._watch.complain_of_silence()

    def _now(self) -> int:
        return int(self.get_clock().now().nanoseconds)
