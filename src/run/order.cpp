#include "koppla/run/order.hpp"

#include <algorithm>

namespace koppla::run {

OrderRange nominalOrder(const coupling::System& system, const Settings& settings) {
  constexpr unsigned kOfMeans = 2;  // the first moment of the input is right
  const unsigned full = settings.algorithm.degree + 1;
  unsigned least = full;
  for (const coupling::Connection& connection : system.connections) {
    const subsystem::Description& consumer = system.members[connection.to.member].subsystem->describe();
    const auto& fitted = consumer.capabilities.fitted;
    if (!fitted || consumer.ports[connection.to.port].type != core::Type::real) continue;
    least = std::min(least, fitted->degree == 0 ? kOfMeans : fitted->degree + 1);
  }
  return {least, full};
}

}  // namespace koppla::run
