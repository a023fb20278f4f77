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
  constexpr double kPlain = 1.5;  // whoever grows by that in every step is soon gone, and has been seen to grow
  const bool byTwo = std::isinf(changeBefore_) || radius_ > kPlain;
  return byTwo ? ProbedRadius{radius_, change_, steps_} : soFar();
}

}  // namespace koppla::run::detail
