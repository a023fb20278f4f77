#pragma once

#include <algorithm>
#include <cmath>

namespace koppla::coupling {

/// The norm of a residual, in tolerances, over what is left of the first one of the step where it has fallen to `rtol`
/// of that; so it has converged at <= 1. A first residual that is next to nothing need not fall any further.
class FirstResidual {
 public:
  double relate(double norm, double rtol, bool isFirst) {
    constexpr double kNothing = 1e-6;                      // tolerances
    if (isFirst || !std::isfinite(first_)) first_ = norm;  // values without any size cannot be measured
    return std::isfinite(first_) ? norm / std::max(rtol * first_, kNothing) : HUGE_VAL;
  }

 private:
  double first_ = 0.0;
};

}  // namespace koppla::coupling
