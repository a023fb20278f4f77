#include "koppla/mechanics/multibody.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <Eigen/Core>
#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/mechanics/detail/applied_loads.hpp"
#include "koppla/mechanics/detail/bodies.hpp"
#include "koppla/mechanics/detail/coupled_joint.hpp"
#include "koppla/mechanics/detail/internal_joints.hpp"
#include "koppla/mechanics/detail/multibody_settings.hpp"

namespace koppla::mechanics {

using detail::CoupledJoint;
using detail::Level;
using detail::Loads;
using detail::Motion;
using subsystem::Causality;
using subsystem::PortIndex;

namespace {

std::string_view unitOfRotation(Rotation rotation) {
  return rotation == Rotation::eulerParameters ? "" : "rad";
}

/// Writes outputs one after the other.
class Writer {
 public:
  Writer(Rotation rotation, std::span<double> y) : rotation_(rotation), at_(y.data()) {}

  void translation(const Eigen::Vector3d& vector) {
    detail::writeTranslation(rotation_, vector, at_);
    at_ += detail::translations(rotation_);
  }
  void spin(const Eigen::Vector3d& vector) {
    detail::writeSpin(rotation_, vector, at_);
    at_ += detail::spins(rotation_);
  }
  void scalars(std::span<const double> values) { at_ = std::ranges::copy(values, at_).out; }
  void rotation(const Motion& motion) {
    scalars({motion.parameters.data(), static_cast<std::size_t>(motion.parameters.size())});
  }

 private:
  Rotation rotation_;
  double* at_;
};

}  // namespace

struct Multibody::System {
  explicit System(MultibodySettings given)
      : settings(detail::checked(std::move(given))),
        bodies(settings.rotation, settings.gravity, settings.bodies),
        applied(settings),
        joints(settings),
        motions(bodies.count()),
        loads(bodies.count()),
        projection(bodies.count()) {
    std::vector<double> start(bodies.stateCount());
    bodies.initialStates(start);
    bodies.read(start, motions);
    joints.checkStart(bodies, motions);
    groupBodies();
    description.kind = "native";
    description.model = "multibody";
    for (const BodySettings& body : settings.bodies) addBodyPorts(body.name);
    addOutput("energy", "J", "energy of motion, weight and springs", 1);
    for (const MarkerSettings& marker : settings.markers)
      if (marker.loads) addMarkerPorts(marker);
    description.indexNames();
  }

  // Ports

  PortIndex addPort(std::string name, Causality causality, std::string_view unit, std::string_view meaning,
                    std::size_t size) {
    subsystem::Port port;
    port.name = std::move(name);
    port.causality = causality;
    port.size = size;
    port.unit = unit;
    port.description = meaning;
    port.settable = causality == Causality::input;
    if (port.settable) port.start = 0.0;
    description.ports.push_back(std::move(port));
    return description.ports.size() - 1;
  }

  PortIndex addOutput(std::string name, std::string_view unit, std::string_view meaning, std::size_t size) {
    const PortIndex port = addPort(std::move(name), Causality::output, unit, meaning, size);
    description.dependencies[port] = std::vector<PortIndex>{};
    return port;
  }

  PortIndex addInput(std::string name, std::string_view unit, std::string_view meaning, std::size_t size) {
    inputs += size;
    return addPort(std::move(name), Causality::input, unit, meaning, size);
  }

  struct MotionPorts {
    PortIndex position;
    PortIndex velocity;
  };

  MotionPorts addMotionPorts(const std::string& name, std::string_view point) {
    const Rotation rotation = settings.rotation;
    const PortIndex position = addOutput(name + ".position", "m", fmt::format("position of the {} in K_0", point),
                                         detail::translations(rotation));
    addOutput(name + ".rotation", unitOfRotation(rotation), "rotation parameters of the body",
              parameterCount(rotation));
    const PortIndex velocity = addOutput(name + ".velocity", "m/s", fmt::format("velocity of the {} in K_0", point),
                                         detail::translations(rotation));
    addOutput(name + ".angular_velocity", "rad/s", "angular velocity in the body's frame", detail::spins(rotation));
    return {position, velocity};
  }

  void addBodyPorts(const std::string& name) {
    addMotionPorts(name, "centre of mass");
    accelerations.push_back(addOutput(name + ".acceleration", "m/s2", "acceleration of the centre of mass in K_0",
                                      detail::translations(settings.rotation)));
    addOutput(name + ".angular_acceleration", "rad/s2", "angular acceleration in the body's frame",
              detail::spins(settings.rotation));
  }

  void addMarkerPorts(const MarkerSettings& marker) {
    const auto [position, velocity] = addMotionPorts(marker.name, "marker");
    const std::size_t body = detail::indexNamed(settings.bodies, marker.body);
    markers.push_back({body, detail::vector(marker.place.at), inputs});
    const PortIndex force =
        addInput(marker.name + ".force", "N", "force at the marker in K_0", detail::translations(settings.rotation));
    loadedBy(body, force);
    description.markers.push_back({.name = marker.name, .position = position, .velocity = velocity, .force = force});
    loadedBy(body, addInput(marker.name + ".moment", "N m", "moment at the marker in the body's frame",
                            detail::spins(settings.rotation)));
  }

  void addCouplingPort(const std::string& name, const CoupledJoint::Input& input, Rotation partner, std::size_t body) {
    using Quantity = CoupledJoint::Input::Quantity;
    switch (input.quantity) {
      case Quantity::lambda:
        return loadedBy(body, addInput(name + ".lambda", "", "multipliers of the joint: loads", input.size));
      case Quantity::mu:
        addInput(name + ".mu", "", "multipliers of the joint: projection of the velocities", input.size);
        return;
      case Quantity::position:
        return loadedBy(body, addInput(name + ".position", "m", "position of the partner's body", input.size));
      case Quantity::rotation:
        return loadedBy(body, addInput(name + ".rotation", unitOfRotation(partner),
                                       "rotation parameters of the partner's body", input.size));
      case Quantity::velocity:
        return loadedBy(body, addInput(name + ".velocity", "m/s", "velocity of the partner's body", input.size));
      case Quantity::angularVelocity:
        return loadedBy(body, addInput(name + ".angular_velocity", "rad/s",
                                       "angular velocity of the partner's body, in its frame", input.size));
    }
  }

  /// Bodies that internal joints connect are accelerated by each other's loads at once.
  void groupBodies() {
    for (std::size_t i = 0; i < bodies.count(); ++i) group.push_back(i);
    for (const InternalJoint& joint : settings.joints) {
      if (joint.second.empty()) continue;
      const std::size_t kept = group[detail::indexNamed(settings.bodies, joint.first)];
      const std::size_t merged = group[detail::indexNamed(settings.bodies, joint.second)];
      std::ranges::replace(group, merged, kept);
    }
  }

  /// Declares that the input loads the body.
  void loadedBy(std::size_t body, PortIndex input) {
    for (std::size_t i = 0; i < bodies.count(); ++i) {
      if (group[i] != group[body]) continue;
      for (const PortIndex output : {accelerations[i], accelerations[i] + 1})
        description.dependencies[output]->push_back(input);
    }
  }

  // Equations

  /// Motions of all bodies, and the loads that come from no input.
  void move(double t, std::span<const double> x) {
    bodies.read(x, motions);
    bodies.weigh(loads);
    applied.add(t, motions, loads);
  }

  /// Motions of all bodies with their accelerations but for reactions of internal joints.
  void accelerateFreely(double t, std::span<const double> x, std::span<const double> u) {
    move(t, x);
    for (const MarkerLoads& marker : markers) {
      const double* const force = &u[marker.firstInput];
      detail::addForce(motions[marker.body], marker.point, detail::translation(settings.rotation, force),
                       loads[marker.body]);
      loads[marker.body].moment += detail::spin(settings.rotation, force + detail::translations(settings.rotation));
    }
    for (CoupledJoint& joint : couplings) joint.addLoads(u, motions[joint.body()], loads[joint.body()]);
    bodies.accelerate(loads, motions);
  }

  void project(std::span<const double> u) {
    std::ranges::fill(projection, Loads{});
    for (CoupledJoint& joint : couplings)
      if (joint.projects()) joint.addProjection(u, motions[joint.body()], projection[joint.body()]);
  }

  [[nodiscard]] std::size_t algebraicCount() const {
    return settings.constraints == InternalConstraints::stabilisedIndex2 ? 2 * joints.rows() : 0;
  }

  struct MarkerLoads {
    std::size_t body;
    Eigen::Vector3d point;
    std::size_t firstInput;  ///< place of force and moment in u
  };

  MultibodySettings settings;
  detail::Bodies bodies;
  detail::AppliedLoads applied;
  detail::InternalJoints joints;
  std::vector<MarkerLoads> markers;  ///< those with ports
  std::vector<CoupledJoint> couplings;

  subsystem::Description description;
  std::size_t inputs = 0;                ///< scalars
  std::vector<PortIndex> accelerations;  ///< by body; the angular one follows
  std::vector<std::size_t> group;        ///< by body

  // What an evaluation works on: it allocates nothing, and one thread at a time uses an instance.
  std::vector<Motion> motions;
  std::vector<Loads> loads;
  std::vector<Loads> projection;
};

Multibody::Multibody(MultibodySettings settings) : system_(std::make_unique<System>(std::move(settings))) {}

Multibody::~Multibody() = default;

void Multibody::couple(const Coupling& coupling) {
  System& s = *system_;
  detail::check(coupling, s.settings);
  for (const std::string_view quantity : {"position", "rotation", "lambda"})
    if (s.description.find(fmt::format("{}.{}", coupling.name, quantity)))
      throw core::InputError(fmt::format("The system has ports {}.* already.", coupling.name),
                             "Give the coupling another name.");
  const std::size_t body = detail::indexNamed(s.settings.bodies, coupling.body);
  const CoupledJoint& joint = s.couplings.emplace_back(coupling, body, s.inputs);
  const PortIndex firstPort = s.description.ports.size();
  const Rotation partner =
      coupling.side == solver::Side::first ? coupling.joint.secondRotation : coupling.joint.firstRotation;
  for (const CoupledJoint::Input& input : joint.inputs()) s.addCouplingPort(coupling.name, input, partner, body);
  if (joint.hasLaw()) {
    const PortIndex lambda =
        s.addOutput(coupling.name + ".lambda", "", "multipliers of the joint, from its laws", joint.rows());
    for (PortIndex input = firstPort; input < lambda; ++input) s.description.dependencies[lambda]->push_back(input);
  }
  s.description.indexNames();
}

bool Multibody::driftsUnderProjection() const {
  return !system_->settings.joints.empty() && system_->settings.constraints == InternalConstraints::accelerationLevel;
}

const subsystem::Description& Multibody::describe() const {
  return system_->description;
}

void Multibody::set(PortIndex port, std::span<const core::Value> values) {
  subsystem::Port& target = system_->description.ports.at(port);
  if (target.causality != Causality::input)
    throw core::InputError(fmt::format("multibody: '{}' is an output.", target.name), "Only inputs can be set.");
  const auto isNumber = [](const core::Value& value) {
    return std::holds_alternative<double>(value) && std::isfinite(std::get<double>(value));
  };
  if (values.size() != target.size || !std::ranges::all_of(values, isNumber))
    throw core::InputError(
        fmt::format("multibody: '{}' was not given as {} finite real numbers.", target.name, target.size),
        "Give one for each component.");
  target.start.reset();
  if (std::ranges::count(values, values[0]) == std::ssize(values)) target.start = values[0];
}

core::Value Multibody::parameter(PortIndex port) const {
  throw core::InternalError(fmt::format("multibody: '{}' is no parameter", describe().ports.at(port).name));
}

std::size_t Multibody::stateCount() const {
  return system_->bodies.stateCount() + system_->algebraicCount();
}

std::size_t Multibody::algebraicCount() const {
  return system_->algebraicCount();
}

/// Nobody knows the inputs yet: lambda belongs to the other loads. Where a step of Radau ends does not depend on it.
void Multibody::initialStates(std::span<double> x) const {
  System& s = *system_;
  s.bodies.initialStates(x);
  if (s.algebraicCount() == 0) return;
  s.move(0.0, x);
  s.bodies.accelerate(s.loads, s.motions);
  s.joints.react(s.bodies, s.motions);
  const std::span<double> unknowns = x.last(s.algebraicCount());
  std::ranges::copy(s.joints.multipliers(), unknowns.begin());
  std::ranges::fill(unknowns.subspan(s.joints.rows()), 0.0);
}

/// The rates g' of the algebraic equations are those of the states v and omega: with r' they would only repeat g = 0.
void Multibody::derivatives(double t, std::span<const double> x, std::span<const double> u,
                            std::span<double> dx) const {
  System& s = *system_;
  s.accelerateFreely(t, x, u);
  s.project(u);
  if (s.algebraicCount() == 0) {
    s.joints.react(s.bodies, s.motions);
  } else {
    const std::span<const double> unknowns = x.last(s.algebraicCount());
    const std::span<double> residuals = dx.last(s.algebraicCount());
    const std::size_t rows = s.joints.rows();
    s.joints.react(unknowns.first(rows), s.bodies, s.motions);
    s.joints.addProjection(unknowns.last(rows), s.bodies, s.projection);
    s.joints.defects(Level::position, s.motions, residuals.first(rows));
    s.joints.defects(Level::velocity, s.motions, residuals.last(rows));
  }
  s.bodies.writeRates(s.motions, s.projection, dx);
}

/// Reactions are those of the inputs in every form of the constraints: lambda among the states would be that of the
/// last step, and an evaluation between steps, as at the start of a coupling, would not see what the inputs do.
void Multibody::outputs(double t, std::span<const double> x, std::span<const double> u, std::span<double> y) const {
  System& s = *system_;
  s.accelerateFreely(t, x, u);
  s.joints.react(s.bodies, s.motions);
  Writer writer(s.settings.rotation, y);
  for (const Motion& motion : s.motions) {
    writer.translation(motion.r);
    writer.rotation(motion);
    writer.translation(motion.v);
    writer.spin(motion.w);
    writer.translation(motion.a);
    writer.spin(motion.dw);
  }
  const double energy = s.bodies.energy(s.motions) + s.applied.energy(s.motions);
  writer.scalars({&energy, 1});
  for (const System::MarkerLoads& marker : s.markers) {
    const Motion& body = s.motions[marker.body];
    writer.translation(detail::pointPosition(body, marker.point));
    writer.rotation(body);
    writer.translation(detail::pointVelocity(body, marker.point));
    writer.spin(body.w);
  }
  for (CoupledJoint& joint : s.couplings)
    if (joint.hasLaw()) writer.scalars(joint.evaluateLaws(u, s.motions[joint.body()]));
}

bool Multibody::secondOrder() const {
  return system_->settings.rotation == Rotation::planar && system_->algebraicCount() == 0 &&
         std::ranges::none_of(system_->couplings, &CoupledJoint::projects);
}

}  // namespace koppla::mechanics
