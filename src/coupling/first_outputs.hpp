#pragma once

#include <string>
#include <vector>

#include "koppla/coupling/initialisation.hpp"
#include "koppla/coupling/network.hpp"

namespace koppla::coupling {

struct FirstOutputs {
  std::vector<std::string> changed;  ///< "subsystem.port", real ones that leaving initialisation has changed
  std::vector<std::string> late;     ///< the same, also those of loops that are kept at their start values
  std::vector<std::string> stale;    ///< the same, those that depend on changed ones and cannot be computed again
  Fault fault;
};

/// Lets all members leave initialisation at t and reads their outputs once more, since a subsystem may compute them
/// only then. Members leave in the order in which their outputs were computed: who follows one whose outputs have
/// changed by it is evaluated again while that is still possible, and at the end those that can be evaluated between
/// steps. Outputs that were kept stay as they are. Throws core::SubsystemError.
FirstOutputs leaveInitialisation(const System& system, Network& network, double t, const InitialisationReport& report);

}  // namespace koppla::coupling
