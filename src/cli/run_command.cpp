#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"

#include "certify.hpp"
#include "commands.hpp"
#include "conduct.hpp"
#include "console.hpp"

namespace koppla::cli {

namespace {

/// `--end` stands for a --set; which of the two came last is not known, so they must agree.
void addShort(std::vector<project::Override>& overrides, std::string_view option, const std::string& name,
              const std::optional<std::string>& value) {
  if (!value) return;
  const auto last = std::ranges::find(overrides.rbegin(), overrides.rend(), name, &project::Override::name);
  if (last != overrides.rend() && last->value != *value)
    throw core::InputError({{project::commandLine(),
                             fmt::format("{} {} and --set {}={} were both given.", option, *value, name, last->value),
                             "Give one of them."}});
  overrides.push_back({name, *value});
}

std::vector<project::Override> overridesOf(const RunOptions& options) {
  std::vector<project::Override> overrides;
  for (const std::string& text : options.set) overrides.push_back(project::parseOverride(text));
  addShort(overrides, "--end", "simulation.end", options.end);
  addShort(overrides, "--step", "simulation.step", options.step);
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
  const Manner manner{options.quiet, options.json};
  if (options.certify) return conductCertified(copy, plan, folder, existing, manner, log);
  return conduct(copy, std::move(plan), folder, existing, manner, log);
}

}  // namespace koppla::cli
