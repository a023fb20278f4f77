#pragma once

#include <vector>

#include "koppla/coupling/network.hpp"

namespace koppla::coupling {

struct InitialMultipliers {
  Fault fault;
  std::vector<std::size_t> undetermined;  ///< multipliers whose constraints repeat each other or hold nothing
};

/// Multipliers with which the second derivatives of all constraints vanish at t, the states as they are (index 1). The
/// members are initialising and have been evaluated. Constraints whose accelerations nobody tells keep theirs.
InitialMultipliers solveMultipliers(Network& network, double t);

}  // namespace koppla::coupling
