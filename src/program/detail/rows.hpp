#pragma once

#include <cstddef>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "koppla/program/field.hpp"
#include "koppla/program/readers.hpp"

namespace koppla::program::detail {

/// A file that a program wrote.
struct Source {
  std::string file;  ///< for messages
  std::string text;
};

[[noreturn]] void fail(const Source& source, std::size_t line, const std::string& message, const std::string& remedy);

/// Whether an expression fits a part of the line. Of very long lines only the beginning is searched: the library's
/// search needs memory of the stack for every character.
bool matches(std::string_view line, const std::regex& expression);

/// A line of a table and its number in the file.
struct Row {
  std::size_t line;
  std::string_view text;
};

/// Positions from 0 of what is wanted of every row.
struct Positions {
  std::optional<std::size_t> id;
  std::vector<std::size_t> values;
};

/// Where the columns of a reading stand. `header` are the names, if there are any; `at` its line.
Positions positionsOf(const Reading& reading, const Field& field, const std::vector<std::string>& header,
                      const Source& source, std::size_t at);

/// A number that must stand there, finite.
double finiteNumber(std::string_view word, const Source& source, std::size_t line);

/// The values of the field from rows of text: by id, or in order where there is none. `place` is the line of the
/// table's heading, for what is wrong with the table as a whole.
std::vector<double> valuesFrom(const std::vector<Row>& rows, const Positions& positions, const Reading& reading,
                               const Field& field, const Source& source, std::size_t place);

}  // namespace koppla::program::detail
