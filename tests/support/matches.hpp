#pragma once

#include <string>
#include <vector>

namespace koppla::test {

// Regular expressions as ECMAScript writes them; ^ and $ stand for the ends of lines. Here for all tests, because
// std::regex takes seconds to compile.

/// What fitted an expression: the whole text, then its groups.
using Match = std::vector<std::string>;

/// Everything that fits, one after the other.
std::vector<Match> matches(const std::string& text, const std::string& expression);

/// The text with `with` in place of everything that fits.
std::string replaced(const std::string& text, const std::string& expression, const std::string& with);

}  // namespace koppla::test
