#include "koppla/solver/detail/fixed_step.hpp"

#include "koppla/subsystem/micro_steps.hpp"

namespace koppla::solver::detail {

Progress FixedStep::advance(StepEquations& problem, bool single, std::span<double> x) {
  const double end = single ? subsystem::singleMicroStep(problem.length(), microStep_) : problem.length();
  if (end <= 0.0) return {true, 0.0};
  const std::uint64_t steps = single ? 1 : subsystem::microStepsIn(end, microStep_);
  const double h = end / static_cast<double>(steps);
  begin(problem, x);
  double tau = 0.0;
  for (std::uint64_t k = 0; k < steps; ++k) {
    const double next = k + 1 == steps ? end : static_cast<double>(k + 1) * h;
    if (!step(problem, tau, next, h, x) || !allFinite(x)) return {false, next};
    ++problem.effort.microSteps;
    tau = next;
  }
  return {true, end};
}

}  // namespace koppla::solver::detail
