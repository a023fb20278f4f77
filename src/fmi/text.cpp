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

/// Length of the UTF-8 sequence at the front (RFC 3629: shortest form, no surrogates, up to U+10FFFF), 0 if there is
/// none.
std::size_t sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (first == 0xE0 && byte(1) < 0xA0) return 0;
    if (first == 0xED && byte(1) > 0x9F) return 0;
    return follows(1) && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (first == 0xF0 && byte(1) < 0x90) return 0;
    if (first == 0xF4 && byte(1) > 0x8F) return 0;
    return follows(1) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
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

bool isUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = sequence(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string asUtf8(std::string text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence(std::string_view(text).substr(i));
    if (length == 0) text[i] = '?';
    i += length == 0 ? 1 : length;
  }
  return text;
}

}  // namespace koppla::fmi
