#include "koppla/report/svg_text.hpp"

#include "koppla/core/printable.hpp"

namespace koppla::report {

std::string xmlEscaped(std::string_view text) {
  std::string result;
  for (const char c : core::printable(text, core::LineEnds::kept)) {
    switch (c) {
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
        result += c;
    }
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
