#pragma once

#include <memory>
#include <span>
#include <string>

#include "koppla/solver/detail/step_equations.hpp"
#include "koppla/solver/settings.hpp"

namespace koppla::solver::detail {

/// How far a method came.
struct Progress {
  bool ok;
  double tau;  ///< s after the start of the step: where the states stand, or where they ceased to be good
};

/// A time integrator. Its memory, if it has any, goes with the states: whoever restores or sets them tells it.
class Method {
 public:
  Method() = default;
  virtual ~Method() = default;
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;

  /// Takes the states from the start of the step to its end, or one step of its own towards it. No allocation.
  virtual Progress advance(StepEquations& problem, bool single, std::span<double> x) = 0;
  /// The states that outputs are made of; another than the present one only where the last correction is hidden.
  [[nodiscard]] virtual std::span<const double> visible(std::span<const double> x) const { return x; }

  /// The states were set from outside.
  virtual void forget() {}
  virtual void save(subsystem::Slot /*slot*/) {}
  virtual void restore(subsystem::Slot /*slot*/) {}
  /// The reason of its own for the last failure; empty where the states ceased to be finite.
  [[nodiscard]] virtual std::string failure() const { return {}; }
};

bool allFinite(std::span<const double> values);

std::unique_ptr<Method> makeRungeKutta(const Equations& equations, const IntegratorSettings& settings);
std::unique_ptr<Method> makeExact(const Equations& equations, const IntegratorSettings& settings);
std::unique_ptr<Method> makeCvode(const Equations& equations, const IntegratorSettings& settings);
std::unique_ptr<Method> makeBdf(const Equations& equations, const IntegratorSettings& settings);
std::unique_ptr<Method> makeNewmark(const Equations& equations, const IntegratorSettings& settings);
std::unique_ptr<Method> makeRadau(const Equations& equations, const IntegratorSettings& settings);
std::unique_ptr<Method> makeCentralDifferences(const Equations& equations, const IntegratorSettings& settings);
std::unique_ptr<Method> makeStatic(const Equations& equations, const IntegratorSettings& settings);

/// The method of that kind, for equations whose parameters are final; of no kind where these are static.
std::unique_ptr<Method> makeMethod(const Equations& equations, const IntegratorSettings& settings);

}  // namespace koppla::solver::detail
