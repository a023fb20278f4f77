#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "koppla/project/findings.hpp"
#include "koppla/project/project.hpp"
#include "koppla/solver/equations.hpp"
#include "koppla/subsystem/description.hpp"

namespace koppla::project {

/// A project whose coupling conditions have become subsystems, parts of subsystems and connections.
struct Composition {
  /// With a subsystem, named after it, for every condition that the coupling evaluates, behind the others, and with the
  /// connections of all conditions.
  Project project;
  /// The conditions of those subsystems, in the same order.
  std::vector<const ConditionEntry*> evaluated;
};

/// Composes force laws into the equations and connects what is left. `descriptions` by member; null where a subsystem
/// could not be opened. `equations` by member; null for all but native models. The project outlives the result.
Composition compose(const Project& project, const std::vector<const subsystem::Description*>& descriptions,
                    std::vector<std::unique_ptr<solver::Equations>>& equations, Findings& findings);

}  // namespace koppla::project
