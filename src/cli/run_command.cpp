#include <algorithm>
#include <iostream>
#include <sstream>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/project/project.hpp"
#include "koppla/report/duration.hpp"
#include "koppla/report/statistics_text.hpp"
#include "koppla/results/recording.hpp"

#include "commands.hpp"
#include "console.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "run_folder.hpp"

namespace koppla::cli {

namespace {

std::vector<project::Override> overridesOf(const RunOptions& options) {
  std::vector<project::Override> overrides;
  for (const std::string& text : options.set) overrides.push_back(project::parseOverride(text));
  if (options.end) overrides.push_back({"simulation.end", *options.end});
  if (options.step) overrides.push_back({"simulation.step", *options.step});
  return overrides;
}

/// The project as it was run: its own text, and what the command line changed.
std::string projectCopy(const project::Project& plan, const std::vector<project::Override>& overrides) {
  std::string origin = std::filesystem::absolute(plan.file).string();
  std::ranges::replace(origin, '\n', '?');  // a comment is one line
  std::string text = fmt::format("# Copy of {} as it was run; relative paths start from there.\n", origin) +
                     core::readWhole(plan.file);
  if (overrides.empty()) return text;
  if (!text.ends_with('\n')) text += '\n';
  text += "\n# Changed on the command line for this run:\n";
  for (const project::Override& change : overrides) text += fmt::format("# --set {}={}\n", change.name, change.value);
  return text;
}

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

run::Outcome simulate(run::Run& run, const run::Settings& settings, bool quiet) {
  ProgressLine line(settings.start, settings.end);
  if (!quiet) run.onProgress([&line](const run::Progress& progress) { line.show(progress); });
  const InterruptedRun interruptible(run);
  run::Outcome outcome = run.initialise();
  if (outcome.ok()) outcome = run.simulate();
  line.clear();
  return outcome;
}

}  // namespace

ExitCode runCommand(const RunOptions& options) {
  core::Log log;
  showWarnings(log);
  const auto overrides = overridesOf(options);
  project::Project plan = project::read(options.project, log, overrides);
  RunFolder folder(options.folder.empty() ? plan.resultsFolder : options.folder, plan.file, options.overwrite);
  plan.programsFolder = folder.path() / "programs";
  const results::Facts origin{{"koppla", KOPPLA_VERSION}, {"project", options.project.string()}};
  const auto recorder = results::makeRecorder(folder.path(), "results", plan.resultsFormats, origin);
  const auto iterations = results::makeRecorder(folder.path(), "iterations", plan.resultsFormats, origin);
  const InterruptGuard guard;
  run::Run run =
      project::makeRun(plan, log, {recorder.get(), plan.settings.recordsIterations ? iterations.get() : nullptr});
  if (InterruptGuard::requested()) return ExitCode::interrupted;

  folder.prepare();
  log.addFile(folder.log());
  core::writeWhole(folder.project(), projectCopy(plan, overrides));
  log.write(core::Severity::info, "run", fmt::format("koppla {} runs {}", KOPPLA_VERSION, options.project.string()));

  const run::Outcome outcome = simulate(run, plan.settings, options.quiet || options.json);
  const report::RunFacts facts{options.project.string(), plan.settings.start, plan.settings.end, run.time(), outcome};
  run.end();
  const run::Statistics statistics = run.statistics();
  const std::string table = report::statisticsText(statistics);
  core::writeWhole(folder.statistics(), report::statisticsJson(statistics, facts));
  if (!outcome.ok()) log.write(core::Severity::error, "run", outcome.message);
  log.write(core::Severity::info, "run", run::word(outcome.kind));
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) log.write(core::Severity::info, "statistics", line);

  if (options.json)
    std::cout << report::statisticsJson(statistics, facts);
  else if (!options.quiet)
    std::cout << fmt::format("{}: {} at t = {:.6g} s after {}\n\n{}\nresults in {}\n", options.project.string(),
                             run::word(outcome.kind), facts.reached, report::duration(statistics.wallClock), table,
                             folder.given().string());
  if (!outcome.ok() && statistics.output.count > 0)
    std::cerr << fmt::format("Recorded until then ({} {}): {}\n", statistics.output.count,
                             statistics.output.count == 1 ? "row" : "rows",
                             (folder.given() / results::partialFile("results", plan.resultsFormats.front())).string());
  return exitCodeOf(outcome.kind);
}

}  // namespace koppla::cli
