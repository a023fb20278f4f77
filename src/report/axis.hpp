#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "koppla/report/panels.hpp"

namespace koppla::report {

struct Tick {
  double at = 0.0;  ///< in the unit of the data
  std::string text;
};

/// A straight axis with marks at round numbers.
struct Axis {
  Range range;  ///< shown, in the unit of the data
  std::vector<Tick> ticks;
  int powerOfTen = 0;  ///< that all marks leave out and the label tells
  std::string label;

  /// Where a value lies on the axis: 0 at its low end, 1 at its high end.
  [[nodiscard]] double position(double value) const {
    // Halves cannot overflow, but the smallest numbers have none.
    const double part = std::isfinite(range.high - range.low) ? 1.0 : 0.5;
    return (part * value - part * range.low) / (part * range.high - part * range.low);
  }
};

/// The time in a unit that suits its length: ns, µs, ms, s, h (from two hours), d (from ten days) or a (years of 365
/// d); beyond these in powers of ten of a second.
Axis timeAxis(Range range, std::size_t mostTicks);

/// The horizontal axis of a table: its time, or whole numbers where these stand in place of it.
Axis horizontalAxis(const results::Table& table, std::size_t mostTicks);

struct ValueAxis {
  std::string quantity;
  std::string unit;
  std::size_t mostTicks = 6;  ///< but up to five where there would be one only otherwise
  bool whole = false;         ///< marks at whole numbers only
  bool toTicks = false;       ///< widen the range to begin and end with a mark, unless that wastes much room
};

/// Very large and very small values share a power of ten, told in the label: "p / (10⁵ Pa)".
Axis valueAxis(Range range, const ValueAxis& options);

/// The vertical axis of a panel that shows this range of what it draws.
Axis verticalAxis(const Panel& panel, Range range, std::size_t mostTicks, bool toTicks);

/// A logarithmic axis: range and marks are in powers of ten, so values go on it by their log10. Marks are whole powers,
/// or 1, 2, 5 times such where the range holds fewer than two of them, or round multiples where it holds none of these.
Axis decadeAxis(Range powers, std::size_t mostTicks, std::string label);

/// "x / m", "v / (m/s)", "p / (10³ Pa)"; the quantity alone where there is neither unit nor power.
std::string axisLabel(std::string_view quantity, std::string_view unit, int powerOfTen = 0);

}  // namespace koppla::report
