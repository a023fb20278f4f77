#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "koppla/solver/detail/fixed_step.hpp"
#include "koppla/solver/detail/radau_stages.hpp"

namespace koppla::solver::detail {

/// Why a step of Radau IIA failed: a derivative that was not finite, or else what is given.
std::string radauFailure(const RadauStages& stages, std::size_t states, std::string_view otherwise);

/// Radau IIA with equal steps and without error test; the stages are solved down to rounding.
class RadauFixed final : public FixedStep {
 public:
  RadauFixed(const Equations& equations, const IntegratorSettings& settings)
      : FixedStep(settings.microStep), states_(equations.stateCount()), stages_(equations, settings) {}

  [[nodiscard]] std::string failure() const override {
    return radauFailure(stages_, states_,
                        "the iteration for the stages did not converge; a shorter micro step may help");
  }

  void begin(StepEquations& /*problem*/, std::span<const double> /*x*/) override { first_ = renew_ = true; }
  bool step(StepEquations& problem, double tau, double next, double h, std::span<double> x) override;

 private:
  bool solve(StepEquations& problem, const RadauSpan& span);

  std::size_t states_;
  RadauStages stages_;
  bool first_ = true;  ///< micro step of the macro step
  bool renew_ = true;  ///< df/dx before the next micro step
};

}  // namespace koppla::solver::detail
