#include "koppla/run/macro_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "koppla/stepping/double_step.hpp"

namespace koppla::run {

using coupling::Fault;
using coupling::FaultKind;
using coupling::WithoutConvergence;
using stepping::Verdict;
using subsystem::Slot;
using Decision = stepping::Verdict::Decision;

namespace {

coupling::AlgorithmSettings starting(coupling::AlgorithmSettings settings) {
  settings.kind = coupling::AlgorithmKind::masterSlave;
  settings.startUp = coupling::StartUp::trivial;
  settings.waveform = 1;
  settings.predictor.reset();
  return settings;
}

}  // namespace

MacroStep::MacroStep(const coupling::System& system, coupling::Network& network,
                     const std::vector<coupling::Cycle>& cycles, const Settings& settings, core::Log& log)
    : system_(system),
      network_(network),
      settings_(settings),
      log_(log),
      coupledStep_(network, cycles, settings.algorithm,
                   settings.stepControl.kind == stepping::StepControlKind::predictorCorrector),
      controller_(settings.stepControl, settings.step, settings.start, settings.end),
      mayRepeat_(settings.stepControl.repeats() || settings.onDiscard == OnDiscard::shorten),
      undecided_(!mayRepeat_ && !settings.stepControl.adapts() && coupledStep_.isExplicit()),
      next_(controller_.first()) {
  // Where members run together with their twins, nobody else distributes them.
  const bool twins = settings.algorithm.kind == coupling::AlgorithmKind::semiImplicit &&
                     settings.algorithm.semiImplicit.probes == coupling::Form::parallel;
  const bool alone = settings.threads == 1 || twins || settings.algorithm.form() != coupling::Form::parallel;
  considerThreadsAt_ = alone ? std::numeric_limits<std::uint64_t>::max() : threadsFromStart() ? 0 : 1;
  if (settings.algorithm.startUp != coupling::StartUp::masterSlave || settings.algorithm.degree == 0) return;
  starter_.emplace(network, cycles, starting(settings.algorithm), false);
  stepsToStart_ = settings.algorithm.degree;
}

void MacroStep::begin() {
  const double ofMaster = network_.subsystem(0).describe().capabilities.microStep;
  const bool masters = settings_.algorithm.kind == coupling::AlgorithmKind::masterSlave && ofMaster > 0.0;
  if (settings_.algorithm.startUp == coupling::StartUp::analytic)
    coupledStep_.begin(settings_.start, masters ? ofMaster : next_, system_.past);
  else
    coupledStep_.begin(settings_.start);
  if (starter_) starter_->begin(settings_.start);
}

OutcomeKind MacroStep::advance(Clock& clock, double until, std::uint64_t most, Halt& halt) {
  const OutcomeKind kind = advanceUntil(clock, until, most, halt);
  if (halt.isSoon()) [[unlikely]]
    lookForEnd(halt);
  return kind;
}

OutcomeKind MacroStep::advanceUntil(Clock& clock, double until, std::uint64_t most, const Halt& halt) {
  considerThreads(clock);
  while (stepsToStart_ > 0) {
    failure_ = startUp(clock, halt);
    if (!failure_.ok()) return failure_.kind;
    if (!(clock.now() < until) || --most == 0 || halt.isSoon()) return OutcomeKind::ok;
  }
  if (undecided_)
    return counters_.algorithm.measure([&] {
      return coupledStep_.isPlain() ? advanceHeld(clock, until, most, halt)
                                    : advanceApproximated(clock, until, most, halt);
    });
  do {
    Outcome outcome = advanceWithControl(clock, halt);
    if (!outcome.ok()) {
      failure_ = std::move(outcome);
      return failure_.kind;
    }
  } while (clock.now() < until && --most > 0 && !halt.isSoon());
  return OutcomeKind::ok;
}

/// A wish counts if the accepted step leaves it standing: iterations may have had others.
void MacroStep::lookForEnd(Halt& halt) {
  halt.seen();
  for (std::size_t position = 0; position < network_.size() && !endedBy_; ++position)
    if (network_.subsystem(position).asksToEnd()) endedBy_ = position;
}

bool MacroStep::asksToEnd(const Fault& fault) {
  return fault.kind == FaultKind::discarded && network_.subsystem(fault.position).asksToEnd();
}

/// Whether what the member is sent in a step may be an iterate, which the solution need not resemble.
bool MacroStep::isIterated(std::size_t position) const {
  return std::ranges::any_of(coupledStep_.iteratedCycles(), [position](const auto& cycle) {
    const coupling::Block block = cycle->problem.block();
    return position >= block.first && position < block.last;
  });
}

/// A subsystem stopped inside a step that nobody can repeat. Alone it has simply come to the end; where there are
/// others, they stand elsewhere.
void MacroStep::endWithin(Clock& clock, const Fault& fault) {
  endedBy_ = fault.position;
  endedAt_ = fault.reached;
  torn_ = network_.size() > 1;
  if (torn_ || !getsOn(clock.now(), fault.reached)) return;
  count(clock.now(), fault.reached);
  clock.advance(fault.reached, next_);
}

/// A static analysis has one step, so programs in processes of their own, and who asks for threads, cannot wait until
/// steps have been measured. Iterations are: the sweep itself goes back to one thread where several do not pay.
bool MacroStep::threadsFromStart() const {
  const std::size_t threads = settings_.threads != 0 ? settings_.threads : network_.threadsWorthwhile();
  return threads > 1 && !coupledStep_.isExplicit();
}

void MacroStep::considerThreads(const Clock& clock) {
  if (counters_.accepted < considerThreadsAt_) return;
  considerThreadsAt_ = 2 * counters_.accepted + 1;
  const std::size_t threads = settings_.threads != 0 ? settings_.threads : network_.threadsWorthwhile();
  if (threads < 2 || !(threadsFromStart() || network_.threadsPay(threads))) return;
  considerThreadsAt_ = std::numeric_limits<std::uint64_t>::max();
  network_.useThreads(threads);
  coupledStep_.approximate(clock.now());
}

template <class OneStep>
OutcomeKind MacroStep::advancePlainly(Clock& clock, double until, std::uint64_t most, const Halt& halt,
                                      OneStep&& oneStep) {
  // Copies that no subsystem can see stay in registers.
  Clock time = clock;
  double smallest = counters_.smallest;
  double largest = counters_.largest;
  std::uint64_t accepted = 0;
  Fault fault;
  subsystem::Step step{.t0 = 0.0, .t1 = 0.0, .final = true};
  do {
    step.t0 = time.now();
    step.t1 = time.next(next_);
    step.length = time.length(next_);
    fault = oneStep(step);
    if (fault) [[unlikely]]
      break;
    smallest = std::min(smallest, step.t1 - step.t0);
    largest = std::max(largest, step.t1 - step.t0);
    ++accepted;
    time.advance(step.t1, next_);
  } while (time.now() < until && accepted < most && !halt.isSoon());
  clock = time;
  counters_.smallest = smallest;
  counters_.largest = largest;
  counters_.accepted += accepted;
  counters_.solutions += accepted + (fault ? 1 : 0);
  if (!fault) return OutcomeKind::ok;
  if (fault.kind == FaultKind::discarded) ++counters_.discarded;
  if (asksToEnd(fault)) {
    endWithin(clock, fault);
    return OutcomeKind::ok;
  }
  failure_ = describe(fault, clock.now());
  return failure_.kind;
}

/// Steps until the next look at what approximation costs: none of the first thousands, so that short runs see every
/// jump, then many, since cheap steps should not pay for the estimate.
unsigned MacroStep::untilNextLook() const {
  constexpr std::uint64_t kAll = 4096;
  constexpr unsigned kBetween = 63;
  return coupledStep_.errorEstimate().steps() < kAll ? 0 : kBetween;
}

OutcomeKind MacroStep::advanceHeld(Clock& clock, double until, std::uint64_t most, const Halt& halt) {
  unsigned unwatched = unwatched_;  // in a register
  const OutcomeKind kind = advancePlainly(clock, until, most, halt, [&](const auto& step) {
    if (unwatched > 0) [[likely]] {
      --unwatched;
      return coupledStep_.advance(step);
    }
    unwatched = untilNextLook();
    return coupledStep_.advanceWatched(step);
  });
  unwatched_ = unwatched;
  return kind;
}

OutcomeKind MacroStep::advanceApproximated(Clock& clock, double until, std::uint64_t most, const Halt& halt) {
  return advancePlainly(clock, until, most, halt, [this](const auto& step) {
    const Fault fault = coupledStep_.solve({step, {}}).fault;
    if (fault) return fault;
    if (unwatched_ > 0) {
      --unwatched_;
      coupledStep_.acceptForNow(step.t1);
    } else {
      coupledStep_.accept(step.t1);
      unwatched_ = untilNextLook();
    }
    return fault;
  });
}

/// One macro step in steps of the master (Schmoll, sec. 2.4.4); the main method learns the values at its end.
Outcome MacroStep::startUp(Clock& clock, const Halt& halt) {
  const double t1 = clock.next(next_);
  for (double t = clock.now(); t < t1;) {
    const coupling::StepOutcome outcome = counters_.algorithm.measure([&] {
      return starter_->solve({{t, t1, true}, {}});
    });
    ++counters_.solutions;
    if (asksToEnd(outcome.fault)) {
      endWithin(clock, outcome.fault);
      return {};
    }
    if (outcome.fault) return describe(outcome.fault, t);
    if (!getsOn(t, outcome.reached)) return stuck(t);
    if (halt.isInterrupted())
      return {OutcomeKind::interrupted, fmt::format("Interrupted at {:.12g} s, during start-up.", t)};
    t = outcome.reached;
    starter_->acceptForNow(t);
  }
  --stepsToStart_;
  if (stepsToStart_ == 0) starter_.reset();
  coupledStep_.acceptForNow(t1);
  count(clock.now(), t1);
  clock.advance(t1, next_);
  return {};
}

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
      const bool hopeless = trial.outcome.solution.ending == coupling::Ending::exploded ||
                            trial.outcome.solution.ending == coupling::Ending::opened ||
                            trial.outcome.solution.ending == coupling::Ending::singular;
      const bool acceptsAnyway = verdict.decision == Decision::giveUp && !blamesStep && !hopeless &&
                                 settings_.algorithm.withoutConvergence == WithoutConvergence::accept;
      if (acceptsAnyway) {
        if (const Fault failed = completeAnyway(t0, t1, length, trial)) return describe(failed, t0);
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
    trial.outcome = solve({{t0, t1, false, false, 0.0, false, length}, {Slot::macroStep, true}, false, true});
    if (trial.outcome.fault) return trial.outcome.fault;
  }
  warnAboutAccepted(t0, t1, trial);
  return {};
}

MacroStep::Trial MacroStep::attempt(double t0, double t1, double length, bool untested) {
  const bool keepGoing =
      !settings_.stepControl.repeats() && settings_.algorithm.withoutConvergence == WithoutConvergence::accept;
  const coupling::Start start =
      mayRepeat_ ? coupling::Start{Slot::macroStep, true} : coupling::Start{Slot::iteration, false};
  Trial trial{solve({{t0, t1, !mayRepeat_, false, 0.0, false, length}, start, untested, keepGoing}), std::nullopt};
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
  halves.outcome = solve({{t0, middle, false}, {Slot::macroStep, true}, false, false});
  if (halves.outcome.fault || !halves.outcome.converged()) return halves;
  keepIn(atMiddle_);
  coupledStep_.acceptForNow(middle);
  // Where the whole step is rejected, everybody goes back to before this half.
  halves.outcome = solve({{middle, t1, false, false, 0.0, true}, {Slot::iteration, false}, false, false});
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

void MacroStep::count(double t0, double t1) {
  counters_.smallest = std::min(counters_.smallest, t1 - t0);
  counters_.largest = std::max(counters_.largest, t1 - t0);
  ++counters_.accepted;
}

void MacroStep::accept(Clock& clock, double t1) {
  count(clock.now(), t1);
  coupledStep_.accept(t1);
  clock.advance(t1, next_);
}

void MacroStep::warnAboutDoubts(double t0, double t1, const coupling::StepOutcome& outcome) {
  constexpr double kMuch = 20.0;
  const auto where = [&] { return fmt::format("step from {:.12g} s to {:.12g} s", t0, t1); };
  if (outcome.suspicious && ++suspicious_ == 1)
    log_.write(core::Severity::warning, "coupling",
               fmt::format("{}: the cycle {} was solved where the answers move away from what is sent; plain iteration "
                           "would not have come there, so this may be another solution than the one that was meant. "
                           "Further ones are only counted",
                           where(), membersOf(*outcome.suspicious)));
  if (outcome.amplification > kMuch && ++slow_ == 1)
    log_.write(
        core::Severity::warning, "coupling",
        fmt::format("{}: the iteration of the cycle {} comes nearer so slowly that its values may be off by {:.3g} "
                    "times the tolerance. Choose acceleration.kind = \"auto\", or tighten rtol and atol",
                    where(), membersOf(outcome.slowest), outcome.amplification));
}

void MacroStep::warnAboutAccepted(double t0, double t1, const Trial& trial) {
  constexpr std::uint64_t kWarnings = 10;
  if (++acceptedAnyway_ > kWarnings) return;
  const std::string why =
      trial.outcome.converged()
          ? fmt::format("failed the error test ({:.4g} times the tolerance)", trial.error.value_or(HUGE_VAL))
          : fmt::format("of the cycle {} did not converge ({})", membersOf(trial.outcome.cycle), residualText(trial));
  log_.write(core::Severity::warning, "coupling",
             fmt::format("the step from {:.12g} s to {:.12g} s {} and was accepted as it is{}", t0, t1, why,
                         acceptedAnyway_ == kWarnings ? "; further ones are only counted" : ""));
}

/// Whether a step is more than rounding of times.
bool MacroStep::getsOn(double t0, double reached) const {
  constexpr double kResolution = 4.0 * std::numeric_limits<double>::epsilon();
  return reached - t0 > kResolution * std::fmax(std::fabs(t0), std::fabs(reached)) || reached >= settings_.end;
}

}  // namespace koppla::run
