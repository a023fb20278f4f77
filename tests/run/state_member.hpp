#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "koppla/subsystem/subsystem.hpp"

namespace koppla::run::test_support {

/// A subsystem that gives its states, written down in the test; it takes polynomials.
struct StateModel {
  std::vector<std::string> inputs{"u"};
  std::vector<std::string> outputs{"y"};
  std::vector<double> states{};
  /// States after a step of h (s); u(i, k) is the coefficient of s^k of input i, s from 0 to 1 over the step.
  using Input = std::function<double(std::size_t input, std::uint32_t power)>;
  std::function<std::vector<double>(const std::vector<double>& x, double h, const Input& u)> step;
  /// Outputs, which do not depend on inputs.
  std::function<std::vector<double>(const std::vector<double>& x)> output = [](const auto& x) { return x; };
  std::vector<double> nominals{};  ///< of outputs
  unsigned degree = 0;
  bool linear = true;
  bool discrete = false;  ///< outputs change at communication points only
  bool variableStep = true;
  bool saves = true;
  bool hasStates = true;
  bool fails = false;         ///< cannot be evaluated
  int* terminated = nullptr;  ///< counts
};

class StateMember final : public subsystem::Subsystem {
 public:
  explicit StateMember(StateModel model) : model_(std::move(model)) {
    for (const std::string& name : model_.inputs) addPort(name, subsystem::Causality::input);
    for (std::size_t i = 0; i < model_.outputs.size(); ++i) {
      addPort(model_.outputs[i], subsystem::Causality::output);
      description_.ports.back().discrete = model_.discrete;
      if (i < model_.nominals.size()) description_.ports.back().nominal = model_.nominals[i];
      description_.dependencies[description_.ports.size() - 1] = std::vector<subsystem::PortIndex>{};
    }
    subsystem::Capabilities& can = description_.capabilities;
    can.saveRestore = model_.saves;
    can.variableStep = model_.variableStep;
    can.inputDerivatives = model_.degree;
    can.states = model_.hasStates;
    can.linear = model_.linear;
    description_.indexNames();
  }

  [[nodiscard]] const subsystem::Description& describe() const override { return description_; }
  void set(subsystem::PortIndex /*port*/, std::span<const core::Value> /*values*/) override {}
  void bind(subsystem::Binding binding) override { binding_ = std::move(binding); }
  void enterInitialisation(const subsystem::Experiment& /*experiment*/) override {}
  subsystem::Status evaluate(double /*t*/, std::span<const double> /*u*/, std::span<double> y) override {
    give(y);
    return model_.fails ? subsystem::Status::error : subsystem::Status::ok;
  }
  subsystem::Status differentiate(std::size_t /*input*/, std::span<double> /*dy*/) override {
    return subsystem::Status::error;
  }
  void leaveInitialisation() override {}
  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) override {
    const auto input = [&](std::size_t i, std::uint32_t k) {
      for (std::size_t bound = 0; bound < binding_.inputs.size(); ++bound)
        if (binding_.inputs[bound] == i) return k <= u.degree ? u.power(k)[bound] : 0.0;
      return 0.0;
    };
    model_.states = model_.step(model_.states, step.t1 - step.t0, input);
    give(y);
    return {subsystem::Status::ok, step.t1};
  }
  subsystem::Status save(subsystem::Slot slot) override {
    saved_.at(static_cast<std::size_t>(slot)) = model_.states;
    return subsystem::Status::ok;
  }
  subsystem::Status restore(subsystem::Slot slot) override {
    model_.states = saved_.at(static_cast<std::size_t>(slot));
    return subsystem::Status::ok;
  }
  [[nodiscard]] std::vector<double> states() const override { return model_.states; }
  void setStates(std::span<const double> states) override { model_.states.assign(states.begin(), states.end()); }
  void observe(std::span<const subsystem::PortIndex> ports, core::Values& into) override {
    const std::vector<double> y = model_.output(model_.states);
    for (const subsystem::PortIndex port : ports)
      into.reals.push_back(port < model_.inputs.size() ? 0.0 : y[port - model_.inputs.size()]);
  }
  void terminate() noexcept override {
    if (model_.terminated != nullptr) ++*model_.terminated;
  }
  [[nodiscard]] std::string failure() const override { return "it was told to fail."; }

 private:
  void addPort(const std::string& name, subsystem::Causality causality) {
    description_.ports.emplace_back();
    description_.ports.back().name = name;
    description_.ports.back().causality = causality;
  }
  void give(std::span<double> y) const {
    const std::vector<double> all = model_.output(model_.states);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = all[binding_.outputs[i] - model_.inputs.size()];
  }

  StateModel model_;
  subsystem::Description description_;
  subsystem::Binding binding_;
  std::array<std::vector<double>, subsystem::kSlots> saved_;
};

inline std::unique_ptr<subsystem::Subsystem> make(StateModel model) {
  return std::make_unique<StateMember>(std::move(model));
}

}  // namespace koppla::run::test_support
