#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "koppla/program/field.hpp"

namespace koppla::program {

/// How a file is read.
enum class Format : std::uint8_t {
  csv,         ///< standard csv, by id
  columns,     ///< a table of text
  keyValue,    ///< lines "name = value" or "name: value"
  block,       ///< a table of text between two lines
  calculixDat  ///< tables of CalculiX's .dat file
};

/// Which of several is meant, where a file has several.
enum class Take : std::uint8_t { last, first, atTime };

/// A column of a table, by its position from 1 or by its name in the table's header.
using Column = std::variant<std::size_t, std::string>;

/// Where the values of an output port are found. Options that a format does not use are ignored.
struct Reading {
  Format format = Format::csv;
  std::filesystem::path file{};   ///< relative to the folder of the call
  bool openEnd = false;           ///< the last line may have no end; otherwise such a file counts as cut off
  std::vector<Column> columns{};  ///< one per component; empty: the first ones behind the id
  std::variant<std::monostate, std::size_t, std::string> idColumn{};  ///< none: rows in the order of the ids
  char separator = '\0';                                              ///< of columns; 0: blanks, commas and semicolons
  std::string key{};                                                  ///< of key-value; empty: the port's name
  std::string begin{}, end{};  ///< of block: regular expressions; without `end` a blank line ends it
  Take take = Take::last;      ///< of key-value, block and calculixDat
  std::string quantity{};      ///< of calculixDat, as in its headings: "displacements"
  std::string set{};           ///< of calculixDat; empty: any
  std::size_t point = 1;       ///< of calculixDat: the integration point, in tables that have them
  std::string unit{};          ///< of key-value: the port's; another one behind the numbers is refused. Empty: any
  unsigned digits = 0;         ///< significant ones of the numbers in the file; 0: as the format says, or all
};

/// Significant digits of the numbers in the file; 0: all of a double.
unsigned digitsOf(const Reading& reading);

/// What is wrong with a reading before any file is there; throws core::InputError.
void check(const Reading& reading, const Field& field);

/// The values of the field, all finite, by its ids where the file has ids. `time`: the end of the step, s, for
/// Take::atTime. Throws core::InputError with file, line and what was expected there.
std::vector<double> read(const Reading& reading, const Field& field, const std::filesystem::path& folder, double time);

}  // namespace koppla::program
