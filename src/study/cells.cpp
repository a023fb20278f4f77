#include "koppla/study/cells.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "koppla/core/value.hpp"

namespace koppla::study {

std::string inQuotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

std::string numberOrNothing(double value) {
  return std::isnan(value) ? std::string() : core::text(value);
}

std::string field(const VariedValue& value) {
  return value.number ? value.text : inQuotes(value.text);
}

std::string line(const Cells& cells) {
  return fmt::format("{}\n", fmt::join(cells, ","));
}

std::string shortText(const VariedValue& value) {
  return value.number ? fmt::format("{:.4g}", *value.number) : value.text;
}

std::string aligned(const std::vector<Cells>& lines) {
  std::vector<std::size_t> widths;
  for (const Cells& cells : lines) {
    widths.resize(std::max(widths.size(), cells.size()));
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string text;
  for (const Cells& cells : lines) {
    std::string one;
    for (std::size_t i = 0; i < cells.size(); ++i)
      one += fmt::format("{}{:>{}}", i == 0 ? "  " : "   ", cells[i], widths[i]);
    text += one + "\n";
  }
  return text;
}

}  // namespace koppla::study
