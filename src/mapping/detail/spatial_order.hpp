#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "koppla/mapping/points.hpp"

namespace koppla::mapping::detail {

/// All indices, in an order in which neighbours in space mostly follow each other (Morton's curve). Searches in this
/// order find in the cache what they need: for a million points in no order that is twice as fast.
std::vector<std::uint32_t> spatialOrder(std::span<const Position> positions);

}  // namespace koppla::mapping::detail
