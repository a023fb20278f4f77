#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "koppla/study/grid.hpp"

namespace koppla::study {

/// One line of a table.
using Cells = std::vector<std::string>;

// For files in CSV.
std::string inQuotes(std::string_view text);
std::string numberOrNothing(double value);
/// Numbers as they are, words in quotes.
std::string field(const VariedValue& value);
std::string line(const Cells& cells);

// For people.
inline constexpr std::size_t kMostColumns = 8;  ///< of varied values in a table that still fits a terminal
/// Digits enough to tell grid values apart.
std::string shortText(const VariedValue& value);
/// Right-aligned columns under their heads.
std::string aligned(const std::vector<Cells>& lines);

}  // namespace koppla::study
