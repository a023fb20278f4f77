#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace koppla::program::detail {

/// The symbols of a unit with their exponents: W/(m2.K) is W^1 m^-2 K^-1.
using Unit = std::map<std::string, int>;

/// The unit that a text spells: common symbols and their prefixes, '.', '*' and '/' between them, exponents as in m2,
/// m^2 and m²; "1" and "-" are the unit without symbols. Nothing where it is none, or may be something else (C).
std::optional<Unit> unitIn(std::string_view text);

}  // namespace koppla::program::detail
