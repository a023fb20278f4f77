#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "koppla/results/table.hpp"

namespace koppla::report {

struct Range {
  double low = 0.0;
  double high = 0.0;
};

/// Curves that share a frame, because they share a unit.
struct Panel {
  std::string unit;
  std::vector<const results::Series*> curves;

  /// What the vertical axis shows, without unit: the name of the only curve, what all names end with ("T" for a.T
  /// and b.T[2]), or "value".
  [[nodiscard]] std::string quantity() const;
  /// Of all values that can be drawn; a constant has some air around it; 0 to 1 for booleans and where there is no
  /// value.
  [[nodiscard]] Range range() const;
  /// Only integers, enumerations and booleans: no marks between whole numbers.
  [[nodiscard]] bool whole() const;
  [[nodiscard]] bool boolean() const { return curves.front()->type == core::Type::boolean; }
};

/// The variables that fit the patterns, one panel per unit (and one for booleans), each with at most so many curves.
/// Texts are left out; core::InputError where a pattern fits nothing, nothing can be drawn, or there are too many.
std::vector<Panel> makePanels(const results::Table& table, std::span<const std::string> patterns,
                              std::size_t curvesPerPanel);

/// The time of the table; a single instant has some air around it.
Range timeRange(const results::Table& table);

/// Neither NaN nor beyond all reason.
inline bool canBeDrawn(double value) {
  return std::fabs(value) <= 1e300;
}

/// Goes along a curve: draw(t, y, connected) for each corner, `connected` if a line leads to it from the one before.
/// Values that cannot be drawn are gaps; series that keep their value between rows go in steps; repeated times give
/// vertical lines.
template <class Draw>
void trace(const std::vector<double>& time, const results::Series& series, Draw draw) {
  bool connected = false;
  for (std::size_t i = 0; i < time.size(); ++i) {
    const double y = series.numbers[i];
    if (!canBeDrawn(y)) {
      connected = false;
      continue;
    }
    if (connected && series.held()) draw(time[i], series.numbers[i - 1], true);
    draw(time[i], y, connected);
    connected = true;
  }
}

}  // namespace koppla::report
