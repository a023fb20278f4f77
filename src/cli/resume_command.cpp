#include <fmt/format.h>

#include "koppla/core/error.hpp"

#include "commands.hpp"
#include "conduct.hpp"
#include "console.hpp"
#include "run_state.hpp"

namespace koppla::cli {

namespace {

/// Mistakes have the places of the project file; whoever damaged the run's copy is told where that is.
project::Project planOf(const ProjectCopy& copy, const std::filesystem::path& file, core::Log& log) {
  try {
    return project::readText(copy.text, copy.origin, log, copy.overrides);
  } catch (const core::InputError& refusal) {
    std::vector<core::Problem> problems = refusal.problems();
    problems.push_back({{file.string()},
                        "This copy of the project was read, not the project file; its lines are one further down.",
                        "Mend it there, or start anew with `koppla run`."});
    throw core::InputError(std::move(problems));
  }
}

/// A run is computed anew, from answers that are there, and its results are replaced: rows beyond a shorter end would
/// go.
void refuseToCut(const RunState& state, const project::Project& plan, const std::filesystem::path& folder) {
  if (!state.statistics && !state.progress) return;
  const double reached = state.statistics ? numberOf(*state.statistics, "reached") : numberOf(*state.progress, "time");
  if (plan.settings.end >= reached) return;
  throw core::InputError(fmt::format("The run in {} has come to {:.12g} s; an end at {:.12g} s would cut off its rows "
                                     "beyond that.",
                                     folder.string(), reached, plan.settings.end),
                         "Choose a later end, or run the project in another folder.");
}

}  // namespace

ExitCode resumeCommand(const ResumeOptions& options) {
  const RunState state = readRunState(options.folder);
  if (state.isRunning)
    throw core::InputError(fmt::format("The run in {} goes on.", options.folder.string()),
                           "`koppla status` tells how far it is.");
  const bool changed = options.end || !options.set.empty();
  if (state.isCompleted() && !changed) {
    const std::string message = textOf(*state.statistics, "message");
    print(fmt::format("The run in {} is complete. {}\n", options.folder.string(),
                      message.empty() ? "With --end it can go on beyond its end." : message));
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
  return conduct(copy, std::move(plan), folder, Existing::resumed, {options.quiet, options.json}, log);
}

}  // namespace koppla::cli
