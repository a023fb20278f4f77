#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace koppla::core {

/// What a port carries. An enumeration is stored as the integer of its item.
enum class Type : std::uint8_t { real, integer, boolean, string, enumeration };

/// The word for a type in messages, project files and result files.
std::string_view word(Type type);

/// One scalar of any type; integers and enumerations share std::int32_t.
using Value = std::variant<double, std::int32_t, bool, std::string>;

/// The value as a person would write it; reals in the shortest form that reads back to the same double.
std::string text(const Value& value);
std::string text(double value);

/// Values of many ports: one flat array per type. Integers and enumerations share one array; booleans are 0 or 1.
struct Values {
  std::vector<double> reals;
  std::vector<std::int32_t> integers;
  std::vector<std::int32_t> booleans;
  std::vector<std::string> strings;

  void clear();
  bool operator==(const Values&) const = default;
};

}  // namespace koppla::core
