#include "koppla/mapping/detail/spatial_order.hpp"

#include <algorithm>
#include <utility>

namespace koppla::mapping::detail {

namespace {

constexpr unsigned kBits = 21;  // for each coordinate: three fit into 64

/// The bits of a number with two zeros after each.
std::uint64_t spread(std::uint64_t bits) {
  bits = (bits | bits << 32U) & 0x1f00000000ffffU;
  bits = (bits | bits << 16U) & 0x1f0000ff0000ffU;
  bits = (bits | bits << 8U) & 0x100f00f00f00f00fU;
  bits = (bits | bits << 4U) & 0x10c30c30c30c30c3U;
  return (bits | bits << 2U) & 0x1249249249249249U;
}

}  // namespace

std::vector<std::uint32_t> spatialOrder(std::span<const Position> positions) {
  if (positions.empty()) return {};
  Position low = positions.front();
  Position high = low;
  for (const Position& position : positions)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], position[axis]);
      high[axis] = std::max(high[axis], position[axis]);
    }
  const double side = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
  const double scale = side > 0.0 ? static_cast<double>((1U << kBits) - 1) / side : 0.0;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> keys;
  keys.reserve(positions.size());
  for (const Position& position : positions) {
    std::uint64_t key = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      key |= spread(static_cast<std::uint64_t>((position[axis] - low[axis]) * scale)) << axis;
    keys.emplace_back(key, static_cast<std::uint32_t>(keys.size()));
  }
  std::ranges::sort(keys);
  std::vector<std::uint32_t> order;
  order.reserve(keys.size());
  for (const auto& [key, index] : keys) order.push_back(index);
  return order;
}

}  // namespace koppla::mapping::detail
