#include "koppla/study/certification.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/file.hpp"
#include "koppla/study/children.hpp"
#include "koppla/study/measured_run.hpp"
#include "koppla/study/payload.hpp"
#include "koppla/study/reference.hpp"

namespace koppla::study {

namespace {

using coupling::AlgorithmKind;

/// What a repetition sends home: its values at the rows of the run.
struct Repetition {
  std::string failure;
  std::uint64_t acceptedSteps = 0;
  run::OrderRange order{};
  double leftOpen = 0.0;  ///< by iterations of the run itself, relative to the size of values; 0: none
  double seconds = 0.0;
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;  ///< by name
};

/// Rows of a repetition, that those of the run are among them: all where steps differ, else every step of the run.
double intervalOfRows(const run::Settings& settings) {
  return settings.stepControl.adapts() ? 0.0 : settings.step;
}

std::vector<const results::Series*> realsOf(const results::Table& table) {
  std::vector<const results::Series*> reals;
  for (const results::Series& series : table.series)
    if (series.type == core::Type::real) reals.push_back(&series);
  return reals;
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

Repetition repeat(project::Project plan, unsigned level, const std::vector<double>& times) {
  Repetition result;
  plan.programsFolder.clear();
  plan.resumesPrograms = false;
  try {
    core::Log log;
    project::Coupled coupled = project::build(plan, log);
    const coupling::AlgorithmSettings& algorithm = coupled.settings.algorithm;
    result.leftOpen = algorithm.iterates() ? algorithm.rtol : 0.0;
    coupled.settings = refined(std::move(coupled.settings), level);
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
  } catch (const core::InputError& error) {
    result.failure = error.what();
  }
  return result;
}

std::string packed(const Repetition& repetition) {
  Packer packer;
  packer.text(repetition.failure);
  packer.count(repetition.acceptedSteps);
  packer.count(repetition.order.least);
  packer.count(repetition.order.full);
  packer.number(repetition.leftOpen);
  packer.number(repetition.seconds);
  packer.count(repetition.names.size());
  for (std::size_t i = 0; i < repetition.names.size(); ++i) {
    packer.text(repetition.names[i]);
    packer.numbers(repetition.columns[i]);
  }
  return std::move(packer).take();
}

Repetition received(const ChildResult& result) {
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
  repetition.leftOpen = unpacker.number();
  repetition.seconds = unpacker.number();
  repetition.names.resize(unpacker.count());
  for (std::string& name : repetition.names) {
    name = unpacker.text();
    repetition.columns.push_back(unpacker.numbers());
  }
  return repetition;
}

double meanStep(double interval, std::uint64_t steps) {
  return interval / static_cast<double>(std::max<std::uint64_t>(1, steps));
}

/// Absent where a repetition does not know the variable, which none but a broken FMU makes happen.
const std::vector<double>* columnOf(const Repetition& repetition, const std::string& name) {
  const auto found = std::ranges::find(repetition.names, name);
  if (found == repetition.names.end()) return nullptr;
  return &repetition.columns[static_cast<std::size_t>(found - repetition.names.begin())];
}

CertifiedVariable missing(const results::Series& series) {
  CertifiedVariable variable;
  variable.name = series.name;
  variable.unit = series.unit;
  variable.doubt =
      "it was missing when the run was repeated. Let its subsystem have the same variables each time it is opened";
  return variable;
}

Certificate judged(const RunToCertify& run, const std::array<Repetition, kRepetitions>& repetitions) {
  Certificate certificate;
  const std::vector<double>& times = run.table.time;
  const double interval = times.empty() ? 0.0 : times.back() - times.front();
  certificate.meanSteps[0] = meanStep(interval, run.acceptedSteps);
  for (std::size_t i = 0; i < kRepetitions; ++i) {
    certificate.meanSteps.at(i + 1) = meanStep(interval, repetitions.at(i).acceptedSteps);
    certificate.seconds += repetitions.at(i).seconds;
    if (!repetitions.at(i).failure.empty() && certificate.failure.empty())
      certificate.failure =
          fmt::format("The run with 1/{} of the {} did not complete. {}", 2U << i,
                      run.plan.settings.stepControl.estimatesError() ? "steps" : "step", repetitions.at(i).failure);
  }
  if (!certificate.failure.empty()) return certificate;
  certificate.nominal = repetitions.front().order;
  for (const results::Series* series : realsOf(run.table)) {
    const auto* half = columnOf(repetitions[0], series->name);
    const auto* quarter = columnOf(repetitions[1], series->name);
    certificate.variables.push_back(half == nullptr || quarter == nullptr
                                        ? missing(*series)
                                        : certify(*series, times, {&series->numbers, half, quarter},
                                                  certificate.meanSteps, certificate.nominal,
                                                  repetitions.front().leftOpen));
  }
  return certificate;
}

}  // namespace

void requireCertifiable(const project::Project& plan) {
  const AlgorithmKind kind = plan.settings.algorithm.kind;
  if (kind != AlgorithmKind::masterSlave && kind != AlgorithmKind::modelCoupling) return;
  throw core::InputError(
      {{{plan.file.string()},
        kind == AlgorithmKind::masterSlave
            ? "A run whose macro steps are chosen by a master cannot be certified: there is no step to halve."
            : "A run in which one integrator solves all cannot be certified: no macro step makes errors.",
        "Leave --certify out and compare runs with other tolerances or micro steps of the integrator (koppla "
        "study)."}});
}

run::Settings refined(run::Settings settings, unsigned level) {
  stepping::StepControlSettings& control = settings.stepControl;
  const double interval = settings.end - settings.start;
  const auto part = [level](double length) { return std::ldexp(length, -static_cast<int>(level)); };
  settings.outputInterval = intervalOfRows(settings);
  settings.recordsIterations = false;
  settings.step = part(settings.step);
  if (!control.adapts()) return settings;
  control.minStep = part(control.minStep);
  control.maxStep = part(control.maxStep > 0.0 ? control.maxStep : interval);
  control.untestedBelow = part(control.untestedBelow);
  if (!control.estimatesError()) return settings;
  const double divisor = std::ldexp(1.0, static_cast<int>(level * (settings.algorithm.degree + 1)));
  const auto divide = [divisor](double& rtol, std::optional<double>& atol) {
    rtol /= divisor;
    if (atol) *atol /= divisor;
  };
  divide(control.rtol, control.atol);
  // What an iteration leaves open must stay below.
  divide(settings.algorithm.rtol, settings.algorithm.atol);
  for (coupling::ConvergenceGroup& group : settings.algorithm.convergence)
    divide(group.tolerance.rtol, group.tolerance.atol);
  return settings;
}

std::optional<Certificate> certify(const RunToCertify& run, unsigned jobs, const std::function<bool()>& interrupted) {
  std::array<Repetition, kRepetitions> repetitions;
  Children children;
  children.atOnce = jobs;
  children.interrupted = interrupted;
  children.work = [&run](std::size_t i) {
    return packed(repeat(run.plan, static_cast<unsigned>(i) + 1, run.table.time));
  };
  children.finished = [&repetitions](std::size_t i, const ChildResult& result) {
    repetitions.at(i) = received(result);
  };
  if (!workInChildren(kRepetitions, children)) return std::nullopt;
  return judged(run, repetitions);
}

}  // namespace koppla::study
