#include "koppla/core/file.hpp"

#include "commands.hpp"
#include "conduct.hpp"
#include "console.hpp"

namespace koppla::cli {

namespace {

std::vector<project::Override> overridesOf(const RunOptions& options) {
  std::vector<project::Override> overrides;
  for (const std::string& text : options.set) overrides.push_back(project::parseOverride(text));
  if (options.end) overrides.push_back({"simulation.end", *options.end});
  if (options.step) overrides.push_back({"simulation.step", *options.step});
  return overrides;
}

}  // namespace

ExitCode runCommand(const RunOptions& options) {
  core::Log log;
  showWarnings(log);
  const ProjectCopy copy{options.project, core::readWhole(options.project), overridesOf(options)};
  project::Project plan = project::readText(copy.text, copy.origin, log, copy.overrides);
  const Existing existing = options.overwrite ? Existing::overwritten : Existing::refused;
  RunFolder folder(options.folder.empty() ? plan.resultsFolder : options.folder, plan.file, existing);
  return conduct(copy, std::move(plan), folder, existing, {options.quiet, options.json}, log);
}

}  // namespace koppla::cli
