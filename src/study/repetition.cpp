#include "koppla/study/repetition.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/file.hpp"
#include "koppla/stepping/step_controller.hpp"
#include "koppla/study/measured_run.hpp"
#include "koppla/study/payload.hpp"
#include "koppla/study/reference.hpp"

namespace koppla::study {

namespace {

/// Rows of a repetition, that those of the run are among them: all where steps differ, else every step of the run.
double intervalOfRows(const run::Settings& settings) {
  return settings.stepControl.adapts() ? 0.0 : settings.step;
}

/// At the instants of the run; nothing where it does not come as far.
std::optional<std::vector<std::vector<double>>> columnsAt(const std::vector<double>& times,
                                                          const TableReference& values) {
  std::vector<std::vector<double>> columns(values.names().size());
  std::vector<double> present(columns.size());
  for (const double t : times) {
    if (!values.values(t, present)) return std::nullopt;
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].push_back(present[i]);
  }
  return columns;
}

/// Of the loosest group, as which one a variable belongs to is not asked.
LeftOpen leftOpenBy(const run::Settings& settings) {
  const coupling::AlgorithmSettings& algorithm = settings.algorithm;
  if (!algorithm.iterates()) return {};
  LeftOpen open{algorithm.rtol, algorithm.atol.value_or(0.0), "algorithm.rtol"};
  if (!algorithm.convergence.empty()) open = {0.0, 0.0, "rtol in [[convergence]]"};
  for (const coupling::ConvergenceGroup& group : algorithm.convergence) {
    open.rtol = std::max(open.rtol, group.tolerance.rtol);
    open.atol = std::max(open.atol, group.tolerance.atol.value_or(0.0));
  }
  if (settings.stepControl.estimatesError()) open.option = "step_control.rtol";  // which iterations stay below
  return open;
}

std::string packed(const Repetition& repetition) {
  Packer packer;
  packer.text(repetition.failure);
  packer.count(repetition.acceptedSteps);
  packer.count(repetition.order.least);
  packer.count(repetition.order.full);
  packer.number(repetition.leftOpen.rtol);
  packer.number(repetition.leftOpen.atol);
  packer.text(repetition.leftOpen.option);
  packer.number(repetition.seconds);
  packer.count(repetition.names.size());
  for (std::size_t i = 0; i < repetition.names.size(); ++i) {
    packer.text(repetition.names[i]);
    packer.numbers(repetition.columns[i]);
  }
  return std::move(packer).take();
}

Repetition repeated(const project::Project& plan, unsigned divisor, const std::vector<double>& times) {
  Repetition result;
  core::Log log;
  project::Coupled coupled = project::build(plan, log);
  result.leftOpen = leftOpenBy(coupled.settings);
  coupled.settings = refined(std::move(coupled.settings), divisor);
  FinishedRun run = runToEnd(std::move(coupled), log);
  result.acceptedSteps = run.statistics.acceptedSteps;
  result.order = run.statistics.order;
  result.seconds = run.statistics.wallClock;
  if (!run.outcome.ok()) {
    result.failure = run.outcome.message;
    return result;
  }
  const TableReference values(std::move(run.table), BetweenRows::cubic);
  auto columns = columnsAt(times, values);
  if (!columns) {
    result.failure = fmt::format("It ended at {} s already.", core::text(run.reached));
    return result;
  }
  result.names = values.names();
  result.columns = std::move(*columns);
  return result;
}

}  // namespace

const std::vector<double>* Repetition::columnOf(const std::string& name) const {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? nullptr : &columns[static_cast<std::size_t>(found - names.begin())];
}

run::Settings refined(run::Settings settings, unsigned divisor) {
  stepping::StepControlSettings& control = settings.stepControl;
  const auto part = [divisor](double length) { return length / divisor; };
  settings.outputInterval = intervalOfRows(settings);
  settings.recordsIterations = false;
  settings.step = part(settings.step);
  if (!control.adapts()) return settings;
  control.maxStep = part(stepping::longestStep(control, settings.end - settings.start));
  control.minStep = part(control.minStep);
  control.untestedBelow = part(control.untestedBelow);
  if (!control.estimatesError()) return settings;
  const double ofTolerance = std::pow(divisor, settings.algorithm.degree + 1);
  const auto divide = [ofTolerance](double& rtol, std::optional<double>& atol) {
    rtol /= ofTolerance;
    if (atol) *atol /= ofTolerance;
  };
  divide(control.rtol, control.atol);
  // What an iteration leaves open must stay below.
  divide(settings.algorithm.rtol, settings.algorithm.atol);
  for (coupling::ConvergenceGroup& group : settings.algorithm.convergence)
    divide(group.tolerance.rtol, group.tolerance.atol);
  return settings;
}

std::string repeat(project::Project plan, unsigned divisor, const std::vector<double>& times,
                   const std::filesystem::path& folder) {
  plan.programsFolder = folder;
  plan.resumesPrograms = false;
  try {
    return packed(repeated(plan, divisor, times));
  } catch (const core::InputError& error) {
    Repetition refused;
    refused.failure = error.what();
    return packed(refused);
  }
}

Repetition receivedRepetition(const ChildResult& result) {
  if (result.atFile) core::passOnFileError("The run is complete, but could not be repeated.", result.failure);
  Repetition repetition;
  if (!result.failure.empty()) {
    repetition.failure = "Its process " + result.failure + ".";
    return repetition;
  }
  Unpacker unpacker(result.payload);
  repetition.failure = unpacker.text();
  repetition.acceptedSteps = unpacker.count();
  repetition.order.least = static_cast<unsigned>(unpacker.count());
  repetition.order.full = static_cast<unsigned>(unpacker.count());
  repetition.leftOpen.rtol = unpacker.number();
  repetition.leftOpen.atol = unpacker.number();
  repetition.leftOpen.option = unpacker.text();
  repetition.seconds = unpacker.number();
  repetition.names.resize(unpacker.count());
  for (std::string& name : repetition.names) {
    name = unpacker.text();
    repetition.columns.push_back(unpacker.numbers());
  }
  return repetition;
}

}  // namespace koppla::study
