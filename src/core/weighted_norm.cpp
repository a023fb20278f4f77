#include "koppla/core/weighted_norm.hpp"

namespace koppla::core {

namespace {

double ratio(double difference, double weight) {
  return difference == 0.0 ? 0.0 : std::fabs(difference) / weight;
}

/// Largest magnitude, or the root of the mean square scaled by it so that nothing overflows.
double magnitude(std::span<const double> values, bool rms) {
  double largest = 0.0;
  for (const double value : values) largest = std::max(largest, std::fabs(value));
  if (!rms || largest == 0.0) return largest;
  double sum = 0.0;
  for (const double value : values) sum += (value / largest) * (value / largest);
  return largest * std::sqrt(sum / static_cast<double>(values.size()));
}

bool finite(std::span<const double> values) {
  bool result = true;  // false for NaN as well
  for (const double value : values) result &= std::fabs(value) <= std::numeric_limits<double>::max();
  return result;
}

}  // namespace

double weightedNorm(Norm norm, const Tolerance& tolerance, std::span<const double> difference,
                    std::span<const double> reference, std::span<const double> sizes) {
  if (difference.empty()) return 0.0;
  if (isByValue(norm)) {
    NormByValue values(tolerance);
    for (std::size_t i = 0; i < difference.size(); ++i)
      values.add(difference[i], reference[i], sizes.empty() ? 0.0 : sizes[i]);
    return values.norm(norm, difference.size());
  }
  if (!finite(difference) || !finite(reference)) return HUGE_VAL;
  const bool rms = norm == Norm::fieldRms;
  return ratio(magnitude(difference, rms), tolerance.allowed(magnitude(reference, rms), magnitude(sizes, rms)));
}

}  // namespace koppla::core
