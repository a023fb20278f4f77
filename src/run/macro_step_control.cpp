// Steps that are judged: tried, tested, accepted, or repeated with another length.

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "koppla/run/macro_step.hpp"

namespace koppla::run {

using coupling::Fault;
using coupling::FaultKind;
using coupling::WithoutConvergence;
using stepping::Verdict;
using subsystem::Slot;
using Decision = stepping::Verdict::Decision;

OutcomeKind MacroStep::fail(Outcome outcome) {
  failure_ = std::move(outcome);
  return failure_.kind;
}

OutcomeKind MacroStep::advanceWithControl(Clock& clock, const Halt& halt, bool solved) {
  // Iterates of shorter steps are nearer to the solution: who still asks to end has a reason.
  constexpr unsigned kEndsDoubted = 10;
  const double t0 = clock.now();
  if (settings_.stepControl.keepsCouplingError()) clock.stopAt(nextKnownPoint(t0 + Clock::tie(t0, next_)));
  double t1 = clock.next(next_);
  if (mayRepeat_)
    if (const Fault fault = keep()) return fail(describe(fault, t0));

  std::optional<Fault> end;  // who asked to end amid the step, and where
  for (unsigned discards = 0;;) {
    if (!(t1 > t0)) return fail(belowResolution(t0));
    const double length = t1 == clock.next(next_) ? clock.length(next_) : t1 - t0;
    // The length that was asked for, not the difference of rounded times: limits are compared with it.
    const bool cut =
        t1 != clock.next(next_) || clock.cuts(next_) || t1 >= settings_.end || !settings_.stepControl.adapts();
    const double h = cut ? t1 - t0 : next_;
    const bool untested = controller_.untested(h);
    const Fault fault = std::exchange(solved, false) ? outcome().fault : attempt(t0, t1, length, untested);
    const bool triesShorter = mayRepeat_ && fault.kind == FaultKind::discarded;
    const bool blamesStep = repeats_ && fault.kind == FaultKind::exploded && !untested;
    if (fault.kind == FaultKind::discarded) ++counters_.discarded;
    if (asksToEnd(fault) && !mayRepeat_) {
      if (isIterated(fault.position)) warnAboutEndOfIterate(t0, fault.position);
      endWithin(clock, fault);
      return OutcomeKind::ok;
    }
    if (asksToEnd(fault) && !getsOn(t0, fault.reached) && !(isIterated(fault.position) && discards < kEndsDoubted)) {
      if (isIterated(fault.position)) warnAboutEndOfIterate(t0, fault.position);
      endedBy_ = fault.position;
      if (const Fault lost = goBack()) return fail(describe(lost, t0));
      return OutcomeKind::ok;
    }
    if (fault && !triesShorter && !blamesStep) return fail(describe(fault, t0));
    if (!fault && !getsOn(t0, outcome().reached)) return fail(stuck(t0));

    if (triesShorter) {
      // Where nobody sends it anything else, it would ask again; that it need not do when it has come there.
      if (asksToEnd(fault) && !isIterated(fault.position)) end = fault;
      t1 = shortened(t0, t1, fault.reached, ++discards);
      if (!(t1 > t0)) return fail(describe(fault, t0));
    } else {
      const bool converged = outcome().converged() && !blamesStep;
      if (!converged) ++counters_.convergenceFailures;
      const bool errs = error_ && !(*error_ <= 1.0);
      if (errs) ++counters_.errorTestFailures;
      // A master may stop before t1; it is asked for a fixed step again.
      const bool stopped = settings_.stepControl.adapts() && outcome().reached < t1;
      const double taken = stopped ? outcome().reached - t0 : h;
      const Verdict verdict =
          controller_.judge({taken, converged, error_, coupledStep_.predictedDegree() + 1, repeats_});
      const bool acceptsAnyway = verdict.decision == Decision::giveUp && !blamesStep &&
                                 !coupling::isHopeless(outcome().ending) &&
                                 settings_.algorithm.withoutConvergence == WithoutConvergence::accept;
      if (acceptsAnyway) {
        if (const Fault failed = completeAnyway(t0, t1, length)) return fail(describe(failed, t0));
        if (coupling::isHopeless(outcome().ending)) return fail(giveUp(t0, t1));
        warnAboutAccepted(t0, t1);
      } else if (verdict.decision == Decision::giveUp) {
        return fail(giveUp(t0, t1));
      }
      if (acceptsAnyway || verdict.decision == Decision::accept) {
        if (outcome().isDoubtful()) warnAboutDoubts(t0, t1);
        if (errs && !acceptsAnyway && settings_.stepControl.keepsCouplingError()) warnAboutKept(t0, outcome().reached);
        const bool atPoint = clock.cuts(next_) && outcome().reached == clock.next(next_);
        accept(clock, outcome().reached);
        // A step that was cut says nothing against longer ones, if these can be tried.
        next_ = atPoint && repeats_ ? std::max(next_, verdict.next) : verdict.next;
        if (end && clock.now() == end->reached) endedBy_ = end->position;
        return OutcomeKind::ok;
      }
      next_ = verdict.next;
      t1 = clock.next(next_);
    }
    ++counters_.repeated;
    if (const Fault lost = goBack()) return fail(describe(lost, t0));
    if (halt.isInterrupted())
      return fail(
          {OutcomeKind::interrupted, fmt::format("Interrupted at {:.12g} s, while a step was being repeated.", t0)});
  }
}

/// The first instant behind t (s) at which a member jumps or bends whatever it is sent.
double MacroStep::nextKnownPoint(double t) const {
  double first = HUGE_VAL;
  for (std::size_t position = 0; position < network_.size(); ++position)
    first = std::min(first, network_.subsystem(position).nextKnownPoint(t));
  return first;
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
Fault MacroStep::completeAnyway(double t0, double t1, double length) {
  if (repeats_) {
    if (const Fault lost = goBack()) return lost;
    return solve({.step = {.t0 = t0, .t1 = t1, .final = false, .length = length},
                  .start = {Slot::macroStep, true},
                  .keepGoing = true})
        .fault;
  }
  return {};
}

Fault MacroStep::attempt(double t0, double t1, double length, bool untested) {
  const bool keepGoing = !repeats_ && settings_.algorithm.withoutConvergence == WithoutConvergence::accept;
  const coupling::Start start =
      mayRepeat_ ? coupling::Start{Slot::macroStep, true} : coupling::Start{Slot::iteration, false};
  error_.reset();
  const coupling::StepOutcome& whole = solve({.step = {.t0 = t0, .t1 = t1, .final = !mayRepeat_, .length = length},
                                              .start = start,
                                              .untested = untested,
                                              .keepGoing = keepGoing});
  if (whole.fault || !whole.converged() || untested) return whole.fault;
  if (settings_.stepControl.kind == stepping::StepControlKind::doubleStep) return attemptTwice(t0, t1);
  if (stepError_) error_ = counters_.errorTest.measure([&] { return stepError_->ofStep(whole.reached - t0); });
  return {};
}

Fault MacroStep::attemptTwice(double t0, double t1) {
  stepError_->doneAtOnce();
  const double middle = t0 + (t1 - t0) / 2.0;
  error_.reset();
  if (const Fault lost = goBack()) return lost;
  const coupling::StepOutcome& half =
      solve({.step = {.t0 = t0, .t1 = middle, .final = false}, .start = {Slot::macroStep, true}});
  if (half.fault || !half.converged()) return half.fault;
  stepError_->doneHalf(t1 - t0);
  coupledStep_.acceptHalf(middle);
  // Where the whole step is rejected, everybody goes back to before this half.
  const coupling::StepOutcome& otherHalf = solve(
      {.step = {.t0 = middle, .t1 = t1, .final = false, .returnsBefore = true}, .start = {Slot::iteration, false}});
  coupledStep_.takeBack();
  if (otherHalf.fault || !otherHalf.converged()) return otherHalf.fault;
  error_ = counters_.errorTest.measure([&] { return stepError_->doneAgain(t1 - t0); });
  return {};
}

const coupling::StepOutcome& MacroStep::solve(const coupling::Attempt& attempt) {
  ++counters_.solutions;
  return *counters_.algorithm.measure([&] { return &coupledStep_.solve(attempt); });
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
  if (clock.leadsInside(t1)) {
    coupledStep_.acceptUnwatched(t1);
  } else {
    count(clock.takesShortSteps()   ? clock.macroStep()
          : t1 == clock.next(next_) ? clock.length(next_)
                                    : t1 - clock.now());
    coupledStep_.accept(t1);
  }
  if (!clock.takesShortSteps()) lookForGrowth(t1);
  goOn(clock, t1);
}

/// From t1, to which a step has been taken.
void MacroStep::goOn(Clock& clock, double t1) {
  if (stepError_) stepError_->show();
  lastLength_ = t1 - clock.now();
  clock.advance(t1, next_);
}

}  // namespace koppla::run
