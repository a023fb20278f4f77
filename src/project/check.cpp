#include "koppla/project/check.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/suggest.hpp"

namespace koppla::project {

namespace {

bool isNameOfSubsystem(std::string_view name) {
  return std::ranges::none_of(name,
                              [](char c) { return c == '.' || static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; });
}

std::string already(const core::Place& first) {
  return first.line > 0 ? " already in line " + std::to_string(first.line) : std::string(" already");
}

using Names = std::map<std::string, core::Place>;

void checkName(const Placed<std::string>& written, std::string_view what, Names& seen, Findings& findings) {
  const auto& [name, place] = written;
  if (name.empty()) {
    findings.mistake(place, "A " + std::string(what) + " has no name.",
                     "Write name = \"...\", without dots and blanks.");
    return;
  }
  if (!isNameOfSubsystem(name)) {
    findings.mistake(place, "'" + name + "' cannot be the name of a " + std::string(what) + ".",
                     "Use a name without dots and blanks; \"name.port\" names a port.");
    return;
  }
  const auto [first, fresh] = seen.emplace(name, place);
  if (!fresh)
    findings.mistake(place, "The name '" + name + "' is used" + already(first->second) + ".",
                     "Give every " + std::string(what) + " a name of its own.");
}

void checkSubsystems(const Project& project, Names& seen, Findings& findings) {
  for (const SubsystemEntry& entry : project.subsystems) {
    const std::string& name = entry.name.value;
    if (entry.fmu.value.empty() && !entry.model && !entry.program)
      findings.mistake(
          entry.fmu.place,
          (name.empty() ? std::string("A subsystem") : "The subsystem '" + name + "'") +
              " has neither FMU nor model nor program.",
          "Write fmu = \"path/to/model.fmu\", model = \"...\" for a native model, or program = \"...\", a command.");
    checkName(entry.name, "subsystem", seen, findings);
  }
}

bool checkReference(const SubsystemIndex& index, const PortReference& reference, Findings& findings,
                    const std::string& what = "port") {
  if (reference.subsystem.empty() || reference.port.empty()) {
    findings.mistake(reference.place, "'" + reference.subsystem + "' names no " + what + ".",
                     "Write \"subsystem." + what + "\".");
    return false;
  }
  if (index.find(reference.subsystem)) return true;
  if (index.isNobodys(reference.subsystem))
    findings.mistake(reference.place, "There is no subsystem '" + reference.subsystem + "'.",
                     core::suggestion(reference.subsystem, index.names()));
  return false;
}

void checkConnections(const Project& project, const SubsystemIndex& index, Findings& findings) {
  using Input = std::pair<std::string, std::string>;
  std::map<Input, core::Place> connected;
  std::map<Input, core::Place> inParts;  // ports with a connected element
  for (const ConnectionEntry& entry : project.connections) {
    checkReference(index, entry.from, findings);
    if (!checkReference(index, entry.to, findings)) continue;
    const Input input(entry.to.subsystem, entry.to.port);
    const auto [first, fresh] = connected.emplace(input, entry.to.place);
    const core::Place* other = fresh ? nullptr : &first->second;
    if (const std::optional<ElementName> part = parseElement(entry.to.port)) {
      const Input whole(entry.to.subsystem, part->port);
      inParts.emplace(whole, entry.to.place);
      if (const auto found = connected.find(whole); found != connected.end()) other = &found->second;
    } else if (const auto found = inParts.find(input); found != inParts.end()) {
      other = &found->second;
    }
    if (other != nullptr)
      findings.mistake(
          entry.to.place,
          "The input '" + entry.to.subsystem + "." + entry.to.port + "' is connected" + already(*other) + ".",
          "Remove one of the two connections.");
  }
}

void checkConditions(const Project& project, const SubsystemIndex& index, Names& seen, Findings& findings) {
  for (const ConditionEntry& entry : project.conditions) {
    checkName(entry.name, "condition", seen, findings);
    checkReference(index, entry.first, findings, "marker");
    checkReference(index, entry.second, findings, "marker");
    if (entry.first.subsystem == entry.second.subsystem)
      findings.mistake(
          entry.second.place,
          "The condition '" + entry.name.value + "' acts between '" + entry.first.subsystem + "' and itself.",
          "Name markers of two subsystems.");
  }
}

void checkOrder(const Project& project, const SubsystemIndex& index, Findings& findings) {
  if (project.order.empty()) return;
  std::set<std::string> listed;
  for (const auto& [name, place] : project.order) {
    if (index.isNobodys(name))
      findings.mistake(place, "There is no subsystem '" + name + "' to be put in order.",
                       core::suggestion(name, index.names()));
    else if (!listed.insert(name).second)
      findings.mistake(place, "'" + name + "' stands twice in the order.", "Remove one of the two.");
  }
  for (const std::string& name : index.names())
    if (!listed.contains(name))
      findings.mistake(project.order.front().place, "The order does not say when '" + name + "' is evaluated.",
                       "Name every subsystem, or leave 'order' out.");
}

void checkMaster(const Project& project, const SubsystemIndex& index, Findings& findings) {
  const auto& [name, place] = project.master;
  if (name.empty()) return;
  if (index.isNobodys(name))
    findings.mistake(place, "There is no subsystem '" + name + "' to be the master.",
                     core::suggestion(name, index.names()));
  if (!index.find(name)) return;
  if (const std::string& host = project.subsystems[*index.find(name)].inside.value; !host.empty())
    findings.mistake(place, "The master '" + name + "' is inside '" + host + "', whose integrator solves it.",
                     "Write master = \"" + host + "\".");
  else if (!project.order.empty() && project.order.front().value != name)
    findings.mistake(place,
                     "The master '" + name + "' is not the first in order; '" + project.order.front().value + "' is.",
                     "Put it first, or leave 'order' out.");
}

void checkInside(const Project& project, const SubsystemIndex& index, Findings& findings) {
  for (const SubsystemEntry& entry : project.subsystems) {
    const auto& [host, place] = entry.inside;
    if (host.empty()) continue;
    const std::optional<std::size_t> found = index.find(host);
    if (index.isNobodys(host))
      findings.mistake(place, fmt::format("There is no subsystem '{}' for '{}' to be inside.", host, entry.name.value),
                       core::suggestion(host, index.names()));
    if (!found) continue;
    if (host == entry.name.value)
      findings.mistake(place, "'" + host + "' cannot be inside itself.",
                       "Name the subsystem whose integrator solves it.");
    else if (const std::string& outer = project.subsystems[*found].inside.value; !outer.empty())
      findings.mistake(place, fmt::format("'{}' is inside '{}' itself.", host, outer),
                       "Name a subsystem that is inside no other.");
  }
}

}  // namespace

std::optional<ElementName> parseElement(std::string_view name) {
  const std::size_t open = name.rfind('[');
  if (open == name.npos || open == 0 || !name.ends_with(']')) return std::nullopt;
  const char* const end = name.data() + name.size() - 1;
  std::size_t number = 0;
  const auto [stop, error] = std::from_chars(name.data() + open + 1, end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return ElementName{std::string(name.substr(0, open)), number};
}

SubsystemIndex::SubsystemIndex(const Project& project)
    : namesAreMissing_(project.namesAreMissing), unread_(project.unreadSubsystems) {
  for (std::size_t i = 0; i < project.subsystems.size(); ++i) {
    const std::string& name = project.subsystems[i].name.value;
    if (!name.empty() && byName_.emplace(name, i).second) names_.push_back(name);
  }
}

std::optional<std::size_t> SubsystemIndex::find(std::string_view name) const {
  const auto found = byName_.find(std::string(name));
  if (found == byName_.end()) return std::nullopt;
  return found->second;
}

bool SubsystemIndex::isNobodys(std::string_view name) const {
  return !namesAreMissing_ && !find(name) && std::ranges::find(unread_, name) == unread_.end();
}

Findings checkEntries(const Project& project) {
  const SubsystemIndex index(project);
  Findings findings;
  Names names;
  checkSubsystems(project, names, findings);
  checkConnections(project, index, findings);
  checkConditions(project, index, names, findings);
  checkOrder(project, index, findings);
  checkMaster(project, index, findings);
  checkInside(project, index, findings);
  return findings;
}

}  // namespace koppla::project
