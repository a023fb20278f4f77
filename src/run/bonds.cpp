#include "koppla/run/bonds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>

#include "koppla/run/connection_ends.hpp"

namespace koppla::run {

namespace {

enum class Domain : std::uint8_t { translation, rotation, electric, hydraulic };

struct PowerUnit {
  std::string_view spelling;
  Domain domain;
  bool isEffort;
  double factor;  ///< SI units
};

/// The usual ones; whoever writes others has no bond.
constexpr std::array kPowerUnits{
    PowerUnit{"N", Domain::translation, true, 1.0},    PowerUnit{"kN", Domain::translation, true, 1e3},
    PowerUnit{"m/s", Domain::translation, false, 1.0}, PowerUnit{"mm/s", Domain::translation, false, 1e-3},
    PowerUnit{"N.m", Domain::rotation, true, 1.0},     PowerUnit{"N*m", Domain::rotation, true, 1.0},
    PowerUnit{"N m", Domain::rotation, true, 1.0},     PowerUnit{"Nm", Domain::rotation, true, 1.0},
    PowerUnit{"kN.m", Domain::rotation, true, 1e3},    PowerUnit{"rad/s", Domain::rotation, false, 1.0},
    PowerUnit{"V", Domain::electric, true, 1.0},       PowerUnit{"mV", Domain::electric, true, 1e-3},
    PowerUnit{"kV", Domain::electric, true, 1e3},      PowerUnit{"A", Domain::electric, false, 1.0},
    PowerUnit{"mA", Domain::electric, false, 1e-3},    PowerUnit{"kA", Domain::electric, false, 1e3},
    PowerUnit{"Pa", Domain::hydraulic, true, 1.0},     PowerUnit{"kPa", Domain::hydraulic, true, 1e3},
    PowerUnit{"MPa", Domain::hydraulic, true, 1e6},    PowerUnit{"bar", Domain::hydraulic, true, 1e5},
    PowerUnit{"m3/s", Domain::hydraulic, false, 1.0},  PowerUnit{"m^3/s", Domain::hydraulic, false, 1.0},
    PowerUnit{"l/s", Domain::hydraulic, false, 1e-3},  PowerUnit{"L/s", Domain::hydraulic, false, 1e-3},
};

const PowerUnit* powerUnit(std::string_view spelling) {
  const auto found = std::ranges::find(kPowerUnits, spelling, &PowerUnit::spelling);
  return found == kPowerUnits.end() ? nullptr : &*found;
}

const subsystem::Port& portOf(const coupling::System& system, const coupling::Endpoint& end) {
  return system.members[end.member].subsystem->describe().ports[end.port];
}

/// Of an effort where it arrives, of a flow where it comes from: both at whom the effort acts on. Where that one does
/// not tell a unit, the other end does.
const PowerUnit* unitOf(const coupling::System& system, const coupling::Connection& c) {
  const PowerUnit* const sent = powerUnit(portOf(system, c.from).unit);
  const PowerUnit* const taken = powerUnit(portOf(system, c.to).unit);
  if (sent == nullptr || taken == nullptr) return sent != nullptr ? sent : taken;
  return taken->isEffort ? taken : sent;
}

/// Who gives the effort, who takes it, and in which domain.
using Pair = std::tuple<coupling::MemberIndex, coupling::MemberIndex, Domain>;

struct Carriers {
  std::vector<std::size_t> efforts;  ///< connections
  std::vector<std::size_t> flows;
};

std::map<Pair, Carriers> carriersOf(const coupling::System& system) {
  std::map<Pair, Carriers> pairs;
  for (std::size_t i = 0; i < system.connections.size(); ++i) {
    const coupling::Connection& c = system.connections[i];
    const PowerUnit* const unit = unitOf(system, c);
    if (unit == nullptr || c.mapping.map != nullptr || c.offset != 0.0) continue;
    if (unit->isEffort)
      pairs[{c.from.member, c.to.member, unit->domain}].efforts.push_back(i);
    else
      pairs[{c.to.member, c.from.member, unit->domain}].flows.push_back(i);
  }
  return pairs;
}

std::string textOf(const coupling::System& system, const coupling::Connection& c) {
  return nameOfEnd(system, c.from, c.fromElement) + " -> " + nameOfEnd(system, c.to, c.toElement);
}

}  // namespace

Bonds findBonds(const coupling::System& system, const coupling::Network& network,
                const coupling::CoupledStep& coupledStep) {
  const ConnectionEnds ends(system, network);
  Bonds result;
  for (const auto& [pair, carriers] : carriersOf(system)) {
    if (carriers.efforts.size() != carriers.flows.size()) continue;
    for (std::size_t i = 0; i < carriers.efforts.size(); ++i) {
      const coupling::Connection& effort = system.connections[carriers.efforts[i]];
      const coupling::Connection& flow = system.connections[carriers.flows[i]];
      const std::vector<std::size_t> efforts = ends.valuesOf(effort);
      const std::vector<std::size_t> flows = ends.valuesOf(flow);
      if (efforts.empty() || efforts.size() != flows.size()) continue;
      result.bonds.push_back({carriers.efforts[i], carriers.flows[i], result.elements.size(), efforts.size()});
      const double factor = effort.scale * unitOf(system, effort)->factor * unitOf(system, flow)->factor;
      for (std::size_t k = 0; k < efforts.size(); ++k)
        result.elements.push_back({efforts[k], flows[k], coupledStep.courseOf(efforts[k], ends.consumerOf(effort)),
                                   coupledStep.courseOf(flows[k], ends.consumerOf(flow)), factor});
    }
  }
  return result;
}

std::vector<BondStatistics> bondStatistics(const coupling::System& system, const Bonds& bonds,
                                           const coupling::PowerBonds& energies) {
  std::vector<BondStatistics> result;
  for (const Bond& bond : bonds.bonds) {
    BondStatistics entry{textOf(system, system.connections[bond.effort]),
                         textOf(system, system.connections[bond.flow])};
    for (std::size_t i = bond.first; i < bond.first + bond.count; ++i) {
      entry.created += energies.created(i);
      entry.exchanged += energies.exchanged(i);
    }
    result.push_back(std::move(entry));
  }
  std::ranges::stable_sort(result, std::ranges::greater{},
                           [](const BondStatistics& bond) { return std::fabs(bond.created); });
  return result;
}

}  // namespace koppla::run
