// SPDX-FileCopyrightText: Joint Kinematics developers
// SPDX-License-Identifier: Apache-2.0

// A planner's questions about a state: is it possible, where is the tool, what moves, what holds.
//
// The state is given as motor=position; without one the questions are about the latest state:
//
//     ros2 launch joint_kinematics demo.launch.py example:=delta
//     ros2 run planner_client_cpp planner_client motor_1=0.3 motor_2=0.1 motor_3=0
// ROS parameters: the tool's frame, its payload [kg], the server to ask, the patience [s] to have
// with it, as the first answers of an installation compile for some seconds.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "joint_kinematics/srv/check_state.hpp"
#include "joint_kinematics/srv/compute_fk.hpp"
#include "joint_kinematics/srv/get_constraint_forces.hpp"
#include "joint_kinematics/srv/get_dof_report.hpp"
#include "rclcpp/rclcpp.hpp"
#include "sensor_msgs/msg/joint_state.hpp"

namespace msg = joint_kinematics::msg;
namespace srv = joint_kinematics::srv;
using sensor_msgs::msg::JointState;

class Planner : public rclcpp::Node
{
public:
  Planner()
  : Node("planner") {}

  // The answer of a service; throws std::runtime_error where there is none, with the reason.
  template<typename Service, typename Request>
  typename Service::Response ask(const std::string & name, const Request & request)
  {
    const auto client = create_client<Service>(server + "/" + name);
    if (!client->wait_for_service(patience)) {
      throw std::runtime_error(client->get_service_name() + std::string(" is not there"));
    }
    auto future = client->async_send_request(std::make_shared<Request>(request));
    const auto code = rclcpp::spin_until_future_complete(shared_from_this(), future, patience);
    if (code != rclcpp::FutureReturnCode::SUCCESS) {
      throw std::runtime_error(client->get_service_name() + std::string(" does not answer"));
    }
    const auto answer = future.get();
    if (!answer->success) {
      throw std::runtime_error(answer->message);
    }
    return *answer;
  }

  const std::string server = declare_parameter("server", "/kinematics");
  const std::string frame = declare_parameter("frame", "platform");
  const double payload = declare_parameter("payload", 0.5);
  const std::chrono::duration<double> patience{declare_parameter("patience", 60.0)};
};

// Prints efforts of motors, and what closures carry.
void print_forces(const msg::ConstraintForces & forces, const std::vector<std::string> & motors)
{
  std::printf("load       %s\n", forces.held ? "held" : forces.summary.c_str());
  std::printf("motors     [N m; N where they slide]\n");
  for (size_t k = 0; k < forces.coordinates.size(); ++k) {
    const std::string & name = forces.coordinates[k];
    if (std::count(motors.begin(), motors.end(), name.substr(0, name.rfind('/')))) {
      std::printf("  %-8s %8.3f\n", name.c_str(), forces.actuator_efforts[k]);
    }
  }
  std::printf("closures   [N]\n");
  for (size_t k = forces.joints; k < forces.names.size(); ++k) {
    const double * f = &forces.forces[3 * k];
    std::printf(
      "  %-8s %8.3f%s\n", forces.names[k].c_str(), std::hypot(f[0], f[1], f[2]),
      forces.determinate[k] ? "" : "  or another share: statics leave it open");
  }
}

// Prints what a planner wants to know of a state; returns whether the robot can stand there.
bool plan(Planner & planner, const JointState & state)
{
  srv::CheckState::Request check;
  check.states = {state};
  const auto checked = planner.ask<srv::CheckState>("check_state", check);
  std::printf("state      %s\n", checked.valid ? "possible" : checked.message.c_str());

  srv::ComputeFk::Request fk;
  fk.state = state;
  fk.frames = {planner.frame};
  const auto frames = planner.ask<srv::ComputeFk>("compute_fk", fk).states.at(0);
  const auto & p = frames.frames.at(0).pose.position;
  std::printf(
    "%-10s x %.4f  y %.4f  z %.4f m in %s\n", planner.frame.c_str(), p.x, p.y, p.z,
    frames.header.frame_id.c_str());

  srv::GetDofReport::Request freedom;
  freedom.state = state;
  const auto dof = planner.ask<srv::GetDofReport>("get_dof_report", freedom).report;
  std::printf("moves      in %u ways, motors drive %u\n", dof.mobility, dof.actuated_rank);
  std::printf("loops      %u rows, %u independent\n", dof.loop_rows, dof.loop_rank);

  srv::GetConstraintForces::Request load;
  load.state = state;
  load.payloads.resize(1);
  load.payloads[0].link = planner.frame;
  load.payloads[0].mass = planner.payload;
  // This answer brings the DOF report of the same state along: who needs forces asks only this.
  const auto answer = planner.ask<srv::GetConstraintForces>("get_constraint_forces", load);
  print_forces(answer.forces, answer.dof.actuated);
  return checked.valid && answer.forces.held;
}

// The state that name=position arguments give; throws std::runtime_error where one is not so.
JointState state_of(const std::vector<std::string> & arguments)
{
  JointState state;
  for (size_t k = 1; k < arguments.size(); ++k) {
    const size_t equals = arguments[k].find('=');
    const char * text = arguments[k].c_str() + (equals == std::string::npos ? 0 : equals + 1);
    char * end = nullptr;
    state.name.push_back(arguments[k].substr(0, equals));
    state.position.push_back(std::strtod(text, &end));
    if (equals == std::string::npos || end == text || *end != '\0') {
      throw std::runtime_error("give motors as name=position, not '" + arguments[k] + "'");
    }
  }
  return state;
}

// 0 where the robot can stand at the state, 1 where it cannot, 2 where there is no answer.
int main(int argc, char ** argv)
{
  int status = 2;
  const auto arguments = rclcpp::init_and_remove_ros_arguments(argc, argv);
  try {
    status = plan(*std::make_shared<Planner>(), state_of(arguments)) ? 0 : 1;
  } catch (const std::exception & error) {
    std::fprintf(stderr, "error: %s\n", error.what());
  }
  rclcpp::shutdown();
  return status;
}
