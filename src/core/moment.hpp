#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace koppla::core {

/// A moment in coordinated universal time, to the second: "2026-01-31T12:00:00Z".
std::string moment(std::chrono::system_clock::time_point when);
/// Reads it back; none for any other text.
std::optional<std::chrono::system_clock::time_point> parseMoment(const std::string& text);

}  // namespace koppla::core
