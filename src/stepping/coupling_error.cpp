#include "koppla/stepping/coupling_error.hpp"

#include <cmath>

namespace koppla::stepping {

double couplingError(const Promise& promise, core::Tolerance tolerance) {
  core::NormByValue values(tolerance);
  const std::size_t n = promise.computed.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (promise.courses[i] == Course::exact) continue;
    const double share = promise.courses[i] == Course::interpolated ? promise.interpolationShare : 1.0;
    values.add(share * (promise.computed[i] - promise.predicted[i]),
               std::fabs(promise.computed[i]) + promise.allowance[i], promise.sizes[i]);
  }
  return values.norm(core::Norm::max, n);
}

double richardsonError(const Halved& step, core::Tolerance tolerance) {
  core::NormByValue values(tolerance);
  for (std::size_t i = 0; i < step.full.size(); ++i)
    values.add(step.halves[i] - step.full[i], std::fabs(step.halves[i]) + step.allowance[i], step.sizes[i]);
  return values.norm(core::Norm::max, step.full.size()) / (std::ldexp(1.0, static_cast<int>(step.order)) - 1.0);
}

}  // namespace koppla::stepping
