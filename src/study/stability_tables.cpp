#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "koppla/core/value.hpp"
#include "koppla/study/cells.hpp"
#include "koppla/study/stability.hpp"

namespace koppla::study {

namespace {

// Of a table that still fits a terminal.
constexpr std::size_t kMostLines = 100;

/// Six digits; of an unstable radius that these make 1, by how much it is above.
std::string unstableRadius(double radius) {
  std::string text = fmt::format("{:.6g}", radius);
  return text == "1" ? fmt::format("1+{:.1e}", radius - 1.0) : text;
}

/// The answer in a few characters; unstable ones carry a mark.
std::string answer(const StabilityAnalysis& analysis, const StabilityRow& row) {
  if (row.status == StabilityStatus::failed) return "failed";
  if (analysis.find == StabilityQuestion::criticalStep)
    return row.status == StabilityStatus::limit ? fmt::format("{:.4e}", row.criticalStep)
                                                : std::string(row.status == StabilityStatus::stable ? "none" : "<");
  if (row.status == StabilityStatus::unstable) return unstableRadius(row.spectralRadius) + " !";
  return fmt::format("{:.6g}{}", row.spectralRadius, row.status == StabilityStatus::undecided ? " ?" : "");
}

/// The last setting goes across, all others down.
std::string pivot(const StabilityAnalysis& analysis, std::span<const StabilityRow> rows) {
  const std::vector<Axis>& axes = analysis.grid.axes();
  const std::size_t down = axes.size() - 1;
  const std::size_t columns = axes[down].values.size();
  std::vector<Cells> lines(2);
  for (std::size_t i = 0; i < down; ++i) {
    lines[0].push_back(i + 1 < down ? "" : axes[down].name());
    lines[1].push_back(axes[i].name());
  }
  for (const VariedValue& value : axes[down].values) lines[0].push_back(shortText(value));
  for (std::size_t first = 0; first < rows.size(); first += columns) {
    Cells& cells = lines.emplace_back();
    for (std::size_t i = 0; i < down; ++i) cells.push_back(shortText(analysis.grid.value(first, i)));
    for (std::size_t k = 0; k < columns; ++k) cells.push_back(answer(analysis, rows[first + k]));
  }
  return aligned(lines);
}

std::string listing(const StabilityAnalysis& analysis, std::span<const StabilityRow> rows) {
  const bool seeksStep = analysis.find == StabilityQuestion::criticalStep;
  std::vector<Cells> lines(1);
  for (const Axis& axis : analysis.grid.axes()) lines[0].push_back(axis.name());
  lines[0].emplace_back(seeksStep ? "critical step/s" : "spectral radius");
  if (!seeksStep) lines[0].emplace_back("decades/s");
  lines[0].emplace_back("status");
  for (std::size_t point = 0; point < rows.size(); ++point) {
    Cells& cells = lines.emplace_back();
    for (std::size_t i = 0; i < analysis.grid.axes().size(); ++i)
      cells.push_back(shortText(analysis.grid.value(point, i)));
    cells.push_back(answer(analysis, rows[point]));
    if (!seeksStep) {
      const double decades = rows[point].decadesPerSecond();
      cells.push_back(std::isnan(decades) ? "-" : fmt::format("{:.3g}", decades));
    }
    cells.emplace_back(word(rows[point].status));
  }
  return aligned(lines);
}

/// For maps, which nobody reads line by line.
std::string summary(std::span<const StabilityRow> rows) {
  std::string text = fmt::format("  {} combinations", rows.size());
  for (const StabilityStatus status : {StabilityStatus::stable, StabilityStatus::unstable, StabilityStatus::limit,
                                       StabilityStatus::undecided, StabilityStatus::failed})
    if (const auto count = std::ranges::count(rows, status, &StabilityRow::status); count > 0)
      text += fmt::format(", {} {}", count, word(status));
  return text + "\n";
}

/// Where matrices and probes come from, if that is not the initial point of members whose states are known.
std::string origins(const StabilityAnalysis& analysis, std::span<const StabilityRow> rows) {
  const std::string instant =
      analysis.recursion.at ? fmt::format("t = {} s", core::text(*analysis.recursion.at)) : "the start";
  const auto probed = std::ranges::count(rows, true, &StabilityRow::byProbes);
  const auto others = std::ranges::count_if(
      rows, [](const StabilityRow& row) { return !row.byProbes && row.status != StabilityStatus::failed; });
  std::string text;
  if (analysis.recursion.at && others > 0) text += fmt::format("linearised at {}\n", instant);
  if (probed == 0) return text;
  text += fmt::format("by probes at {}", instant);
  if (others > 0) text += fmt::format(": {} of {} combinations", probed, rows.size());
  double largest = 0.0;
  for (const StabilityRow& row : rows)
    if (row.status != StabilityStatus::undecided) largest = std::fmax(largest, row.uncertainty);
  if (largest > 0.0) text += fmt::format(", to within {:.1e}", largest);
  return text + "\n";
}

/// What the signs in the table mean, and the first reason of a failure.
std::string remarks(const StabilityAnalysis& analysis, std::span<const StabilityRow> rows) {
  const auto count = [&](StabilityStatus status) { return std::ranges::count(rows, status, &StabilityRow::status); };
  std::string text = origins(analysis, rows);
  if (analysis.find == StabilityQuestion::criticalStep) {
    if (count(StabilityStatus::stable) > 0)
      text += fmt::format("none: no unstable step up to {} s\n", core::text(analysis.range.to));
    if (count(StabilityStatus::unstable) > 0)
      text += fmt::format("<: unstable already at {} s\n", core::text(analysis.range.from));
    if (count(StabilityStatus::unstable) + count(StabilityStatus::limit) > 0)
      text += fmt::format("unstable: spectral radius above {} (allowance)\n", analysis.recursion.largestStableText());
  } else if (count(StabilityStatus::unstable) > 0) {
    text += fmt::format("!: unstable, above {} (allowance)\n", analysis.recursion.largestStableText());
  }
  if (count(StabilityStatus::undecided) > 0)
    text +=
        "?: undecided, the model moves on too fast, or too slowly against the step (uncertainty in stability.csv)\n";
  if (const auto failures = count(StabilityStatus::failed); failures > 0)
    text += fmt::format("failed: {} of {} combinations; the first: {}\n", failures, rows.size(),
                        std::ranges::find(rows, StabilityStatus::failed, &StabilityRow::status)->message);
  return text;
}

}  // namespace

std::string_view methodOf(const StabilityRow& row) {
  if (row.status == StabilityStatus::failed) return "";
  return row.byProbes ? "probes" : "matrix";
}

std::string stabilityCsv(const StabilityAnalysis& analysis, std::span<const StabilityRow> rows) {
  Cells head;
  for (const Axis& axis : analysis.grid.axes()) head.push_back(inQuotes(axis.name()));
  for (const char* name :
       {"status", "step", "spectral_radius", "decades_per_second", "critical_step", "method", "uncertainty", "message"})
    head.push_back(inQuotes(name));
  std::string text = line(head);
  for (std::size_t point = 0; point < rows.size(); ++point) {
    const StabilityRow& row = rows[point];
    Cells cells;
    for (std::size_t i = 0; i < analysis.grid.axes().size(); ++i) cells.push_back(field(analysis.grid.value(point, i)));
    cells.push_back(inQuotes(word(row.status)));
    for (const double value : {row.step, row.spectralRadius, row.decadesPerSecond(), row.criticalStep})
      cells.push_back(numberOrNothing(value));
    cells.push_back(inQuotes(methodOf(row)));
    cells.push_back(numberOrNothing(row.uncertainty));
    cells.push_back(inQuotes(row.message));
    text += line(cells);
  }
  return text;
}

std::string stabilityText(const StabilityAnalysis& analysis, std::span<const StabilityRow> rows) {
  const std::vector<Axis>& axes = analysis.grid.axes();
  const bool asTable = axes.size() >= 2 && axes.back().values.size() <= kMostColumns;
  const std::size_t lines = asTable ? rows.size() / axes.back().values.size() : rows.size();
  const bool seeksStep = analysis.find == StabilityQuestion::criticalStep;
  std::string text =
      fmt::format("{} of {}\n\n", seeksStep ? "critical macro step in s" : "spectral radius of a macro step",
                  analysis.project.string());
  if (lines > kMostLines) return text + summary(rows);
  text += asTable ? pivot(analysis, rows) : listing(analysis, rows);
  const std::string notes = remarks(analysis, rows);
  return notes.empty() ? text : text + "\n" + notes;
}

}  // namespace koppla::study
