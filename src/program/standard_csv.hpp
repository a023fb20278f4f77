#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace koppla::program {

/// Number of a node or element, as the program counts them: any order, any gaps.
using Id = std::int64_t;

/// Values by id. Jung's standard csv (Jung, appendix): one line per id, "500001 , 43.45 , 23.67".
struct IdTable {
  std::vector<Id> ids;         ///< each once, in the order of the file
  std::size_t columns = 0;     ///< values per id, at least one
  std::vector<double> values;  ///< finite, line by line
};

/// Blank lines and what follows '#' do not count. Throws core::InputError, with the line and what is wrong with it, for
/// what is no number, for values that are not finite, for a changed number of values and for an id that came before.
/// `file` is the name for messages.
IdTable parseStandardCsv(std::string_view text, const std::string& file);
IdTable readStandardCsv(const std::filesystem::path& file);

/// The ids of a text with one a line; what follows behind a comma does not matter. Throws as parseStandardCsv() does.
std::vector<Id> parseIds(std::string_view text, const std::string& file);

/// Every value in the shortest digits that read back to the same double. `values` line by line.
std::string standardCsvText(std::span<const Id> ids, std::span<const double> values);

/// The values of these ids, in their order, whatever the order of the table; others in the table do not matter. Throws
/// core::InputError with `file` as its place where some are missing.
std::vector<double> valuesOf(const IdTable& table, std::span<const Id> ids, const std::string& file);

}  // namespace koppla::program
