#include "koppla/core/printable.hpp"

#include <fmt/format.h>

#include "koppla/core/utf8.hpp"

namespace koppla::core {

namespace {

bool within(char32_t code, char32_t first, char32_t last) {
  return code >= first && code <= last;
}

bool commands(char32_t code) {
  return code < 0x20U || within(code, 0x7FU, 0x9FU)                           // C0, delete, C1
         || code == 0x061CU || within(code, 0x200EU, 0x200FU)                 // marks of direction
         || within(code, 0x202AU, 0x202EU) || within(code, 0x2066U, 0x2069U)  // embeddings, overrides, isolates
         || within(code, 0x2028U, 0x2029U)                                    // separators of lines and paragraphs
         || code == 0xFEFFU || within(code, 0xFFF9U, 0xFFFBU)                 // byte order mark, annotations
         || (within(code, 0, 0xFFFFU) && (code & 0xFFFEU) == 0xFFFEU);        // no characters, forbidden in XML
}

}  // namespace

std::string printable(std::string_view text, LineEnds lineEnds) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  constexpr std::string_view kIndent = "    ";
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const auto [code, bytes] = firstCharacter(text);
    const std::string_view character = text.substr(0, bytes);
    text.remove_prefix(bytes == 0 ? 1 : bytes);
    const bool layout = lineEnds != LineEnds::shown && (code == '\n' || code == '\t');
    if (bytes == 0)
      result += kReplacement;
    else if (code == '\r' && lineEnds != LineEnds::shown && text.starts_with('\n'))
      continue;
    else if (commands(code) && !layout)
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(code));
    else
      result += character;
    if (code == '\n' && bytes == 1 && lineEnds == LineEnds::indented) result += kIndent;
  }
  return result;
}

}  // namespace koppla::core
