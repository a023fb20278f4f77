#include <iostream>

#include <fmt/format.h>

#include "koppla/core/error.hpp"

#include "commands.hpp"
#include "conduct.hpp"
#include "console.hpp"
#include "run_state.hpp"

namespace koppla::cli {

ExitCode resumeCommand(const ResumeOptions& options) {
  const RunState state = readRunState(options.folder);
  if (state.isRunning)
    throw core::InputError(fmt::format("The run in {} goes on.", options.folder.string()),
                           "`koppla status` tells how far it is.");
  const bool changed = options.end || !options.set.empty();
  if (state.isCompleted() && !changed) {
    std::cout << fmt::format("The run in {} is complete. With --end it can go on beyond its end.\n",
                             options.folder.string());
    return ExitCode::ok;
  }
  core::Log log;
  showWarnings(log);
  ProjectCopy copy = readProjectCopy(options.folder / "project.toml");
  for (const std::string& text : options.set) copy.overrides.push_back(project::parseOverride(text));
  if (options.end) copy.overrides.push_back({"simulation.end", *options.end});
  project::Project plan = project::readText(copy.text, copy.origin, log, copy.overrides);
  RunFolder folder(options.folder, plan.file, Existing::resumed);
  return conduct(copy, std::move(plan), folder, Existing::resumed, {options.quiet, options.json}, log);
}

}  // namespace koppla::cli
