#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace koppla::fmi {

/// Without blanks, tabs and line ends at both sides.
std::string_view trimmed(std::string_view text);

/// Numbers as XML schema writes them, whatever the locale: blanks around and a '+' are accepted, reals also as INF and
/// NaN. Empty where the text is anything else or does not fit; a real too small for a double is 0.
std::optional<double> readReal(std::string_view text);
std::optional<std::int32_t> readInteger(std::string_view text);
std::optional<std::uint32_t> readUnsigned(std::string_view text);

}  // namespace koppla::fmi
