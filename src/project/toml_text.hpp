#pragma once

#include <string>
#include <string_view>

#include "koppla/core/value.hpp"

namespace koppla::project {

/// Pieces of TOML that read back to what they were made from.
std::string tomlString(std::string_view text);
std::string tomlKey(std::string_view key);  ///< bare where that is allowed
std::string tomlValue(const core::Value& value);
/// The text on one line, as it may stand in a comment.
std::string tomlComment(std::string_view text);

}  // namespace koppla::project
