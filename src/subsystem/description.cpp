#include "koppla/subsystem/description.hpp"

#include <algorithm>

namespace koppla::subsystem {

std::string_view word(Causality causality) {
  switch (causality) {
    case Causality::input:
      return "input";
    case Causality::output:
      return "output";
    case Causality::parameter:
      return "parameter";
    case Causality::local:
      return "local";
  }
  return "unknown";
}

void Description::indexNames() {
  byName_.clear();
  byName_.reserve(ports.size());
  for (PortIndex i = 0; i < ports.size(); ++i) byName_.emplace(ports[i].name, i);
}

std::optional<PortIndex> Description::find(std::string_view name) const {
  const auto found = byName_.find(std::string(name));
  if (found == byName_.end()) return std::nullopt;
  return found->second;
}

const Dependencies& Description::dependenciesOf(PortIndex output) const {
  static const Dependencies kUndeclared;
  const auto found = dependencies.find(output);
  return found == dependencies.end() ? kUndeclared : found->second;
}

const Dependencies& Description::initialDependenciesOf(PortIndex output) const {
  const auto found = initialDependencies.find(output);
  return found == initialDependencies.end() ? dependenciesOf(output) : found->second;
}

bool Description::feedsThrough(PortIndex input, PortIndex output) const {
  const Dependencies& declared = dependenciesOf(output);
  return !declared || std::ranges::find(*declared, input) != declared->end();
}

std::vector<PortIndex> Description::outputsFedBy(std::span<const PortIndex> inputs) const {
  std::vector<bool> feeds(ports.size(), false);
  for (const PortIndex input : inputs) feeds.at(input) = true;
  std::vector<PortIndex> outputs;
  for (PortIndex port = 0; port < ports.size(); ++port) {
    if (ports[port].causality != Causality::output) continue;
    const Dependencies& declared = dependenciesOf(port);
    if (declared ? std::ranges::any_of(*declared, [&](PortIndex on) { return feeds.at(on); }) : !inputs.empty())
      outputs.push_back(port);
  }
  return outputs;
}

}  // namespace koppla::subsystem
