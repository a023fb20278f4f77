#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "koppla/project/placed.hpp"
#include "koppla/subsystem/force_law.hpp"

namespace koppla::project {

/// What the first and the second subsystem get from a coupling condition (Schmoll, sec. 2.3).
enum class Decomposition : std::uint8_t { forceForce, forceDisplacement, displacementForce, displacementDisplacement };

/// "subsystem.port" or "subsystem.marker"; the second part may hold further dots.
struct PortReference {
  std::string subsystem;
  std::string port;
  core::Place place{};
};

struct SpringDamperLaw {
  double stiffness = 0.0;  ///< N/m
  double damping = 0.0;    ///< N s/m
};

struct FormulaLaw {
  Placed<std::string> force;  ///< N, of x (m) and v (m/s)
};

/// A force between markers of two subsystems.
struct ConditionEntry {
  Placed<std::string> name;  ///< unique among subsystems and conditions
  std::variant<SpringDamperLaw, FormulaLaw> law{};
  PortReference first{};
  PortReference second{};
  Placed<Decomposition> decomposition{Decomposition::forceDisplacement, {}};

  /// Whether the law is composed into the subsystem on that side.
  [[nodiscard]] bool lawInFirst() const { return decomposition.value >= Decomposition::displacementForce; }
  [[nodiscard]] bool lawInSecond() const {
    return decomposition.value == Decomposition::forceDisplacement ||
           decomposition.value == Decomposition::displacementDisplacement;
  }
};

/// A law for one user: subsystems may run at the same time. Throws core::InputError for a formula with mistakes.
std::shared_ptr<const subsystem::ForceLaw> makeLaw(const ConditionEntry& condition);

}  // namespace koppla::project
