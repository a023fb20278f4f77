#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace koppla::results {

/// How a series on one grid of times is read at an instant of another.
struct Sample {
  std::size_t row = 0;     ///< of the reference
  std::size_t before = 0;  ///< the rows around the instant; equal where one row is the answer
  std::size_t after = 0;
  double weight = 0.0;    ///< of `after`: how far the instant lies between them, from 0 to 1
  std::size_t held = 0;   ///< the row for series that keep their value between rows
  std::size_t other = 0;  ///< where one row of the reference meets a jump: its right side, the left one being `before`;
                          ///< otherwise equal to `held`

  [[nodiscard]] double linear(std::span<const double> values) const {
    if (before == after) return values[before];
    return values[before] + weight * (values[after] - values[before]);
  }
};

/// One sample for each row of the reference that the times reach; rows before the first time or after the last have
/// none.
///
/// Repeated times are the sides of a jump: where both have one, rows are paired, left with left and right with right
/// (the first and the last ones, if one has rows in between). Where only the reference has a jump, both its rows meet
/// the same value; where only the times have one, the reference's single row may be either side.
///
/// Instants count as the same when they differ by less than 1e-10 of the reference's length: a sum of a million steps
/// is off by that much.
std::vector<Sample> align(std::span<const double> times, std::span<const double> reference);

}  // namespace koppla::results
