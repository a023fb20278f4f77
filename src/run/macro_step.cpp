#include "koppla/run/macro_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "koppla/run/capabilities.hpp"
#include "koppla/run/short_steps.hpp"

namespace koppla::run {

using coupling::Fault;
using coupling::FaultKind;

namespace {

// What two instants must differ by, relative to them, to be told apart.
constexpr double kResolution = 4.0 * std::numeric_limits<double>::epsilon();

coupling::AlgorithmSettings starting(coupling::AlgorithmSettings settings) {
  settings.kind = coupling::AlgorithmKind::masterSlave;
  settings.startUp = coupling::StartUp::trivial;
  settings.waveform = 1;
  settings.predictor.reset();
  return settings;
}

Outcome interruptedStart(double t) {
  return {OutcomeKind::interrupted, fmt::format("Interrupted at {:.12g} s, during start-up.", t)};
}

}  // namespace

MacroStep::MacroStep(const coupling::System& system, coupling::Network& network,
                     const std::vector<coupling::Cycle>& cycles, const Settings& settings, core::Log& log)
    : system_(system),
      network_(network),
      cycles_(cycles),
      settings_(settings),
      log_(log),
      coupledStep_(network, cycles, settings.algorithm,
                   settings.stepControl.kind == stepping::StepControlKind::predictorCorrector ||
                       settings.stepControl.keepsCouplingError()),
      controller_(settings.stepControl, settings.step, settings.start, settings.end),
      repeats_(repeatsSteps(system, settings)),
      mayRepeat_(repeats_ || settings.onDiscard == OnDiscard::shorten),
      undecided_(!mayRepeat_ && !settings.stepControl.adapts() && coupledStep_.isExplicit()),
      straight_(!mayRepeat_ && !settings.stepControl.adapts() && !coupledStep_.iteratedCycles().empty() &&
                settings.step > kResolution * std::fmax(std::fabs(settings.start), std::fabs(settings.end))),
      checksGrowth_(repeatsStretches()),
      next_(controller_.first()) {
  if (settings.onInstability != OnInstability::ignore)
    growth_.emplace(network, system, cycles, checksGrowth_ ? GrowthWatch::kChecked : GrowthWatch::kUnchecked);
  if (settings.stepControl.estimatesError()) stepError_.emplace(network, coupledStep_, settings);
  // Where members run together with their twins, nobody else distributes them.
  const bool twins = settings.algorithm.kind == coupling::AlgorithmKind::semiImplicit &&
                     settings.algorithm.semiImplicit.probes == coupling::Form::parallel;
  const bool alone = settings.threads == 1 || twins || settings.algorithm.form() != coupling::Form::parallel;
  considerThreadsAt_ = alone ? std::numeric_limits<std::uint64_t>::max() : threadsFromStart() ? 0 : 1;
  if (settings.algorithm.startUp != coupling::StartUp::masterSlave || settings.algorithm.degree == 0) return;
  starter_.emplace(network, cycles, starting(settings.algorithm), false);
  stepsToStart_ = settings.algorithm.degree;
}

void MacroStep::begin(Clock& clock, bool inShortSteps, Halt& halt) {
  if (stepError_) stepError_->show();
  if (settings_.stepControl.keepsCouplingError()) next_ = controller_.beginHeld(stepError_->leastAllowed());
  const double ofMaster = network_.subsystem(0).describe().capabilities.microStep;
  const bool masters = settings_.algorithm.kind == coupling::AlgorithmKind::masterSlave && ofMaster > 0.0;
  if (settings_.algorithm.startUp == coupling::StartUp::analytic)
    coupledStep_.begin(settings_.start, masters ? ofMaster : next_, system_.past);
  else if (inShortSteps)
    restart(clock);
  else
    coupledStep_.begin(settings_.start);
  if (starter_) starter_->begin(settings_.start);
  if (growth_) growth_->begin(settings_.start, halt.soon);
}

/// The outputs hold the values at the clock's instant, and nothing is known of the time before.
void MacroStep::restart(Clock& clock) {
  const unsigned degree = settings_.algorithm.degree;
  const double t = clock.now();
  coupledStep_.begin(t);
  clock.takeShortSteps({t, settings_.step, degree, halvings(degree, settings_.step, t)});
}

OutcomeKind MacroStep::advance(Clock& clock, double until, std::uint64_t most, Halt& halt) {
  OutcomeKind kind{};
  do {
    kind = advanceUntil(clock, until, most, halt);
    if (!halt.isSoon()) [[likely]]
      continue;
    lookForEnd(halt);
    // What values are in short steps from rest tells nothing of their regular size.
    if (kind == OutcomeKind::ok && growth_ && !isOver() && !clock.takesShortSteps()) kind = judgeGrowth(clock, halt);
    if (clock.isInside() && kind == OutcomeKind::ok && !isOver() && halt.isInterrupted())
      return fail(interruptedStart(clock.now()));
  } while (clock.isInside() && kind == OutcomeKind::ok && !isOver());  // nobody else sees the points inside
  return kind;
}

OutcomeKind MacroStep::advanceUntil(Clock& clock, double until, std::uint64_t most, const Halt& halt) {
  considerThreads(clock);
  while (stepsToStart_ > 0) {
    failure_ = startUp(clock, halt);
    if (!failure_.ok()) return failure_.kind;
    if (!(clock.now() < until) || --most == 0 || halt.isSoon()) return OutcomeKind::ok;
  }
  if (clock.takesShortSteps()) return advanceWithControl(clock, halt, false);
  if (undecided_)
    return counters_.algorithm.measure([&] {
      return coupledStep_.isPlain() ? advanceHeld(clock, until, most, halt)
                                    : advanceApproximated(clock, until, most, halt);
    });
  if (straight_) return advanceIterated(clock, until, most, halt);
  do {
    if (const OutcomeKind kind = advanceWithControl(clock, halt, false); kind != OutcomeKind::ok) return kind;
  } while (!isOver() && clock.now() < until && --most > 0 && !halt.isSoon());
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
  count(fault.reached - clock.now());
  clock.advance(fault.reached, next_);
}

/// Where threads are asked for every FMU has its own from its first step on. A static analysis has one step, so
/// programs in processes of their own cannot wait until steps have been measured. Iterations are: the sweep itself goes
/// back to one thread where several do not pay.
bool MacroStep::threadsFromStart() const {
  if (settings_.threads != 0) return settings_.threads > 1;
  return network_.threadsWorthwhile() > 1 && !coupledStep_.isExplicit();
}

void MacroStep::considerThreads(const Clock& clock) {
  if (counters_.accepted < considerThreadsAt_) return;
  considerThreadsAt_ = 2 * counters_.accepted + 1;
  if (settings_.threads == 0) tellOfThreads();
  const std::size_t threads = settings_.threads != 0 ? settings_.threads : network_.threadsWorthwhile();
  if (threads < 2 || !(threadsFromStart() || network_.threadsPay(threads))) return;
  considerThreadsAt_ = std::numeric_limits<std::uint64_t>::max();
  network_.useThreads(threads, settings_.threads != 0);
  coupledStep_.approximate(clock.now());
}

/// Who is bound to a thread is never moved to another, so nobody gives FMUs threads but who asks for it.
void MacroStep::tellOfThreads() {
  const std::vector<coupling::MemberIndex> members = network_.worthThreads();
  if (toldOfThreads_ || members.size() < 2) return;
  toldOfThreads_ = true;
  std::vector<std::string> names;
  for (const coupling::MemberIndex member : members) names.push_back(system_.members[member].name);
  log_.write(core::Severity::info, "coupling",
             fmt::format("steps of {} take long enough to run at the same time: simulation.threads = {} gives each of "
                         "them a thread for the whole run",
                         fmt::join(names, ", "), names.size()));
}

template <class OneStep>
inline auto MacroStep::walk(Clock& time, std::uint64_t& accepted, double until, std::uint64_t most, const Halt& halt,
                            OneStep&& oneStep) {
  double counted = 0.0;  // the length that is in the counters
  const std::uint64_t last = accepted + most;
  subsystem::Step step{.t0 = 0.0, .t1 = 0.0, .final = true};
  decltype(oneStep(step)) ended{};
  do {
    step.t0 = time.now();
    step.t1 = time.nextOnGrid();
    step.length = time.lengthOnGrid();
    if (auto end = oneStep(step)) [[unlikely]] {
      ended = end;
      break;
    }
    if (step.length != counted) [[unlikely]]
      widen(counted = step.length);
    ++accepted;
    time.advanceOnGrid();
  } while (time.now() < until && accepted < last && !halt.isSoon());
  return ended;
}

template <class OneStep>
inline OutcomeKind MacroStep::walkUnseen(Clock& clock, double until, std::uint64_t most, const Halt& halt,
                                         OneStep&& oneStep) {
  Clock time = clock;
  std::uint64_t accepted = 0;
  const Fault fault = walk(time, accepted, until, most, halt, oneStep);
  clock = time;
  counters_.accepted += accepted;
  counters_.solutions += accepted + (fault ? 1 : 0);
  return fault ? endWalk(clock, fault) : OutcomeKind::ok;
}

OutcomeKind MacroStep::endWalk(Clock& clock, const Fault& fault) {
  if (fault.kind == FaultKind::discarded) ++counters_.discarded;
  if (asksToEnd(fault)) {
    endWithin(clock, fault);
    return OutcomeKind::ok;
  }
  failure_ = describe(fault, clock.now());
  return failure_.kind;
}

/// Steps until the next look at what approximation costs and at values that run away: none of the first thousands, so
/// that short runs see every jump, then many, since cheap steps should not pay for it.
unsigned MacroStep::untilNextLook() const {
  constexpr std::uint64_t kAll = 4096;
  constexpr unsigned kBetween = 63;
  const bool all = coupledStep_.errorEstimate().steps() < kAll || (growth_ && growth_->isSuspicious());
  return all ? 0 : kBetween;
}

/// A step that needed no decision: not all of them are looked at.
inline void MacroStep::acceptOnGrid(double t1) {
  if (unwatched_ > 0) {
    --unwatched_;
    coupledStep_.acceptUnwatched(t1);
    return;
  }
  coupledStep_.accept(t1);
  unwatched_ = untilNextLook();
  lookForGrowth(t1);
}

OutcomeKind MacroStep::advanceHeld(Clock& clock, double until, std::uint64_t most, const Halt& halt) {
  unsigned unwatched = unwatched_;  // in a register
  const coupling::HeldSweep sweep = coupledStep_.heldSweep();
  const OutcomeKind kind = walkUnseen(clock, until, most, halt, [&](const auto& step) {
    if (unwatched > 0) [[likely]] {
      --unwatched;
      return sweep(step);
    }
    unwatched = untilNextLook();
    const Fault fault = coupledStep_.advanceWatched(step);
    lookForGrowth(step.t1);
    return fault;
  });
  unwatched_ = unwatched;
  return kind;
}

OutcomeKind MacroStep::advanceApproximated(Clock& clock, double until, std::uint64_t most, const Halt& halt) {
  return walkUnseen(clock, until, most, halt, [this](const auto& step) {
    const Fault fault = coupledStep_.solve({step, {}}).fault;
    if (fault) return fault;
    acceptOnGrid(step.t1);
    return fault;
  });
}

OutcomeKind MacroStep::advanceIterated(Clock& clock, double until, std::uint64_t most, const Halt& halt) {
  const bool keepGoing = settings_.algorithm.withoutConvergence == coupling::WithoutConvergence::accept;
  do {
    const std::uint64_t before = counters_.accepted;
    const bool unsettled = counters_.algorithm.measure([&] {
      // Whoever hears of an iteration may look at clock and counters, or throw.
      return walk(clock, counters_.accepted, until, most, halt, [&](const auto& step) {
        ++counters_.solutions;
        const coupling::StepOutcome& outcome = coupledStep_.solve({.step = step, .start = {}, .keepGoing = keepGoing});
        const bool settled = !outcome.fault && outcome.converged() && !outcome.isDoubtful();
        if (!settled) return true;
        acceptOnGrid(step.t1);
        return false;
      });
    });
    if (!unsettled) break;
    most -= counters_.accepted - before;
    if (const OutcomeKind kind = advanceWithControl(clock, halt, true); kind != OutcomeKind::ok) return kind;
  } while (clock.now() < until && --most > 0 && !halt.isSoon());
  return OutcomeKind::ok;
}

/// One macro step in steps of the master (Schmoll, sec. 2.4.4); the main method learns the values at its end.
Outcome MacroStep::startUp(Clock& clock, const Halt& halt) {
  const double t1 = clock.next(next_);
  for (double t = clock.now(); t < t1;) {
    const coupling::StepOutcome& solved = *counters_.algorithm.measure([&] {
      return &starter_->solve({{t, t1, true}, {}});
    });
    ++counters_.solutions;
    if (asksToEnd(solved.fault)) {
      endWithin(clock, solved.fault);
      return {};
    }
    if (solved.fault) return describe(solved.fault, t);
    if (!getsOn(t, solved.reached)) return stuck(t);
    if (halt.isInterrupted()) return interruptedStart(t);
    t = solved.reached;
    starter_->acceptUnwatched(t);
  }
  --stepsToStart_;
  if (stepsToStart_ == 0) starter_.reset();
  coupledStep_.learn(t1);
  count(clock.length(next_));
  goOn(clock, t1);
  return {};
}

void MacroStep::widen(double length) {
  counters_.smallest = std::min(counters_.smallest, length);
  counters_.largest = std::max(counters_.largest, length);
}

void MacroStep::count(double length) {
  widen(length);
  ++counters_.accepted;
}

/// Whether a step is more than rounding of times.
bool MacroStep::getsOn(double t0, double reached) const {
  return reached - t0 > kResolution * std::fmax(std::fabs(t0), std::fabs(reached)) || reached >= settings_.end;
}

}  // namespace koppla::run
