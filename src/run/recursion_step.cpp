#include "koppla/run/recursion_step.hpp"

#include <cmath>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/value.hpp"

namespace koppla::run {

namespace {

/// So that what is left of the iteration does not show in the spectral radius. There is no magnitude below which a
/// value counts for nothing: a force of 1 N may move a stiff body by 1e-12 m.
coupling::AlgorithmSettings nearlyExact(coupling::AlgorithmSettings settings) {
  settings.rtol = 1e-10;
  settings.atol = 1e-22;
  settings.maxIterations = 1000;
  settings.withoutConvergence = coupling::WithoutConvergence::accept;
  if (settings.kind == coupling::AlgorithmKind::semiImplicit)
    settings.explosionGrowth = 0.0;  // unit vectors open joints
  return settings;
}

/// Slopes would be samples of their own.
const coupling::AlgorithmSettings& throughValues(const coupling::AlgorithmSettings& algorithm) {
  if (algorithm.samples == coupling::Samples::values) return algorithm;
  throw core::InputError("The recursion is that of polynomials through values, not through slopes as well.",
                         "Leave algorithm.samples = \"values\".");
}

}  // namespace

void requireLength(double H) {
  if (!(H > 0.0 && std::isfinite(H)))
    throw core::InputError(fmt::format("A macro step of {} s is no step.", core::text(H)), "Give a length above 0.");
}

RecursionStep::RecursionStep(Approach& system, const coupling::AlgorithmSettings& algorithm)
    : system_(system),
      algorithm_(nearlyExact(throughValues(algorithm))),
      coupledStep_(system.network(), system.cycles(), algorithm_, false) {}

bool RecursionStep::take(double t0, double H, bool first) {
  const coupling::StepOutcome& outcome =
      coupledStep_.solve({.step = {.t0 = t0, .t1 = t0 + H, .final = false, .returnsBefore = !first, .length = H},
                          .start = {},
                          .keepGoing = true});
  if (outcome.fault.kind == coupling::FaultKind::exploded && !algorithm_.iterates()) return false;
  check(outcome, t0, H);
  return true;
}

bool RecursionStep::diverges(const coupling::StepOutcome& outcome) const {
  // Tolerances near rounding are not always met; what stays within this is as good for a spectral radius.
  constexpr double kRoundingOnly = 1e3;
  if (!algorithm_.iterates()) return false;
  return outcome.fault.kind == coupling::FaultKind::exploded ||
         (!outcome.converged() &&
          !(coupledStep_.iteratedCycles()[outcome.cycle]->algorithm->solution().norm <= kRoundingOnly));
}

void RecursionStep::check(const coupling::StepOutcome& outcome, double t0, double H) const {
  if (diverges(outcome))
    throw core::InputError(fmt::format("The iteration does not converge in a macro step of {} s.", core::text(H)),
                           algorithm_.kind == coupling::AlgorithmKind::newton
                               ? "Shorten the step."
                               : "Shorten the step, or choose algorithm.kind = \"newton\", whose converged scheme is "
                                 "the same.");
  if (outcome.fault)
    throw core::InputError(system_.describe(outcome.fault).message,
                           fmt::format("This was a macro step of {} s for the recursion.", core::text(H)));
  constexpr double kTie = 1e-9;
  if (outcome.reached < t0 + H * (1.0 - kTie))
    throw core::InputError(
        fmt::format("The master takes steps of {} s, not {} s.", core::text(outcome.reached - t0), core::text(H)),
        "With master-slave the macro step is the master's own: give it a longer micro_step, or ask for this step.");
}

}  // namespace koppla::run
