#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace koppla::results {

/// The number that a field holds, spaces around it allowed; `true` and `false` are 1 and 0.
inline std::optional<double> number(std::string_view field) {
  while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
  while (!field.empty() && field.back() == ' ') field.remove_suffix(1);
  if (field == "true") return 1.0;
  if (field == "false") return 0.0;
  if (field.starts_with('+') && !field.starts_with("+-")) field.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc{} || end != field.data() + field.size()) return std::nullopt;
  return value;
}

/// Whether a field is a number but for a comma in place of its decimal point.
inline bool hasDecimalComma(std::string_view field) {
  const std::size_t comma = field.find(',');
  if (comma == std::string_view::npos || field.find('.') != std::string_view::npos) return false;
  if (comma + 1 == field.size() || field[comma + 1] < '0' || field[comma + 1] > '9') return false;
  std::string withPoint(field);
  withPoint[comma] = '.';
  return number(withPoint).has_value();
}

}  // namespace koppla::results
