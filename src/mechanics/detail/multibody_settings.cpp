#include "koppla/mechanics/detail/multibody_settings.hpp"

#include <cmath>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/value.hpp"
#include "koppla/mechanics/detail/kinematics.hpp"

namespace koppla::mechanics::detail {

namespace {

/// How far the length of Euler parameters may be from 1 at the start.
constexpr double kUnitLength = 1e-6;
/// Largest entry of B(gamma) at the start: beyond it angles are as good as singular.
constexpr double kSingular = 1e9;

bool isFinite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

bool isPositive(double value) {
  return std::isfinite(value) && value > 0.0;
}

bool isNotNegative(double value) {
  return std::isfinite(value) && value >= 0.0;
}

/// What makes no sense in a joint, with its name.
std::vector<core::Problem> jointProblems(const std::string& who, const Joint& joint) {
  std::vector<core::Problem> problems;
  try {
    rows(joint);
  } catch (const core::InputError& error) {
    problems = error.problems();
    for (core::Problem& problem : problems) problem.message = fmt::format("{}: {}", who, problem.message);
  }
  return problems;
}

/// Collects the mistakes of the settings, so that the user sees all of them at once.
class Inspection {
 public:
  explicit Inspection(MultibodySettings& settings) : settings_(settings) {}

  void run() {
    names();
    vector("The system", "gravity", settings_.gravity, true);
    for (BodySettings& item : settings_.bodies) body(item);
    for (const MarkerSettings& item : settings_.markers) marker(item);
    for (const PointSpring& item : settings_.springs) spring(item);
    for (const TorsionSpring& item : settings_.torsionSprings) torsionSpring(item);
    for (const AppliedForce& item : settings_.forces) force(item);
    for (const InternalJoint& item : settings_.joints) joint(item);
    if (settings_.constraints == InternalConstraints::baumgarte && !isPositive(settings_.rate))
      add(fmt::format("The rate of Baumgarte's stabilisation is {} 1/s.", core::text(settings_.rate)),
          "Give a rate greater than zero, or keep internal joints at the acceleration level.");
    if (!problems_.empty()) throw core::InputError(std::move(problems_));
  }

 private:
  void add(std::string message, std::string remedy) {
    problems_.push_back({{}, std::move(message), std::move(remedy)});
  }

  [[nodiscard]] bool isPlanar() const { return settings_.rotation == Rotation::planar; }

  void names() {
    if (settings_.bodies.empty()) add("The system has no bodies.", "Give at least one.");
    std::unordered_set<std::string> seen;
    const auto inspect = [&](std::string_view kind, const auto& items) {
      for (const auto& item : items) {
        if (item.name.empty())
          add(fmt::format("A {} has no name.", kind), "Give it one.");
        else if (!seen.insert(item.name).second)
          add(fmt::format("The name {} of a {} is taken.", item.name, kind),
              "Bodies, markers, springs, forces and joints of one system have different names.");
      }
    };
    inspect("body", settings_.bodies);
    inspect("marker", settings_.markers);
    inspect("spring", settings_.springs);
    inspect("torsion spring", settings_.torsionSprings);
    inspect("force", settings_.forces);
    inspect("joint", settings_.joints);
  }

  template <class Item>
  void known(const std::string& who, std::string_view kind, const std::vector<Item>& items, const std::string& name) {
    if (indexNamed(items, name) < items.size()) return;
    std::string all;
    for (const Item& item : items) all += (all.empty() ? "" : ", ") + item.name;
    add(fmt::format("{} names the {} '{}', which is not there.", who, kind, name),
        all.empty() ? fmt::format("There is no {}.", kind) : fmt::format("Known: {}.", all));
  }

  /// `inPlane`: of a planar system x and y may differ from zero, otherwise z.
  void vector(const std::string& who, std::string_view what, const Vector& value, bool inPlane) {
    if (!isFinite(value)) return add(fmt::format("{}: the {} is not finite.", who, what), "Give finite numbers.");
    if (!isPlanar()) return;
    if (inPlane ? value[2] != 0.0 : value[0] != 0.0 || value[1] != 0.0)
      add(fmt::format("{}: the {} ({}, {}, {}) leaves the plane.", who, what, core::text(value[0]),
                      core::text(value[1]), core::text(value[2])),
          inPlane ? "In a planar system z is 0." : "In a planar system x and y are 0.");
  }

  void body(BodySettings& body) {
    const std::string who = fmt::format("Body {}", body.name);
    if (!isPositive(body.mass))
      add(fmt::format("{}: the mass is {} kg.", who, core::text(body.mass)), "It must be greater than zero.");
    for (std::size_t axis = isPlanar() ? 2 : 0; axis < 3; ++axis)
      if (!isPositive(body.inertia[axis]))
        add(fmt::format("{}: the moment of inertia about {} is {} kg m2.", who, "xyz"[axis],
                        core::text(body.inertia[axis])),
            "It must be greater than zero.");
    vector(who, "position", body.position, true);
    vector(who, "velocity", body.velocity, true);
    vector(who, "angular velocity", body.angularVelocity, false);
    rotation(who, body.rotation);
  }

  void rotation(const std::string& who, std::vector<double>& parameters) {
    const Rotation kind = settings_.rotation;
    if (parameters.empty()) parameters = parallelToInertial(kind);
    if (parameters.size() != parameterCount(kind) || !isFinite(parameters))
      return add(fmt::format("{}: the rotation is given by {} numbers.", who, parameters.size()),
                 fmt::format("'{}' takes {} finite ones.", word(kind), parameterCount(kind)));
    if (kind == Rotation::eulerParameters) {
      double length = 0.0;
      for (const double q : parameters) length = std::hypot(length, q);
      if (std::abs(length - 1.0) > kUnitLength)
        return add(fmt::format("{}: the length of the Euler parameters is {}.", who, core::text(length)),
                   "It must be 1.");
      for (double& q : parameters) q /= length;
    }
    if (!(rateMatrix(kind, parameters).cwiseAbs().maxCoeff() < kSingular))
      add(fmt::format("{}: the rotation parameters '{}' are singular at the start.", who, word(kind)),
          "Take other parameters; euler-parameters are never singular.");
  }

  void marker(const MarkerSettings& marker) {
    const std::string who = fmt::format("Marker {}", marker.name);
    known(who, "body", settings_.bodies, marker.body);
    vector(who, "point", marker.place.at, true);
  }

  void spring(const PointSpring& spring) {
    const std::string who = fmt::format("Spring {}", spring.name);
    known(who, "marker", settings_.markers, spring.first);
    if (!spring.second.empty()) known(who, "marker", settings_.markers, spring.second);
    vector(who, "point on the ground", spring.ground, true);
    if (!std::ranges::all_of(spring.stiffness, isNotNegative) || !std::ranges::all_of(spring.damping, isNotNegative))
      add(fmt::format("{}: a stiffness or damping is negative or not finite.", who), "Give numbers from zero on.");
  }

  void torsionSpring(const TorsionSpring& spring) {
    const std::string who = fmt::format("Torsion spring {}", spring.name);
    if (!isPlanar())
      add(fmt::format("{} turns about one axis, the bodies turn in space.", who),
          "Torsion springs belong to planar systems.");
    known(who, "body", settings_.bodies, spring.first);
    if (!spring.second.empty()) known(who, "body", settings_.bodies, spring.second);
    if (!isNotNegative(spring.stiffness) || !isNotNegative(spring.damping) || !std::isfinite(spring.relaxed))
      add(fmt::format("{}: stiffness or damping are negative, or a number is not finite.", who),
          "Give numbers from zero on, and a finite angle.");
  }

  void force(const AppliedForce& force) {
    const std::string who = fmt::format("Force {}", force.name);
    known(who, "marker", settings_.markers, force.marker);
    vector(who, "force", force.force, true);
    vector(who, "rate of the force", force.forceRate, true);
    vector(who, "moment", force.moment, false);
    vector(who, "rate of the moment", force.momentRate, false);
  }

  void joint(const InternalJoint& joint) {
    const std::string who = fmt::format("Joint {}", joint.name);
    known(who, "body", settings_.bodies, joint.first);
    if (!joint.second.empty()) known(who, "body", settings_.bodies, joint.second);
    if (joint.first == joint.second)
      add(fmt::format("{} connects the body {} with itself.", who, joint.first), "Name two bodies, or one and ground.");
    Joint equations = joint.joint;
    equations.firstRotation = equations.secondRotation = settings_.rotation;
    for (core::Problem& problem : jointProblems(who, equations)) problems_.push_back(std::move(problem));
    if (joint.joint.scaled)
      add(fmt::format("{} is rigid and scaled.", who), "Only moments of flexible joints can be scaled.");
  }

  MultibodySettings& settings_;
  std::vector<core::Problem> problems_;
};

}  // namespace

std::vector<double> parallelToInertial(Rotation rotation) {
  std::vector<double> parameters(parameterCount(rotation), 0.0);
  if (rotation == Rotation::eulerParameters) parameters[0] = 1.0;
  return parameters;
}

MultibodySettings checked(MultibodySettings settings) {
  Inspection(settings).run();
  return settings;
}

void check(const Coupling& coupling, const MultibodySettings& settings) {
  const std::string who = fmt::format("The coupling {}", coupling.name);
  if (coupling.name.empty()) throw core::InputError("A coupling has no name.", "Give it one.");
  if (indexNamed(settings.bodies, coupling.body) == settings.bodies.size())
    throw core::InputError(fmt::format("{} names the body '{}', which is not there.", who, coupling.body),
                           "Name a body of the system.");
  const Rotation own =
      coupling.side == solver::Side::first ? coupling.joint.firstRotation : coupling.joint.secondRotation;
  if (own != settings.rotation)
    throw core::InputError(fmt::format("{} takes the rotation of {} as '{}', but the system has '{}'.", who,
                                       coupling.body, word(own), word(settings.rotation)),
                           "Give the joint the rotation of the system on its side.");
  if (std::vector<core::Problem> problems = jointProblems(who, coupling.joint); !problems.empty())
    throw core::InputError(std::move(problems));
  const bool hasLaw = coupling.source == Coupling::Source::law;
  const std::size_t laws = hasLaw ? rows(coupling.joint) : 0;
  if (coupling.laws.size() != laws)
    throw core::InputError(
        fmt::format("{} has {} laws.", who, coupling.laws.size()),
        hasLaw ? fmt::format("A {} joint of these bodies takes {}, one per row.", word(coupling.joint.kind), laws)
               : "Laws are given where they are evaluated, not where multipliers arrive.");
  if (hasLaw && coupling.projection)
    throw core::InputError(fmt::format("{} has laws and a projection.", who),
                           "Only rigid joints, whose multipliers are an input, take a projection.");
}

}  // namespace koppla::mechanics::detail
