#include "koppla/study/measured_run.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <sys/resource.h>

#include "koppla/core/file.hpp"
#include "koppla/core/value.hpp"
#include "koppla/results/error_measures.hpp"
#include "koppla/results/memory_recorder.hpp"

namespace koppla::study {

namespace {

using results::Samples;

/// An error nearer to the reference's own says as much about the reference as about the run.
constexpr double kTrustFactor = 10.0;

/// Of this process, s.
double cpuTime() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Compared {
  std::vector<const results::Series*> series;
  std::vector<Samples> reference;
  std::vector<Samples> computed;
  std::string problem;
};

/// The reference at row n.
class ReferenceRows {
 public:
  ReferenceRows(const results::Table& table, const Reference& reference, ErrorReference kind)
      : table_(table), reference_(reference) {
    if (kind != ErrorReference::local) return;
    for (const std::string& state : reference.states()) states_.push_back(table.find(state));
    z_.resize(states_.size());
  }

  bool values(std::size_t n, std::span<double> y) {
    if (states_.empty()) return reference_.values(table_.time[n], y);
    for (std::size_t i = 0; i < states_.size(); ++i) z_[i] = states_[i]->numbers[n - 1];
    reference_.valuesFrom(table_.time[n - 1], z_, table_.time[n], y);
    return true;
  }

 private:
  const results::Table& table_;
  const Reference& reference_;
  std::vector<const results::Series*> states_;  ///< of local errors only
  std::vector<double> z_;
};

std::vector<const results::Series*> measured(const results::Table& table, const ErrorSettings& settings) {
  std::vector<std::string> patterns;
  for (const auto& [pattern, place] : settings.variables) patterns.push_back(pattern);
  return results::select(table, patterns);
}

/// A limit that is a macro time but for rounding belongs to the window.
bool isInside(double t, const ErrorSettings& window) {
  constexpr double kRounding = 1e-9;
  const double tie = kRounding * std::fabs(t);
  return t >= window.from - tie && t <= window.to + tie;
}

Compared compare(const results::Table& table, const Reference& reference, const ErrorSettings& settings) {
  Compared compared;
  compared.series = measured(table, settings);
  std::vector<std::size_t> places;
  for (const results::Series* series : compared.series) {
    const auto found = std::ranges::find(reference.names(), series->name);
    if (found == reference.names().end()) {
      compared.problem = fmt::format("The reference has no '{}'.", series->name);
      return compared;
    }
    places.push_back(static_cast<std::size_t>(found - reference.names().begin()));
  }
  compared.reference.resize(places.size());
  compared.computed.resize(places.size());
  std::vector<double> exact(reference.names().size());
  ReferenceRows rows(table, reference, settings.reference);
  bool covered = false;
  double last = 0.0;
  std::size_t counted = 0;
  for (std::size_t n = std::size_t{settings.skip} + 1; n < table.time.size(); ++n) {
    if (!isInside(table.time[n], settings)) continue;
    ++counted;
    last = table.time[n];
    covered = rows.values(n, exact);
    if (!covered) continue;
    for (std::size_t i = 0; i < places.size(); ++i) {
      compared.reference[i].push_back(exact[places[i]]);
      compared.computed[i].push_back(compared.series[i]->numbers[n]);
    }
  }
  if (counted == 0 && std::isfinite(std::fmax(settings.from, -settings.to)))
    compared.problem = fmt::format("No macro step lies between from = {} s and to = {} s.", core::text(settings.from),
                                   core::text(settings.to));
  else if (counted == 0)
    compared.problem =
        fmt::format("All {} macro steps are skipped.", table.time.size() - std::min<std::size_t>(1, table.time.size()));
  else if (!covered)
    compared.problem = fmt::format("The reference has no values at the last time, {:.6g} s.", last);
  return compared;
}

MeasuredError normalised(const Compared& compared) {
  MeasuredError error;
  for (std::size_t i = 0; i < compared.reference.size(); ++i) {
    const std::optional<double> eps = results::normalisedError(compared.reference[i], compared.computed[i]);
    if (!eps)
      return {kNone,
              {},
              fmt::format("The reference of '{}' is constant at the {} compared times, so its NRMSE has no "
                          "denominator. Leave it out, or choose measure = \"wrmse\".",
                          compared.series[i]->name, compared.reference[i].size())};
    error.perVariable.push_back(*eps);
  }
  error.total = results::combinedError(error.perVariable);
  return error;
}

MeasuredError weighted(const Compared& compared, bool mean) {
  const auto chosen = [mean](const results::WeightedError& error) { return mean ? error.mean : error.sum; };
  MeasuredError error;
  for (std::size_t i = 0; i < compared.reference.size(); ++i)
    error.perVariable.push_back(
        chosen(results::weightedError(std::span(&compared.reference[i], 1), std::span(&compared.computed[i], 1))));
  error.total = chosen(results::weightedError(compared.reference, compared.computed));
  return error;
}

Status statusOf(const FinishedRun& run) {
  switch (run.outcome.kind) {
    case run::OutcomeKind::ok:
      return run.endedEarly ? Status::endedEarly : Status::ok;
    case run::OutcomeKind::unstable:
    case run::OutcomeKind::exploded:
    case run::OutcomeKind::notFinite:
      return Status::unstable;
    case run::OutcomeKind::notConverged:
    case run::OutcomeKind::stagnated:
      return Status::notConverged;
    case run::OutcomeKind::interrupted:
    case run::OutcomeKind::outputFailed:
      return Status::failed;
    case run::OutcomeKind::subsystemFailed:
      // Who stepped and then gave up met values that made no sense; who never stepped has another reason.
      return run.statistics.acceptedSteps > 0 ? Status::unstable : Status::failed;
  }
  return Status::failed;
}

}  // namespace

FinishedRun runToEnd(const project::Project& plan) {
  core::Log log;
  return runToEnd(project::build(plan, log), log);
}

FinishedRun runToEnd(project::Coupled coupled, core::Log& log) {
  const double end = coupled.settings.end;
  results::MemoryRecorder recorder;
  FinishedRun finished;
  {
    run::Run run(std::move(coupled.system), std::move(coupled.settings), log, &recorder);
    const double before = cpuTime();
    finished.outcome = run.initialise();
    if (finished.outcome.ok()) finished.outcome = run.simulate();
    finished.cpu = cpuTime() - before;
    finished.reached = run.time();
    if (finished.outcome.kind == run::OutcomeKind::outputFailed)
      core::passOnFileError(fmt::format("The run ended at {} s.", core::text(finished.reached)),
                            finished.outcome.message);
    finished.endedEarly = finished.outcome.ok() && finished.reached < end;
    run.end();
    finished.statistics = run.statistics();
  }
  finished.table = recorder.table();
  return finished;
}

MeasuredError measure(const results::Table& table, const Reference& reference, const ErrorSettings& settings) {
  Compared compared = compare(table, reference, settings);
  if (!compared.problem.empty()) return {kNone, {}, std::move(compared.problem)};
  if (settings.measure == Measure::nrmse) return normalised(compared);
  return weighted(compared, settings.measure == Measure::wrmse);
}

Row judge(const FinishedRun& run, double start, const Reference& reference, double referenceError,
          const ErrorSettings& settings) {
  Row row;
  row.status = statusOf(run);
  row.message = run.outcome.message;
  row.referenceError = referenceError;
  row.acceptedSteps = run.statistics.acceptedSteps;
  row.wallClock = run.statistics.wallClock;
  row.cpu = run.cpu;
  for (const run::MemberStatistics& member : run.statistics.members) row.effort += member.effort;
  if (row.acceptedSteps > 0) {
    row.meanStep = (run.reached - start) / static_cast<double>(row.acceptedSteps);
    row.smallestStep = run.statistics.smallestStep;
    row.largestStep = run.statistics.largestStep;
  }
  if (row.status != Status::ok) return row;
  MeasuredError error = measure(run.table, reference, settings);
  if (!error.problem.empty()) {
    row.status = Status::failed;
    row.message = std::move(error.problem);
    return row;
  }
  row.error = error.total;
  row.errors = std::move(error.perVariable);
  if (!(row.error <= settings.unstableAbove))
    row.status = Status::unstable;
  else if (row.error < kTrustFactor * referenceError)
    row.status = Status::limitedByReference;
  return row;
}

}  // namespace koppla::study
