#include "koppla/study/stability.hpp"

#include <cmath>
#include <type_traits>
#include <utility>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/run/probed_recursion.hpp"
#include "koppla/study/children.hpp"
#include "koppla/study/payload.hpp"
#include "koppla/study/survey.hpp"

namespace koppla::study {

namespace {

/// In a child process.
StabilityRow rowAt(const StabilityAnalysis& analysis, std::size_t point) {
  StabilityRow row;
  try {
    core::Log log;
    const project::Reading reading =
        readingOf(CommonProject{analysis.project, analysis.projectText, analysis.set}, analysis.grid.overrides(point));
    project::Coupled coupled = project::build(reading.project, log);
    return judge(analysis, std::move(coupled.system), coupled.settings);
  } catch (const core::InputError& error) {
    row.message = error.what();
  } catch (const core::SubsystemError& error) {
    row.message = error.what();
  }
  return row;
}

StabilityRow radiusAt(double step, run::MacroStepRecursion& recursion, const run::RecursionSettings& how) {
  StabilityRow row;
  row.spectralRadius = recursion.spectralRadius(step);
  row.status = how.isStable(row.spectralRadius) ? StabilityStatus::stable : StabilityStatus::unstable;
  return row;
}

/// An undamped motion has the radius 1, and nobody can be certain of more.
StabilityStatus statusOf(const run::ProbedRadius& radius, const run::ProbedRecursion& recursion) {
  constexpr double kAsGoodAsKnown = 1e-6;
  if (!recursion.isStable(radius)) return StabilityStatus::unstable;
  const bool known = recursion.isCertain(radius) || radius.uncertainty <= kAsGoodAsKnown;
  return known ? StabilityStatus::stable : StabilityStatus::undecided;
}

StabilityRow radiusAt(double step, run::ProbedRecursion& recursion, const run::RecursionSettings& /*how*/) {
  const run::ProbedRadius radius = recursion.spectralRadius(step);
  StabilityRow row;
  row.spectralRadius = radius.value;
  row.uncertainty = radius.uncertainty;
  row.status = statusOf(radius, recursion);
  return row;
}

template <class Recursion>
StabilityRow answerOf(const StabilityAnalysis& analysis, double step, Recursion recursion) {
  StabilityRow row;
  if (analysis.find == StabilityQuestion::spectralRadius) {
    row = radiusAt(step, recursion, analysis.recursion);
    row.step = step;
  } else {
    const std::optional<double> limit = recursion.criticalStep(analysis.range);
    row.status = !limit                         ? StabilityStatus::stable
                 : *limit > analysis.range.from ? StabilityStatus::limit
                                                : StabilityStatus::unstable;
    if (row.status == StabilityStatus::limit) row.criticalStep = *limit;
  }
  row.byProbes = std::is_same_v<Recursion, run::ProbedRecursion>;
  return row;
}

std::string packed(const StabilityRow& row) {
  Packer packer;
  packer.count(static_cast<std::uint64_t>(row.status));
  packer.count(row.byProbes ? 1 : 0);
  for (const double number : {row.step, row.spectralRadius, row.criticalStep, row.uncertainty}) packer.number(number);
  packer.text(row.message);
  return std::move(packer).take();
}

/// A full disk says nothing of this combination: it ends the analysis.
StabilityRow received(const ChildResult& result) {
  if (result.atFile) core::passOnFileError("The analysis has stopped.", result.failure);
  StabilityRow row;
  if (!result.failure.empty()) {
    row.message = "The process of this combination " + result.failure + ".";
    return row;
  }
  Unpacker unpacker(result.payload);
  row.status = static_cast<StabilityStatus>(unpacker.count());
  row.byProbes = unpacker.count() != 0;
  for (double* number : {&row.step, &row.spectralRadius, &row.criticalStep, &row.uncertainty})
    *number = unpacker.number();
  row.message = unpacker.text();
  return row;
}

}  // namespace

std::string_view word(StabilityStatus status) {
  switch (status) {
    case StabilityStatus::stable:
      return "stable";
    case StabilityStatus::unstable:
      return "unstable";
    case StabilityStatus::limit:
      return "limit";
    case StabilityStatus::undecided:
      return "undecided";
    case StabilityStatus::failed:
      break;
  }
  return "failed";
}

StabilityRow judge(const StabilityAnalysis& analysis, coupling::System system, const run::Settings& settings) {
  core::Log log;
  if (run::whoHidesStates(system).empty())
    return answerOf(analysis, settings.step,
                    run::MacroStepRecursion(std::move(system), settings, log, analysis.recursion));
  return answerOf(analysis, settings.step, run::ProbedRecursion(std::move(system), settings, log, analysis.recursion));
}

double StabilityRow::decadesPerSecond() const {
  return std::log10(spectralRadius) / step;
}

std::vector<StabilityRow> analyse(const StabilityAnalysis& analysis, const StabilityOptions& options) {
  const std::size_t all = analysis.grid.size();
  std::vector<StabilityRow> rows(all);
  std::size_t done = 0;
  Children children;
  children.atOnce = options.jobs;
  children.interrupted = options.interrupted;
  children.work = [&](std::size_t point) { return packed(rowAt(analysis, point)); };
  children.finished = [&](std::size_t point, const ChildResult& result) {
    rows[point] = received(result);
    options.progress(++done, all);
  };
  if (!workInChildren(all, children)) rows.clear();
  return rows;
}

}  // namespace koppla::study
