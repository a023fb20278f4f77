#include "koppla/stepping/double_step.hpp"

#include <algorithm>
#include <vector>

namespace koppla::stepping {

double doubleStepError(const DoubleStep& step, core::Norm norm, core::Tolerance tolerance) {
  const std::size_t n = step.full.size();
  std::vector<double> difference(n);
  for (std::size_t i = 0; i < n; ++i) difference[i] = step.halves[i] - step.full[i];
  const double richardson = core::weightedNorm(norm, tolerance, difference, step.halves, step.sizes);
  for (std::size_t i = 0; i < n; ++i) {
    const double fullSlope = (step.full[i] - step.start[i]) / step.h;
    const double lastSlope = (step.halves[i] - step.middle[i]) / (step.h / 2.0);
    difference[i] = step.h / 2.0 * (fullSlope - lastSlope);
  }
  return std::max(richardson, core::weightedNorm(norm, tolerance, difference, step.halves, step.sizes));
}

}  // namespace koppla::stepping
