#include <algorithm>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/results/reach.hpp"

#include "commands.hpp"
#include "conduct.hpp"
#include "console.hpp"
#include "ingredient_list.hpp"
#include "run_state.hpp"

namespace koppla::cli {

namespace {

/// Mistakes have the places of the project file; whoever damaged the run's copy is told where that is.
project::Project planOf(const ProjectCopy& copy, const std::filesystem::path& file, core::Log& log) {
  try {
    return project::readText(copy.text, copy.origin, log, copy.overrides);
  } catch (const core::InputError& refusal) {
    std::vector<core::Problem> problems = refusal.problems();
    const std::string commandLine = project::commandLine().file;
    if (std::ranges::all_of(problems, [&](const core::Problem& problem) { return problem.place.file == commandLine; }))
      throw;
    problems.push_back({{file.string()},
                        "This copy of the project was read, not the project file; its lines are one further down.",
                        "Mend it there, or start anew with `koppla run`."});
    throw core::InputError(std::move(problems));
  }
}

/// A run is computed anew, from answers that are there, and its results are replaced: rows beyond a shorter end would
/// go.
void refuseToCut(const RunState& state, const project::Project& plan, const std::filesystem::path& folder) {
  double reached = plan.settings.start;
  if (state.progress) reached = std::max(reached, numberOf(*state.progress, "time"));
  if (state.statistics) reached = std::max(reached, numberOf(*state.statistics, "reached"));
  // A killed run has written rows that its status did not tell of.
  for (const char* record : {"results", "results.before"})
    if (const auto rows = results::reachOf(folder, record)) reached = std::max(reached, rows->time);
  if (plan.settings.end >= reached) return;
  throw core::InputError(fmt::format("The run in {} has come to {:.12g} s; an end at {:.12g} s would cut off its rows "
                                     "beyond that.",
                                     folder.string(), reached, plan.settings.end),
                         "Choose a later end, or run the project in another folder.");
}

/// Subsystems in the process are simulated again: with other files rows that are there would change in silence.
void refuseOtherIngredients(const RunFolder& folder, const project::Project& plan, core::Log& log) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder.ingredients(), ignored)) {
    log.write(
        core::Severity::warning, "run",
        fmt::format("{} does not tell which files its run was made from; whether they have changed cannot be checked.",
                    folder.given().string()));
    return;
  }
  const IngredientList before = readIngredients(folder.ingredients());
  const IngredientList now = ingredientsOf(plan);
  std::vector<core::Problem> problems;
  const auto tell = [&](const std::string& name, const char* what) {
    problems.push_back(
        {{},
         fmt::format("{} {}; the rows in {} would no longer be those of one run.", name, what, folder.given().string()),
         "Put back what was there, or start anew with `koppla run --overwrite`."});
  };
  for (const auto& [name, checksum] : before)
    if (const auto found = now.find(name); found == now.end())
      tell(name, "had a part in the run and has none now");
    else if (found->second != checksum)
      tell(name,
           name.starts_with('/')
               ? "has changed since the run began"
               : "has changed since the run began (its command, the program itself, templates, scripts or files)");
  for (const auto& [name, checksum] : now)
    if (!before.contains(name)) tell(name, "had no part in the run so far");
  if (!problems.empty()) throw core::InputError(std::move(problems));
}

/// Of a run that is left as it is.
void tellComplete(const RunState& state, const ResumeOptions& options) {
  if (options.json) {
    print(core::readWhole(RunFolder::statisticsIn(options.folder)));
    return;
  }
  const std::string message = textOf(*state.statistics, "message");
  print(fmt::format("The run in {} is complete. {}\n", options.folder.string(),
                    message.empty() ? "With --end it can go on beyond its end." : message));
}

}  // namespace

ExitCode resumeCommand(const ResumeOptions& options) {
  const RunState state = readRunState(options.folder);
  if (state.isRunning)
    throw core::InputError(fmt::format("The run in {} goes on.", options.folder.string()),
                           "`koppla status` tells how far it is.");
  const bool changed = options.end || !options.set.empty();
  if (state.isCompleted() && !changed) {
    tellComplete(state, options);
    return ExitCode::ok;
  }
  core::Log log;
  showWarnings(log);
  const std::filesystem::path file = options.folder / "project.toml";
  ProjectCopy copy = readProjectCopy(file);
  for (const std::string& text : options.set) copy.overrides.push_back(project::parseOverride(text));
  if (options.end) copy.overrides.push_back({"simulation.end", *options.end});
  project::Project plan = planOf(copy, file, log);
  refuseToCut(state, plan, options.folder);
  RunFolder folder(options.folder, plan.file, Existing::resumed);
  refuseOtherIngredients(folder, plan, log);
  return conduct(copy, std::move(plan), folder, Existing::resumed, {options.quiet, options.json}, log);
}

}  // namespace koppla::cli
