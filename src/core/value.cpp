#include "koppla/core/value.hpp"

#include <array>
#include <charconv>

namespace koppla::core {

std::string_view word(Type type) {
  switch (type) {
    case Type::real:
      return "real";
    case Type::integer:
      return "integer";
    case Type::boolean:
      return "boolean";
    case Type::string:
      return "string";
    case Type::enumeration:
      return "enumeration";
  }
  return "unknown";
}

std::string text(double value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end};
}

std::string text(const Value& value) {
  struct Writer {
    std::string operator()(double real) const { return text(real); }
    std::string operator()(std::int32_t integer) const { return std::to_string(integer); }
    std::string operator()(bool boolean) const { return boolean ? "true" : "false"; }
    std::string operator()(const std::string& string) const { return string; }
  };
  return std::visit(Writer{}, value);
}

void Values::clear() {
  reals.clear();
  integers.clear();
  booleans.clear();
  strings.clear();
}

}  // namespace koppla::core
