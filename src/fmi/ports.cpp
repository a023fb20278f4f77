#include "koppla/fmi/ports.hpp"

#include <cmath>
#include <optional>

#include "koppla/subsystem/subsystem.hpp"

namespace koppla::fmi {

namespace {

using subsystem::PortIndex;
using PortOfVariable = std::vector<std::optional<PortIndex>>;

subsystem::Causality portCausality(const Variable& variable) {
  switch (variable.causality) {
    case Causality::input:
      return subsystem::Causality::input;
    case Causality::output:
      return subsystem::Causality::output;
    case Causality::parameter:
      return settable(variable) ? subsystem::Causality::parameter : subsystem::Causality::local;
    case Causality::calculatedParameter:
    case Causality::local:
    case Causality::independent:
      return subsystem::Causality::local;
  }
  return subsystem::Causality::local;
}

/// Nothing where the description says nothing that makes sense.
std::optional<double> magnitudeOf(std::optional<double> nominal) {
  if (!nominal || *nominal == 0.0 || !std::isfinite(*nominal)) return std::nullopt;
  return std::fabs(*nominal);
}

subsystem::Port makePort(const Variable& variable) {
  subsystem::Port port;
  port.name = variable.name;
  port.type = variable.type;
  port.causality = portCausality(variable);
  port.unit = variable.unit;
  port.description = variable.description;
  port.nominal = magnitudeOf(variable.nominal);
  port.settable = settable(variable);
  port.discrete = variable.type == core::Type::real && variable.variability != Variability::continuous;
  port.start = variable.start;
  port.items = variable.items;
  return port;
}

/// Of the declared dependencies those on inputs.
subsystem::Dependencies onInputs(const Unknown& unknown, const ModelDescription& model, const PortOfVariable& ports) {
  if (!unknown.dependencies) return std::nullopt;
  std::vector<PortIndex> result;
  for (const std::size_t variable : *unknown.dependencies)
    if (model.variables[variable].causality == Causality::input && ports[variable]) result.push_back(*ports[variable]);
  return result;
}

void addDependencies(const ModelDescription& model, const PortOfVariable& ports, subsystem::Description& description) {
  // During initialisation an output that is not listed is either fixed by its start value or not declared at all.
  for (std::size_t i = 0; i < model.variables.size(); ++i) {
    if (!ports[i] || model.variables[i].causality != Causality::output) continue;
    const bool fixed = model.structureDeclared && model.variables[i].initial == Initial::exact;
    description.dependencies[*ports[i]] = std::nullopt;
    description.initialDependencies[*ports[i]] =
        fixed ? subsystem::Dependencies(std::vector<PortIndex>{}) : subsystem::Dependencies();
  }
  const auto declare = [&](const std::vector<Unknown>& unknowns, auto& into) {
    for (const Unknown& unknown : unknowns)
      if (ports[unknown.variable] && model.variables[unknown.variable].causality == Causality::output)
        into[*ports[unknown.variable]] = onInputs(unknown, model, ports);
  };
  declare(model.outputs, description.dependencies);
  declare(model.initialUnknowns, description.initialDependencies);
}

}  // namespace

bool settable(const Variable& variable) {
  if (variable.variability == Variability::constant) return false;
  switch (variable.causality) {
    case Causality::parameter:
    case Causality::input:
      return true;
    case Causality::independent:
      return false;
    case Causality::calculatedParameter:
    case Causality::output:
    case Causality::local:
      return variable.initial == Initial::exact || variable.initial == Initial::approx;
  }
  return false;
}

PortTable makePorts(const ModelDescription& model) {
  PortTable table;
  subsystem::Description& description = table.description;
  description.kind = "FMI 2.0 co-simulation";
  description.model = model.modelName;
  PortOfVariable ports(model.variables.size());
  for (std::size_t i = 0; i < model.variables.size(); ++i) {
    const Variable& variable = model.variables[i];
    if (!variable.usable || variable.causality == Causality::independent) continue;
    ports[i] = description.ports.size();
    description.ports.push_back(makePort(variable));
    table.references.push_back(variable.valueReference);
    table.variables.push_back(i);
  }
  addDependencies(model, ports, description);
  const CoSimulationFlags& flags = model.coSimulation;
  description.declaredStates = model.derivatives;
  description.capabilities.threadBound = true;  // nobody knows
  description.capabilities.saveRestore = flags.canGetAndSetFMUstate;
  description.capabilities.variableStep = flags.canHandleVariableCommunicationStepSize;
  description.capabilities.directionalDerivatives = flags.providesDirectionalDerivative;
  // FMI 2.0 declares that derivatives of inputs are taken, not up to which order: an FMU that refuses one says so.
  description.capabilities.inputDerivatives = flags.canInterpolateInputs ? subsystem::kMaxDegree : 0;
  description.capabilities.outputDerivatives = flags.maxOutputDerivativeOrder;
  description.capabilities.oncePerProcess = flags.canBeInstantiatedOnlyOncePerProcess;
  description.indexNames();
  return table;
}

}  // namespace koppla::fmi
