#include "koppla/solver/detail/fixed_step.hpp"

#include "koppla/core/interruption.hpp"
#include "koppla/subsystem/micro_steps.hpp"

namespace koppla::solver::detail {

namespace {

constexpr std::uint64_t kBetweenLooks = 4096;  // micro steps, at whether the user wants to end

}  // namespace

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
    tau = next;
    if (++problem.effort.microSteps % kBetweenLooks == 0 && core::interruptionRequested()) return {false, next};
  }
  return {true, end};
}

}  // namespace koppla::solver::detail
