#include "koppla/study/tables.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "koppla/core/value.hpp"
#include "koppla/study/cells.hpp"

namespace koppla::study {

namespace {

std::string errorText(const Row& row) {
  switch (row.status) {
    case Status::ok:
      return fmt::format("{:.2e}", row.error);
    case Status::limitedByReference:
      return fmt::format("({:.2e})", row.error);
    case Status::unstable:
      return "--";
    case Status::notConverged:
    case Status::failed:
    case Status::endedEarly:
      break;
  }
  return std::string(word(row.status));
}

std::string slopeText(const Slope& slope) {
  return std::isnan(slope.slope) ? "-" : fmt::format("{:.3f}", slope.slope);
}

/// The rows of a column's head: one for each setting but the fitted one.
std::vector<Cells> heads(const Study& study, std::span<const Fit> fits) {
  std::vector<Cells> lines;
  for (std::size_t i = 0; i < study.grid.axes().size(); ++i) {
    if (i == study.fit->axis) continue;
    Cells& cells = lines.emplace_back(Cells{study.grid.axes()[i].name()});
    for (const Fit& fit : fits) cells.push_back(shortText(study.grid.value(fit.series.points.front(), i)));
  }
  lines.push_back({study.grid.axes()[study.fit->axis].name()});
  return lines;
}

std::string pivot(const Study& study, std::span<const Row> rows, std::span<const Fit> fits) {
  std::vector<Cells> lines = heads(study, fits);
  const std::vector<VariedValue>& values = study.grid.axes()[study.fit->axis].values;
  for (std::size_t k = 0; k < values.size(); ++k) {
    Cells& cells = lines.emplace_back(Cells{shortText(values[k])});
    for (const Fit& fit : fits) cells.push_back(errorText(rows[fit.series.points[k]]));
  }
  Cells slope{"slope"};
  Cells error{"standard error"};
  Cells points{"points"};
  for (const Fit& fit : fits) {
    slope.push_back(slopeText(fit.slope));
    error.push_back(std::isnan(fit.slope.standardError) ? "-" : fmt::format("{:.3f}", fit.slope.standardError));
    points.push_back(std::to_string(fit.slope.points));
  }
  lines.insert(lines.end(), {slope, error, points});
  return aligned(lines);
}

std::string listing(const Study& study, std::span<const Row> rows) {
  std::vector<Cells> lines(1);
  for (const Axis& axis : study.grid.axes()) lines[0].push_back(axis.name());
  lines[0].insert(lines[0].end(), {"error", "mean step/s", "status"});
  for (std::size_t point = 0; point < rows.size(); ++point) {
    Cells& cells = lines.emplace_back();
    for (std::size_t i = 0; i < study.grid.axes().size(); ++i) cells.push_back(shortText(study.grid.value(point, i)));
    const Row& row = rows[point];
    cells.push_back(errorText(row));
    cells.push_back(std::isnan(row.meanStep) ? "-" : fmt::format("{:.3e}", row.meanStep));
    cells.emplace_back(word(row.status));
  }
  return aligned(lines);
}

/// What the table does not say: how many runs have no error, and the first reason of each kind.
std::string remarks(const Study& study, std::span<const Row> rows) {
  std::string text;
  for (const Status status : {Status::notConverged, Status::failed, Status::endedEarly}) {
    const auto count = std::ranges::count(rows, status, &Row::status);
    if (count == 0) continue;
    text += fmt::format("{}: {} of {} runs; the first: {}\n", word(status), count, rows.size(),
                        std::ranges::find(rows, status, &Row::status)->message);
  }
  if (std::ranges::find(rows, Status::unstable, &Row::status) != rows.end())
    text += fmt::format("--: unstable (an error above {}, a value that exploded, or a subsystem that gave up)\n",
                        core::text(study.errors.unstableAbove));
  if (std::ranges::find(rows, Status::limitedByReference, &Row::status) != rows.end())
    text += "(...): less than 10 times the reference's own error, so limited by the reference\n";
  return text;
}

}  // namespace

std::string studyCsv(const Study& study, std::span<const std::string> variables, std::span<const Row> rows) {
  Cells head;
  for (const Axis& axis : study.grid.axes()) head.push_back(inQuotes(axis.name()));
  head.insert(head.end(), {"\"status\"", "\"error\""});
  for (const std::string& variable : variables) head.push_back(inQuotes("error(" + variable + ")"));
  for (const char* name :
       {"reference_error", "mean_step", "min_step", "max_step", "accepted_steps", "micro_steps", "rejected_micro_steps",
        "right_hand_sides", "jacobians", "corrector_iterations", "static_calls", "wall_clock", "cpu", "message"})
    head.push_back(inQuotes(name));
  std::string text = line(head);
  for (std::size_t point = 0; point < rows.size(); ++point) {
    const Row& row = rows[point];
    Cells cells;
    for (std::size_t i = 0; i < study.grid.axes().size(); ++i) cells.push_back(field(study.grid.value(point, i)));
    cells.push_back(inQuotes(word(row.status)));
    cells.push_back(numberOrNothing(row.error));
    for (std::size_t i = 0; i < variables.size(); ++i)
      cells.push_back(i < row.errors.size() ? numberOrNothing(row.errors[i]) : "");
    for (const double value : {row.referenceError, row.meanStep, row.smallestStep, row.largestStep})
      cells.push_back(numberOrNothing(value));
    cells.push_back(std::to_string(row.acceptedSteps));
    const subsystem::Effort& effort = row.effort;
    for (const std::uint64_t count : {effort.microSteps, effort.rejectedMicroSteps, effort.rightHandSides,
                                      effort.jacobians, effort.correctorIterations, effort.staticCalls})
      cells.push_back(std::to_string(count));
    cells.push_back(numberOrNothing(row.wallClock));
    cells.push_back(numberOrNothing(row.cpu));
    cells.push_back(inQuotes(row.message));
    text += line(cells);
  }
  return text;
}

std::string fitsCsv(const Study& study, std::span<const Fit> fits) {
  Cells head;
  for (std::size_t i = 0; i < study.grid.axes().size(); ++i)
    if (i != study.fit->axis) head.push_back(inQuotes(study.grid.axes()[i].name()));
  for (const char* name : {"over", "slope", "standard_error", "points"}) head.push_back(inQuotes(name));
  std::string text = line(head);
  for (const Fit& fit : fits) {
    Cells cells;
    for (std::size_t i = 0; i < study.grid.axes().size(); ++i)
      if (i != study.fit->axis) cells.push_back(field(study.grid.value(fit.series.points.front(), i)));
    cells.push_back(inQuotes(study.grid.axes()[study.fit->axis].name()));
    cells.push_back(numberOrNothing(fit.slope.slope));
    cells.push_back(numberOrNothing(fit.slope.standardError));
    cells.push_back(std::to_string(fit.slope.points));
    text += line(cells);
  }
  return text;
}

std::string studyText(const Study& study, std::span<const Row> rows, std::span<const Fit> fits) {
  const bool asTable = study.fit && fits.size() <= kMostColumns;
  std::string text = fmt::format("{} of {}\n\n", word(study.errors.measure), study.file.string());
  text += asTable ? pivot(study, rows, fits) : listing(study, rows);
  if (study.fit && !asTable) {
    text += "\n";
    for (const Fit& fit : fits)
      text += fmt::format("slope {} from {} points: {}\n", slopeText(fit.slope), fit.slope.points, fit.series.label);
  }
  const std::string notes = remarks(study, rows);
  return notes.empty() ? text : text + "\n" + notes;
}

}  // namespace koppla::study
