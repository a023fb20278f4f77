#pragma once

#include <array>
#include <span>

#include "koppla/mapping/points.hpp"

namespace koppla::mapping::detail {

/// The place of a simplex that is nearest to a point, by its barycentric coordinates.
struct Closest {
  std::array<double, 4> weights{};  ///< none negative; they sum to 1; 0 beyond the corners in use
  double squaredDistance = 0.0;
};

/// 1 to 4 corners; they may lie on one line or in one place.
Closest closestPoint(std::span<const Position> corners, const Position& point);

}  // namespace koppla::mapping::detail
