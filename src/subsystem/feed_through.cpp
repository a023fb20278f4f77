#include "koppla/subsystem/feed_through.hpp"

#include <algorithm>

namespace koppla::subsystem {

std::vector<PortIndex> outputsFedBy(const Description& description, std::span<const PortIndex> inputs) {
  std::vector<bool> feeds(description.ports.size(), false);
  for (const PortIndex input : inputs) feeds.at(input) = description.ports.at(input).type == core::Type::real;
  const bool any = std::ranges::find(feeds, true) != feeds.end();
  std::vector<PortIndex> outputs;
  for (PortIndex port = 0; port < description.ports.size(); ++port) {
    if (description.ports[port].causality != Causality::output) continue;
    const Dependencies& declared = description.dependenciesOf(port);
    if (declared ? std::ranges::any_of(*declared, [&](PortIndex on) { return feeds.at(on); }) : any)
      outputs.push_back(port);
  }
  return outputs;
}

}  // namespace koppla::subsystem
