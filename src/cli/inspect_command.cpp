#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "koppla/project/inspection.hpp"

#include "commands.hpp"
#include "console.hpp"
#include "interrupt.hpp"

namespace koppla::cli {

namespace {

using Json = nlohmann::ordered_json;
using subsystem::Description;
using subsystem::Port;

std::vector<std::pair<std::string, std::string>> capabilityRows(const subsystem::Capabilities& c) {
  const auto yes = [](bool can) { return std::string(can ? "yes" : "no"); };
  const auto order = [](unsigned n) { return n == 0 ? std::string("no") : "up to order " + std::to_string(n); };
  return {{"save and restore", yes(c.saveRestore)},
          {"variable step", yes(c.variableStep)},
          {"input derivatives", order(c.inputDerivatives)},
          {"output derivatives", order(c.outputDerivatives)},
          {"directional derivatives", yes(c.directionalDerivatives)},
          {"steps of its own choice", yes(c.ownSteps)},
          {"evaluation between steps", yes(c.evaluatesBetweenSteps)},
          {"only once per process", yes(c.oncePerProcess)}};
}

/// "all inputs", "none" or the names on which an output depends directly.
std::string dependenciesOf(const Description& description, subsystem::PortIndex output) {
  const auto found = description.dependencies.find(output);
  if (found == description.dependencies.end() || !found->second) return "all inputs (nothing declared)";
  if (found->second->empty()) return "no input";
  std::vector<std::string> names;
  for (const subsystem::PortIndex input : *found->second) names.push_back(description.ports[input].name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// "red = 1, green = 2"
std::string itemsOf(const Port& port) {
  std::vector<std::string> items;
  for (const subsystem::Item& item : port.items) items.push_back(fmt::format("{} = {}", item.name, item.value));
  return fmt::format("{}", fmt::join(items, ", "));
}

std::string line(const Description& description, std::size_t index, std::size_t width) {
  const Port& port = description.ports[index];
  std::string text =
      fmt::format("  {:<{}}  {:<9}  {:<11}", port.name, width, word(port.causality), core::word(port.type));
  if (port.start) text += "  start " + core::text(*port.start);
  if (!port.unit.empty()) text += "  [" + port.unit + "]";
  if (!port.items.empty()) text += "  " + itemsOf(port);
  if (port.causality == subsystem::Causality::output) text += "  depends on " + dependenciesOf(description, index);
  if (!port.description.empty()) text += "  " + port.description;
  return text;
}

/// Names of inputs; null where nothing is declared.
Json declaredDependencies(const Description& description, subsystem::PortIndex output) {
  const auto found = description.dependencies.find(output);
  if (found == description.dependencies.end() || !found->second) return nullptr;
  Json names = Json::array();
  for (const subsystem::PortIndex input : *found->second) names.push_back(description.ports[input].name);
  return names;
}

void printText(const project::Inspection& inspection) {
  for (const auto& [name, value] : inspection.facts) print(fmt::format("{:<24} {}\n", name, core::printable(value)));
  print("\ncan do\n");
  for (const auto& [name, value] : capabilityRows(inspection.description.capabilities))
    print(fmt::format("  {:<24} {}\n", name, value));
  const Description& description = inspection.description;
  std::size_t width = 4;
  for (const Port& port : description.ports) width = std::max(width, std::min<std::size_t>(port.name.size(), 40));
  for (const subsystem::Marker& marker : description.markers)
    print(fmt::format("\nmarker {}: position {}, velocity {}, force {}\n", marker.name,
                      description.ports[marker.position].name, description.ports[marker.velocity].name,
                      description.ports[marker.force].name));
  print(fmt::format("\n{} variables\n", description.ports.size()));
  for (std::size_t i = 0; i < description.ports.size(); ++i) print(core::printable(line(description, i, width)) + "\n");
  if (inspection.warnings.empty()) return;
  print(fmt::format("\n{} broken rules of the standard\n", inspection.warnings.size()));
  for (const core::Problem& warning : inspection.warnings) print("  " + core::printable(core::text(warning)) + "\n");
}

void printJson(const project::Inspection& inspection) {
  Json document;
  for (const auto& [name, value] : inspection.facts) document["facts"][name] = value;
  const subsystem::Capabilities& c = inspection.description.capabilities;
  document["capabilities"] = {{"save_restore", c.saveRestore},
                              {"variable_step", c.variableStep},
                              {"input_derivatives", c.inputDerivatives},
                              {"output_derivatives", c.outputDerivatives},
                              {"directional_derivatives", c.directionalDerivatives},
                              {"own_steps", c.ownSteps},
                              {"evaluates_between_steps", c.evaluatesBetweenSteps},
                              {"once_per_process", c.oncePerProcess}};
  document["variables"] = Json::array();
  const Description& description = inspection.description;
  for (std::size_t i = 0; i < description.ports.size(); ++i) {
    const Port& port = description.ports[i];
    Json variable{{"name", port.name},        {"causality", word(port.causality)}, {"type", core::word(port.type)},
                  {"unit", port.unit},        {"nominal", port.usualMagnitude()},  {"description", port.description},
                  {"settable", port.settable}};
    if (port.start) variable["start"] = std::visit([](const auto& value) { return Json(value); }, *port.start);
    for (const subsystem::Item& item : port.items) variable["items"][item.name] = item.value;
    if (port.causality == subsystem::Causality::output) variable["depends_on"] = declaredDependencies(description, i);
    document["variables"].push_back(std::move(variable));
  }
  document["markers"] = Json::array();
  for (const subsystem::Marker& marker : description.markers)
    document["markers"].push_back({{"name", marker.name},
                                   {"position", description.ports[marker.position].name},
                                   {"velocity", description.ports[marker.velocity].name},
                                   {"force", description.ports[marker.force].name}});
  document["warnings"] = Json::array();
  for (const core::Problem& warning : inspection.warnings) document["warnings"].push_back(core::text(warning));
  print(document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace

ExitCode inspectCommand(const InspectOptions& options) {
  const InterruptGuard guard;
  core::Log log;  // its warnings are part of what is printed
  const project::Inspection inspection = project::inspect(options.model, log);
  if (options.json)
    printJson(inspection);
  else
    printText(inspection);
  return ExitCode::ok;
}

}  // namespace koppla::cli
