#include "koppla/run/remedies.hpp"

#include <algorithm>

#include "koppla/coupling/graph.hpp"
#include "koppla/run/capabilities.hpp"

namespace koppla::run {

namespace {

const subsystem::Description& descriptionOf(const coupling::System& system, coupling::MemberIndex member) {
  return system.members[member].subsystem->describe();
}

template <class Test>
bool allInCycles(const coupling::System& system, Test&& test) {
  return std::ranges::all_of(coupling::findCycles(system), [&](const coupling::Cycle& cycle) {
    return !cycle.closed || std::ranges::all_of(cycle.members, [&](const coupling::MemberIndex member) {
      return test(descriptionOf(system, member));
    });
  });
}

bool hasCycles(const coupling::System& system) {
  return std::ranges::any_of(coupling::findCycles(system), &coupling::Cycle::closed);
}

/// Differences of its answers are derivatives.
bool isExact(const subsystem::Description& description) {
  return !description.capabilities.ownProcess &&
         std::ranges::all_of(description.ports, [](const subsystem::Port& port) { return port.digits == 0; });
}

}  // namespace

std::string implicitAlgorithm(const coupling::System& system) {
  const auto saves = [](const subsystem::Description& description) { return description.capabilities.saveRestore; };
  if (!hasCycles(system) || !allInCycles(system, saves)) return {};
  return allInCycles(system, isExact) ? "algorithm.kind = \"newton\"" : "algorithm.kind = \"iterated-gauss-seidel\"";
}

bool newtonIsOffered(const coupling::System& system, const Settings& settings) {
  return !settings.algorithm.iteratesWaveforms() && allInCycles(system, isExact);
}

bool stepControlIsOffered(const coupling::System& system) {
  return system.constraints.empty() && whoCannotRepeat(system).empty();
}

}  // namespace koppla::run
