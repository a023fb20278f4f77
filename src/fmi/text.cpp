#include "koppla/fmi/text.hpp"

#include <charconv>
#include <system_error>

namespace koppla::fmi {

namespace {

template <typename Number>
struct Read {
  std::optional<Number> number;
  bool outOfRange = false;
};

template <typename Number>
Read<Number> read(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return {};
  }
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end != text.data() + text.size() || text.empty()) return {};
  if (error == std::errc::result_out_of_range) return {std::nullopt, true};
  if (error != std::errc{}) return {};
  return {number};
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::optional<double> readReal(std::string_view text) {
  const Read<double> result = read<double>(text);
  if (!result.outOfRange) return result.number;
  if (text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos) return 0.0;
  return std::nullopt;
}

std::optional<std::int32_t> readInteger(std::string_view text) {
  return read<std::int32_t>(text).number;
}

std::optional<std::uint32_t> readUnsigned(std::string_view text) {
  return read<std::uint32_t>(text).number;
}

}  // namespace koppla::fmi
