#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "koppla/project/findings.hpp"
#include "koppla/project/project.hpp"
#include "koppla/solver/equations.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::project {

/// A rigid joint that has become a subsystem.
struct HeldJoint {
  std::size_t member;
  RigidLaw law;
  bool accelerations;  ///< its partners tell theirs
};

/// A project whose coupling conditions have become subsystems, parts of subsystems and connections.
struct Composition {
  /// With a subsystem, named after it, for every condition that the coupling evaluates, behind the others, and with the
  /// connections of all conditions.
  Project project;
  /// Those subsystems, in the same order.
  std::vector<std::unique_ptr<subsystem::Subsystem>> evaluated;
  std::vector<HeldJoint> joints;
  std::vector<std::size_t> laws;  ///< members that are force laws along one line

  /// Adds a subsystem that evaluates the condition.
  void addMember(const ConditionEntry& condition, std::unique_ptr<subsystem::Subsystem> member);
  /// The scale is given in any case: what units the ports declare has been looked at.
  void connect(const ConditionEntry& condition, PortReference from, PortReference to, double scale = 1.0);
};

/// Turns a refusal into mistakes of the condition.
void report(Findings& findings, const ConditionEntry& condition, const core::Place& place,
            const core::InputError& refusal);

/// Composes force laws and joints into the equations and connects what is left. `descriptions` by member; null where a
/// subsystem could not be opened. `equations` by member; null for all but native models. The project outlives the
/// result.
Composition compose(const Project& project, const std::vector<const subsystem::Description*>& descriptions,
                    std::vector<std::unique_ptr<solver::Equations>>& equations, Findings& findings);

}  // namespace koppla::project
