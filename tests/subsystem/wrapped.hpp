#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "koppla/subsystem/detail/wrapper.hpp"

#include "support/formula_subsystem.hpp"

namespace koppla::subsystem::test {

/// A subsystem with all its inputs and outputs bound, initialised at t = 0 with inputs zero.
struct Rig {
  std::unique_ptr<Subsystem> system;
  std::vector<double> y;
  std::uint32_t inputs = 0;

  explicit Rig(std::unique_ptr<Subsystem> made) : system(std::move(made)) {
    Binding binding;
    for (PortIndex port = 0; port < system->describe().ports.size(); ++port)
      (system->describe().ports[port].causality == Causality::input ? binding.inputs : binding.outputs).push_back(port);
    inputs = static_cast<std::uint32_t>(binding.inputs.size());
    y.assign(binding.outputs.size(), 0.0);
    system->bind(std::move(binding));
    system->enterInitialisation({0.0, 1e9, {}});
    const std::vector<double> zero(inputs, 0.0);
    system->evaluate(0.0, zero, y);
    system->leaveInitialisation();
  }

  StepResult step(double t0, double t1, const std::vector<double>& coefficients = {}, bool single = false) {
    const std::uint32_t degree = inputs == 0 ? 0 : static_cast<std::uint32_t>(coefficients.size()) / inputs - 1;
    return system->advance({t0, t1, false, single}, {coefficients.data(), inputs, degree}, y);
  }
};

/// Discards every n-th step that is asked of it, with nonsense in its outputs, and stays where it is.
class Grudging final : public detail::Wrapper {
 public:
  Grudging(std::unique_ptr<Subsystem> inner, int every) : Wrapper(std::move(inner)), every_(every) {}
  StepResult advance(const Step& step, Trajectory u, std::span<double> y) override {
    if (++asked_ % every_ != 0) return inner().advance(step, u, y);
    for (double& value : y) value = 1e300;
    return {Status::discard, step.t0};
  }
  [[nodiscard]] std::string failure() const override { return "Not this one."; }

 private:
  int every_;
  int asked_ = 0;
};

/// Keeps the steps that are asked of it, in a list that outlives it.
class Listening final : public detail::Wrapper {
 public:
  Listening(std::unique_ptr<Subsystem> inner, std::vector<Step>& heard) : Wrapper(std::move(inner)), heard_(heard) {}
  StepResult advance(const Step& step, Trajectory u, std::span<double> y) override {
    heard_.push_back(step);
    return inner().advance(step, u, y);
  }

 private:
  std::vector<Step>& heard_;
};

}  // namespace koppla::subsystem::test
