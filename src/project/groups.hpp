#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "koppla/project/composition.hpp"
#include "koppla/project/findings.hpp"
#include "koppla/solver/equations.hpp"

namespace koppla::project {

/// Subsystems that one integrator solves, by their places in the project: the host, whose integrator it is, and those
/// inside it.
struct Group {
  std::size_t host;
  std::vector<std::size_t> members;  ///< the host first, the others in the order of the project
};

/// What 'inside' and model coupling ask for. A force law between members of one group belongs to it. `descriptions` and
/// `equations` by member as in compose(). What cannot be solved inside another is reported.
std::vector<Group> groupsOf(const Composition& composition,
                            const std::vector<const subsystem::Description*>& descriptions,
                            const std::vector<std::unique_ptr<solver::Equations>>& equations, Findings& findings);

}  // namespace koppla::project
