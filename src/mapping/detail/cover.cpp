#include "koppla/mapping/detail/cover.hpp"

#include <algorithm>
#include <cmath>

#include "koppla/mapping/detail/spatial_order.hpp"

namespace koppla::mapping::detail {

namespace {

constexpr double kInner = 0.6;    // of a patch's radius: receivers there need no other patch
constexpr double kOverlap = 1.2;  // reach to inner part: more is smoother and costs more entries

}  // namespace

Cover cover(std::span<const Position> givers, PointTree& tree, std::span<const Position> receivers,
            std::size_t giversPerPatch) {
  Cover result;
  result.giversPerPatch = std::min(giversPerPatch, givers.size());
  if (receivers.empty()) return result;
  PointTree receiverTree(receivers);
  std::vector<bool> covered(receivers.size(), false);
  for (const std::uint32_t i : spatialOrder(receivers)) {
    if (covered[i]) continue;
    const auto [nearest, squaredDistance] = tree.nearest(receivers[i]);
    const Position& centre = givers[nearest];
    const auto neighbours = tree.nearest(centre, result.giversPerPatch);
    const double radius = std::sqrt(neighbours.back().squaredDistance);
    const double inner = std::max(kInner * radius, (1.0 + 1e-9) * std::sqrt(squaredDistance));
    result.patches.push_back({centre, radius, kOverlap * inner});
    for (const auto& neighbour : neighbours) result.givers.push_back(neighbour.index);
    std::sort(result.givers.end() - static_cast<std::ptrdiff_t>(neighbours.size()), result.givers.end());
    for (const auto& receiver : receiverTree.within(centre, kOverlap * inner)) {
      result.receivers.push_back(receiver.index);
      if (receiver.squaredDistance <= inner * inner) covered[receiver.index] = true;
    }
    result.starts.push_back(result.receivers.size());
  }
  return result;
}

}  // namespace koppla::mapping::detail
