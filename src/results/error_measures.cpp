#include "koppla/results/error_measures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "koppla/core/error.hpp"

namespace koppla::results {

namespace {

void requireSameSize(std::size_t reference, std::size_t computed) {
  if (reference != computed) throw core::InternalError("Errors need as many computed values as reference values.");
}

double square(double value) {
  return value * value;
}

}  // namespace

std::optional<double> normalisedError(std::span<const double> reference, std::span<const double> computed) {
  requireSameSize(reference.size(), computed.size());
  // Not by the sum of squares: the mean of equal numbers may be off by a rounding. A NaN equals none of them.
  if (std::ranges::all_of(reference, [&](double value) { return value == reference.front(); })) return std::nullopt;
  const double mean = std::accumulate(reference.begin(), reference.end(), 0.0) / static_cast<double>(reference.size());
  double error = 0.0;
  double spread = 0.0;
  for (std::size_t n = 0; n < reference.size(); ++n) {
    error += square(reference[n] - computed[n]);
    spread += square(reference[n] - mean);
  }
  return std::sqrt(error / spread);
}

double combinedError(std::span<const double> perVariable) {
  double sum = 0.0;
  for (const double error : perVariable) sum += square(error);
  return std::sqrt(sum);
}

double weightedErrorAt(std::span<const double> reference, std::span<const double> computed) {
  requireSameSize(reference.size(), computed.size());
  if (reference.empty()) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0.0;
  for (std::size_t i = 0; i < reference.size(); ++i)
    sum += square((reference[i] - computed[i]) / (1.0 + std::fmax(std::fabs(reference[i]), std::fabs(computed[i]))));
  return std::sqrt(sum / static_cast<double>(reference.size()));
}

WeightedError weightedError(std::span<const Samples> reference, std::span<const Samples> computed) {
  requireSameSize(reference.size(), computed.size());
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (reference.empty() || reference.front().empty()) return {kNone, kNone};
  const std::size_t instants = reference.front().size();
  std::vector<double> exact(reference.size());
  std::vector<double> found(reference.size());
  double sum = 0.0;
  for (std::size_t n = 0; n < instants; ++n) {
    for (std::size_t i = 0; i < reference.size(); ++i) {
      exact[i] = reference[i].at(n);
      found[i] = computed[i].at(n);
    }
    sum += square(weightedErrorAt(exact, found));
  }
  return {std::sqrt(sum), std::sqrt(sum / static_cast<double>(instants))};
}

}  // namespace koppla::results
