#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "koppla/coupling/network.hpp"
#include "koppla/coupling/system.hpp"

namespace koppla::run {

/// "mass.v", or "mass.v[2]" where an element of the port is meant.
std::string nameOfEnd(const coupling::System& system, const coupling::Endpoint& end,
                      const std::optional<std::size_t>& element);

/// What the connections of a system are in its network.
class ConnectionEnds {
 public:
  ConnectionEnds(const coupling::System& system, const coupling::Network& network);

  /// The outputs of the network that a connection passes on; none where they are discrete.
  [[nodiscard]] std::vector<std::size_t> valuesOf(const coupling::Connection& connection) const;
  /// Where the subsystem stands that takes them, in the order of evaluation.
  [[nodiscard]] std::size_t consumerOf(const coupling::Connection& connection) const {
    return positions_[connection.to.member];
  }

 private:
  const coupling::Network& network_;
  std::map<std::pair<coupling::MemberIndex, subsystem::PortIndex>, std::vector<std::size_t>> values_;  ///< by port
  std::vector<std::size_t> positions_;                                                                 ///< by member
};

}  // namespace koppla::run
