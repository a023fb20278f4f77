#pragma once

#include <string>
#include <vector>

#include "koppla/coupling/settings.hpp"
#include "koppla/coupling/system.hpp"

namespace koppla::run {

/// Something else to try where values run away.
struct Alternative {
  std::string words;  ///< the setting as it is written
  coupling::AlgorithmSettings algorithm;
};

/// Other degrees that the members take, and, where nothing is iterated, other algorithms.
std::vector<Alternative> alternativesTo(const coupling::AlgorithmSettings& present, const coupling::System& system);

}  // namespace koppla::run
