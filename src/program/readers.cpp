#include "koppla/program/readers.hpp"

#include <algorithm>
#include <optional>
#include <regex>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/core/suggest.hpp"
#include "koppla/program/detail/calculix_dat.hpp"
#include "koppla/program/detail/numbers.hpp"
#include "koppla/program/detail/rows.hpp"
#include "koppla/program/detail/unit.hpp"

namespace koppla::program {

namespace {

using detail::Row;
using detail::Source;

bool hasNames(const Reading& reading) {
  return std::holds_alternative<std::string>(reading.idColumn) ||
         std::ranges::any_of(reading.columns, [](const Column& c) { return std::holds_alternative<std::string>(c); });
}

/// A table of text: where columns are named, its first line is the header.
std::vector<double> readTable(std::vector<Row> rows, const Reading& reading, const Field& field, const Source& source,
                              std::size_t place) {
  std::vector<std::string> header;
  if (hasNames(reading)) {
    if (rows.empty()) detail::fail(source, place, "The table has no header.", "Name columns by position instead.");
    for (const std::string_view name : detail::words(rows.front().text, reading.separator)) header.emplace_back(name);
    place = rows.front().line;
    rows.erase(rows.begin());
  }
  return valuesFrom(rows, positionsOf(reading, field, header, source, place), reading, field, source, place);
}

std::vector<double> readColumns(const Reading& reading, const Field& field, const Source& source) {
  std::vector<Row> rows;
  detail::Lines lines(source.text);
  while (const std::optional<std::string_view> line = lines.next()) {
    const std::string_view content = detail::trimmed(line->substr(0, line->find('#')));
    if (!content.empty()) rows.push_back({lines.number(), content});
  }
  return readTable(std::move(rows), reading, field, source, 0);
}

std::vector<double> readCsv(const Reading& reading, const Field& field, const Source& source) {
  const IdTable table = parseStandardCsv(source.text, source.file);
  std::vector<std::size_t> columns;
  for (const Column& column : reading.columns) columns.push_back(std::get<std::size_t>(column) - 1);
  const std::size_t needed = columns.empty() ? field.components : *std::ranges::max_element(columns) + 1;
  if (columns.empty() ? table.columns != needed : table.columns < needed)
    detail::fail(source, table.ids.empty() ? 0 : 1,
                 fmt::format("Values for each id: {}; '{}' needs {}.", table.columns, field.name, needed),
                 "Check 'components' and 'columns' of the port.");
  std::vector<double> all = valuesOf(table, field.ids, source.file);
  if (columns.empty()) return all;
  std::vector<double> result;
  for (std::size_t row = 0; row < field.ids.size(); ++row)
    for (const std::size_t column : columns) result.push_back(all[row * table.columns + column]);
  return result;
}

/// A word without the brackets around it and the full stop behind it.
std::string_view bare(std::string_view word) {
  if (word.ends_with('.')) word.remove_suffix(1);
  const bool bracketed =
      (word.starts_with('[') && word.ends_with(']')) || (word.starts_with('(') && word.ends_with(')'));
  return bracketed ? word.substr(1, word.size() - 2) : word;
}

/// The word behind the numbers must not be another unit than the port's.
void checkUnit(std::string_view word, bool isLast, const Reading& reading, const Source& source, std::size_t line) {
  const std::string_view found = bare(word);
  if (reading.unit.empty() || found == reading.unit) return;
  if (!isLast && (word == "in" || word == "A")) return;  // a sentence
  const std::optional<detail::Unit> unit = detail::unitIn(found);
  if (!unit || unit == detail::unitIn(reading.unit)) return;
  detail::fail(
      source, line, fmt::format("The unit '{}' stands behind the number; the port is in '{}'.", found, reading.unit),
      fmt::format("Write unit = \"{}\" at the port and 'scale' at its connections, or convert the number.", found));
}

/// The numbers behind the '=' of a line; their unit or other words may follow them.
std::vector<double> numbersIn(std::string_view text, const Reading& reading, const Source& source, std::size_t line) {
  const std::vector<std::string_view> words = detail::words(text);
  std::vector<double> result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!result.empty() && !detail::number(words[i])) {
      checkUnit(words[i], i + 1 == words.size(), reading, source, line);
      break;
    }
    result.push_back(detail::finiteNumber(words[i], source, line));
  }
  return result;
}

std::vector<double> readKeyValue(const Reading& reading, const Field& field, const Source& source) {
  const std::string& key = reading.key.empty() ? field.name : reading.key;
  std::optional<Row> found;
  std::vector<std::string> keys;
  detail::Lines lines(source.text);
  while (const std::optional<std::string_view> line = lines.next()) {
    const std::size_t sign = line->find_first_of("=:");
    if (sign == line->npos) continue;
    const std::string_view name = detail::trimmed(line->substr(0, sign));
    if (name != key) {
      keys.emplace_back(name);
      continue;
    }
    if (!found || reading.take == Take::last) found = Row{lines.number(), line->substr(sign + 1)};
  }
  if (!found) detail::fail(source, 0, fmt::format("There is no line '{} = ...'.", key), core::suggestion(key, keys));
  std::vector<double> values = numbersIn(found->text, reading, source, found->line);
  if (values.size() != field.size())
    detail::fail(source, found->line,
                 fmt::format("Numbers behind '{}': {}; '{}' has {}.", key, values.size(), field.name, field.size()),
                 detail::hasDecimalComma(detail::trimmed(found->text))
                     ? "Make the program write numbers with a decimal point."
                     : "Check the size of the port.");
  return values;
}

std::vector<double> readBlock(const Reading& reading, const Field& field, const Source& source) {
  const std::regex begin(reading.begin);
  const std::regex end(reading.end);
  std::vector<Row> rows;
  std::optional<std::size_t> heading;
  bool inside = false;
  bool ended = false;
  detail::Lines lines(source.text);
  while (const std::optional<std::string_view> line = lines.next()) {
    const bool blank = detail::trimmed(*line).empty();
    if (!inside && detail::matches(*line, begin) && (reading.take == Take::last || !heading)) {
      heading = lines.number();
      rows.clear();
      inside = true;
      ended = false;
    } else if (inside && (reading.end.empty() ? blank && !rows.empty() : detail::matches(*line, end))) {
      inside = false;
      ended = true;
    } else if (inside && !blank) {
      rows.push_back({lines.number(), *line});
    }
  }
  if (!heading)
    detail::fail(source, 0, fmt::format("No line matches '{}', which begins the block.", reading.begin),
                 "Check 'begin' of the port.");
  if (!ended && !reading.end.empty())
    detail::fail(source, *heading, fmt::format("No line behind matches '{}', which ends the block.", reading.end),
                 "Check 'end' of the port, or whether the program wrote all of the file.");
  return readTable(std::move(rows), reading, field, source, *heading);
}

void checkExpression(const std::string& expression, std::string_view option) {
  try {
    const std::regex compiled(expression);
  } catch (const std::regex_error& error) {
    throw core::InputError(fmt::format("'{}' ('{}') is no regular expression: {}.", option, expression, error.what()),
                           "Write one as for grep -E.");
  }
}

}  // namespace

unsigned digitsOf(const Reading& reading) {
  constexpr unsigned kCalculix = 7;
  if (reading.digits > 0) return reading.digits;
  return reading.format == Format::calculixDat ? kCalculix : 0;
}

void check(const Reading& reading, const Field& field) {
  const auto refuse = [&](const std::string& message, const std::string& remedy) {
    throw core::InputError(fmt::format("The output '{}' {}", field.name, message), remedy);
  };
  if (!reading.columns.empty() && reading.columns.size() != field.components)
    refuse(fmt::format("has {} columns and {} values for each id.", reading.columns.size(), field.components),
           "Name one column for each component.");
  if (reading.format == Format::csv && hasNames(reading))
    refuse("names columns of a standard csv file, which has no header.", "Count them behind the id, from 1.");
  if (reading.format == Format::block) {
    if (reading.begin.empty()) refuse("says not where its block begins.", "Write begin = \"...\".");
    checkExpression(reading.begin, "begin");
    checkExpression(reading.end, "end");
  }
  if (reading.format == Format::calculixDat && reading.quantity.empty())
    refuse("says not which table it is in.", "Write quantity = \"displacements\", as the headings of the file say.");
}

std::vector<double> read(const Reading& reading, const Field& field, const std::filesystem::path& folder, double time) {
  const std::filesystem::path file = folder / reading.file;
  if (!std::filesystem::exists(file))
    throw core::InputError(
        {{{file.string()},
          fmt::format("The program has not written this file, where '{}' is to be found.", field.name),
          "Check its name and what the program printed."}});
  const Source source{file.string(), core::readWhole(file)};
  if (source.text.empty()) detail::fail(source, 0, "The file is empty.", "Check what the program printed.");
  if (!reading.openEnd && !source.text.ends_with('\n'))
    detail::fail(source, 1 + static_cast<std::size_t>(std::ranges::count(source.text, '\n')),
                 "The last line has no end: the file may be cut off.",
                 "Write open_end = true where the program always leaves it out.");
  switch (reading.format) {
    case Format::csv:
      return readCsv(reading, field, source);
    case Format::columns:
      return readColumns(reading, field, source);
    case Format::keyValue:
      return readKeyValue(reading, field, source);
    case Format::block:
      return readBlock(reading, field, source);
    case Format::calculixDat:
      return detail::readCalculixDat(reading, field, source, time);
  }
  return {};
}

}  // namespace koppla::program
