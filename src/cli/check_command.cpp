#include <iostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "koppla/project/project.hpp"

#include "commands.hpp"
#include "console.hpp"

namespace koppla::cli {

ExitCode checkCommand(const CheckOptions& options) {
  core::Log log;
  showWarnings(log);
  std::vector<project::Override> overrides;
  for (const std::string& text : options.set) overrides.push_back(project::parseOverride(text));
  const project::Project plan = project::read(options.project, log, overrides);
  const run::Run run = project::makeRun(plan, log);  // refuses what the subsystems cannot do
  const std::vector<run::EvaluationGroup> order = run.order();
  const std::size_t members = plan.subsystems.size();
  const std::size_t connections = plan.connections.size();

  if (options.json) {
    nlohmann::ordered_json document{{"project", options.project.string()},
                                    {"subsystems", members},
                                    {"connections", connections},
                                    {"conditions", plan.conditions.size()},
                                    {"order", nlohmann::ordered_json::array()}};
    for (const run::EvaluationGroup& group : order)
      document["order"].push_back({{"members", group.members}, {"closed", group.closed}});
    std::cout << document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
    return ExitCode::ok;
  }
  const std::string conditions =
      plan.conditions.empty() ? std::string() : fmt::format(", {} conditions", plan.conditions.size());
  std::cout << fmt::format("{}: no mistakes. {} subsystems, {} connections{}.\norder of evaluation:",
                           options.project.string(), members, connections, conditions);
  for (const run::EvaluationGroup& group : order)
    std::cout << (group.closed ? fmt::format(" cycle({})", fmt::join(group.members, ", "))
                               : " " + group.members.front());
  std::cout << "\n";
  return ExitCode::ok;
}

}  // namespace koppla::cli
