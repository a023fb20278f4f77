#include "koppla/project/resolver.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/suggest.hpp"
#include "koppla/project/check.hpp"
#include "koppla/project/port_values.hpp"
#include "koppla/results/pattern.hpp"
#include "koppla/subsystem/phases.hpp"

namespace koppla::project {

namespace {

using subsystem::Causality;
using subsystem::Description;
using subsystem::Port;
using subsystem::PortIndex;

std::string fullName(const PortReference& reference) {
  return reference.subsystem + "." + reference.port;
}

template <typename Condition>
std::vector<std::string> portNames(const Description& description, Condition condition) {
  std::vector<std::string> names;
  for (const Port& port : description.ports)
    if (condition(port)) names.push_back(port.name);
  return names;
}

bool isSettable(const Port& port) {
  return port.settable;
}

std::string_view withArticle(Causality causality) {
  switch (causality) {
    case Causality::input:
      return "an input";
    case Causality::output:
      return "an output";
    case Causality::parameter:
      return "a parameter";
    case Causality::local:
      return "a local variable";
  }
  return "of unknown kind";
}

bool sameItems(const Port& a, const Port& b) {
  return std::ranges::equal(a.items, b.items, [](const subsystem::Item& x, const subsystem::Item& y) {
    return x.value == y.value && x.name == y.name;
  });
}

class Resolver {
 public:
  Resolver(const Project& project, std::span<const Description* const> descriptions)
      : project_(project), descriptions_(descriptions), index_(project) {}

  Resolution resolve() && {
    for (std::size_t i = 0; i < project_.subsystems.size(); ++i) resolution_.startValues.push_back(startValues(i));
    for (const ConnectionEntry& entry : project_.connections) connect(entry);
    checkElements();
    checkMapped();
    for (const auto& name : project_.order)
      if (const auto member = index_.find(name.value)) resolution_.order.push_back(*member);
    checkVariables();
    if (project_.reference) checkExactSolution(*project_.reference);
    return std::move(resolution_);
  }

 private:
  struct Found {
    coupling::Endpoint endpoint;
    const Port& port;
    std::optional<std::size_t> element{};

    [[nodiscard]] std::size_t size() const { return element ? 1 : port.size; }
  };

  Findings& findings() { return resolution_.findings; }

  std::vector<coupling::StartValue> startValues(std::size_t member) {
    std::vector<coupling::StartValue> result;
    const Description* description = descriptions_[member];
    if (description == nullptr) return result;
    const SubsystemEntry& entry = project_.subsystems[member];
    for (const Parameter& parameter : entry.parameters) {
      const std::optional<PortIndex> port = description->find(parameter.port.value);
      if (!port) {
        findings().mistake(
            parameter.port.place,
            fmt::format("'{}' has no parameter or start value '{}'.", entry.name.value, parameter.port.value),
            core::suggestion(parameter.port.value, portNames(*description, isSettable)));
        continue;
      }
      const std::string name = entry.name.value + "." + parameter.port.value;
      if (auto values = valuesFor(description->ports[*port], parameter, name, findings()))
        result.push_back({*port, std::move(*values)});
    }
    return result;
  }

  std::optional<Found> find(const PortReference& reference, Causality wanted) {
    const std::optional<std::size_t> member = index_.find(reference.subsystem);
    if (!member || reference.port.empty() || descriptions_[*member] == nullptr) return std::nullopt;
    const Description& description = *descriptions_[*member];
    if (const std::optional<PortIndex> port = description.find(reference.port))
      return Found{{*member, *port}, description.ports[*port]};
    if (const std::optional<ElementName> part = parseElement(reference.port))
      if (const std::optional<PortIndex> port = description.find(part->port))
        return element({*member, *port}, description.ports[*port], *part, reference);
    const auto candidates = portNames(description, [wanted](const Port& port) { return port.causality == wanted; });
    findings().mistake(reference.place,
                       fmt::format("'{}' has no {} '{}'.", reference.subsystem, word(wanted), reference.port),
                       candidates.empty() ? fmt::format("It has no {}s at all.", word(wanted))
                                          : core::suggestion(reference.port, candidates));
    return std::nullopt;
  }

  std::optional<Found> element(const coupling::Endpoint& endpoint, const Port& port, const ElementName& part,
                               const PortReference& reference) {
    if (port.type == core::Type::real && part.number >= 1 && part.number <= port.size)
      return Found{endpoint, port, part.number - 1};
    const std::string name = fmt::format("'{}.{}'", reference.subsystem, part.port);
    if (port.type != core::Type::real)
      findings().mistake(reference.place,
                         fmt::format("{} is of type {}; only reals are connected by elements.", name, word(port.type)),
                         "Connect the whole port.");
    else
      findings().mistake(reference.place, fmt::format("{} has no element {}.", name, part.number),
                         fmt::format("It has {}, counted from 1.", port.size));
    return std::nullopt;
  }

  /// An input is connected as a whole or in all its elements.
  void checkElements() {
    for (const auto& [input, elements] : fed_) {
      if (elements.contains(std::nullopt)) continue;
      const Port& port = descriptions_[input.first]->ports[input.second];
      for (std::size_t k = 0; k < port.size; ++k) {
        if (elements.contains(k)) continue;
        const std::string name = project_.subsystems[input.first].name.value + "." + port.name;
        findings().mistake(placeOf(name),
                           fmt::format("'{}[{}]' is not connected, but other elements of '{}' are.", name, k + 1, name),
                           "Connect all of them or none.");
      }
    }
  }

  /// Of the first connection to an element of that input.
  [[nodiscard]] core::Place placeOf(const std::string& input) const {
    for (const ConnectionEntry& entry : project_.connections)
      if (fullName(entry.to).starts_with(input + "[")) return entry.to.place;
    return {project_.file.string()};
  }

  void connect(const ConnectionEntry& entry) {
    const std::optional<Found> from = find(entry.from, Causality::output);
    const std::optional<Found> to = find(entry.to, Causality::input);
    if (to && to->port.causality == Causality::input)
      fed_[{to->endpoint.member, to->endpoint.port}].insert(to->element);
    if (from && to && from->port.causality == Causality::input && to->port.causality == Causality::output) {
      findings().mistake(entry.from.place,
                         fmt::format("This connection leads from the input '{}' to the output '{}'.",
                                     fullName(entry.from), fullName(entry.to)),
                         "Swap 'from' and 'to'.");
      return;
    }
    const bool starts = from && startsConnection(entry.from, from->port);
    const bool ends = to && endsConnection(entry.to, to->port);
    if (!starts || !ends || !fit(entry, *from, *to)) return;
    if (entry.mapping)
      resolution_.mapped.push_back(
          {resolution_.connections.size(), static_cast<std::size_t>(&entry - project_.connections.data())});
    resolution_.connections.push_back({from->endpoint, to->endpoint, entry.scale.value_or(Placed<double>{1.0}).value,
                                       entry.offset.value_or(Placed<double>{0.0}).value, from->element, to->element});
  }

  bool startsConnection(const PortReference& reference, const Port& port) {
    if (port.causality == Causality::output) return true;
    findings().mistake(reference.place, fmt::format("'{}' is {}; a connection begins at an output.",
                                                    fullName(reference), withArticle(port.causality)));
    return false;
  }

  bool endsConnection(const PortReference& reference, const Port& port) {
    if (port.causality == Causality::input) return true;
    findings().mistake(
        reference.place,
        fmt::format("'{}' is {}; a connection ends at an input.", fullName(reference), withArticle(port.causality)),
        port.settable ? "Set its value in [subsystems.parameters]." : "");
    return false;
  }

  bool fit(const ConnectionEntry& entry, const Found& output, const Found& input) {
    const Port& from = output.port;
    const Port& to = input.port;
    const std::string both = fmt::format("'{}' and '{}'", fullName(entry.from), fullName(entry.to));
    if (from.type != to.type) {
      findings().mistake(entry.to.place,
                         fmt::format("{} have different types: {} and {}.", both, word(from.type), word(to.type)));
      return false;
    }
    if (entry.mapping) return fitMapping(entry, output, input) && fitUnits(entry, from, to, both);
    if (output.size() != input.size()) {
      std::string remedy =
          from.type == core::Type::real ? "Connect their elements, \"subsystem.port[1]\" and so on" : "";
      if (!remedy.empty())
        remedy += output.size() > 1 && input.size() > 1 ? ", or give a mapping between their meshes." : ".";
      findings().mistake(entry.to.place,
                         fmt::format("{} have different sizes: {} and {}.", both, output.size(), input.size()),
                         std::move(remedy));
      return false;
    }
    const bool scaled = entry.scale || entry.offset;
    if (scaled && from.type != core::Type::real) {
      findings().mistake((entry.scale ? entry.scale : entry.offset)->place,
                         fmt::format("'scale' and 'offset' are for reals; {} are of type {}.", both, word(from.type)),
                         "Remove them.");
      return false;
    }
    if (!from.items.empty() && !to.items.empty() && !sameItems(from, to))
      findings().warning(entry.to.place, both + " are enumerations with different items; their numbers are passed on.");
    return fitUnits(entry, from, to, both);
  }

  bool fitUnits(const ConnectionEntry& entry, const Port& from, const Port& to, const std::string& both) {
    const bool scaled = entry.scale || entry.offset;
    if (!scaled && !from.unit.empty() && !to.unit.empty() && from.unit != to.unit)
      findings().warning(entry.to.place, fmt::format("{} have different units: {} and {}.", both, from.unit, to.unit),
                         "Give 'scale' (and 'offset'); scale = 1.0 says that this is meant.");
    return true;
  }

  bool fitMapping(const ConnectionEntry& entry, const Found& output, const Found& input) {
    const PortReference& end = output.element ? entry.from : entry.to;
    if (output.element || input.element)
      findings().mistake(end.place, fmt::format("'{}' is one element; a mapping takes whole ports.", fullName(end)),
                         "Name the port without its element.");
    else if (output.port.type != core::Type::real)
      findings().mistake(entry.mapping->place, fmt::format("'{}' is of type {}; only reals are mapped.",
                                                           fullName(entry.from), word(output.port.type)));
    else
      return true;
    return false;
  }

  /// What a mapping feeds is fed by nothing else.
  void checkMapped() {
    for (const auto& [mapped, number] : resolution_.mapped)
      for (std::size_t other = 0; other < resolution_.connections.size(); ++other) {
        const coupling::Endpoint& to = resolution_.connections[mapped].to;
        const coupling::Endpoint& same = resolution_.connections[other].to;
        if (other == mapped || same.member != to.member || same.port != to.port) continue;
        const ConnectionEntry& entry = project_.connections[number];
        findings().mistake(
            entry.to.place,
            fmt::format("'{}' is fed by a mapping and by a coupling condition as well.", fullName(entry.to)),
            "Give the condition a marker with another input.");
      }
  }

  /// A variable or a pattern that fits some; `places` may be shorter than the list it belongs to.
  void checkVariable(const std::string& variable, const std::vector<core::Place>& places, std::size_t number,
                     std::string_view purpose) {
    if (results::isPattern(variable) ? fitsSomething(variable) : isVariable(variable)) return;
    std::vector<std::string> all;
    forAllPorts([&](const std::string& name) { all.push_back(name); });
    findings().mistake(number < places.size() ? places[number] : core::Place{project_.file.string()},
                       fmt::format("There is no variable '{}' to be {}.", variable, purpose),
                       core::suggestion(variable, all));
  }

  /// A factor of relaxation, or an increment, belongs to outputs, which somebody takes.
  void checkOwnNumbers(const std::vector<coupling::OwnNumber>& fields, const std::vector<core::Place>& places,
                       std::string_view purpose) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      std::vector<std::string> outputs;
      for (const coupling::Connection& connection : resolution_.connections)
        if (const Port& port = descriptions_[connection.from.member]->ports[connection.from.port];
            port.type == core::Type::real)
          outputs.push_back(project_.subsystems[connection.from.member].name.value + "." + port.name);
      const auto fits = [&](const std::string& name) { return results::matches(fields[i].variables, name); };
      if (std::ranges::any_of(outputs, fits) || hidesSomething()) continue;
      std::ranges::sort(outputs);
      outputs.erase(std::unique(outputs.begin(), outputs.end()), outputs.end());
      findings().mistake(i < places.size() ? places[i] : core::Place{project_.file.string()},
                         fmt::format("There is no connected real output '{}' to be {}.", fields[i].variables, purpose),
                         core::suggestion(fields[i].variables, outputs));
    }
  }

  /// Only real outputs can be interpolated back to the communication point.
  void checkOvershoot(std::size_t member) {
    const SubsystemEntry& entry = project_.subsystems[member];
    if (!entry.overshoot || descriptions_[member] == nullptr) return;
    std::vector<std::string> names;
    for (const Port& port : descriptions_[member]->ports)
      if (port.causality == Causality::output && port.type != core::Type::real) names.push_back(port.name);
    if (names.empty()) return;
    findings().warning(
        entry.name.place,
        fmt::format("'{}' runs past communication points (overshoot = true), and these outputs are no real "
                    "ones: {}. They are those of the end of its micro step, up to {} s later.",
                    entry.name.value, fmt::join(names, ", "), core::text(entry.microStep)),
        "Leave them unconnected, or choose a micro_step that divides simulation.step.");
  }

  /// Phases are real outputs in an angular unit.
  void checkPhases(std::size_t member) {
    const Description* const description = descriptions_[member];
    if (description == nullptr) return;
    for (const Placed<std::string>& phase : project_.subsystems[member].phases) {
      const std::string name = project_.subsystems[member].name.value + "." + phase.value;
      const std::optional<PortIndex> port = description->find(phase.value);
      if (!port || description->ports[*port].causality != subsystem::Causality::output ||
          description->ports[*port].type != core::Type::real) {
        std::vector<std::string> outputs;
        for (const Port& known : description->ports)
          if (known.causality == subsystem::Causality::output && known.type == core::Type::real)
            outputs.push_back(known.name);
        findings().mistake(phase.place, fmt::format("There is no real output '{}' that could be a phase.", name),
                           core::suggestion(phase.value, outputs));
      } else if (!subsystem::turnOf(description->ports[*port].unit)) {
        findings().mistake(phase.place,
                           fmt::format("The output '{}' is in {}, which is no unit of an angle.", name,
                                       description->ports[*port].unit),
                           "A phase is in rad or deg.");
      }
    }
  }

  void checkVariables() {
    const run::Settings& settings = project_.settings;
    for (std::size_t i = 0; i < settings.variables.size(); ++i)
      checkVariable(settings.variables[i], project_.variablePlaces, i, "recorded");
    for (std::size_t i = 0; i < settings.iterationVariables.size(); ++i)
      checkVariable(settings.iterationVariables[i], project_.iterationPlaces, i, "recorded");
    for (std::size_t i = 0; i < settings.algorithm.convergence.size(); ++i)
      for (const std::string& variable : settings.algorithm.convergence[i].variables)
        checkVariable(variable, project_.convergencePlaces, i, "tested");
    const coupling::AlgorithmSettings& algorithm = project_.settings.algorithm;
    checkOwnNumbers(algorithm.acceleration.fieldFactors, project_.factorPlaces, "relaxed");
    checkOwnNumbers(algorithm.semiImplicit.increments, project_.incrementPlaces, "probed");
    for (std::size_t member = 0; member < project_.subsystems.size(); ++member) {
      checkPhases(member);
      checkOvershoot(member);
    }
  }

  void checkExactSolution(const ReferenceEntry& reference) {
    try {
      const ExactValues values(reference, project_.settings.start);
    } catch (const core::InputError& refusal) {
      for (const core::Problem& problem : refusal.problems()) findings().mistakes.push_back(problem);
    }
    std::vector<Placed<std::string>> variables = reference.states;
    for (const auto& [variable, name] : reference.values) variables.push_back(variable);
    for (const Placed<std::string>& variable : variables) {
      if (isVariable(variable.value) || isForceOfCondition(variable.value)) continue;
      std::vector<std::string> all;
      forAllPorts([&](const std::string& known) { all.push_back(known); });
      findings().mistake(variable.place, fmt::format("There is no variable '{}' with an exact value.", variable.value),
                         core::suggestion(variable.value, all));
    }
  }

  [[nodiscard]] bool isForceOfCondition(const std::string& name) const {
    return std::ranges::any_of(project_.conditions,
                               [&](const ConditionEntry& entry) { return entry.name.value + ".force" == name; });
  }

  template <typename Visitor>
  void forAllPorts(Visitor visit) const {
    for (std::size_t i = 0; i < descriptions_.size(); ++i) {
      if (descriptions_[i] == nullptr) continue;
      const std::string prefix = project_.subsystems[i].name.value + ".";
      for (const Port& port : descriptions_[i]->ports) visit(prefix + port.name);
    }
  }

  /// A name may fit what we cannot see.
  [[nodiscard]] bool hidesSomething() const {
    return project_.namesAreMissing || !project_.unreadSubsystems.empty() ||
           std::ranges::find(descriptions_, nullptr) != descriptions_.end();
  }

  [[nodiscard]] bool fitsSomething(const std::string& pattern) const {
    bool fits = hidesSomething();
    forAllPorts([&](const std::string& name) { fits = fits || results::matches(pattern, name); });
    return fits;
  }

  /// Or may be one, of a subsystem that could not be read.
  [[nodiscard]] bool isVariable(const std::string& name) const {
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos) return false;
    const std::string_view subsystem = std::string_view(name).substr(0, dot);
    const std::optional<std::size_t> member = index_.find(subsystem);
    if (!member) return !index_.isNobodys(subsystem);
    const Description* description = descriptions_[*member];
    return description == nullptr || description->find(std::string_view(name).substr(dot + 1)).has_value();
  }

  const Project& project_;
  std::span<const Description* const> descriptions_;
  SubsystemIndex index_;
  Resolution resolution_;
  /// Which elements of an input are connected; nothing stands for all at once.
  std::map<std::pair<coupling::MemberIndex, PortIndex>, std::set<std::optional<std::size_t>>> fed_;
};

}  // namespace

Resolution resolve(const Project& project, std::span<const Description* const> descriptions) {
  return Resolver(project, descriptions).resolve();
}

}  // namespace koppla::project
