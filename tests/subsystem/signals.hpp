#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/subsystem/subsystem.hpp"

namespace koppla::subsystem::test {

inline Port portOf(std::string name, Causality causality, std::size_t size = 1, core::Type type = core::Type::real,
                   std::string unit = {}) {
  Port port;
  port.name = std::move(name);
  port.causality = causality;
  port.size = size;
  port.type = type;
  port.unit = std::move(unit);
  return port;
}

/// Ports of any type and size, whose real outputs are a function of the time. It keeps what is asked of it, and answers
/// as it is told; the observed integers are all 7.
class Signals final : public Subsystem {
 public:
  using Function = std::function<double(double t, PortIndex port, std::size_t element)>;

  /// A step that was asked for, and the inputs at its begin, middle and end.
  struct Asked {
    Step step;
    std::uint32_t degree;
    std::vector<double> begin, middle, end;
  };

  /// Outlives the subsystem.
  struct Script {
    std::vector<Port> ports;
    Function value;
    Function slope = {};
    Capabilities capabilities = {.saveRestore = true, .variableStep = true};
    std::function<StepResult(const Step& step)> answer = [](const Step& step) {
      return StepResult{Status::ok, step.t1};
    };
    Effort effort = {};
    bool listens = true;  ///< keeps the steps, which allocates
    std::vector<Asked> asked = {};
    int left = 0;  ///< how often initialisation was left
  };

  explicit Signals(Script& script) : script_(script) {
    description_.kind = "signals";
    description_.ports = script.ports;
    description_.capabilities = script.capabilities;
    description_.indexNames();
  }

  [[nodiscard]] const Description& describe() const override { return description_; }
  void set(PortIndex, std::span<const core::Value>) override {}
  void bind(Binding binding) override { binding_ = std::move(binding); }
  void enterInitialisation(const Experiment& experiment) override { t_ = experiment.start; }
  Status evaluate(double t, std::span<const double> u, std::span<double> y) override {
    t_ = t;
    u_.assign(u.begin(), u.end());
    give(y);
    return Status::ok;
  }
  Status differentiate(std::size_t, std::span<double>) override { return Status::error; }
  void leaveInitialisation() override { ++script_.left; }
  Status readOutputs(std::span<double> y) override {
    give(y);
    return Status::ok;
  }

  StepResult advance(const Step& step, Trajectory u, std::span<double> y) override {
    if (script_.listens) script_.asked.push_back({step, u.degree, at(u, 0.0), at(u, 0.5), at(u, 1.0)});
    const StepResult result = script_.answer(step);
    t_ = result.reached;
    give(y);
    if (result.status >= Status::discard)
      for (double& value : y) value = 1e300;
    return result;
  }

  Status save(Slot slot) override {
    saved_.at(static_cast<std::size_t>(slot)) = t_;
    return Status::ok;
  }
  Status restore(Slot slot) override {
    t_ = saved_.at(static_cast<std::size_t>(slot));
    return Status::ok;
  }
  [[nodiscard]] Effort effort() const override { return script_.effort; }

  /// Inputs are never what anybody sent: those of a solver are those of its own time.
  void observe(std::span<const PortIndex> ports, core::Values& into) override {
    for (const PortIndex port : ports) {
      const Port& declared = description_.ports[port];
      for (std::size_t k = 0; k < declared.size; ++k) {
        if (declared.type == core::Type::real)
          into.reals.push_back(declared.causality == Causality::output ? script_.value(t_, port, k) : -99.0);
        else
          into.integers.push_back(7);
      }
    }
  }

  void terminate() noexcept override {}
  [[nodiscard]] std::string failure() const override { return "As it was told."; }

 private:
  static std::vector<double> at(const Trajectory& u, double s) {
    std::vector<double> values(u.count);
    for (std::size_t i = 0; i < u.count; ++i) values[i] = u.value(i, s);
    return values;
  }

  void give(std::span<double> y) {
    std::size_t place = 0;
    for (const bool slopes : {false, true}) {
      if (slopes && !binding_.outputDerivatives) break;
      for (const PortIndex port : binding_.outputs) {
        const Port& declared = description_.ports[port];
        if (declared.type != core::Type::real) continue;
        for (std::size_t k = 0; k < declared.size; ++k)
          y[place++] = (slopes ? script_.slope : script_.value)(t_, port, k);
      }
    }
    EXPECT_EQ(y.size(), place);
  }

  Script& script_;
  Description description_;
  Binding binding_;
  std::vector<double> u_;
  double t_ = 0.0;
  std::array<double, kSlots> saved_{};
};

/// Bound, and initialised at a start with inputs zero.
inline void prepare(Subsystem& system, Binding binding, std::size_t inputs, std::span<double> y, double start = 0.0) {
  system.bind(std::move(binding));
  system.enterInitialisation({start, 1e9, {}});
  system.evaluate(start, std::vector<double>(inputs, 0.0), y);
  system.leaveInitialisation();
}

inline Binding bindingOf(std::vector<PortIndex> inputs, std::vector<PortIndex> outputs, bool slopes = false) {
  Binding binding;
  binding.inputs = std::move(inputs);
  binding.outputs = std::move(outputs);
  binding.outputDerivatives = slopes;
  return binding;
}

inline core::Values seenAt(Subsystem& system, const std::vector<PortIndex>& ports) {
  core::Values seen;
  system.observe(ports, seen);
  return seen;
}

}  // namespace koppla::subsystem::test
