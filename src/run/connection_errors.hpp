#pragma once

#include <vector>

#include "koppla/coupling/coupled_step.hpp"
#include "koppla/coupling/system.hpp"
#include "koppla/run/settings.hpp"
#include "koppla/run/statistics.hpp"

namespace koppla::run {

/// The estimated error per macro step of every connection of reals, the largest in relation to the range of its values
/// first. Of a vector the worst element counts.
std::vector<ConnectionStatistics> connectionStatistics(const coupling::System& system, const coupling::Network& network,
                                                       const coupling::CoupledStep& coupledStep,
                                                       const Settings& settings);

}  // namespace koppla::run
