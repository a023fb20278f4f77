#pragma once

#include "koppla/solver/detail/method.hpp"

namespace koppla::solver::detail {

/// Methods with a given micro step: every step is divided into equal ones, so that the last one ends at its end.
class FixedStep : public Method {
 public:
  explicit FixedStep(double microStep) : microStep_(microStep) {}
  Progress advance(StepEquations& problem, bool single, std::span<double> x) final;

 protected:
  /// Before the first micro step of a step: the inputs may have jumped.
  virtual void begin(StepEquations& /*problem*/, std::span<const double> /*x*/) {}
  /// One micro step from tau to `next`, of length h. False: it has no solution.
  virtual bool step(StepEquations& problem, double tau, double next, double h, std::span<double> x) = 0;

 private:
  double microStep_;  ///< s, 0: the whole step
};

}  // namespace koppla::solver::detail
