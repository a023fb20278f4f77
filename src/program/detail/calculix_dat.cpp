#include "koppla/program/detail/calculix_dat.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "koppla/core/suggest.hpp"
#include "koppla/core/value.hpp"
#include "koppla/program/detail/numbers.hpp"

namespace koppla::program::detail {

namespace {

struct DatTable {
  std::size_t line = 0;
  std::string quantity;
  std::vector<std::string> names;  ///< in the parentheses of the heading
  std::string set;
  double time = 0.0;
  std::vector<Row> rows{};
};

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

/// What stands in parentheses, "(elem, integ.pnt.,qx)", one after the other.
std::vector<std::string> namesIn(std::string_view title) {
  std::vector<std::string> names;
  for (std::size_t open = title.find('('); open != title.npos; open = title.find('(', open + 1)) {
    const std::size_t close = title.find(')', open);
    if (close == title.npos) break;
    for (const std::string_view name : words(title.substr(open + 1, close - open - 1), ',')) names.emplace_back(name);
  }
  return names;
}

/// Nothing where the line is no heading. CalculiX 2.20 leaves blanks out around 'for set' in some of them.
std::optional<DatTable> headingIn(std::string_view line, std::size_t number) {
  constexpr std::string_view kSet = "for set";
  constexpr std::string_view kTime = " and time ";
  const std::size_t time = line.rfind(kTime);
  if (time == line.npos) return std::nullopt;
  const std::optional<double> value = detail::number(trimmed(line.substr(time + kTime.size())));
  const std::size_t set = line.find(kSet);
  if (!value || set == line.npos) return std::nullopt;
  const std::string_view title = line.substr(0, set);
  return DatTable{.line = number,
                  .quantity = std::string(trimmed(title.substr(0, title.find('(')))),
                  .names = namesIn(title),
                  .set = std::string(trimmed(line.substr(set + kSet.size(), time - set - kSet.size()))),
                  .time = *value};
}

/// A blank line stands between a heading and its rows, another one behind them.
std::vector<DatTable> tablesOf(const Source& source) {
  std::vector<DatTable> tables;
  Lines lines(source.text);
  bool inside = false;
  while (const std::optional<std::string_view> line = lines.next()) {
    const std::string_view content = trimmed(*line);
    if (std::optional<DatTable> table = headingIn(*line, lines.number())) {
      tables.push_back(std::move(*table));
      inside = true;
    } else if (content.empty()) {
      inside = inside && tables.back().rows.empty();
    } else if (inside) {
      tables.back().rows.push_back({lines.number(), content});
    }
  }
  return tables;
}

/// CalculiX prints times with seven digits.
bool isAt(double printed, double time) {
  constexpr double kPrinted = 1e-6;
  return std::fabs(printed - time) <= kPrinted * std::fmax(std::fabs(printed), std::fabs(time)) + 1e-12;
}

const DatTable& chosen(const std::vector<DatTable>& tables, const Reading& reading, const Source& source, double time) {
  const DatTable* result = nullptr;
  std::vector<std::string> others;
  for (const DatTable& table : tables) {
    others.push_back(table.quantity);
    const bool fits = lower(table.quantity) == lower(reading.quantity) &&
                      (reading.set.empty() || lower(table.set) == lower(reading.set));
    if (!fits || (reading.take == Take::atTime && !isAt(table.time, time))) continue;
    if (reading.take == Take::first && result != nullptr) continue;
    result = &table;
  }
  if (result != nullptr) return *result;
  std::ranges::sort(others);
  others.erase(std::ranges::unique(others).begin(), others.end());
  fail(source, 0,
       fmt::format("There is no table of {}{}{}.", reading.quantity,
                   reading.set.empty() ? "" : " for set " + reading.set,
                   reading.take == Take::atTime ? " at time " + core::text(time) : ""),
       others.empty() ? "The file has no tables; ask for them with *NODE PRINT or *EL PRINT."
                      : core::suggestion(reading.quantity, others));
}

}  // namespace

std::vector<double> readCalculixDat(const Reading& reading, const Field& field, const Source& source, double time) {
  const std::vector<DatTable> tables = tablesOf(source);
  const DatTable& table = chosen(tables, reading, source, time);
  const bool ofElements = !table.names.empty() && table.names.front().starts_with("elem");
  const bool ofPoints = ofElements && table.names.size() > 1 && table.names[1].starts_with("integ");
  const bool total = lower(table.quantity).starts_with("total");
  std::vector<std::string> header = table.names;
  if (!ofElements && !total) header.insert(header.begin(), "node");
  Reading columns = reading;
  if (!total) columns.idColumn = std::size_t{1};
  Positions positions = positionsOf(columns, field, header, source, table.line);
  if (ofPoints && reading.columns.empty())
    for (std::size_t& position : positions.values) ++position;
  std::vector<Row> rows;
  for (const Row& row : table.rows) {
    const std::vector<std::string_view> cells = words(row.text);
    if (!ofPoints || (cells.size() > 1 && integer(cells[1]) == static_cast<Id>(reading.point))) rows.push_back(row);
  }
  return valuesFrom(rows, positions, columns, field, source, table.line);
}

}  // namespace koppla::program::detail
