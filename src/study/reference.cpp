#include "koppla/study/reference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace koppla::study {

namespace {

constexpr std::size_t kNodes = 4;

double roundingOf(const std::vector<double>& times) {
  if (times.empty()) return 0.0;
  const double magnitude = std::fmax(std::fabs(times.front()), std::fabs(times.back()));
  return 1e-10 * (times.back() - times.front()) / static_cast<double>(times.size()) +
         8.0 * std::numeric_limits<double>::epsilon() * magnitude;
}

/// Rows around the interval that ends at `after`, not across a jump (a repeated time): [first, last).
struct Rows {
  std::size_t first;
  std::size_t last;
};

Rows nearestRows(const std::vector<double>& times, std::size_t after) {
  Rows rows{after - 1, after + 1};
  const auto canGrowDown = [&] { return rows.first > 0 && times[rows.first - 1] < times[rows.first]; };
  const auto canGrowUp = [&] { return rows.last < times.size() && times[rows.last] > times[rows.last - 1]; };
  while (rows.last - rows.first < kNodes && (canGrowDown() || canGrowUp())) {
    const bool balanced = after - rows.first <= rows.last - after;
    if (canGrowDown() && (balanced || !canGrowUp()))
      --rows.first;
    else
      ++rows.last;
  }
  return rows;
}

}  // namespace

TableReference::TableReference(results::Table table, BetweenRows between)
    : table_(std::move(table)), between_(between), sameInstant_(roundingOf(table_.time)) {
  for (const results::Series& series : table_.series) {
    if (!series.numeric()) continue;
    names_.push_back(series.name);
    series_.push_back(&series);
  }
}

bool TableReference::values(double t, std::span<double> y) const {
  const std::vector<double>& times = table_.time;
  const auto notBefore = std::ranges::lower_bound(times, t - sameInstant_);
  auto at = static_cast<std::size_t>(notBefore - times.begin());
  if (at == times.size()) return false;
  if (times[at] <= t + sameInstant_) {
    // Of a jump the last row counts: it is what the following step starts from.
    while (at + 1 < times.size() && times[at + 1] <= t + sameInstant_) ++at;
    for (std::size_t i = 0; i < series_.size(); ++i) y[i] = series_[i]->numbers[at];
    return true;
  }
  if (at == 0 || between_ == BetweenRows::skip) return false;
  interpolate(at, t, y);
  return true;
}

void TableReference::interpolate(std::size_t after, double t, std::span<double> y) const {
  const std::vector<double>& times = table_.time;
  const Rows rows = nearestRows(times, after);
  std::array<double, kNodes> weights{};  // Lagrange's polynomials at t
  for (std::size_t k = rows.first; k < rows.last; ++k) {
    double weight = 1.0;
    for (std::size_t other = rows.first; other < rows.last; ++other)
      if (other != k) weight *= (t - times[other]) / (times[k] - times[other]);
    weights.at(k - rows.first) = weight;
  }
  for (std::size_t i = 0; i < series_.size(); ++i) {
    const results::Series& series = *series_[i];
    if (series.held()) {
      y[i] = series.numbers[after - 1];
      continue;
    }
    y[i] = 0.0;
    for (std::size_t k = rows.first; k < rows.last; ++k) y[i] += weights.at(k - rows.first) * series.numbers[k];
  }
}

}  // namespace koppla::study
