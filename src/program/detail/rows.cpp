#include "koppla/program/detail/rows.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/printable.hpp"
#include "koppla/core/suggest.hpp"
#include "koppla/program/detail/numbers.hpp"

namespace koppla::program::detail {

namespace {

constexpr const char* kCheckProgram = "Check what the program printed there, and the columns of the port.";
constexpr const char* kDecimalPoint = "Make the program write numbers with a decimal point.";

std::string shown(std::string_view text) {
  return core::printable(text, core::LineEnds::indented);  // which keeps tabs
}

std::size_t positionOf(const Column& column, const std::vector<std::string>& header, const Source& source,
                       std::size_t at) {
  if (const auto* position = std::get_if<std::size_t>(&column)) return *position - 1;
  const std::string& name = std::get<std::string>(column);
  const auto found = std::ranges::find(header, name);
  if (found != header.end()) return static_cast<std::size_t>(found - header.begin());
  fail(source, at, fmt::format("The header of the table has no column '{}'.", name), core::suggestion(name, header));
}

/// Without ids where rows have none.
IdTable idTable(const std::vector<Row>& rows, const Positions& positions, const Reading& reading,
                const Source& source) {
  IdTable table;
  table.columns = positions.values.size();
  std::map<Id, std::size_t> lineOf;
  const std::size_t last = std::max(positions.id.value_or(0), *std::ranges::max_element(positions.values));
  for (const Row& row : rows) {
    if (const auto word = reading.separator == '\0' ? decimalCommaIn(row.text) : std::nullopt)
      fail(source, row.line, fmt::format("'{}' has a decimal comma, which would divide it into two columns.", *word),
           "Make the program write numbers with a decimal point, and the same separator between all columns.");
    const std::vector<std::string_view> cells = words(row.text, reading.separator);
    if (cells.size() <= last)
      fail(source, row.line, fmt::format("Columns in this line: {}; expected: at least {}.", cells.size(), last + 1),
           kCheckProgram);
    if (positions.id) {
      const std::optional<Id> given = integer(cells[*positions.id]);
      if (!given)
        fail(source, row.line, fmt::format("'{}' is no id, a whole number.", cells[*positions.id]), kCheckProgram);
      const auto [first, fresh] = lineOf.emplace(*given, row.line);
      if (!fresh)
        fail(source, row.line, fmt::format("The id {} stands already in line {}.", *given, first->second),
             kCheckProgram);
      table.ids.push_back(*given);
    }
    for (const std::size_t position : positions.values)
      table.values.push_back(finiteNumber(cells[position], source, row.line));
  }
  return table;
}

}  // namespace

void fail(const Source& source, std::size_t line, const std::string& message, const std::string& remedy) {
  // Bytes of the file may stand in both. A zero would end the text of an exception.
  throw core::InputError({{{source.file, line}, shown(message), shown(remedy)}});
}

bool matches(std::string_view line, const std::regex& expression) {
  constexpr std::size_t kMostSearched = 4096;
  line = line.substr(0, kMostSearched);
  return std::regex_search(line.begin(), line.end(), expression);
}

Positions positionsOf(const Reading& reading, const Field& field, const std::vector<std::string>& header,
                      const Source& source, std::size_t at) {
  Positions positions;
  if (const auto* position = std::get_if<std::size_t>(&reading.idColumn))
    positions.id = *position - 1;
  else if (const auto* name = std::get_if<std::string>(&reading.idColumn))
    positions.id = positionOf(*name, header, source, at);
  for (const Column& column : reading.columns) positions.values.push_back(positionOf(column, header, source, at));
  if (!reading.columns.empty()) return positions;
  const std::size_t first = positions.id ? *positions.id + 1 : 0;
  for (std::size_t i = 0; i < field.components; ++i) positions.values.push_back(first + i);
  return positions;
}

double finiteNumber(std::string_view word, const Source& source, std::size_t line) {
  const std::optional<double> value = number(word);
  if (!value)
    fail(source, line, fmt::format("'{}' is no number.", word), hasDecimalComma(word) ? kDecimalPoint : kCheckProgram);
  if (!std::isfinite(*value))
    fail(source, line, fmt::format("The value '{}' is not finite.", word), "The program has not found a solution.");
  return *value;
}

std::vector<double> valuesFrom(const std::vector<Row>& rows, const Positions& positions, const Reading& reading,
                               const Field& field, const Source& source, std::size_t place) {
  IdTable table = idTable(rows, positions, reading, source);
  if (positions.id) return valuesOf(table, field.ids, source.file);
  if (rows.size() != field.ids.size())
    fail(source, place, fmt::format("Rows in the table: {}; '{}' has {}.", rows.size(), field.name, field.ids.size()),
         "Check the size of the port, or give the column of ids.");
  return std::move(table.values);
}

}  // namespace koppla::program::detail
