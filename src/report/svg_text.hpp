#pragma once

#include <string>
#include <string_view>

namespace koppla::report {

/// A text as XML can hold it: markup escaped, characters that XML forbids and broken UTF-8 replaced by U+FFFD.
std::string xmlEscaped(std::string_view text);

/// A hyphen before a number as the minus sign it means.
std::string withMinusSign(std::string_view number);

/// About how wide a text is in a usual sans-serif font, in px.
double textWidth(std::string_view text, double fontSize);

}  // namespace koppla::report
