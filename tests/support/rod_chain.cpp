#include "support/rod_chain.hpp"

#include <string>
#include <utility>

#include "koppla/mechanics/joint_member.hpp"
#include "koppla/mechanics/multibody.hpp"
#include "koppla/solver/integrate.hpp"

namespace koppla::test {

namespace {

constexpr double kLength = 0.1;  // m
constexpr double kMass = 0.1;    // kg
using mechanics::Multibody;

mechanics::Joint hinge() {
  return {.kind = mechanics::JointKind::revolute,
          .first = {.at = {kLength / 2, 0.0, 0.0}},
          .second = {.at = {-kLength / 2, 0.0, 0.0}},
          .firstRotation = mechanics::Rotation::planar,
          .secondRotation = mechanics::Rotation::planar};
}

std::unique_ptr<Multibody> rod(std::size_t i, std::size_t rods) {
  mechanics::MultibodySettings settings;
  settings.gravity = {0.0, -9.81, 0.0};
  settings.bodies.push_back({.name = "rod",
                             .mass = kMass,
                             .inertia = {1.0, 1.0, kMass * kLength * kLength / 12.0},
                             .position = {(static_cast<double>(i) + 0.5) * kLength, 0.0, 0.0}});
  if (i == 0) {
    mechanics::InternalJoint pin;
    pin.name = "pin";
    pin.joint.kind = mechanics::JointKind::revolute;
    pin.joint.first.at = {-kLength / 2, 0.0, 0.0};
    pin.first = "rod";
    settings.joints.push_back(std::move(pin));
  }
  auto body = std::make_unique<Multibody>(std::move(settings));
  if (i > 0) body->couple({.name = "left", .joint = hinge(), .side = solver::Side::second, .body = "rod"});
  if (i + 1 < rods) body->couple({.name = "right", .joint = hinge(), .side = solver::Side::first, .body = "rod"});
  return body;
}

void connect(coupling::System& system, std::size_t from, const std::string& output, std::size_t to,
             const std::string& input) {
  const auto port = [&](std::size_t member, const std::string& name) {
    return *system.members[member].subsystem->describe().find(name);
  };
  system.connections.push_back({{from, port(from, output)}, {to, port(to, input)}});
}

}  // namespace

coupling::System rodChain(std::size_t rods) {
  coupling::System system;
  for (std::size_t i = 0; i < rods; ++i)
    system.members.push_back(
        {"rod" + std::to_string(i), solver::integrate(rod(i, rods), {.kind = solver::Kind::ode4}), {}});
  for (std::size_t i = 0; i + 1 < rods; ++i) {
    const std::size_t joint = system.members.size();
    system.members.push_back({"hinge" + std::to_string(i), mechanics::rigidJoint(hinge()), {}});
    for (const char* quantity :
         {"position", "rotation", "velocity", "angular_velocity", "acceleration", "angular_acceleration"}) {
      connect(system, i, std::string("rod.") + quantity, joint, std::string("first.") + quantity);
      connect(system, i + 1, std::string("rod.") + quantity, joint, std::string("second.") + quantity);
    }
    connect(system, joint, "lambda", i, "right.lambda");
    connect(system, joint, "lambda", i + 1, "left.lambda");
    const subsystem::Description& description = system.members[joint].subsystem->describe();
    system.constraints.push_back({.member = joint,
                                  .method = coupling::ConstraintMethod::baumgarte,
                                  .lambda = *description.find("lambda"),
                                  .mu = *description.find("mu"),
                                  .position = *description.find("position_defect"),
                                  .velocity = *description.find("velocity_defect"),
                                  .acceleration = description.find("acceleration_defect")});
  }
  return system;
}

run::Settings chainSettings(double end) {
  run::Settings settings;
  settings.end = end;
  settings.step = 1e-3;
  settings.threads = 1;
  settings.algorithm.kind = coupling::AlgorithmKind::semiImplicit;
  return settings;
}

}  // namespace koppla::test
