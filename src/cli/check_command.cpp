#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "koppla/project/project.hpp"
#include "koppla/run/foretold_growth.hpp"

#include "commands.hpp"
#include "console.hpp"
#include "interrupt.hpp"

namespace koppla::cli {

namespace {

std::string fullName(const project::PortReference& end) {
  return end.subsystem + "." + end.port;
}

/// What is known of a run without running it.
void warnOfGrowth(const project::Project& plan, core::Log& log) {
  if (std::ranges::any_of(plan.subsystems, [](const auto& entry) { return !entry.model; })) return;
  core::Log quiet;
  const project::Coupled coupled = project::build(plan, quiet);
  const auto make = [&](const run::Settings& settings) {
    project::Project changed = plan;
    changed.settings = settings;
    return project::build(changed, quiet).system;
  };
  const std::string text = run::foretellGrowth(make, coupled.settings);
  if (!text.empty()) log.write(core::Severity::warning, "coupling", text);
}

}  // namespace

ExitCode checkCommand(const CheckOptions& options) {
  const InterruptGuard guard;
  core::Log log;
  showWarnings(log);
  std::vector<std::string> mappings;
  log.addSink([&mappings](core::Severity severity, std::string_view who, std::string_view message) {
    if (who == "mapping" && severity == core::Severity::info) mappings.emplace_back(message);
  });
  std::vector<project::Override> overrides;
  for (const std::string& text : options.set) overrides.push_back(project::parseOverride(text));
  const project::Project plan = project::read(options.project, log, overrides);
  const run::Run run = project::makeRun(plan, log);  // refuses what the subsystems cannot do
  const std::vector<run::EvaluationGroup> order = run.order();
  warnOfGrowth(plan, log);
  const std::size_t members = plan.subsystems.size();
  const std::size_t connections = plan.connections.size();

  if (options.json) {
    nlohmann::ordered_json document{{"project", options.project.string()},
                                    {"subsystems", members},
                                    {"connections", connections},
                                    {"conditions", plan.conditions.size()},
                                    {"mappings", nlohmann::ordered_json::array()},
                                    {"order", nlohmann::ordered_json::array()}};
    for (const project::ConnectionEntry& entry : plan.connections)
      if (entry.mapping)
        document["mappings"].push_back({{"from", fullName(entry.from)},
                                        {"to", fullName(entry.to)},
                                        {"kind", project::word(entry.mapping->kind)},
                                        {"form", project::word(entry.mapping->form)}});
    for (const run::EvaluationGroup& group : order)
      document["order"].push_back({{"members", group.members}, {"closed", group.closed}});
    print(document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    return ExitCode::ok;
  }
  const std::string conditions =
      plan.conditions.empty() ? std::string() : fmt::format(", {} conditions", plan.conditions.size());
  print(fmt::format("{}: no mistakes. {} subsystems, {} connections{}.\norder of evaluation:", options.project.string(),
                    members, connections, conditions));
  for (const run::EvaluationGroup& group : order)
    print(group.closed ? fmt::format(" cycle({})", fmt::join(group.members, ", ")) : " " + group.members.front());
  print("\n");
  for (const std::string& mapping : mappings) print("mapping: " + mapping + "\n");
  return ExitCode::ok;
}

}  // namespace koppla::cli
