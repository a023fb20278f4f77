#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "koppla/coupling/graph.hpp"
#include "koppla/coupling/system.hpp"
#include "koppla/run/settings.hpp"

namespace koppla::run {

/// Throws core::InputError, before anything runs, when times and step make no run or the settings ask of subsystems
/// what they cannot do: repeat steps without restoring states, take steps of different lengths, choose them as the
/// master, tell derivatives over a step; or where joints need another algorithm or equal weights. The error lists the
/// subsystems and what remains; `end` is what to choose where the interval does not fit.
void requireCapabilities(const coupling::System& system, const std::vector<coupling::Cycle>& cycles,
                         const Settings& settings, std::string_view end = "an end");

/// The members that are such, as a list; empty if none are.
std::string namesOf(const coupling::System& system, const std::function<bool(const subsystem::Capabilities&)>& areSuch);

/// The members that cannot go back and take a step again with another length, as a list; empty if all can.
std::string whoCannotRepeat(const coupling::System& system);

/// Whether steps that fail a test of step control are tried again with another length: by the kinds that ask for it,
/// and by predictor/corrector control where all members can.
bool repeatsSteps(const coupling::System& system, const Settings& settings);

}  // namespace koppla::run
