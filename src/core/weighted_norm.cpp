#include "koppla/core/weighted_norm.hpp"

#include <cmath>

namespace koppla::core {

double weightedNorm(Norm norm, Tolerance tolerance, std::span<const double> difference,
                    std::span<const double> reference) {
  if (difference.empty()) return 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < difference.size(); ++i) {
    if (difference[i] == 0.0) continue;
    const double d = difference[i] / (tolerance.rtol * std::fabs(reference[i]) + tolerance.atol);
    sum += d * d;
  }
  const double n = static_cast<double>(difference.size());
  return norm == Norm::rms ? std::sqrt(sum / n) : std::sqrt(sum) / n;
}

}  // namespace koppla::core
