#pragma once

#include <cstdint>

namespace koppla::native {

/// What lies between two points.
enum class Interpolation : std::uint8_t {
  linear,  ///< a straight line
  hold,    ///< the value of the point before
  /// A cubic with continuous slope that keeps rising where the points rise and never leaves the range of its two
  /// neighbours: slopes after Fritsch and Butland, SIAM J. Sci. Stat. Comput. 5 (1984) 300.
  cubic
};

/// What lies beyond the first and the last point.
enum class Extrapolation : std::uint8_t {
  hold,   ///< their values
  linear  ///< straight lines with the slopes that the interpolation has there
};

}  // namespace koppla::native
