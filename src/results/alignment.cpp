#include "koppla/results/alignment.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace koppla::results {

namespace {

double sameInstant(std::span<const double> times) {
  if (times.empty()) return 0.0;
  const double length = times.back() - times.front();
  const double magnitude = std::max(std::fabs(times.front()), std::fabs(times.back()));
  return 1e-10 * length + 4.0 * std::numeric_limits<double>::epsilon() * magnitude;
}

Sample exactly(std::size_t row, std::size_t at, std::size_t other) {
  return {row, at, at, 0.0, at, other};
}

/// Between two rows, or at one that differs from the instant by rounding only.
Sample between(std::span<const double> times, double t, std::size_t row, std::size_t after, std::size_t held) {
  if (after == 0) return exactly(row, 0, 0);
  if (after == times.size()) return exactly(row, after - 1, after - 1);
  const double from = times[after - 1];
  return {row, after - 1, after, (t - from) / (times[after] - from), held, held};
}

/// The k-th of n rows of the reference at a jump meets one of the rows [first, last] of the times.
Sample atJump(std::size_t row, std::size_t k, std::size_t n, std::size_t first, std::size_t last) {
  if (n == 1) return exactly(row, first, last);
  const std::size_t at = k + 1 == n ? last : std::min(first + k, last - 1);
  return exactly(row, at, at);
}

}  // namespace

std::vector<Sample> align(std::span<const double> times, std::span<const double> reference) {
  std::vector<Sample> samples;
  samples.reserve(reference.size());
  const double same = sameInstant(reference);
  std::size_t first = 0;  // row of the times: the first that is not before the instant
  for (std::size_t row = 0; row < reference.size();) {
    const double t = reference[row];
    std::size_t n = 1;
    while (row + n < reference.size() && reference[row + n] <= t + same) ++n;
    while (first < times.size() && times[first] < t - same) ++first;
    std::size_t end = first;
    while (end < times.size() && times[end] <= t + same) ++end;

    const std::size_t rows = end - first;
    const bool reached = rows > 0 || (first > 0 && first < times.size());
    for (std::size_t k = 0; k < n && reached; ++k) {
      if (rows > 1)
        samples.push_back(atJump(row + k, k, n, first, end - 1));
      else if (rows == 0)
        samples.push_back(between(times, t, row + k, first, first - 1));
      else if (times[first] == t)
        samples.push_back(exactly(row + k, first, first));
      else
        samples.push_back(between(times, t, row + k, times[first] < t ? end : first, first));
    }
    row += n;
  }
  return samples;
}

}  // namespace koppla::results
