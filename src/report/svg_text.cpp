#include "koppla/report/svg_text.hpp"

#include <cstddef>

namespace koppla::report {

namespace {

/// The bytes of the UTF-8 character at the beginning of the text, 0 where it is broken or not allowed in XML 1.0.
std::size_t validCharacter(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(text[i])); };
  const unsigned first = byte(0);
  if (first < 0x80U) return first >= 0x20U || first == '\t' || first == '\n' || first == '\r' ? 1 : 0;
  const std::size_t length = first >= 0xF0U ? 4 : first >= 0xE0U ? 3 : 2;
  if (first < 0xC2U || first > 0xF4U || text.size() < length) return 0;
  unsigned code = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  constexpr unsigned kLeast[] = {0, 0, 0x80, 0x800, 0x10000};  // smaller ones should have been written shorter
  const bool surrogate = code >= 0xD800U && code <= 0xDFFFU;
  if (code < kLeast[length] || code > 0x10FFFFU || surrogate || code == 0xFFFEU || code == 0xFFFFU) return 0;
  return length;
}

}  // namespace

std::string xmlEscaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = validCharacter(text);
    if (length == 0) {
      result += "\xEF\xBF\xBD";
      text.remove_prefix(1);
      continue;
    }
    switch (text.front()) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return result;
}

std::string withMinusSign(std::string_view number) {
  return number.starts_with('-') ? "−" + std::string(number.substr(1)) : std::string(number);
}

double textWidth(std::string_view text, double fontSize) {
  double widths = 0.0;  // in the size of the font
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U) continue;
    const std::string_view narrow = "ijlt.,:;'|![]()/ fr";
    const std::string_view wide = "mwMW@%";
    widths += narrow.find(c) != std::string_view::npos ? 0.33 : wide.find(c) != std::string_view::npos ? 0.9 : 0.6;
  }
  return widths * fontSize;
}

}  // namespace koppla::report
