#include "koppla/subsystem/feed_through.hpp"

#include <algorithm>

namespace koppla::subsystem {

std::vector<PortIndex> realOutputsFedBy(const Description& description, std::span<const PortIndex> inputs) {
  const auto isReal = [&](PortIndex port) { return description.ports.at(port).type == core::Type::real; };
  std::vector<bool> feeds(description.ports.size(), false);
  for (const PortIndex input : inputs) feeds.at(input) = isReal(input);
  const bool any = std::ranges::find(feeds, true) != feeds.end();
  std::vector<PortIndex> outputs;
  for (PortIndex port = 0; port < description.ports.size(); ++port) {
    if (description.ports[port].causality != Causality::output || !isReal(port)) continue;
    const Dependencies& declared = description.dependenciesOf(port);
    if (declared ? std::ranges::any_of(*declared, [&](PortIndex on) { return feeds.at(on); }) : any)
      outputs.push_back(port);
  }
  return outputs;
}

}  // namespace koppla::subsystem
