#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "koppla/results/table.hpp"

namespace koppla::report {

struct Range {
  double low = 0.0;
  double high = 0.0;
};

/// Some air around values that are all the same, as far as rounding lets us tell; else the range itself. What comes out
/// is finite, and long enough to be divided by marks.
Range withAir(Range range);

/// Curves that share a frame, because they share a unit.
struct Panel {
  std::string unit;
  std::vector<const results::Series*> curves;

  /// What the vertical axis shows, without unit: the name of the only curve, what all names end with ("T" for a.T
  /// and b.T[2]), or "value".
  [[nodiscard]] std::string quantity() const;
  /// Of all that is drawn; a constant has some air around it; 0 to 1 for booleans and where there is no
  /// value.
  [[nodiscard]] Range range() const;
  /// Only integers, enumerations and booleans: no marks between whole numbers.
  [[nodiscard]] bool whole() const;
  [[nodiscard]] bool boolean() const { return curves.front()->type == core::Type::boolean; }
  /// Magnitudes by their powers of ten.
  [[nodiscard]] bool decades() const { return curves.front()->decades; }
};

/// The variables that fit the patterns, one panel per unit (and others for booleans and for powers of ten), each with
/// at most so many curves. Texts are left out; core::InputError where a pattern fits nothing, nothing can be drawn, or
/// there are too many.
std::vector<Panel> makePanels(const results::Table& table, std::span<const std::string> patterns,
                              std::size_t curvesPerPanel);

/// The time of the table, or what stands for it; a single instant has some air around it.
Range timeRange(const results::Table& table);

/// Neither NaN nor infinite.
inline bool canBeDrawn(double value) {
  return std::isfinite(value);
}

/// What is drawn of a value: itself, or its power of ten. Where there is none it is not a number.
inline double drawn(const results::Series& series, std::size_t row) {
  const double value = series.numbers[row];
  if (!series.decades) return value;
  return value > 0.0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
}

/// Goes along a curve: draw(t, y, connected) for each corner, `connected` if a line leads to it from the one before.
/// Values that cannot be drawn are gaps; series that keep their value between rows go in steps; repeated times give
/// vertical lines.
template <class Draw>
void trace(const std::vector<double>& time, const results::Series& series, Draw draw) {
  bool connected = false;
  for (std::size_t i = 0; i < time.size(); ++i) {
    const double y = drawn(series, i);
    if (!canBeDrawn(y)) {
      connected = false;
      continue;
    }
    if (connected && series.held()) draw(time[i], drawn(series, i - 1), true);
    draw(time[i], y, connected);
    connected = true;
  }
}

}  // namespace koppla::report
