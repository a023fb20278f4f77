#pragma once

#include <string>
#include <vector>

#include "koppla/coupling/network.hpp"

namespace koppla::coupling {

struct FirstOutputs {
  std::vector<std::string> changed;  ///< "subsystem.port", real ones that leaving initialisation has changed
  Fault fault;
};

/// Lets all members leave initialisation at t and reads their outputs once more, since a subsystem may compute them
/// only then. Members leave in the order of evaluation: who follows one whose outputs have changed by it is evaluated
/// again while that is still possible, and at the end those that can be evaluated between steps. Outputs in `kept` stay
/// as they are. Throws core::SubsystemError.
FirstOutputs leaveInitialisation(const System& system, Network& network, double t,
                                 const std::vector<std::size_t>& kept);

}  // namespace koppla::coupling
