#pragma once

#include <span>
#include <string>
#include <string_view>

namespace koppla::results {

/// Whether a name fits a pattern as a whole: `*` stands for any characters (also none, also dots), `?` for exactly one.
/// All others, `[` and `]` among them, stand for themselves, because names of variables hold them. `?` is one byte.
bool matches(std::string_view pattern, std::string_view name);

/// Whether the name fits one of the patterns.
bool matchesAny(std::span<const std::string> patterns, std::string_view name);

/// Whether a pattern can fit more than one name.
bool isPattern(std::string_view text);

}  // namespace koppla::results
