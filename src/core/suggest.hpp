#pragma once

#include <span>
#include <string>
#include <string_view>

namespace koppla::core {

/// The candidate nearest to a mistyped word, or an empty string when none is near enough to be what was meant.
std::string nearest(std::string_view typed, std::span<const std::string> candidates);

/// "Did you mean 'x'?" for the nearest candidate; where none is near, the candidates themselves ("Known here: ..."; at
/// most twelve); empty without candidates.
std::string suggestion(std::string_view typed, std::span<const std::string> candidates);

}  // namespace koppla::core
