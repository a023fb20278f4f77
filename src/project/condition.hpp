#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "koppla/coupling/system.hpp"
#include "koppla/mechanics/joint.hpp"
#include "koppla/project/placed.hpp"
#include "koppla/subsystem/force_law.hpp"

namespace koppla::project {

/// What the first and the second subsystem get from a force law (Schmoll, sec. 2.3).
enum class Decomposition : std::uint8_t { forceForce, forceDisplacement, displacementForce, displacementDisplacement };

/// "subsystem.port" or "subsystem.marker"; the second part may hold further dots.
struct PortReference {
  std::string subsystem;
  std::string port;
  core::Place place{};
};

/// One number, or one per equation of the joint that the law acts in.
struct SpringDamperLaw {
  std::vector<double> stiffness{0.0};  ///< N/m, N m/rad
  std::vector<double> damping{0.0};    ///< N s/m, N m s/rad
};

struct FormulaLaw {
  Placed<std::string> force;  ///< N, of x (m) and v (m/s)
};

/// No law: the joint is rigid, and its forces are whatever holds it.
struct RigidLaw {
  coupling::ConstraintMethod method = coupling::ConstraintMethod::baumgarte;
  std::optional<double> beta{};     ///< s; absent: half of the step
  double gamma = 0.0;               ///< s^2
  double velocityWeight = 1.0;      ///< of method 2
  double accelerationWeight = 0.0;  ///< of method 2

  [[nodiscard]] bool needsAccelerations() const {
    return method == coupling::ConstraintMethod::baumgarte
               ? gamma > 0.0
               : method == coupling::ConstraintMethod::weightedMultipliers && accelerationWeight > 0.0;
  }
};

/// What holds between markers of two subsystems: a force law or a rigid joint.
struct ConditionEntry {
  Placed<std::string> name;  ///< unique among subsystems and conditions
  std::variant<SpringDamperLaw, FormulaLaw, RigidLaw> law{};
  /// What is held, rigidly or by the law.
  Placed<mechanics::JointKind> joint{mechanics::JointKind::atpoint, {}};
  mechanics::Alignment alignment = mechanics::Alignment::perpendicular;
  bool scaled = false;  ///< see mechanics::Joint
  PortReference first{};
  PortReference second{};
  Placed<Decomposition> decomposition{Decomposition::forceDisplacement, {}};
  bool decomposed = false;  ///< by the user's word; else semi-implicit coupling takes force-force

  [[nodiscard]] bool isRigid() const { return std::holds_alternative<RigidLaw>(law); }
  /// Whether the law is composed into the subsystem on that side.
  [[nodiscard]] bool lawInFirst() const {
    return !isRigid() && decomposition.value >= Decomposition::displacementForce;
  }
  [[nodiscard]] bool lawInSecond() const {
    return !isRigid() && (decomposition.value == Decomposition::forceDisplacement ||
                          decomposition.value == Decomposition::displacementDisplacement);
  }
};

/// The law of one equation, for one user: subsystems may run at the same time. Throws core::InputError for a formula
/// with mistakes.
std::shared_ptr<const subsystem::ForceLaw> makeLaw(const ConditionEntry& condition, std::size_t equation = 0);

}  // namespace koppla::project
