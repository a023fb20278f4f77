#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "koppla/core/value.hpp"

namespace koppla::results {

/// One variable over all rows of a table.
struct Series {
  std::string name;
  std::string unit;
  std::string description;
  core::Type type = core::Type::real;
  std::vector<double> numbers;     ///< one per row; empty for strings
  std::vector<std::string> texts;  ///< one per row; empty for all but strings
  bool decades = false;            ///< a magnitude that pictures show by its powers of ten

  [[nodiscard]] bool numeric() const { return type != core::Type::string; }
  /// Keeps its value from row to row, where a real runs in a straight line.
  [[nodiscard]] bool held() const { return type != core::Type::real; }
};

/// Results in memory. Times never decrease; equal times are the two sides of a jump.
struct Table {
  std::string source;        ///< the file, for messages
  std::vector<double> time;  ///< s
  std::vector<Series> series;
  bool partial = false;            ///< the run that wrote it did not complete, or has not yet
  std::vector<std::string> notes;  ///< what the user should know about how it was read
  std::string over{};              ///< a count that stands in place of the time; empty: it is the time

  /// The first series of that name, or null.
  [[nodiscard]] const Series* find(std::string_view name) const;
};

/// The series that fit one of the patterns (all, if there is no pattern), in the order of the table.
/// A pattern that fits nothing is the user's mistake: core::InputError.
std::vector<const Series*> select(const Table& table, std::span<const std::string> patterns);

}  // namespace koppla::results
