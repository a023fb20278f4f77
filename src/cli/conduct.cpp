#include "conduct.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/core/interruption.hpp"
#include "koppla/report/duration.hpp"
#include "koppla/report/statistics_text.hpp"
#include "koppla/results/recording.hpp"
#include "koppla/results/resumed_recorder.hpp"
#include "koppla/version.hpp"

#include "console.hpp"
#include "ingredient_list.hpp"
#include "interrupt.hpp"
#include "process_guard.hpp"
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
    case run::OutcomeKind::unstable:
    case run::OutcomeKind::exploded:
    case run::OutcomeKind::notFinite:
      return ExitCode::exploded;
    case run::OutcomeKind::outputFailed:
      return ExitCode::outputFailed;
  }
  return ExitCode::internal;
}

run::Outcome simulate(run::Run& run, const run::Settings& settings, StatusFile& status, const InterruptGuard& guard,
                      bool silent) {
  ProgressLine line(settings.start, settings.end);
  const auto reclaimSignals = [&guard] {
    ProcessGuard::reclaim();
    guard.reclaim();
  };
  run.onProgress([&](const run::Progress& progress) {
    reclaimSignals();
    if (!silent) line.show(progress);
    status.show(progress);
  });
  reclaimSignals();
  const InterruptedRun interruptible(run);
  run::Outcome outcome = run.initialise();
  reclaimSignals();
  if (outcome.ok()) outcome = run.simulate();
  line.clear();
  return outcome;
}

/// Of two endings the first failure counts; what comes of it is not told as well.
void keepFirst(run::Outcome& outcome, const run::Outcome& later) {
  if (outcome.ok() && !later.ok()) outcome = later;
}

/// A file of the run's own folder, which was there when the run began: whatever is wrong now, its output has failed.
run::Outcome written(const std::filesystem::path& file, std::string_view content) {
  try {
    core::writeWhole(file, content);
    return {};
  } catch (const core::InputError& refusal) {
    return {run::OutcomeKind::outputFailed, refusal.what()};
  } catch (const core::FileError& error) {
    return {run::OutcomeKind::outputFailed, error.what()};
  }
}

/// Where to go from a run that ended early.
void tellWhatIsLeft(const run::Outcome& outcome, const run::Statistics& statistics, const project::Project& plan,
                    const RunFolder& folder) {
  if (outcome.ok()) return;
  if (outcome.kind == run::OutcomeKind::outputFailed)
    complain(fmt::format("Recorded as far as it could be written: {}\n", folder.given().string()));
  else if (plan.resumesPrograms)  // where it did not come as far as before, the rows from then are there
    complain(fmt::format("Recorded so far: {}\n", folder.given().string()));
  else if (statistics.output.count > 0)
    complain(fmt::format("Recorded until then ({} {}): {}\n", statistics.output.count,
                         statistics.output.count == 1 ? "row" : "rows",
                         (folder.given() / results::partialFile("results", plan.resultsFormats.front())).string()));
  const bool hasPrograms = std::ranges::any_of(
      plan.subsystems, [](const project::SubsystemEntry& entry) { return entry.program.has_value(); });
  if (hasPrograms)
    complain(fmt::format("What the programs have answered is kept: koppla resume {}\n", folder.given().string()));
}

/// Where rows go to, and how they are set aside in a run that is resumed.
struct RunRecord {
  std::unique_ptr<results::Recorder> recorder;
  results::ResumedRecorder* resumed = nullptr;  ///< the same, if the run is
};

/// What rows depend on of the command line; a later end makes them more, not others.
std::map<std::string, std::string> settingsOfRows(const std::vector<project::Override>& overrides) {
  std::map<std::string, std::string> settings;
  for (const project::Override& change : overrides) settings[change.name] = change.value;
  settings.erase("simulation.end");
  return settings;
}

/// The project of the run so far where the run goes on with other settings; else empty.
std::string projectOfOtherRows(const ProjectCopy& copy, const RunFolder& folder) {
  const ProjectCopy before = readProjectCopy(folder.project());
  return settingsOfRows(before.overrides) == settingsOfRows(copy.overrides) ? std::string() : textOf(before);
}

/// Of a run that goes on with other settings, before it begins.
void tellOfNewStart(const RunRecord& rows, const RunFolder& folder, const Manner& manner, core::Log& log) {
  std::string text = "With other settings the run is simulated again from its start.";
  if (const std::optional<double> time = rows.resumed->timeAside())
    text += fmt::format(" Its rows so far, to {:.12g} s, stay as {} until it has come further.", *time,
                        (folder.given() / "results.before.*").string());
  log.write(core::Severity::info, "run", text);
  if (!manner.quiet) complain(text + "\n");
}

/// A run that was repeated and came less far than before has more rows than it tells of.
std::string rowsLeft(const RunRecord& rows) {
  if (rows.resumed == nullptr || !rows.resumed->left()) return {};
  const results::ResumedRecorder::Left& left = *rows.resumed->left();
  if (left.aside)
    return fmt::format(
        "The rows of the settings before go to {:.12g} s and stay as results.before.*, those of the "
        "present ones are in results.partial.*.",
        left.time);
  return fmt::format("The rows of the run before are still there; they go to {:.12g} s.", left.time);
}

/// Brings a run to its end, whichever way it came there.
class Conclusion {
 public:
  Conclusion(run::Run& run, const RunRecord& rows, const project::Project& plan, const RunFolder& folder,
             std::string origin, const Manner& manner, core::Log& log)
      : run_(run), rows_(rows), plan_(plan), folder_(folder), origin_(std::move(origin)), manner_(manner), log_(log) {
    status_.emplace(folder.status(), plan.settings.start, plan.settings.end);
  }

  [[nodiscard]] StatusFile& status() { return *status_; }

  enum class Subsystems { terminated, leftAlone };
  /// All that is to be kept is written before the subsystems are terminated: one that crashes then takes nothing along.
  ExitCode operator()(run::Outcome outcome, Subsystems subsystems) {
    keepFirst(outcome, run_.close());
    if (const std::string left = rowsLeft(rows_); !left.empty())
      outcome.message += (outcome.message.empty() ? "" : " ") + left;
    status_.reset();
    const run::Statistics statistics = run_.statistics();
    keepFirst(outcome, written(folder_.statistics(), report::statisticsJson(statistics, factsOf(outcome))));
    const std::string table = report::statisticsText(statistics);
    tellLog(outcome, table);
    if (subsystems == Subsystems::terminated) run_.end();
    tellUser(outcome, statistics, table);
    tellWhatIsLeft(outcome, statistics, plan_, folder_);
    return exitCodeOf(outcome.kind);
  }

 private:
  [[nodiscard]] report::RunFacts factsOf(const run::Outcome& outcome) const {
    return {origin_, plan_.settings.start, plan_.settings.end, run_.time(), outcome};
  }

  void tellLog(const run::Outcome& outcome, const std::string& table) const {
    if (!outcome.message.empty())
      log_.write(outcome.ok() ? core::Severity::info : core::Severity::error, "run", outcome.message);
    log_.write(core::Severity::info, "run", run::word(outcome.kind));
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) log_.write(core::Severity::info, "statistics", line);
  }

  void tellUser(const run::Outcome& outcome, const run::Statistics& statistics, const std::string& table) const {
    if (manner_.json)
      print(report::statisticsJson(statistics, factsOf(outcome)));
    else if (!manner_.quiet)
      print(fmt::format("{}: {} at t = {:.6g} s after {}\n{}\n{}\nresults in {}\n", origin_, run::word(outcome.kind),
                        run_.time(), report::duration(statistics.wallClock),
                        outcome.ok() && !outcome.message.empty() ? outcome.message + "\n" : "", table,
                        folder_.given().string()));
    std::cout.flush();  // subsystems are freed after this
  }

  run::Run& run_;
  const RunRecord& rows_;
  const project::Project& plan_;
  const RunFolder& folder_;
  std::string origin_;
  Manner manner_;
  core::Log& log_;
  std::optional<StatusFile> status_;
};

}  // namespace

ExitCode conduct(const ProjectCopy& copy, project::Project plan, RunFolder& folder, Existing existing,
                 const Manner& manner, core::Log& log) {
  plan.programsFolder = folder.programs();
  plan.resumesPrograms = existing == Existing::resumed;
  const std::string project = copy.origin.string();
  const results::Facts origin{{"koppla", kVersion}, {"project", project}};
  const auto recordOf = [&](const std::string& name) {
    RunRecord record{results::makeRecorder(folder.path(), name, plan.resultsFormats, origin)};
    if (existing != Existing::resumed) return record;
    auto resumed = std::make_unique<results::ResumedRecorder>(std::move(record.recorder), folder.path(), name);
    record.resumed = resumed.get();
    record.recorder = std::move(resumed);
    return record;
  };
  const RunRecord rows = recordOf("results");
  const RunRecord iterations = recordOf("iterations");
  const InterruptGuard guard;
  run::Run run = project::makeRun(
      plan, log, {rows.recorder.get(), plan.settings.recordsIterations ? iterations.recorder.get() : nullptr});
  const IngredientList ingredients = ingredientsOf(plan);
  if (core::interruptionRequested()) return ExitCode::interrupted;

  folder.prepare();
  log.addFile(folder.log());
  if (existing == Existing::resumed) {
    const std::string other = projectOfOtherRows(copy, folder);
    rows.resumed->setAside(other);
    if (plan.settings.recordsIterations) iterations.resumed->setAside(other);
    if (!other.empty()) tellOfNewStart(rows, folder, manner, log);
  }
  core::writeWhole(folder.ingredients(), textOf(ingredients));  // first: whoever has the project's copy has these
  core::writeWhole(folder.project(), textOf(copy));
  if (existing == Existing::resumed) folder.forgetEnd();
  log.write(core::Severity::info, "run",
            fmt::format("koppla {} {} {}", kVersion, existing == Existing::resumed ? "resumes" : "runs", project));

  Conclusion conclude(run, rows, plan, folder, project, manner, log);
  const LastWill will(folder.log(), {rows.recorder.get(), iterations.recorder.get()}, [&](const std::string& message) {
    conclude({run::OutcomeKind::subsystemFailed, fmt::format("{} This was at {:.12g} s.", message, run.time())},
             Conclusion::Subsystems::leftAlone);
  });
  return conclude(simulate(run, plan.settings, conclude.status(), guard, manner.quiet || manner.json),
                  Conclusion::Subsystems::terminated);
}

}  // namespace koppla::cli
