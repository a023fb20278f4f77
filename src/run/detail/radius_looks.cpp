#include "koppla/run/detail/radius_looks.hpp"

namespace koppla::run::detail {

void RadiusLooks::add(double radius, std::uint64_t steps) {
  constexpr double kResolution = 1e-9;  // of many looks some agree by chance
  changeBefore_ = change_;
  if (!none()) change_ = std::fmax(kResolution, std::fabs(radius - radius_));
  radius_ = radius;
  steps_ = steps;
}

ProbedRadius RadiusLooks::last() const {
  return std::isinf(changeBefore_) ? ProbedRadius{radius_, change_, steps_} : soFar();
}

}  // namespace koppla::run::detail
