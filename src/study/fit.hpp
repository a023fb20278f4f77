#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace koppla::study {

/// A straight line through log10(error) over log10(setting): its slope is the order of convergence.
struct Slope {
  std::size_t points = 0;
  double slope = std::numeric_limits<double>::quiet_NaN();          ///< from two points on
  double standardError = std::numeric_limits<double>::quiet_NaN();  ///< of the slope, from three points on
  double intercept = std::numeric_limits<double>::quiet_NaN();      ///< log10 of the error where the setting is 1

  /// The error that the line gives.
  [[nodiscard]] double at(double setting) const { return std::pow(10.0, intercept + slope * std::log10(setting)); }
};

struct FitPoint {
  double setting;  ///< > 0
  double error;    ///< > 0
};

/// By least squares. Points at one and the same setting have no slope.
Slope fitSlope(std::span<const FitPoint> points);

}  // namespace koppla::study
