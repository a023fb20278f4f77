#pragma once

#include <string>
#include <vector>

#include "koppla/coupling/coupled_step.hpp"
#include "koppla/coupling/graph.hpp"
#include "koppla/coupling/system.hpp"
#include "koppla/run/settings.hpp"

namespace koppla::run {

/// What is allowed but seldom meant: micro steps that do not fit the macro steps or the master's, and outputs that are
/// not the solver's last word (Schmoll, sec. 2.4.5 and 2.6.2.4). Sentences for the log.
std::vector<std::string> doubts(const coupling::System& system, const std::vector<coupling::Cycle>& cycles,
                                const Settings& settings);

/// Groups of the convergence test that hold nothing which is exchanged, and values that flow back in no group.
std::vector<std::string> doubtsAboutGroups(const coupling::System& system, const coupling::Network& network,
                                           const coupling::CoupledStep& coupledStep, const Settings& settings);

/// Rigid joints whose errors grow or alternate however short the steps are (Lu R18).
std::vector<std::string> doubtsAboutJoints(const coupling::System& system, const Settings& settings);

/// After a run: exchanged values that were smaller than the absolute tolerance all the time.
std::vector<std::string> doubtsAboutTolerances(const coupling::System& system, const coupling::Network& network,
                                               const coupling::CoupledStep& coupledStep, const Settings& settings);

}  // namespace koppla::run
