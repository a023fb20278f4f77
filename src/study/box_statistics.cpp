#include "koppla/study/box_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace koppla::study {

namespace {

/// The number that this share of the sorted ones lies below, linear between neighbours.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

}  // namespace

BoxStatistics boxStatistics(std::span<const double> numbers) {
  std::vector<double> sorted(numbers.begin(), numbers.end());
  std::ranges::sort(sorted);
  return {.least = sorted.front(),
          .lowerQuartile = quantile(sorted, 0.25),
          .median = quantile(sorted, 0.5),
          .upperQuartile = quantile(sorted, 0.75),
          .most = sorted.back(),
          .mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(sorted.size())};
}

}  // namespace koppla::study
