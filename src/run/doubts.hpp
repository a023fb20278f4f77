#pragma once

#include <string>
#include <vector>

#include "koppla/coupling/graph.hpp"
#include "koppla/coupling/system.hpp"
#include "koppla/run/settings.hpp"

namespace koppla::run {

/// What is allowed but seldom meant: micro steps that do not fit the macro steps or the master's, and outputs that are
/// not the solver's last word (Schmoll, sec. 2.4.5 and 2.6.2.4). Sentences for the log.
std::vector<std::string> doubts(const coupling::System& system, const std::vector<coupling::Cycle>& cycles,
                                const Settings& settings);

}  // namespace koppla::run
