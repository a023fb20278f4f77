#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "koppla/core/value.hpp"
#include "koppla/study/calibration.hpp"
#include "koppla/study/cells.hpp"

namespace koppla::study {

namespace {

double rootMeanSquare(const std::vector<double>& numbers) {
  double sum = 0.0;
  for (const double number : numbers) sum += number * number;
  return std::sqrt(sum / static_cast<double>(numbers.size()));
}

void addParameters(Cells& cells, const Calibration& calibration, const coupling::AdaptiveParameters& parameters) {
  for (const CalibrationAxis& axis : calibration.axes) cells.push_back(core::text(parameters.*axis.parameter));
}

void addNames(Cells& cells, const Calibration& calibration) {
  for (const CalibrationAxis& axis : calibration.axes) cells.push_back(inQuotes(axis.name));
}

Cells lineOf(const Calibration& calibration, const CalibratedSet& set) {
  Cells cells{set.name};
  for (const CalibrationAxis& axis : calibration.axes)
    cells.push_back(fmt::format("{:.4g}", set.parameters.*axis.parameter));
  const BoxStatistics& s = set.statistics;
  cells.push_back(std::isnan(set.objective) ? "" : fmt::format("{:.4f}", set.objective));
  for (const double number : {s.mean, s.least, s.lowerQuartile, s.median, s.upperQuartile, s.most})
    cells.push_back(fmt::format("{:.3f}", number));
  cells.push_back(std::to_string(set.worse));
  return cells;
}

std::string tableOf(const Calibration& calibration, const std::vector<CalibratedSet>& sets, std::size_t most) {
  std::vector<Cells> lines{{"set"}};
  for (const CalibrationAxis& axis : calibration.axes) lines[0].push_back(axis.name);
  for (const char* name : {"eta_global", "mean", "least", "25 %", "median", "75 %", "most", "worse"})
    lines[0].emplace_back(name);
  for (std::size_t i = 0; i < std::min(most, sets.size()); ++i) lines.push_back(lineOf(calibration, sets[i]));
  return aligned(lines);
}

/// An optimum at a border may lie beyond, and the filter has removed less there.
std::string borderRemark(const Calibration& calibration, const CalibrationResult& result) {
  const std::vector<std::string>& borders = result.best.front().borders;
  if (borders.empty()) return "";
  std::string text = fmt::format("\nset 1 has its first or last value of {}\n", fmt::join(borders, ", "));
  if (!result.inside) return text;
  return text + fmt::format("the best set without such values has rank {}:\n{}", result.inside->name,
                            tableOf(calibration, {*result.inside}, 1));
}

}  // namespace

std::string modelsCsv(const Calibration& calibration, const CalibrationResult& result) {
  std::string text = line({"\"model\"", "\"unrelaxed\""});
  for (std::size_t i = 0; i < calibration.models.size(); ++i)
    text += line({inQuotes(calibration.models[i].name), std::to_string(result.unrelaxed[i])});
  return text;
}

std::string setsCsv(const Calibration& calibration, const std::vector<CalibratedSet>& sets) {
  Cells head{"\"set\"", "\"first\""};
  addNames(head, calibration);
  for (const char* name :
       {"eta_global", "rms", "mean", "least", "lower_quartile", "median", "upper_quartile", "most", "worse"})
    head.push_back(inQuotes(name));
  for (const CalibrationModel& model : calibration.models) head.push_back(inQuotes("eta(" + model.name + ")"));
  std::string text = line(head);
  for (const CalibratedSet& set : sets) {
    Cells cells{inQuotes(set.name), core::text(set.parameters.first)};
    addParameters(cells, calibration, set.parameters);
    const BoxStatistics& s = set.statistics;
    for (const double number :
         {set.objective, rootMeanSquare(set.eta), s.mean, s.least, s.lowerQuartile, s.median, s.upperQuartile, s.most})
      cells.push_back(numberOrNothing(number));
    cells.push_back(std::to_string(set.worse));
    for (const double eta : set.eta) cells.push_back(core::text(eta));
    text += line(cells);
  }
  return text;
}

std::string fieldCsv(const Calibration& calibration, const CalibrationResult& result) {
  Cells head;
  addNames(head, calibration);
  head.push_back(inQuotes("eta_global"));
  for (std::size_t i = 0; i < result.smoothed.size(); ++i)
    head.push_back(inQuotes("smoothed(" + calibration.models[i].name + ")"));
  std::string text = line(head);
  for (std::size_t point = 0; point < result.objective.size(); ++point) {
    Cells cells;
    addParameters(cells, calibration, calibration.parametersAt(point));
    cells.push_back(core::text(result.objective[point]));
    for (const std::vector<double>& field : result.smoothed) cells.push_back(core::text(field[point]));
    text += line(cells);
  }
  return text;
}

std::string calibrationText(const Calibration& calibration, const CalibrationResult& result) {
  constexpr std::size_t kMostTold = 20;
  std::string text = fmt::format(
      "{}, {} relaxed, first factor {}: {} sets on {} models at {}\n\n{}", word(calibration.common.steering),
      calibration.iteration.values == coupling::Accelerated::cut ? "one result" : "all results",
      core::text(calibration.common.first), calibration.size(), calibration.models.size(),
      core::text(calibration.iteration.rtol), tableOf(calibration, result.best, kMostTold));
  text += borderRemark(calibration, result);
  if (!result.named.empty())
    text += fmt::format("\nfor comparison, with their own first factors:\n{}",
                        tableOf(calibration, result.named, result.named.size()));
  const auto capped = std::ranges::count(result.unrelaxed, calibration.iteration.most);
  if (capped > 0)
    text += fmt::format("\n{} of {} models do not converge unrelaxed within {} iterations\n", capped,
                        calibration.models.size(), calibration.iteration.most);
  for (const std::string& model : result.unsolved)
    text +=
        fmt::format("\nwarning: no set converges on '{}' within {} iterations: its eta says nothing about the sets\n",
                    model, calibration.iteration.most);
  return text;
}

}  // namespace koppla::study
