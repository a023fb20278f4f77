#include "koppla/core/time_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace koppla::core {

TimeGrid::TimeGrid(double start, double end, double step) : start_(start), end_(end), step_(step) {
  // A quotient that misses a whole number by rounding only must not cost one more, empty step.
  const double quotient = (end - start) / step;
  const double whole = std::round(quotient);
  constexpr double kTie = 1e-9;
  constexpr double kRounding = 4.0 * std::numeric_limits<double>::epsilon();
  const bool divides = whole >= 1.0 && std::fabs(quotient - whole) <= kTie + kRounding * whole;
  steps_ = std::max(std::int64_t{1}, static_cast<std::int64_t>(divides ? whole : std::ceil(quotient)));
  // A rest that is less than a tie and more than rounding was meant: the last row is at the end, and so are its values.
  const double nominalEnd = start + static_cast<double>(steps_) * step;
  lastIsWhole_ = std::fabs(end - nominalEnd) <= kRounding * std::fmax(std::fabs(start), std::fabs(end));
}

}  // namespace koppla::core
