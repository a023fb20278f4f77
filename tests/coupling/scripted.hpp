#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "koppla/coupling/graph.hpp"
#include "koppla/coupling/system.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::coupling::scripted {

using subsystem::Binding;
using subsystem::PortIndex;
using subsystem::Slot;
using subsystem::Status;
using subsystem::Step;
using subsystem::StepResult;
using subsystem::Trajectory;

inline subsystem::Port port(std::string name, subsystem::Causality causality, std::size_t size, core::Type type) {
  subsystem::Port made;
  made.name = std::move(name);
  made.causality = causality;
  made.size = size;
  made.type = type;
  return made;
}

inline subsystem::Port in(std::string name, std::size_t size = 1, core::Type type = core::Type::real) {
  return port(std::move(name), subsystem::Causality::input, size, type);
}

inline subsystem::Port out(std::string name, std::size_t size = 1, core::Type type = core::Type::real) {
  return port(std::move(name), subsystem::Causality::output, size, type);
}

/// What a subsystem of a test does, call by call. Real values are those of bound ports; discrete ones are in the
/// binding.
struct Script {
  std::vector<subsystem::Port> ports;
  subsystem::Capabilities capabilities{.saveRestore = true, .variableStep = true};
  std::map<PortIndex, subsystem::Dependencies> dependencies{};
  std::map<PortIndex, subsystem::Dependencies> initialDependencies{};
  std::function<Status(double t, std::span<const double> u, std::span<double> y, Binding& binding)> evaluate =
      [](double, auto, auto, Binding&) { return Status::ok; };
  /// Absent: as evaluate() with the inputs at the end of the step.
  std::function<StepResult(const Step& step, Trajectory u, std::span<double> y, Binding& binding)> advance{};
  std::function<Status(std::size_t input, std::span<double> dy)> differentiate = [](std::size_t, auto) {
    return Status::error;
  };
  std::function<Status(const Step& step, std::size_t input, subsystem::SeriesWeights weights, std::span<double> dy)>
      differentiateStep = [](const Step&, std::size_t, auto, auto) { return Status::error; };
  std::function<Status(std::span<double> y, Binding& binding)> readOutputs = [](auto, Binding&) { return Status::ok; };
  std::function<Status(Slot slot)> save = [](Slot) { return Status::ok; };
  std::function<Status(Slot slot)> restore = [](Slot) { return Status::ok; };
  std::function<Status()> initialiseAgain = [] { return Status::error; };
  std::function<void()> leave = [] {};
  std::map<PortIndex, std::vector<core::Value>> starts{};  ///< of inputs; else zero
  std::string failure = "it was told to.";
};

class Scripted final : public subsystem::Subsystem {
 public:
  explicit Scripted(Script script) : script_(std::move(script)) {
    description_.kind = "scripted";
    description_.ports = script_.ports;
    description_.capabilities = script_.capabilities;
    for (const auto& [output, inputs] : script_.dependencies) description_.dependencies[output] = inputs;
    for (const auto& [output, inputs] : script_.initialDependencies) description_.initialDependencies[output] = inputs;
    description_.indexNames();
  }

  [[nodiscard]] const subsystem::Description& describe() const override { return description_; }
  void set(PortIndex /*port*/, std::span<const core::Value> /*values*/) override {}
  void bind(Binding binding) override { binding_ = std::move(binding); }
  void enterInitialisation(const subsystem::Experiment& /*experiment*/) override {}
  Status evaluate(double t, std::span<const double> u, std::span<double> y) override {
    return script_.evaluate(t, u, y, binding_);
  }
  Status differentiate(std::size_t input, std::span<double> dy) override { return script_.differentiate(input, dy); }
  Status differentiateStep(const Step& step, std::size_t input, subsystem::SeriesWeights weights,
                           std::span<double> dy) override {
    return script_.differentiateStep(step, input, weights, dy);
  }
  Status initialiseAgain() override { return script_.initialiseAgain(); }
  void leaveInitialisation() override { script_.leave(); }
  Status readOutputs(std::span<double> y) override { return script_.readOutputs(y, binding_); }
  StepResult advance(const Step& step, Trajectory u, std::span<double> y) override {
    if (script_.advance) return script_.advance(step, u, y, binding_);
    std::vector<double> atEnd;
    for (std::size_t i = 0; i < u.count; ++i) atEnd.push_back(u.value(i, 1.0));
    return {script_.evaluate(step.t1, atEnd, y, binding_), step.t1};
  }
  Status save(Slot slot) override { return script_.save(slot); }
  Status restore(Slot slot) override { return script_.restore(slot); }
  void observe(std::span<const PortIndex> ports, core::Values& into) override {
    for (const PortIndex index : ports) {
      const auto found = script_.starts.find(index);
      for (std::size_t k = 0; k < description_.ports[index].size; ++k)
        append(found == script_.starts.end() ? zeroOf(description_.ports[index].type) : found->second[k], into);
    }
  }
  void terminate() noexcept override {}
  [[nodiscard]] std::string failure() const override { return script_.failure; }

 private:
  static core::Value zeroOf(core::Type type) {
    switch (type) {
      case core::Type::real:
        return 0.0;
      case core::Type::boolean:
        return false;
      case core::Type::string:
        return std::string();
      default:
        return std::int32_t{0};
    }
  }
  static void append(const core::Value& value, core::Values& into) {
    if (const auto* real = std::get_if<double>(&value)) into.reals.push_back(*real);
    if (const auto* integer = std::get_if<std::int32_t>(&value)) into.integers.push_back(*integer);
    if (const auto* boolean = std::get_if<bool>(&value)) into.booleans.push_back(*boolean ? 1 : 0);
    if (const auto* text = std::get_if<std::string>(&value)) into.strings.push_back(*text);
  }

  Script script_;
  subsystem::Description description_;
  Binding binding_;
};

inline void add(System& system, const std::string& name, Script script) {
  system.members.push_back({name, std::make_unique<Scripted>(std::move(script)), {}});
}

inline Script source(std::vector<subsystem::Port> ports) {
  Script script;
  script.ports = std::move(ports);
  return script;
}

/// Every member a cycle of its own, as they were added.
inline std::vector<Cycle> inOrder(const System& system) {
  std::vector<Cycle> cycles;
  for (MemberIndex member = 0; member < system.members.size(); ++member) cycles.push_back({{member}, false});
  return cycles;
}

/// Outputs y = F(u) at any time, of one real input "u" and output "y" each of that size.
inline Script function(std::function<void(std::span<const double> u, std::span<double> y)> answer,
                       std::size_t size = 1) {
  Script script;
  script.ports = {in("u", size), out("y", size)};
  script.evaluate = [answer = std::move(answer)](double, std::span<const double> u, std::span<double> y, Binding&) {
    answer(u, y);
    return Status::ok;
  };
  return script;
}

/// What a member's inputs are, as it meets them when it is evaluated.
struct Met {
  std::vector<double> reals;
  std::vector<std::int32_t> integers, booleans;
  std::vector<std::string> strings;

  Script script(std::vector<subsystem::Port> ports) {
    Script made = source(std::move(ports));
    made.evaluate = [this](double, std::span<const double> u, std::span<double>, Binding& binding) {
      reals.assign(u.begin(), u.end());
      integers.assign(binding.discreteInputs.integers.begin(), binding.discreteInputs.integers.end());
      booleans.assign(binding.discreteInputs.booleans.begin(), binding.discreteInputs.booleans.end());
      strings.assign(binding.discreteInputs.strings.begin(), binding.discreteInputs.strings.end());
      return Status::ok;
    };
    return made;
  }
};

/// y = F(u) at the end of a step, with the inputs there; counts its steps.
struct Counted {
  std::function<double(double)> answer;
  int steps = 0;

  Script script() {
    Script made;
    made.ports = {in("u"), out("y")};
    made.capabilities.inputDerivatives = 5;
    made.advance = [this](const Step& step, Trajectory u, std::span<double> y, Binding&) {
      ++steps;
      if (!y.empty()) y[0] = answer(u.count == 0 ? step.t1 : u.value(0, 1.0));
      return StepResult{Status::ok, step.t1};
    };
    return made;
  }
};

}  // namespace koppla::coupling::scripted
