#include "koppla/study/loop_reader.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/suggest.hpp"
#include "koppla/project/native_reader.hpp"
#include "koppla/project/parameters.hpp"
#include "koppla/project/port_values.hpp"

namespace koppla::study {

namespace {

using project::Findings;
using project::NativeModel;
using project::Parameter;
using project::Placed;
using project::TableReader;

/// A program as it is described: its model, and values for its parameters.
struct Described {
  NativeModel model;
  std::vector<std::pair<subsystem::PortIndex, std::vector<core::Value>>> values;

  [[nodiscard]] std::unique_ptr<solver::Equations> make() const {
    std::unique_ptr<solver::Equations> equations = project::makeEquations(model);
    for (const auto& [port, value] : values) equations->set(port, value);
    return equations;
  }
};

void addValues(Described& described, const std::vector<Parameter>& parameters, Findings& findings) {
  const std::unique_ptr<solver::Equations> equations = project::makeEquations(described.model);
  const subsystem::Description& description = equations->describe();
  std::vector<std::string> names;
  for (const subsystem::Port& port : description.ports)
    if (port.causality == subsystem::Causality::parameter) names.push_back(port.name);
  for (const Parameter& parameter : parameters) {
    const auto port = description.find(parameter.port.value);
    if (!port || std::ranges::find(names, parameter.port.value) == names.end()) {
      findings.mistake(parameter.port.place,
                       fmt::format("'{}' has no parameter '{}'.", described.model.word.value, parameter.port.value),
                       core::suggestion(parameter.port.value, names));
      continue;
    }
    if (auto values = project::valuesFor(description.ports[*port], parameter, parameter.port.value, findings))
      described.values.emplace_back(*port, std::move(*values));
  }
}

std::size_t scalars(const subsystem::Description& description, subsystem::Causality causality) {
  std::size_t count = 0;
  for (const subsystem::Port& port : description.ports)
    if (port.causality == causality) count += port.size;
  return count;
}

/// Whether it maps one number to another.
bool isScalarFunction(const solver::Equations& equations) {
  return equations.stateCount() == 0 && scalars(equations.describe(), subsystem::Causality::input) == 1 &&
         scalars(equations.describe(), subsystem::Causality::output) == 1;
}

/// The equations themselves may refuse formulas and values.
template <typename Do>
void tried(const core::Place& place, Findings& findings, Do attempt) {
  try {
    attempt();
  } catch (const core::InputError& error) {
    for (const core::Problem& problem : error.problems()) findings.mistake(place, problem.message, problem.remedy);
  }
}

std::optional<Described> readProgram(TableReader& table, const std::filesystem::path& folder, Findings& findings) {
  const std::size_t before = findings.mistakes.size();
  Placed<std::string> word{{}, table.place()};
  table.text("model", word, {.required = "Write model = \"expressions\" or another native model, as in a project."});
  const std::vector<Parameter> parameters = project::readParameters(table.freeTable("parameters"), findings);
  if (!table.sound({"model"})) return std::nullopt;
  std::optional<NativeModel> model = project::readNativeModel(table, word, parameters, folder);
  if (!model || findings.mistakes.size() > before) return std::nullopt;
  Described described{std::move(*model), {}};
  const auto refuse = [&] {
    findings.mistake(word.place, fmt::format("'{}' does not map one number to another at an instant.", word.value),
                     "A program of a calibration has one input, one output and no states.");
    return std::nullopt;
  };
  if (project::bringsSolver(described.model)) return refuse();
  bool fits = true;
  tried(word.place, findings, [&] {
    addValues(described, parameters, findings);
    fits = isScalarFunction(*described.make());
  });
  if (!fits) return refuse();
  return findings.mistakes.size() == before ? std::optional(std::move(described)) : std::nullopt;
}

}  // namespace

std::optional<CalibrationModel> readLoop(TableReader& table, const std::filesystem::path& folder, Findings& findings) {
  CalibrationModel model;
  Placed<std::string> name;
  table.text("name", name, {.required = "Write name = \"...\", for tables and pictures."});
  table.real("start", model.start);
  model.name = name.value;
  TableReader first = table.table("first");
  TableReader second = table.table("second");
  std::optional<Described> ofFirst = readProgram(first, folder, findings);
  std::optional<Described> ofSecond = readProgram(second, folder, findings);
  for (TableReader* program : {&first, &second}) program->finish();
  if (!ofFirst || !ofSecond || !table.sound({"name", "start"})) return std::nullopt;
  model.first = [described = std::move(*ofFirst)] { return described.make(); };
  model.second = [described = std::move(*ofSecond)] { return described.make(); };
  return model;
}

}  // namespace koppla::study
