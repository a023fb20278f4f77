#include "koppla/project/arrangement.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "koppla/coupling/graph.hpp"

namespace koppla::project {

namespace {

using coupling::MemberIndex;

const subsystem::Capabilities& capabilities(const coupling::System& system, MemberIndex member) {
  return system.members[member].subsystem->describe().capabilities;
}

/// Static members have no step of their own and follow the others in any case.
void orderByMicroSteps(coupling::System& system, const Placed<OrderBy>& rule, Findings& findings) {
  std::vector<MemberIndex> order;
  std::vector<MemberIndex> statics;
  for (MemberIndex member = 0; member < system.members.size(); ++member) {
    (capabilities(system, member).isStatic ? statics : order).push_back(member);
    if (!capabilities(system, member).isStatic && capabilities(system, member).microStep == 0.0)
      findings.mistake(
          rule.place,
          fmt::format("The order follows the micro steps, but '{}' tells none.", system.members[member].name),
          "Give it a micro_step, or list the names in order.");
  }
  const auto step = [&](MemberIndex member) {
    const double microStep = capabilities(system, member).microStep;
    return rule.value == OrderBy::fastestFirst ? microStep : -microStep;
  };
  std::ranges::stable_sort(order, {}, step);
  order.insert(order.end(), statics.begin(), statics.end());
  system.order = std::move(order);
}

std::vector<MemberIndex> derivedOrder(const coupling::System& system) {
  std::vector<MemberIndex> order;
  for (const coupling::Cycle& cycle : coupling::findCycles(system))
    order.insert(order.end(), cycle.members.begin(), cycle.members.end());
  return order;
}

void putMasterFirst(coupling::System& system, const Project& project, Findings& findings) {
  if (system.order.empty()) system.order = derivedOrder(system);
  const auto& [name, place] = project.master;
  if (!name.empty()) {
    const auto master = std::ranges::find(
        system.order, name, [&](MemberIndex member) -> const std::string& { return system.members[member].name; });
    std::rotate(system.order.begin(), master, master + 1);
  }
  const MemberIndex first = system.order.front();
  if (capabilities(system, first).ownSteps) return;
  findings.mistake(
      name.empty() ? core::Place{project.file.string()} : place,
      fmt::format("The master '{}' cannot take steps of its own choice.", system.members[first].name),
      "Give it a micro_step (without overshoot; CVODE and bdf: restart = false), let another subsystem be the "
      "master, or choose another "
      "algorithm.");
}

}  // namespace

void arrange(coupling::System& system, const Project& project, Findings& findings) {
  // The user's order need not name coupling conditions, which are evaluated behind the others in any case.
  if (!system.order.empty())
    for (MemberIndex member = 0; member < system.members.size(); ++member)
      if (std::ranges::find(system.order, member) == system.order.end()) system.order.push_back(member);
  if (project.orderBy.value != OrderBy::connections) orderByMicroSteps(system, project.orderBy, findings);
  const coupling::AlgorithmSettings& algorithm = project.settings.algorithm;
  if (algorithm.kind == coupling::AlgorithmKind::masterSlave) putMasterFirst(system, project, findings);
}

}  // namespace koppla::project
