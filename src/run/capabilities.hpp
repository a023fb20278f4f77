#pragma once

#include <string>
#include <vector>

#include "koppla/coupling/graph.hpp"
#include "koppla/coupling/system.hpp"
#include "koppla/run/settings.hpp"

namespace koppla::run {

/// Throws core::InputError, before anything runs, when times and step make no run or the settings ask of subsystems
/// what they cannot do: repeat steps without restoring states, take steps of different lengths, choose them as the
/// master, tell derivatives over a step; or where joints need another algorithm or equal weights. The error lists the
/// subsystems and what remains.
void requireCapabilities(const coupling::System& system, const std::vector<coupling::Cycle>& cycles,
                         const Settings& settings);

/// The members that cannot go back and take a step again with another length, as a list; empty if all can.
std::string whoCannotRepeat(const coupling::System& system);

/// Whether steps that fail a test of step control are tried again with another length: by the kinds that ask for it,
/// and by predictor/corrector control where all members can.
bool repeatsSteps(const coupling::System& system, const Settings& settings);

}  // namespace koppla::run
