#include "coupled.hpp"

#include <stdexcept>

#include "koppla/native/journal_bearing.hpp"
#include "koppla/native/nonlinear_oscillator.hpp"
#include "koppla/native/rotor.hpp"
#include "koppla/solver/integrate.hpp"

namespace koppla::test {

using solver::IntegratorSettings;
using solver::Kind;
using subsystem::Effort;
using subsystem::Subsystem;

namespace {

using Maker = std::function<std::unique_ptr<solver::Equations>()>;

/// `dynamic.out[i]` to `static.in[i]`, and back.
struct Ports {
  std::vector<std::string> dynamicOutputs, staticInputs, staticOutputs, dynamicInputs;
};

std::unique_ptr<Subsystem> coupled(const std::string& dynamicName, std::unique_ptr<solver::Equations> dynamic,
                                   const std::string& staticName, const Maker& makeStatic, const Ports& ports,
                                   const solver::StaticSettings& settings, const IntegratorSettings& integrator,
                                   const Around& around = {}) {
  IntegratorSettings none;
  none.kind = Kind::ode1;
  std::vector<std::unique_ptr<Subsystem>> instances;
  for (std::size_t i = 0; i <= ports.staticInputs.size(); ++i) {
    std::unique_ptr<Subsystem> instance = solver::integrate(makeStatic(), none);
    instances.push_back(around ? around(std::move(instance)) : std::move(instance));
  }
  const subsystem::Description& inner = instances.front()->describe();
  const subsystem::Description& outer = dynamic->describe();
  std::vector<solver::Wire> wires;
  std::vector<subsystem::PortIndex> inputs;
  for (std::size_t i = 0; i < ports.staticInputs.size(); ++i) {
    inputs.push_back(*inner.find(ports.staticInputs[i]));
    wires.push_back({0, *outer.find(ports.dynamicOutputs[i]), 1, inputs.back()});
  }
  for (std::size_t i = 0; i < ports.staticOutputs.size(); ++i)
    wires.push_back({1, *inner.find(ports.staticOutputs[i]), 0, *outer.find(ports.dynamicInputs[i])});
  std::vector<solver::JoinedPart> parts;
  parts.push_back({dynamicName, std::move(dynamic)});
  parts.push_back({staticName, std::make_unique<solver::StaticFunction>(staticName, std::move(instances),
                                                                        std::move(inputs), settings)});
  return solver::integrate(solver::join(std::move(parts), std::move(wires)), integrator);
}

}  // namespace

IntegratorSettings noteBdf(unsigned order, double tolerance) {
  IntegratorSettings settings;
  settings.kind = Kind::bdf;
  settings.order = order;
  settings.atol = settings.rtol = tolerance;
  settings.microStep = 1e-4;
  settings.firstMicroStep = 1e-7;
  settings.minMicroStep = 1e-11;
  settings.renewal = {true};
  return settings;
}

std::unique_ptr<Subsystem> oscillatorWithSpring(StaticCoupling coupling, const IntegratorSettings& integrator) {
  return coupled(
      "body", native::nonlinearOscillator(), "spring", [] { return native::hardeningSpring(); },
      {{"x", "v"}, {"x", "v"}, {"f"}, {"f"}}, {.coupling = coupling}, integrator);
}

std::unique_ptr<Subsystem> rotorOnBearing(StaticCoupling coupling, const IntegratorSettings& integrator, Film film,
                                          const Around& around) {
  const bool elements = film == Film::finiteElements;
  return coupled(
      "rotor", native::rotor(), "bearing",
      [elements] {
        using native::FilmSolution;
        return native::journalBearing(
            {.solution = elements ? FilmSolution::finiteElements : FilmSolution::shortBearing, .ratio = 5e-3 / 6e-3});
      },
      {{"eps", "eps_rate", "del_rate"},
       {"eps", "eps_rate", "del_rate"},
       {"force_r", "force_t"},
       {"force_r", "force_t"}},
      {.coupling = coupling, .threads = 4}, integrator, around);
}

Effort Trace::afterStartUp() const {
  return {effort.microSteps - startUp.microSteps,
          effort.rejectedMicroSteps - startUp.rejectedMicroSteps,
          effort.rightHandSides - startUp.rightHandSides,
          effort.jacobians - startUp.jacobians,
          effort.correctorIterations - startUp.correctorIterations,
          effort.staticCalls - startUp.staticCalls};
}

double Trace::error(const std::function<std::vector<double>(double)>& exact, double from) const {
  std::vector<results::Samples> right(values.size()), found(values.size());
  for (std::size_t n = 0; n < times.size(); ++n) {
    if (times[n] < from) continue;
    const std::vector<double> expected = exact(times[n]);
    for (std::size_t i = 0; i < values.size(); ++i) {
      right[i].push_back(expected[i]);
      found[i].push_back(values[i][n]);
    }
  }
  std::vector<double> errors;
  for (std::size_t i = 0; i < values.size(); ++i)
    errors.push_back(results::normalisedError(right[i], found[i]).value());
  return results::combinedError(errors);
}

Trace trace(Subsystem& system, double end, const std::vector<std::string>& variables, unsigned startUpSteps,
            std::size_t stride) {
  subsystem::Binding binding;
  for (const std::string& variable : variables) binding.outputs.push_back(*system.describe().find(variable));
  system.bind(binding);
  system.enterInitialisation({0.0, end, {}});
  std::vector<double> y(variables.size());
  system.evaluate(0.0, {}, y);
  system.leaveInitialisation();
  Trace result;
  result.values.resize(variables.size());
  double t = 0.0;
  for (std::size_t n = 1; t < end; ++n) {
    const subsystem::StepResult step = system.advance({t, end, true, true}, {}, y);
    if (step.status != subsystem::Status::ok) throw std::runtime_error(system.failure());
    t = step.reached;
    if (n == startUpSteps) result.startUp = system.effort();
    if (n % stride != 0) continue;
    result.times.push_back(t);
    for (std::size_t i = 0; i < y.size(); ++i) result.values[i].push_back(y[i]);
  }
  result.effort = system.effort();
  return result;
}

}  // namespace koppla::test
