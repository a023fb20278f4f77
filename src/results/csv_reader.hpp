#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "koppla/results/recorder.hpp"
#include "koppla/results/table.hpp"

namespace koppla::results {

/// What is known about a CSV text besides the text.
struct CsvSource {
  std::string file;             ///< for messages
  bool partial = false;         ///< it may end in the middle of a row; such a row is dropped, with a note
  std::vector<Column> columns;  ///< types, units and descriptions by name, as read by parseUnits()
  bool anyOrder = false;        ///< times may go back
};

/// Reads our own files and those of others: cross-check CSV; commas, semicolons or tabs (the one that follows the first
/// name); names with or without quotes; MasterSim's `name [unit]`; both line ends; blank lines; a delimiter at the end
/// of each line.
///
/// The first column is the time; where its name carries a unit (`Time [h]`) it is converted to seconds. A column whose
/// type is not known holds texts if the field in its first row is quoted (unless that of the time is, too) or is no
/// number, otherwise reals; `true` and `false` count as 1 and 0. Names that repeat are the elements of an array and
/// become name[1], name[2] and so on. Throws core::InputError with line and column.
Table parseCsv(std::string_view text, const CsvSource& source);

/// Reads the side file that tells type, unit and description of the columns.
std::vector<Column> parseUnits(std::string_view text, const std::string& file);

}  // namespace koppla::results
