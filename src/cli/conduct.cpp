#include "conduct.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "koppla/core/file.hpp"
#include "koppla/report/duration.hpp"
#include "koppla/report/statistics_text.hpp"
#include "koppla/results/recording.hpp"
#include "koppla/version.hpp"

#include "console.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "status_file.hpp"

namespace koppla::cli {

namespace {

ExitCode exitCodeOf(run::OutcomeKind kind) {
  switch (kind) {
    case run::OutcomeKind::ok:
      return ExitCode::ok;
    case run::OutcomeKind::interrupted:
      return ExitCode::interrupted;
    case run::OutcomeKind::subsystemFailed:
      return ExitCode::subsystemFailed;
    case run::OutcomeKind::notConverged:
    case run::OutcomeKind::stagnated:
      return ExitCode::notConverged;
    case run::OutcomeKind::exploded:
    case run::OutcomeKind::notFinite:
      return ExitCode::exploded;
  }
  return ExitCode::internal;
}

run::Outcome simulate(run::Run& run, const run::Settings& settings, StatusFile& status, bool silent) {
  ProgressLine line(settings.start, settings.end);
  run.onProgress([&line, &status, silent](const run::Progress& progress) {
    if (!silent) line.show(progress);
    status.show(progress);
  });
  const InterruptedRun interruptible(run);
  run::Outcome outcome = run.initialise();
  if (outcome.ok()) outcome = run.simulate();
  line.clear();
  return outcome;
}

/// Where to go from a run that ended early.
void tellWhatIsLeft(const run::Outcome& outcome, const run::Statistics& statistics, const project::Project& plan,
                    const RunFolder& folder) {
  if (outcome.ok()) return;
  if (statistics.output.count > 0)
    complain(fmt::format("Recorded until then ({} {}): {}\n", statistics.output.count,
                         statistics.output.count == 1 ? "row" : "rows",
                         (folder.given() / results::partialFile("results", plan.resultsFormats.front())).string()));
  const bool hasPrograms = std::ranges::any_of(
      plan.subsystems, [](const project::SubsystemEntry& entry) { return entry.program.has_value(); });
  if (hasPrograms)
    complain(fmt::format("What the programs have answered is kept: koppla resume {}\n", folder.given().string()));
}

}  // namespace

ExitCode conduct(const ProjectCopy& copy, project::Project plan, RunFolder& folder, Existing existing,
                 const Manner& manner, core::Log& log) {
  plan.programsFolder = folder.programs();
  plan.resumesPrograms = existing == Existing::resumed;
  const std::string project = copy.origin.string();
  const results::Facts origin{{"koppla", kVersion}, {"project", project}};
  const auto recorder = results::makeRecorder(folder.path(), "results", plan.resultsFormats, origin);
  const auto iterations = results::makeRecorder(folder.path(), "iterations", plan.resultsFormats, origin);
  const InterruptGuard guard;
  run::Run run =
      project::makeRun(plan, log, {recorder.get(), plan.settings.recordsIterations ? iterations.get() : nullptr});
  if (InterruptGuard::requested()) return ExitCode::interrupted;

  folder.prepare();
  log.addFile(folder.log());
  core::writeWhole(folder.project(), textOf(copy));
  log.write(core::Severity::info, "run",
            fmt::format("koppla {} {} {}", kVersion, existing == Existing::resumed ? "resumes" : "runs", project));

  StatusFile status(folder.status(), plan.settings.start, plan.settings.end);
  const run::Outcome outcome = simulate(run, plan.settings, status, manner.quiet || manner.json);
  const report::RunFacts facts{project, plan.settings.start, plan.settings.end, run.time(), outcome};
  run.end();
  const run::Statistics statistics = run.statistics();
  const std::string table = report::statisticsText(statistics);
  core::writeWhole(folder.statistics(), report::statisticsJson(statistics, facts));
  if (!outcome.ok()) log.write(core::Severity::error, "run", outcome.message);
  log.write(core::Severity::info, "run", run::word(outcome.kind));
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) log.write(core::Severity::info, "statistics", line);

  if (manner.json)
    print(report::statisticsJson(statistics, facts));
  else if (!manner.quiet)
    print(fmt::format("{}: {} at t = {:.6g} s after {}\n\n{}\nresults in {}\n", project, run::word(outcome.kind),
                      facts.reached, report::duration(statistics.wallClock), table, folder.given().string()));
  tellWhatIsLeft(outcome, statistics, plan, folder);
  return exitCodeOf(outcome.kind);
}

}  // namespace koppla::cli
