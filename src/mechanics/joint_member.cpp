#include "koppla/mechanics/joint_member.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/mechanics/detail/condition_member.hpp"
#include "koppla/mechanics/detail/joint_equations.hpp"

namespace koppla::mechanics {

namespace {

using detail::JointEquations;
using detail::Level;
using detail::Motion;
using subsystem::PortIndex;

Eigen::Vector3d inSpace(std::span<const double> coordinates) {
  Eigen::Vector3d v = Eigen::Vector3d::Zero();
  for (std::size_t k = 0; k < coordinates.size(); ++k) v[static_cast<Eigen::Index>(k)] = coordinates[k];
  return v;
}

/// An angular velocity or acceleration: in the plane only about z.
Eigen::Vector3d aboutAxes(std::span<const double> components) {
  return components.size() == 1 ? Eigen::Vector3d(0.0, 0.0, components[0]) : inSpace(components);
}

/// What rigid and flexible joints have in common: the motion of two bodies comes in.
class JointMember : public detail::ConditionMember {
 public:
  JointMember(const Joint& joint, const std::string& model)
      : ConditionMember(fmt::format("{} {} joint", model, word(joint.kind))),
        equations_(joint),
        rotations_{joint.firstRotation, joint.secondRotation} {}

 protected:
  struct BodyPorts {
    PortIndex position;
    PortIndex rotation;
    PortIndex velocity;
    PortIndex angularVelocity;
    PortIndex acceleration;
    PortIndex angularAcceleration;
  };

  /// Motion up to this level.
  void addBodies(Level level) {
    level_ = level;
    for (const std::size_t body : {0U, 1U}) bodies_.at(body) = addBody(body == 0 ? "first." : "second.", body);
  }

  /// Inputs of both bodies up to this level.
  [[nodiscard]] std::vector<PortIndex> inputsUpTo(Level level) const {
    std::vector<PortIndex> ports;
    for (const BodyPorts& body : bodies_) {
      ports.insert(ports.end(), {body.position, body.rotation});
      if (level >= Level::velocity) ports.insert(ports.end(), {body.velocity, body.angularVelocity});
      if (level >= Level::acceleration) ports.insert(ports.end(), {body.acceleration, body.angularAcceleration});
    }
    return ports;
  }

  void addDefects() {
    constexpr std::array<const char*, 3> kNames{"position_defect", "velocity_defect", "acceleration_defect"};
    for (const Level level : {Level::position, Level::velocity, Level::acceleration})
      if (level <= level_)
        defects_.push_back(addOutput({.name = kNames.at(static_cast<std::size_t>(level)),
                                      .size = equations_.rows(),
                                      .unit = "",
                                      .text = "what the equations of the joint are away from 0"},
                                     inputsUpTo(level)));
  }

  [[nodiscard]] const JointEquations& equations() const { return equations_; }
  [[nodiscard]] const Motion& first() const { return motions_[0]; }
  [[nodiscard]] const Motion& second() const { return motions_[1]; }

  void refresh() override {
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      const BodyPorts& ports = bodies_.at(k);
      Motion& motion = motions_.at(k);
      motion.orient(rotations_.at(k), values(ports.rotation));
      motion.r = inSpace(values(ports.position));
      motion.v = inSpace(values(ports.velocity));
      motion.w = aboutAxes(values(ports.angularVelocity));
      if (level_ < Level::acceleration) continue;
      motion.a = inSpace(values(ports.acceleration));
      motion.dw = aboutAxes(values(ports.angularAcceleration));
    }
  }

  void compute(PortIndex output, std::span<double> into) const override {
    const auto found = std::ranges::find(defects_, output);
    equations_.defect(static_cast<Level>(found - defects_.begin()), first(), second(), into);
  }

 private:
  BodyPorts addBody(const std::string& prefix, std::size_t body) {
    const Rotation rotation = rotations_.at(body);
    const std::size_t coordinates = rotation == Rotation::planar ? 2 : 3;
    const std::size_t angular = rotation == Rotation::planar ? 1 : 3;
    const bool hasAngles = rotation != Rotation::eulerParameters;
    BodyPorts ports{};
    ports.position = addInput({prefix + "position", coordinates, "m", "centre of mass, inertial frame"});
    ports.rotation = addInput({prefix + "rotation", parameterCount(rotation), hasAngles ? "rad" : "", "orientation"});
    if (!hasAngles) values(ports.rotation)[0] = 1.0;
    ports.velocity = addInput({prefix + "velocity", coordinates, "m/s", "of the centre of mass, inertial frame"});
    ports.angularVelocity = addInput({prefix + "angular_velocity", angular, "rad/s", "body's frame"});
    if (level_ < Level::acceleration) return ports;
    ports.acceleration = addInput({prefix + "acceleration", coordinates, "m/s2", "of the centre of mass"});
    ports.angularAcceleration = addInput({prefix + "angular_acceleration", angular, "rad/s2", "body's frame"});
    return ports;
  }

  JointEquations equations_;
  std::array<Rotation, 2> rotations_;
  Level level_ = Level::acceleration;
  std::array<BodyPorts, 2> bodies_{};
  std::vector<PortIndex> defects_;  ///< by level
  std::array<Motion, 2> motions_{};
};

class RigidJoint final : public JointMember {
 public:
  explicit RigidJoint(const Joint& joint) : JointMember(joint, "rigid") {
    addBodies(Level::acceleration);
    addMultiplier({"lambda", equations().rows(), "", "multipliers of the loads"});
    addMultiplier({"mu", equations().rows(), "", "multipliers of the projection of velocities"});
    addDefects();
    finish(false);
  }
};

class FlexibleJoint final : public JointMember {
 public:
  FlexibleJoint(const Joint& joint, Laws laws) : JointMember(joint, "flexible"), laws_(std::move(laws)) {
    addBodies(Level::velocity);
    lambda_ = addOutput({"lambda", equations().rows(), "", "multipliers of the loads"}, inputsUpTo(Level::velocity));
    addDefects();
    finish(false);
  }

 protected:
  void compute(PortIndex output, std::span<double> into) const override {
    if (output == lambda_)
      equations().evaluate(laws_, first(), second(), into);
    else
      JointMember::compute(output, into);
  }

 private:
  Laws laws_;
  PortIndex lambda_ = 0;
};

class RigidLink final : public detail::ConditionMember {
 public:
  explicit RigidLink(std::size_t components) : ConditionMember("rigid link") {
    for (const char* body : {"first.", "second."}) {
      const std::string prefix = body;
      inputs_.push_back(addInput({prefix + "position", components, "m", "of a point"}));
      inputs_.push_back(addInput({prefix + "velocity", components, "m/s", "of a point"}));
      inputs_.push_back(addInput({prefix + "acceleration", components, "m/s2", "of a point"}));
    }
    addMultiplier({"lambda", components, "N", "force on the first point; the second one gets the opposite"});
    addMultiplier({"mu", components, "m/s", "projection of velocities"});
    firstDefect_ = addDefect({"position_defect", components, "m", "first - second"}, 1);
    addDefect({"velocity_defect", components, "m/s", "first - second"}, 2);
    addDefect({"acceleration_defect", components, "m/s2", "first - second"}, kLevels);
    finish(true);
  }

 protected:
  void refresh() override {}

  void compute(PortIndex output, std::span<double> into) const override {
    const std::size_t level = output - firstDefect_;
    const std::span<const double> first = values(inputs_[level]);
    const std::span<const double> second = values(inputs_[kLevels + level]);
    std::ranges::transform(first, second, into.begin(), std::minus<>());
  }

 private:
  static constexpr std::size_t kLevels = 3;

  PortIndex addDefect(Quantity quantity, std::size_t levels) {
    std::vector<PortIndex> dependsOn;
    for (std::size_t level = 0; level < levels; ++level)
      dependsOn.insert(dependsOn.end(), {inputs_[level], inputs_[kLevels + level]});
    return addOutput(std::move(quantity), std::move(dependsOn));
  }

  std::vector<PortIndex> inputs_;  ///< position, velocity, acceleration of the first point, then of the second one
  PortIndex firstDefect_ = 0;
};

}  // namespace

std::unique_ptr<subsystem::Subsystem> rigidJoint(const Joint& joint) {
  if (joint.scaled)
    throw core::InputError("The multipliers of a rigid joint cannot be scaled.", "Leave 'scaled' to flexible joints.");
  return std::make_unique<RigidJoint>(joint);
}

std::unique_ptr<subsystem::Subsystem> rigidLink(std::size_t components) {
  if (components == 0) throw core::InputError("A rigid link has no components.", "Give it at least one.");
  return std::make_unique<RigidLink>(components);
}

std::unique_ptr<subsystem::Subsystem> flexibleJoint(const Joint& joint, Laws laws) {
  if (const std::size_t needed = rows(joint); laws.size() != needed)
    throw core::InputError(
        fmt::format("A flexible joint of kind '{}' has {} rows, but {} laws.", word(joint.kind), needed, laws.size()),
        "Give one law per row.");
  return std::make_unique<FlexibleJoint>(joint, std::move(laws));
}

}  // namespace koppla::mechanics
