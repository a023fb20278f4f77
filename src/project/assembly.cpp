#include "koppla/project/assembly.hpp"

#include <algorithm>
#include <utility>

#include "koppla/core/error.hpp"
#include "koppla/subsystem/phases.hpp"

namespace koppla::project {

Assembly::Assembly(Parts& parts, const Resolution& resolution) : parts_(parts), resolution_(resolution) {
  const std::vector<const subsystem::Description*> descriptions = parts.descriptions();
  portNames_.resize(descriptions.size());
  for (std::size_t i = 0; i < descriptions.size(); ++i) {
    const Group* const group = groupOf(i);
    if (group == nullptr || group->host == i) kept_.push_back(i);
    if (group == nullptr) continue;
    for (const subsystem::Port& port : descriptions[i]->ports)
      portNames_[i].push_back(parts.project().subsystems[i].name.value + "." + port.name);
  }
}

const Group* Assembly::groupOf(std::size_t subsystem) const {
  for (const Group& group : parts_.groups())
    if (std::ranges::find(group.members, subsystem) != group.members.end()) return &group;
  return nullptr;
}

Project Assembly::project() const {
  Project project = parts_.project();
  std::vector<SubsystemEntry> entries;
  for (const std::size_t subsystem : kept_) entries.push_back(std::move(project.subsystems[subsystem]));
  project.subsystems = std::move(entries);
  return project;
}

std::optional<coupling::MemberIndex> Assembly::find(std::size_t subsystem) const {
  const Group* const group = groupOf(subsystem);
  if (group != nullptr && group->host != subsystem) return std::nullopt;
  return static_cast<coupling::MemberIndex>(std::ranges::find(kept_, subsystem) - kept_.begin());
}

/// The member with the phases of all that it is made of on their nearest branches.
std::unique_ptr<subsystem::Subsystem> Assembly::unwrapped(std::unique_ptr<subsystem::Subsystem> member,
                                                          std::size_t subsystem) const {
  if (!member) return member;  // what is wrong with it is known
  const Group* const group = groupOf(subsystem);
  std::vector<subsystem::PortIndex> phases;
  for (const std::size_t part : group == nullptr ? std::vector{subsystem} : group->members) {
    const SubsystemEntry& entry = parts_.project().subsystems[part];
    for (const Placed<std::string>& phase : entry.phases)
      if (const auto port =
              member->describe().find(group == nullptr ? phase.value : entry.name.value + "." + phase.value))
        phases.push_back(*port);
  }
  return phases.empty() ? std::move(member) : subsystem::unwrapPhases(std::move(member), std::move(phases));
}

coupling::Member Assembly::take(coupling::MemberIndex member, core::Log& log, Findings& findings) {
  const std::size_t subsystem = kept_[member];
  const std::string& name = parts_.project().subsystems[subsystem].name.value;
  if (const Group* const group = groupOf(subsystem))
    return {name, unwrapped(parts_.takeJoint(*group, resolution_, log, findings), subsystem), {}, true};
  return {name, unwrapped(parts_.take(subsystem, log), subsystem), resolution_.startValues[subsystem]};
}

coupling::Endpoint Assembly::endpoint(const coupling::Endpoint& end, const coupling::System& system) const {
  const Group* const group = groupOf(end.member);
  if (group == nullptr) return {*find(end.member), end.port};
  const coupling::MemberIndex member = *find(group->host);
  const auto port = system.members[member].subsystem->describe().find(portNames_[end.member][end.port]);
  return {member, *port};
}

std::vector<coupling::Connection> Assembly::connections(const coupling::System& system) const {
  std::vector<coupling::Connection> result;
  for (coupling::Connection connection : resolution_.connections) {
    const Group* const from = groupOf(connection.from.member);
    if (from != nullptr && from == groupOf(connection.to.member)) continue;
    connection.from = endpoint(connection.from, system);
    connection.to = endpoint(connection.to, system);
    result.push_back(connection);
  }
  return result;
}

std::vector<coupling::MemberIndex> Assembly::order() const {
  std::vector<coupling::MemberIndex> result;
  for (const std::size_t subsystem : resolution_.order)
    if (const std::optional<coupling::MemberIndex> member = find(subsystem)) result.push_back(*member);
  return result;
}

}  // namespace koppla::project
