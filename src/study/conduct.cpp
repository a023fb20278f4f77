#include "koppla/study/conduct.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/file.hpp"
#include "koppla/core/value.hpp"
#include "koppla/run/observation.hpp"
#include "koppla/study/children.hpp"
#include "koppla/study/journal.hpp"
#include "koppla/study/measured_run.hpp"
#include "koppla/study/payload.hpp"
#include "koppla/study/references.hpp"
#include "koppla/study/tables.hpp"

namespace koppla::study {

namespace {

using project::Override;

/// Builds one system and a run of it that is never started; the names of the measured variables.
std::vector<std::string> inspect(const Study& study, const std::vector<Override>& settings) {
  core::Log log;
  const project::Project plan = planOf(study, settings);
  project::Coupled coupled = project::build(plan, log);
  const run::Observation observation(coupled.system, plan.settings.variables);
  std::vector<std::string> names;
  for (const results::Column& column : observation.columns()) {
    if (column.type == core::Type::string)
      throw core::InputError({{study.errors.variables.front().place,
                               fmt::format("'{}' holds texts, which have no error.", column.name), "Leave it out."}});
    names.push_back(column.name);
  }
  const run::Run neverStarted(std::move(coupled.system), std::move(coupled.settings), log);
  return names;
}

/// What is wrong with the projects as seen from their FMUs (every value of the grid is tried once, and the references),
/// and the names of the measured variables.
std::string inspectAll(const Study& study) {
  std::vector<std::vector<Override>> all;
  for (const std::size_t point : study.grid.cross()) all.push_back(study.grid.overrides(point));
  for (std::vector<Override>& settings : referenceSettings(study)) all.push_back(std::move(settings));
  std::vector<core::Problem> mistakes;
  std::vector<std::string> variables;
  for (const std::vector<Override>& settings : all) {
    try {
      variables = inspect(study, settings);
    } catch (const core::InputError& error) {
      const auto textOf = [](const core::Problem& problem) { return core::text(problem); };
      for (const core::Problem& problem : error.problems())
        if (std::ranges::find(mistakes, textOf(problem), textOf) == mistakes.end()) mistakes.push_back(problem);
    }
  }
  Packer packer;
  packer.problems(mistakes);
  packer.count(variables.size());
  for (const std::string& name : variables) packer.text(name);
  return std::move(packer).take();
}

/// Loads the FMUs in a child process, lest one that crashes takes the study with it. Nothing if interrupted.
std::optional<std::vector<std::string>> variablesOf(const Study& study, const std::function<bool()>& interrupted) {
  std::vector<std::string> variables;
  Children child;
  child.interrupted = interrupted;
  child.work = [&](std::size_t) { return inspectAll(study); };
  child.finished = [&](std::size_t, const ChildResult& result) {
    if (result.atFile)
      core::passOnFileError(fmt::format("The subsystems of {} could not be loaded.", study.project.string()),
                            result.failure);
    if (!result.failure.empty())
      throw core::SubsystemError(
          fmt::format("The subsystems of {} could not be loaded: the process that tried {}. Look "
                      "for the culprit with 'koppla check'.",
                      study.project.string(), result.failure));
    Unpacker unpacker(result.payload);
    std::vector<core::Problem> mistakes = unpacker.problems();
    if (!mistakes.empty()) throw core::InputError(std::move(mistakes));
    for (std::uint64_t left = unpacker.count(); left > 0; --left) variables.push_back(unpacker.text());
  };
  if (!workInChildren(1, child)) return std::nullopt;
  return variables;
}

Row failedRow(std::string message) {
  Row row;
  row.message = std::move(message);
  return row;
}

/// In a child process. Throws core::FileError where the system fails, of which no row tells.
Row rowAt(const Study& study, std::size_t point, const PreparedReference& reference) {
  try {
    project::Project plan = planOf(study, study.grid.overrides(point));
    if (study.errors.reference == ErrorReference::local)
      for (std::string& state : reference.reference->states()) plan.settings.variables.push_back(std::move(state));
    return judge(runToEnd(plan), plan.settings.start, *reference.reference, reference.ownError, study.errors);
  } catch (const core::InputError& error) {
    return failedRow(error.what());
  }
}

/// A full disk says nothing of this point: it ends the study, which goes on there when there is room.
Row receivedRow(const ChildResult& result) {
  if (result.atFile) core::passOnFileError("The study has stopped, with finished runs kept.", result.failure);
  return result.failure.empty() ? rowFrom(result.payload)
                                : failedRow("The process of this run " + result.failure + ".");
}

/// False if interrupted.
bool doRuns(const Study& study, const std::vector<std::size_t>& pending, const Options& options, Journal& journal,
            core::Log& log) {
  const auto references = prepareReferences(study, options.jobs, options.interrupted);
  if (!references) return false;
  for (const PreparedReference& reference : *references)
    log.write(core::Severity::info, "study",
              fmt::format("the reference's own error: {}", core::text(reference.ownError)));
  std::size_t done = study.grid.size() - pending.size();
  options.progress(done, study.grid.size());
  Children children;
  children.atOnce = options.jobs;
  children.interrupted = options.interrupted;
  children.work = [&](std::size_t i) {
    return toLine(rowAt(study, pending[i], references->at(referenceFor(study, pending[i]))));
  };
  children.finished = [&](std::size_t i, const ChildResult& result) {
    journal.add(pending[i], receivedRow(result));
    options.progress(++done, study.grid.size());
  };
  return workInChildren(pending.size(), children);
}

void warnOfReference(const std::vector<Row>& rows, core::Log& log) {
  const auto limited = std::ranges::count(rows, Status::limitedByReference, &Row::status);
  if (limited == 0) return;
  const double own = std::ranges::find(rows, Status::limitedByReference, &Row::status)->referenceError;
  log.write(core::Severity::warning, "study",
            fmt::format("{} of {} errors are less than 10 times the reference's own error, {:.3g}; they are marked and "
                        "left out of fits. Sharpen 'set' in [reference].",
                        limited, rows.size(), own));
}

/// A run that ends where a subsystem asks for it is complete as a run, and no point of a curve.
void warnOfEarlyEnds(const std::vector<Row>& rows, core::Log& log) {
  const auto early = std::ranges::count(rows, Status::endedEarly, &Row::status);
  if (early == 0) return;
  log.write(core::Severity::warning, "study",
            fmt::format("{} of {} runs ended before their end and have no error; the first: {}", early, rows.size(),
                        std::ranges::find(rows, Status::endedEarly, &Row::status)->message));
}

}  // namespace

Conducted conduct(const Study& study, const Options& options, core::Log& log) {
  Conducted result;
  result.folder = options.folder.empty() ? study.folder() : options.folder;
  std::optional<std::vector<std::string>> variables = variablesOf(study, options.interrupted);
  if (!variables) return result;
  result.variables = std::move(*variables);
  checkReference(study, result.variables);

  Journal journal(result.folder, fingerprint(study, options.version), study.grid.size(), options.restart);
  std::vector<std::size_t> pending;
  for (std::size_t point = 0; point < study.grid.size(); ++point)
    if (!journal.rows()[point]) pending.push_back(point);
  result.takenOver = study.grid.size() - pending.size();
  const bool finished = pending.empty() || doRuns(study, pending, options, journal, log);
  result.done = static_cast<std::size_t>(
      std::ranges::count_if(journal.rows(), [](const std::optional<Row>& row) { return row.has_value(); }));
  if (!finished) return result;

  for (const std::optional<Row>& row : journal.rows()) result.rows.push_back(row.value());
  result.fits = fitAll(study, result.rows);
  warnOfReference(result.rows, log);
  warnOfEarlyEnds(result.rows, log);
  core::writeWhole(result.folder / "study.csv", studyCsv(study, result.variables, result.rows));
  if (study.fit) core::writeWhole(result.folder / "fits.csv", fitsCsv(study, result.fits));
  return result;
}

}  // namespace koppla::study
