#include "koppla/project/toml_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace koppla::project {

namespace {

bool isControl(char c) {
  return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
}

bool isBare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

std::string tomlReal(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0.0 ? "inf" : "-inf";
  std::string text = core::text(value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";  // else TOML takes it for an integer
  return text;
}

}  // namespace

std::string tomlString(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      result.append({'\\', c});
    else if (isControl(c))
      result += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    else
      result += c;
  }
  return result + "\"";
}

std::string tomlKey(std::string_view key) {
  return !key.empty() && std::ranges::all_of(key, isBare) ? std::string(key) : tomlString(key);
}

std::string tomlValue(const core::Value& value) {
  struct Writer {
    std::string operator()(double real) const { return tomlReal(real); }
    std::string operator()(std::int32_t integer) const { return std::to_string(integer); }
    std::string operator()(bool boolean) const { return boolean ? "true" : "false"; }
    std::string operator()(const std::string& string) const { return tomlString(string); }
  };
  return std::visit(Writer{}, value);
}

std::string tomlComment(std::string_view text) {
  std::string result(text);
  std::ranges::replace_if(result, isControl, ' ');
  return result;
}

}  // namespace koppla::project
