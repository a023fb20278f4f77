#include "koppla/run/connection_ends.hpp"

#include <algorithm>
#include <iterator>

namespace koppla::run {

std::string nameOfEnd(const coupling::System& system, const coupling::Endpoint& end,
                      const std::optional<std::size_t>& element) {
  return system.members[end.member].nameOf(end.port) + (element ? "[" + std::to_string(*element + 1) + "]" : "");
}

ConnectionEnds::ConnectionEnds(const coupling::System& system, const coupling::Network& network)
    : network_(network), positions_(system.members.size()) {
  for (std::size_t position = 0; position < network.size(); ++position) positions_[network.member(position)] = position;
  for (std::size_t value = 0; value < network.outputs().size(); ++value) {
    const coupling::OutputName name = network.outputName(value);
    values_[{name.member, name.port}].push_back(value);
  }
}

std::vector<std::size_t> ConnectionEnds::valuesOf(const coupling::Connection& connection) const {
  const auto port = values_.find({connection.from.member, connection.from.port});
  if (port == values_.end()) return {};
  if (!connection.fromElement) return port->second;
  std::vector<std::size_t> meant;
  std::ranges::copy_if(port->second, std::back_inserter(meant), [&](std::size_t value) {
    return network_.outputName(value).element == *connection.fromElement;
  });
  return meant;
}

}  // namespace koppla::run
