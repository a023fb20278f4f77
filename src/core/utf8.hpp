#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace koppla::core {

/// A character of UTF-8 (RFC 3629: shortest form, no surrogates, up to U+10FFFF) and the bytes it takes.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;  ///< 0 where the text does not begin with valid UTF-8
};

/// The character at the front of a text that is not empty.
Character firstCharacter(std::string_view text);

bool isUtf8(std::string_view text);

/// What fits of a text into so many bytes, without a broken character at its end.
std::string_view fitting(std::string_view text, std::size_t bytes);

/// Appends a character; what is none (a surrogate, beyond U+10FFFF) becomes U+FFFD.
void appendUtf8(std::string& text, char32_t code);

}  // namespace koppla::core
