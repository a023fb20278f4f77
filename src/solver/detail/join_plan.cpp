#include "koppla/solver/detail/join_plan.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "koppla/core/error.hpp"

namespace koppla::solver::detail {

namespace {

using subsystem::Causality;
using subsystem::Dependencies;
using subsystem::Description;
using subsystem::Port;
using subsystem::PortIndex;
using Place = std::pair<std::size_t, PortIndex>;  ///< part and port

bool isReal(const Port& port, Causality causality) {
  return port.type == core::Type::real && port.causality == causality;
}

class Planner {
 public:
  Planner(const std::vector<JoinedPart>& parts, const std::vector<Wire>& wires) : parts_(parts), wires_(wires) {
    for (std::size_t p = 0; p < parts.size(); ++p) {
      refuseAlgebraic(parts[p]);
      numberScalars(p);
    }
    for (const Wire& wire : wires) sources_[{wire.toPart, wire.to}].push_back({wire.fromPart, wire.from});
  }

  JoinPlan plan() && {
    for (std::size_t p = 0; p < parts_.size(); ++p) addPorts(p);
    describe();
    addActions();
    return std::move(plan_);
  }

 private:
  static void refuseAlgebraic(const JoinedPart& part) {
    const auto* const equations = std::get_if<0>(&part.model);
    if (equations == nullptr || (*equations)->algebraicCount() == 0) return;
    throw core::InputError(fmt::format("'{}' has algebraic equations, which cannot be joined with others.", part.name),
                           "Let it keep an integrator of its own.");
  }

  [[nodiscard]] const StaticFunction* functionOf(std::size_t part) const {
    const auto* const function = std::get_if<1>(&parts_[part].model);
    return function == nullptr ? nullptr : function->get();
  }
  [[nodiscard]] const Description& descriptionOf(std::size_t part) const {
    return std::visit([](const auto& model) -> const Description& { return model->describe(); }, parts_[part].model);
  }
  [[nodiscard]] bool isWired(const Place& input) const { return sources_.contains(input); }

  /// Where each real port of a part begins in the part's u or y. Of a static part, u holds what varies.
  void numberScalars(std::size_t part) {
    const std::vector<Port>& ports = descriptionOf(part).ports;
    std::vector<std::size_t> first(ports.size());
    std::size_t inputs = 0;
    std::size_t outputs = 0;
    const auto number = [&](PortIndex port, std::size_t& count) {
      first[port] = count;
      count += ports[port].size;
    };
    for (PortIndex port = 0; port < ports.size(); ++port) {
      if (isReal(ports[port], Causality::input) && functionOf(part) == nullptr) number(port, inputs);
      if (isReal(ports[port], Causality::output)) number(port, outputs);
    }
    if (functionOf(part) != nullptr)
      for (const PortIndex port : functionOf(part)->inputs()) number(port, inputs);
    first_.push_back(std::move(first));
    plan_.inputScalars.push_back(inputs);
    plan_.outputScalars.push_back(outputs);
    plan_.startInputs.emplace_back(inputs);
  }

  void addPorts(std::size_t part) {
    const std::vector<Port>& ports = descriptionOf(part).ports;
    const StaticFunction* const function = functionOf(part);
    for (PortIndex p = 0; p < ports.size(); ++p) {
      Port port = ports[p];
      if (isReal(port, Causality::output)) {
        addScalars(plan_.outputs, part, p, false);
      } else if (isReal(port, Causality::input) && isWired({part, p})) {
        port.causality = Causality::output;
        port.internal = true;
        port.settable = false;
        port.start.reset();
        addScalars(plan_.outputs, part, p, true);
      } else if (isReal(port, Causality::input) &&
                 (function == nullptr || std::ranges::count(function->inputs(), p) > 0)) {
        addScalars(plan_.inputs, part, p, true);
      } else if ((port.causality == Causality::input || port.causality == Causality::parameter) && port.size == 1) {
        port.causality = Causality::parameter;
      } else if (port.causality != Causality::parameter || function != nullptr) {
        continue;
      }
      port.name = parts_[part].name + "." + port.name;
      jointOf_[{part, p}] = plan_.ports.size();
      plan_.ports.push_back({part, p});
      plan_.description.ports.push_back(std::move(port));
    }
  }

  void addScalars(std::vector<Scalar>& into, std::size_t part, PortIndex port, bool isInput) {
    for (std::size_t i = 0; i < descriptionOf(part).ports[port].size; ++i)
      into.push_back({part, first_[part][port] + i, isInput});
  }

  void describe() {
    Description& description = plan_.description;
    description.kind = "joint model";
    for (const JoinedPart& part : parts_) description.model += (description.model.empty() ? "" : " + ") + part.name;
    for (PortIndex port = 0; port < plan_.ports.size(); ++port) {
      if (description.ports[port].causality != Causality::output) continue;
      const PartPort at = plan_.ports[port];
      std::set<PortIndex> found;
      if (isWired({at.part, at.port}))
        for (const Place& source : sources_.at({at.part, at.port})) collectInputs(source, found);
      else
        collectInputs({at.part, at.port}, found);
      description.dependencies[port] = std::vector<PortIndex>(found.begin(), found.end());
    }
    description.indexNames();
  }

  /// Inputs of a part on which an output depends at one instant.
  [[nodiscard]] std::vector<PortIndex> inputsOf(const Place& output) const {
    if (functionOf(output.first) != nullptr) return functionOf(output.first)->inputs();
    const Description& description = descriptionOf(output.first);
    std::vector<PortIndex> inputs;
    for (PortIndex port = 0; port < description.ports.size(); ++port)
      if (isReal(description.ports[port], Causality::input) && description.feedsThrough(port, output.second))
        inputs.push_back(port);
    return inputs;
  }

  /// Inputs of the joint model on which an output of a part depends.
  void collectInputs(const Place& output, std::set<PortIndex>& found) {
    levelOf(output);  // refuses circles
    for (const PortIndex input : inputsOf(output)) {
      const Place place{output.first, input};
      if (isWired(place))
        for (const Place& source : sources_.at(place)) collectInputs(source, found);
      else
        found.insert(jointOf_.at(place));
    }
  }

  /// After how many evaluations, one after the other, an output is known.
  std::size_t levelOf(const Place& output) {
    if (const auto known = levels_.find(output); known != levels_.end()) return known->second;
    const auto open = std::ranges::find(path_, output);
    if (open != path_.end()) refuseCircle({open, path_.end()});
    path_.push_back(output);
    std::size_t level = 0;
    for (const PortIndex input : inputsOf(output))
      if (const auto sources = sources_.find({output.first, input}); sources != sources_.end())
        for (const Place& source : sources->second) level = std::max(level, levelOf(source) + 1);
    path_.pop_back();
    return levels_[output] = level;
  }

  [[noreturn]] void refuseCircle(const std::vector<Place>& circle) const {
    std::vector<std::string> names;
    names.reserve(circle.size() + 1);
    for (const auto& [part, port] : circle)
      names.push_back(parts_[part].name + "." + descriptionOf(part).ports[port].name);
    names.push_back(names.front());
    throw core::InputError(
        fmt::format("Outputs depend on each other in a circle at one instant: {}.", fmt::join(names, " <- ")),
        "One integrator cannot solve that; couple these subsystems by an algorithm that iterates.");
  }

  /// Every output is computed at its level, and a part again where it has outputs of several levels.
  void addActions() {
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> actionAt;  // level and part
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      const std::vector<Port>& ports = descriptionOf(part).ports;
      for (PortIndex port = 0; port < ports.size(); ++port)
        if (isReal(ports[port], Causality::output)) actionAt.try_emplace({levelOf({part, port}), part});
    }
    for (auto& [key, action] : actionAt) {
      action = plan_.actions.size();
      plan_.actions.push_back({key.second, {}});
    }
    for (const Wire& wire : wires_) {
      const std::size_t level = levelOf({wire.fromPart, wire.from});
      addTransfers(wire, plan_.actions[actionAt.at({level, wire.fromPart})]);
    }
  }

  void addTransfers(const Wire& wire, JoinAction& action) {
    const std::size_t from = first_[wire.fromPart][wire.from] + wire.fromElement.value_or(0);
    const std::size_t to = first_[wire.toPart][wire.to] + wire.toElement.value_or(0);
    const bool one = wire.fromElement || wire.toElement;
    const std::size_t count = one ? 1 : descriptionOf(wire.toPart).ports[wire.to].size;
    for (std::size_t i = 0; i < count; ++i) {
      action.transfers.push_back({from + i, wire.toPart, to + i, wire.scale});
      plan_.startInputs[wire.toPart][to + i] += wire.offset;
    }
    plan_.hasOffsets = plan_.hasOffsets || wire.offset != 0.0;
  }

  const std::vector<JoinedPart>& parts_;
  const std::vector<Wire>& wires_;
  std::vector<std::vector<std::size_t>> first_;  ///< by part and port
  std::map<Place, std::vector<Place>> sources_;  ///< outputs that feed an input
  std::map<Place, PortIndex> jointOf_;
  std::map<Place, std::size_t> levels_;
  std::vector<Place> path_;  ///< outputs whose levels are being found
  JoinPlan plan_;
};

}  // namespace

JoinPlan planOf(const std::vector<JoinedPart>& parts, const std::vector<Wire>& wires) {
  return Planner(parts, wires).plan();
}

}  // namespace koppla::solver::detail
