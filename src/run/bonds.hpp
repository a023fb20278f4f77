#pragma once

#include <vector>

#include "koppla/coupling/coupled_step.hpp"
#include "koppla/coupling/system.hpp"
#include "koppla/run/statistics.hpp"

namespace koppla::run {

/// Two connections of one domain between the same two subsystems, in opposite directions, by their units: force and
/// velocity, torque and angular velocity, voltage and current, pressure and volume flow.
struct Bond {
  std::size_t effort;  ///< connections of the system
  std::size_t flow;
  std::size_t first;  ///< of its elements among all coupling::PowerBond, one behind the other
  std::size_t count;
};

/// The bonds of a system, and what is to be watched of them.
struct Bonds {
  std::vector<Bond> bonds;
  std::vector<coupling::PowerBond> elements;
};

/// Where several efforts of one domain meet another number of flows, nobody knows which belong together, and there is
/// no bond; neither is there one of mapped fields and of connections with an offset.
Bonds findBonds(const coupling::System& system, const coupling::Network& network,
                const coupling::CoupledStep& coupledStep);

/// The energy that each creates, the largest amount first.
std::vector<BondStatistics> bondStatistics(const coupling::System& system, const Bonds& bonds,
                                           const coupling::PowerBonds& energies);

}  // namespace koppla::run
