#pragma once

#include <cstdint>
#include <memory>
#include <numbers>

#include "koppla/solver/equations.hpp"

namespace koppla::native {

/// The wall of an elastic tube, without inertia; the partner of TubeFlow, with the same source.
struct TubeWall {
  std::int32_t nodes = 101;                  ///< 1 .. kMostTubeNodes
  double youngsModulus = 1e4;                ///< N/m2, of a wall of 1 m: c^2 = E / (2 r0)
  double radius = std::numbers::inv_sqrtpi;  ///< m, at rest
  double restArea = 1.0;                     ///< m2, at the pressure restPressure
  double restPressure = 0.0;                 ///< Pa
};

/// a = a0 (p0 - 2 c^2)^2 / (p - 2 c^2)^2 at every node: input p, output a with feed-through.
std::unique_ptr<solver::Equations> tubeWall(const TubeWall& settings = {});

}  // namespace koppla::native
