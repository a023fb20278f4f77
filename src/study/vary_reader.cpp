#include "koppla/study/vary_reader.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/value.hpp"
#include "koppla/project/document.hpp"

namespace koppla::study {

namespace {

using project::Override;
using project::Placed;
using project::TableReader;

constexpr unsigned kFormat = 1;

/// As `--set` would spell it; nothing for what no setting can be.
std::optional<VariedValue> variedValue(const project::Node& node) {
  if (const auto* real = std::get_if<double>(&node.value)) return VariedValue{core::text(*real), *real, node.place};
  if (const auto* integer = std::get_if<std::int64_t>(&node.value))
    return VariedValue{std::to_string(*integer), static_cast<double>(*integer), node.place};
  if (const auto* flag = std::get_if<bool>(&node.value))
    return VariedValue{*flag ? "true" : "false", std::nullopt, node.place};
  if (const auto* text = std::get_if<std::string>(&node.value)) return VariedValue{*text, std::nullopt, node.place};
  return std::nullopt;
}

/// A row of values, one for each of so many names; nothing, with a mistake, where it is not that.
std::optional<VariedValue> variedRow(const project::Node& node, std::size_t names, project::Reports& reports) {
  const auto& entries = std::get<project::Array>(node.value);
  VariedValue row{"", std::nullopt, node.place};
  for (const project::Node& entry : entries)
    if (std::optional<VariedValue> value = variedValue(entry)) row.parts.push_back(std::move(value->text));
  if (row.parts.size() == names && entries.size() == names) {
    row.text = fmt::format("{}", fmt::join(row.parts, ", "));
    return row;
  }
  reports.findings.mistake(node.place, fmt::format("This is not one value for each of {} settings.", names),
                           "Write a number, a word in quotes, true or false for each of 'names'.");
  return std::nullopt;
}

/// So that the keys of the other form are known when what nobody asked for is reported.
void touchRange(TableReader& table) {
  std::optional<Placed<double>> ignored;
  unsigned count = 0;
  for (const std::string_view key : {"from", "to"}) table.optionalReal(key, ignored);
  for (const std::string_view key : {"per_decade", "count"}) table.count(key, count, 0);
}

/// What tables and pictures call rows of values; `rows`: there are some.
void readLabels(TableReader& table, bool rows, Axis& axis) {
  std::vector<Placed<std::string>> labels;
  table.texts("labels", labels);
  axis.labelled = table.given("labels");
  if (!axis.labelled || !table.sound({"labels", "values"})) return;
  if (!rows)
    table.mistake("labels", "'labels' are for values that are arrays, with 'names'.", "Remove it.");
  else if (labels.size() != axis.values.size())
    table.mistake("labels", fmt::format("There are {} labels for {} values.", labels.size(), axis.values.size()),
                  "Write one for each.");
  else
    for (std::size_t i = 0; i < labels.size(); ++i) axis.values[i].text = labels[i].value;
}

void readValues(TableReader& table, project::Reports& reports, Axis& axis) {
  const project::Array& values = table.freeArray("values");
  for (const std::string_view key : {"from", "to", "per_decade", "count"})
    if (table.given(key))
      table.mistake(key, fmt::format("'values' and '{}' exclude each other.", key), "Remove one of them.");
  const auto isRow = [](const project::Node& node) { return std::holds_alternative<project::Array>(node.value); };
  const bool rows = table.given("names") && !values.empty() && std::ranges::all_of(values, isRow);
  for (const project::Node& node : values) {
    if (std::optional<VariedValue> value = rows ? variedRow(node, axis.names.size(), reports) : variedValue(node))
      axis.values.push_back(std::move(*value));
    else if (!rows)
      reports.findings.mistake(node.place, fmt::format("{} is no value of a setting.", project::inWords(node)),
                               "Write numbers, words in quotes, true or false.");
  }
  readLabels(table, rows, axis);
  if (values.empty() && table.sound({"values"})) table.mistake("values", "'values' is empty.", "Write some.");
  touchRange(table);
}

std::vector<double> readDecades(TableReader& table, double from, double to, unsigned perDecade) {
  for (const auto& [key, value] : {std::pair("from", from), std::pair("to", to)}) {
    if (value <= 0.0) {
      table.mistake(key, fmt::format("'{}' is {}; decades need numbers above 0.", key, core::text(value)));
      return {};
    }
    if (decadeValues(value, value, perDecade)) continue;
    const double nearest = std::pow(10.0, std::round(std::log10(value) * perDecade) / perDecade);
    table.mistake(
        key,
        fmt::format("'{}' is {}, which is not on the grid of {} values per decade.", key, core::text(value), perDecade),
        fmt::format("The nearest grid value is {:.3g}.", nearest));
    return {};
  }
  return decadeValues(from, to, perDecade).value_or(std::vector<double>{});
}

void readRange(TableReader& table, Axis& axis) {
  table.freeArray("values");
  readLabels(table, false, axis);
  double from = 0.0;
  double to = 0.0;
  unsigned perDecade = 0;
  unsigned count = 0;
  const std::string remedy = "Write values = [...], or from and to with per_decade or count.";
  table.real("from", from, {}, {.required = remedy});
  table.real("to", to, {}, {.required = remedy});
  constexpr unsigned kMostPerDecade = 1000;  // values are made before runs are counted
  constexpr unsigned kMostValues = 100'001;
  table.count("per_decade", perDecade, 1, {}, kMostPerDecade);
  table.count("count", count, 2, {}, kMostValues);
  if (!table.sound({"from", "to", "per_decade", "count"})) return;
  if (table.given("per_decade") == table.given("count")) {
    table.mistake("from", "A range needs either 'per_decade' or 'count'.", remedy);
    return;
  }
  const std::vector<double> values =
      table.given("count") ? linearValues(from, to, count) : readDecades(table, from, to, perDecade);
  for (const double value : values) axis.values.push_back({core::text(value), value, table.place("from")});
}

Axis readAxis(TableReader& table, project::Reports& reports) {
  Placed<std::string> name;
  std::vector<Placed<std::string>> names;
  table.text("name", name);
  table.texts("names", names);
  if (table.given("name") == table.given("names"))
    table.mistake("name", "A [[vary]] has either 'name' or 'names'.",
                  "Write name = \"simulation.step\", or names = [...] for settings of equal value.");
  if (table.given("name")) names.push_back(name);
  Axis axis;
  for (Placed<std::string>& each : names) axis.names.push_back(std::move(each.value));
  if (table.given("names") && names.empty()) table.mistake("names", "'names' is empty.", "Name a setting.");
  if (table.given("values"))
    readValues(table, reports, axis);
  else
    readRange(table, axis);
  return axis;
}

}  // namespace

bool readFormat(TableReader& root) {
  unsigned format = kFormat;
  root.count("format", format, 1, {.required = "Write format = 1 in the first line."});
  if (format <= kFormat) return true;
  root.mistake("format",
               fmt::format("The format {} is newer than this Koppla, which knows format {}.", format, kFormat),
               "Use a newer Koppla.");
  return false;
}

std::vector<Override> readSettings(TableReader& table, std::string_view key, project::Reports& reports) {
  std::vector<Placed<std::string>> texts;
  table.texts(key, texts);
  std::vector<Override> settings;
  for (const auto& [text, place] : texts) {
    try {
      settings.push_back(project::parseOverride(text, place));
    } catch (const core::InputError& error) {
      for (const core::Problem& problem : error.problems()) reports.findings.mistakes.push_back(problem);
    }
  }
  return settings;
}

Grid readGrid(TableReader& root, project::Reports& reports, const std::string& required, double mostRuns) {
  std::vector<TableReader> tables = root.tables("vary");
  if (tables.empty() && root.sound({"vary"}) && !required.empty())
    root.mistake("vary", "Nothing is varied: no [[vary]].", required);
  std::vector<Axis> axes;
  for (TableReader& table : tables) {
    Axis axis = readAxis(table, reports);
    for (const Axis& other : axes)
      for (const std::string& name : axis.names)
        if (other.has(name)) table.mistake("name", fmt::format("'{}' is varied twice.", name), "Remove one.");
    if (table.sound({"name"}) && !axis.names.empty() && !axis.values.empty()) axes.push_back(std::move(axis));
  }
  for (TableReader& table : tables) table.finish();
  Grid grid(std::move(axes));
  double runs = 1.0;
  for (const Axis& axis : grid.axes()) runs *= static_cast<double>(axis.values.size());
  if (runs > mostRuns)
    root.mistake("vary", fmt::format("The grid has {:.0f} runs; at most {:.0f} are accepted.", runs, mostRuns),
                 "Vary less in one study.");
  return grid;
}

}  // namespace koppla::study
