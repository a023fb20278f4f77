#include "koppla/mapping/detail/layers.hpp"

#include <cmath>

namespace koppla::mapping::detail {

/// The other layer is sought at twice to eight times the distance: across a wider one the receiver is beside its own.
bool Layers::hold(const Position& receiver, const Position& taken, std::uint32_t nearest) {
  constexpr double kRounding = 1e-6;  // of the distance to the nearest giver; most receivers are not beside anything
  constexpr double kNotable = 0.05;   // of the reach
  constexpr double kBehind = 1.5;     // distances: farther than the receiver itself
  const double distance = std::sqrt(squaredDistance(receiver, taken));
  if (!(distance > kRounding * std::sqrt(squaredDistance(receiver, givers_[nearest])))) return false;
  if (!(distance > kNotable * reaches_.of(nearest))) return false;
  for (const double factor : {2.0, 4.0, 8.0}) {
    Position ahead{};
    for (std::size_t i = 0; i < 3; ++i) ahead[i] = taken[i] + factor * (receiver[i] - taken[i]);
    const PointTree::Neighbour found = tree_.nearest(ahead);
    double along = 0.0;
    for (std::size_t i = 0; i < 3; ++i)
      along += (givers_[found.index][i] - taken[i]) * (receiver[i] - taken[i]) / distance;
    if (along > kBehind * distance && std::sqrt(found.squaredDistance) <= reaches_.of(found.index)) return true;
  }
  return false;
}

}  // namespace koppla::mapping::detail
