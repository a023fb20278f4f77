// Steps that are judged: tried, tested, accepted, or repeated with another length.

#include <algorithm>
#include <cmath>
#include <utility>

#include "koppla/run/macro_step.hpp"
#include "koppla/stepping/double_step.hpp"

namespace koppla::run {

using coupling::Fault;
using coupling::FaultKind;
using coupling::WithoutConvergence;
using stepping::Verdict;
using subsystem::Slot;
using Decision = stepping::Verdict::Decision;

double MacroStep::predictionError() {
  const auto predicted = coupledStep_.predicted();
  const std::span<const double> computed = std::as_const(network_).outputs();
  difference_.resize(computed.size());
  magnitude_.resize(computed.size());
  for (std::size_t i = 0; i < computed.size(); ++i) {
    difference_[i] = computed[i] - predicted[i];
    magnitude_[i] = std::max(std::fabs(computed[i]), std::fabs(predicted[i]));
  }
  return core::weightedNorm(core::Norm::rms, {settings_.stepControl.rtol, settings_.stepControl.atol}, difference_,
                            magnitude_);
}

Outcome MacroStep::advanceWithControl(Clock& clock, const Halt& halt) {
  // Iterates of shorter steps are nearer to the solution: who still asks to end has a reason.
  constexpr unsigned kEndsDoubted = 10;
  const double t0 = clock.now();
  double t1 = clock.next(next_);
  if (mayRepeat_)
    if (const Fault fault = keep()) return describe(fault, t0);

  for (unsigned discards = 0;;) {
    if (!(t1 > t0)) return belowResolution(t0);
    const double length = t1 == clock.next(next_) ? clock.length(next_) : t1 - t0;
    // The length that was asked for, not the difference of rounded times: limits are compared with it.
    const bool cut = t1 != clock.next(next_) || t1 >= settings_.end || !settings_.stepControl.adapts();
    const double h = cut ? t1 - t0 : next_;
    const bool untested = controller_.untested(h);
    Trial trial = attempt(t0, t1, length, untested);
    const Fault fault = trial.outcome.fault;
    const bool triesShorter = mayRepeat_ && fault.kind == FaultKind::discarded;
    const bool blamesStep = settings_.stepControl.repeats() && fault.kind == FaultKind::exploded && !untested;
    if (fault.kind == FaultKind::discarded) ++counters_.discarded;
    if (asksToEnd(fault) && !mayRepeat_) {
      if (isIterated(fault.position)) warnAboutEndOfIterate(t0, fault.position);
      endWithin(clock, fault);
      return {};
    }
    if (asksToEnd(fault) && !getsOn(t0, fault.reached) && !(isIterated(fault.position) && discards < kEndsDoubted)) {
      if (isIterated(fault.position)) warnAboutEndOfIterate(t0, fault.position);
      endedBy_ = fault.position;
      endedAt_ = t0;
      const Fault lost = goBack();
      return lost ? describe(lost, t0) : Outcome{};
    }
    if (fault && !triesShorter && !blamesStep) return describe(fault, t0);
    if (!fault && !getsOn(t0, trial.outcome.reached)) return stuck(t0);

    if (triesShorter) {
      t1 = shortened(t0, t1, fault.reached, ++discards);
      if (!(t1 > t0)) return describe(fault, t0);
    } else {
      const bool converged = trial.outcome.converged() && !blamesStep;
      if (!converged) ++counters_.convergenceFailures;
      if (mayRepeat_ && trial.error && !(*trial.error <= 1.0)) ++counters_.errorTestFailures;
      const Verdict verdict = controller_.judge({h, converged, trial.error, coupledStep_.predictedDegree() + 1});
      const bool acceptsAnyway = verdict.decision == Decision::giveUp && !blamesStep &&
                                 !coupling::isHopeless(trial.outcome.solution.ending) &&
                                 settings_.algorithm.withoutConvergence == WithoutConvergence::accept;
      if (acceptsAnyway) {
        if (const Fault failed = completeAnyway(t0, t1, length, trial)) return describe(failed, t0);
        if (coupling::isHopeless(trial.outcome.solution.ending)) return giveUp(t0, t1, trial);
        warnAboutAccepted(t0, t1, trial);
      } else if (verdict.decision == Decision::giveUp) {
        return giveUp(t0, t1, trial);
      }
      if (acceptsAnyway || verdict.decision == Decision::accept) {
        if (trial.outcome.converged()) warnAboutDoubts(t0, t1, trial.outcome);
        accept(clock, trial.outcome.reached);
        next_ = verdict.next;
        return {};
      }
      next_ = verdict.next;
      t1 = clock.next(next_);
    }
    ++counters_.repeated;
    if (const Fault lost = goBack()) return describe(lost, t0);
    if (halt.isInterrupted())
      return {OutcomeKind::interrupted, fmt::format("Interrupted at {:.12g} s, while a step was being repeated.", t0)};
  }
}

/// Everybody repeats to where the subsystem got; one that got nowhere is asked for half, one that keeps discarding for
/// ever less. t0 where that leads to nothing.
double MacroStep::shortened(double t0, double t1, double reached, unsigned discards) {
  constexpr unsigned kPatience = 2;
  constexpr unsigned kMost = 100;
  if (discards > kMost) return t0;
  if (!(reached > t0 && reached < t1)) return t0 + (t1 - t0) / 2.0;
  return discards > kPatience ? std::min(reached, t0 + 0.5 * (t1 - t0)) : reached;
}

/// An attempt that ended early has not stepped everybody; the step that is kept has.
Fault MacroStep::completeAnyway(double t0, double t1, double length, Trial& trial) {
  if (settings_.stepControl.repeats()) {
    if (const Fault lost = goBack()) return lost;
    trial.outcome = solve({.step = {.t0 = t0, .t1 = t1, .final = false, .length = length},
                           .start = {Slot::macroStep, true},
                           .keepGoing = true});
  }
  return trial.outcome.fault;
}

MacroStep::Trial MacroStep::attempt(double t0, double t1, double length, bool untested) {
  const bool keepGoing =
      !settings_.stepControl.repeats() && settings_.algorithm.withoutConvergence == WithoutConvergence::accept;
  const coupling::Start start =
      mayRepeat_ ? coupling::Start{Slot::macroStep, true} : coupling::Start{Slot::iteration, false};
  Trial trial{solve({.step = {.t0 = t0, .t1 = t1, .final = !mayRepeat_, .length = length},
                     .start = start,
                     .untested = untested,
                     .keepGoing = keepGoing}),
              std::nullopt};
  if (trial.outcome.fault || !trial.outcome.converged() || untested) return trial;
  if (settings_.stepControl.kind == stepping::StepControlKind::predictorCorrector)
    trial.error = counters_.errorTest.measure([this] { return predictionError(); });
  if (!controller_.estimatesError()) return trial;
  return attemptTwice(t0, t1);
}

MacroStep::Trial MacroStep::attemptTwice(double t0, double t1) {
  const auto keepIn = [this](std::vector<double>& kept) {
    kept.assign(network_.outputs().begin(), network_.outputs().end());
  };
  keepIn(atOnce_);
  const double middle = t0 + (t1 - t0) / 2.0;
  Trial halves;
  if ((halves.outcome.fault = goBack())) return halves;
  halves.outcome = solve({.step = {.t0 = t0, .t1 = middle, .final = false}, .start = {Slot::macroStep, true}});
  if (halves.outcome.fault || !halves.outcome.converged()) return halves;
  keepIn(atMiddle_);
  coupledStep_.acceptForNow(middle);
  // Where the whole step is rejected, everybody goes back to before this half.
  halves.outcome = solve(
      {.step = {.t0 = middle, .t1 = t1, .final = false, .returnsBefore = true}, .start = {Slot::iteration, false}});
  coupledStep_.takeBack();
  if (halves.outcome.fault || !halves.outcome.converged()) return halves;
  halves.error = counters_.errorTest.measure([&] {
    return stepping::doubleStepError({t1 - t0, startOutputs_, atOnce_, atMiddle_, network_.outputs()},
                                     settings_.algorithm.norm,
                                     {settings_.stepControl.rtol, settings_.stepControl.atol});
  });
  return halves;
}

coupling::StepOutcome MacroStep::solve(const coupling::Attempt& attempt) {
  ++counters_.solutions;
  return counters_.algorithm.measure([&] { return coupledStep_.solve(attempt); });
}

Fault MacroStep::keep() {
  startOutputs_.assign(network_.outputs().begin(), network_.outputs().end());
  network_.readDiscreteOutputs({0, network_.size()}, startDiscrete_);
  return network_.save({0, network_.size()}, Slot::macroStep);
}

Fault MacroStep::goBack() {
  std::ranges::copy(startOutputs_, network_.outputs().begin());
  network_.putDiscreteOutputs({0, network_.size()}, startDiscrete_);
  return network_.restore({0, network_.size()}, Slot::macroStep);
}

void MacroStep::accept(Clock& clock, double t1) {
  count(clock.now(), t1);
  coupledStep_.accept(t1);
  clock.advance(t1, next_);
}

}  // namespace koppla::run
