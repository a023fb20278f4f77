#pragma once

#include <cmath>

namespace koppla::fmi::detail {

/// Whether two outputs differ by more than rounding.
inline bool differ(double a, double b) {
  constexpr double kRounding = 1e-9;
  return std::fabs(a - b) > kRounding * std::fmax(std::fabs(a), std::fabs(b));
}

}  // namespace koppla::fmi::detail
