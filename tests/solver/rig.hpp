#pragma once

#include <memory>
#include <string>
#include <vector>

#include "koppla/solver/integrate.hpp"

#include "models.hpp"

namespace koppla::solver::test {

/// A subsystem with all its inputs and outputs bound, initialised at t = 0.
struct Rig {
  std::unique_ptr<subsystem::Subsystem> system;
  std::vector<double> y;
  std::size_t inputs = 0;

  Rig(std::unique_ptr<Equations> model, const IntegratorSettings& settings, bool derivatives = false)
      : Rig(integrate(std::move(model), settings), derivatives) {}

  /// `u0`: the inputs at the start, zero if not given.
  explicit Rig(std::unique_ptr<subsystem::Subsystem> made, bool derivatives = false, std::vector<double> u0 = {})
      : system(std::move(made)) {
    subsystem::Binding binding;
    for (subsystem::PortIndex port = 0; port < system->describe().ports.size(); ++port) {
      const subsystem::Causality causality = system->describe().ports[port].causality;
      if (causality == subsystem::Causality::input) binding.inputs.push_back(port);
      if (causality == subsystem::Causality::output) binding.outputs.push_back(port);
    }
    inputs = binding.inputs.size();
    y.assign(binding.outputs.size() * (derivatives ? 2 : 1), 0.0);
    binding.outputDerivatives = derivatives;
    system->bind(std::move(binding));
    system->enterInitialisation({0.0, 1e9, {}});
    u0.resize(inputs, 0.0);
    system->evaluate(0.0, u0, y);
    system->leaveInitialisation();
  }

  /// A step with the inputs' coefficients, power by power.
  subsystem::StepResult step(double t0, double t1, const std::vector<double>& coefficients = {}, bool single = false) {
    const auto count = static_cast<std::uint32_t>(inputs);
    const std::uint32_t degree = count == 0 ? 0 : static_cast<std::uint32_t>(coefficients.size() / count) - 1;
    return system->advance({t0, t1, false, single}, {coefficients.data(), count, degree}, y);
  }
};

inline IntegratorSettings with(Kind kind, double microStep = 0.0) {
  IntegratorSettings settings;
  settings.kind = kind;
  settings.microStep = microStep;
  return settings;
}

}  // namespace koppla::solver::test
