#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "koppla/core/log.hpp"
#include "koppla/coupling/call_meter.hpp"
#include "koppla/coupling/coupled_step.hpp"
#include "koppla/run/clock.hpp"
#include "koppla/run/growth_trial.hpp"
#include "koppla/run/growth_watch.hpp"
#include "koppla/run/halt.hpp"
#include "koppla/run/outcome.hpp"
#include "koppla/run/settings.hpp"
#include "koppla/run/step_error.hpp"
#include "koppla/stepping/step_controller.hpp"

namespace koppla::run {

/// What stepping cost so far.
struct StepCounters {
  std::uint64_t accepted = 0;
  std::uint64_t convergenceFailures = 0;
  std::uint64_t errorTestFailures = 0;
  std::uint64_t discarded = 0;
  std::uint64_t repeated = 0;
  double smallest = HUGE_VAL;       ///< s, accepted
  double largest = 0.0;             ///< s, accepted
  std::uint64_t solutions = 0;      ///< of a macro step by the algorithm, repeated and half steps included
  coupling::CallCounter algorithm;  ///< times them, one by one or in stretches of plain steps
  coupling::CallCounter errorTest;
  coupling::CallCounter growthChecks;
};

/// Takes one accepted macro step after the other: tries, lets the step controller judge, goes back and tries again.
class MacroStep {
 public:
  MacroStep(const coupling::System& system, coupling::Network& network, const std::vector<coupling::Cycle>& cycles,
            const Settings& settings, core::Log& log);

  /// The subsystems are initialised and the clock stands at the start; it may take short steps first. `halt` outlives
  /// the steps.
  void begin(Clock& clock, bool inShortSteps, Halt& halt);
  /// Accepted steps, one at least, until the clock reaches `until` (s), `most` steps are done or somebody asks to stop.
  /// A subsystem that asks to end may do so in the first one.
  /// Where this is not ok, failure() says why.
  OutcomeKind advance(Clock& clock, double until, std::uint64_t most, Halt& halt);
  [[nodiscard]] const Outcome& failure() const { return failure_; }

  /// A subsystem has asked to end the simulation: there is no further step.
  [[nodiscard]] bool isOver() const { return endedBy_.has_value(); }
  /// The step in which it asked could not be completed, so that subsystems stand at different times, all of them no
  /// earlier than the clock.
  [[nodiscard]] bool isTorn() const { return torn_; }
  /// A sentence for the user about that end at t (s).
  [[nodiscard]] std::string describeEnd(double t) const;

  /// Who is told of iterations from now on; may be nobody.
  void tell(coupling::IterationListener* listener) { coupledStep_.tell(listener); }
  /// What has been seen of loops at the start.
  void learnFromStart(const coupling::LoopsAtStart& loops) { coupledStep_.learnFromStart(loops); }
  /// Energy is told of these from now on.
  void watchPower(std::vector<coupling::PowerBond> bonds) { coupledStep_.watchPower(std::move(bonds)); }
  [[nodiscard]] const StepCounters& counters() const { return counters_; }
  [[nodiscard]] const coupling::CoupledStep& coupledStep() const { return coupledStep_; }
  /// Length of the next attempt, s.
  [[nodiscard]] double next() const { return next_; }
  /// A sentence for the user about a joint that is open at t.
  [[nodiscard]] Outcome describeOpened(const coupling::HeldConstraint& joint, double t) const;
  /// A sentence for the user about coupling conditions that do not determine these outputs at t.
  [[nodiscard]] Outcome describeUndetermined(const std::vector<std::size_t>& outputs, double t) const;
  /// A sentence for the user about a fault at t, with its remedy.
  [[nodiscard]] Outcome describe(const coupling::Fault& fault, double t) const;

 private:
  OutcomeKind advanceUntil(Clock& clock, double until, std::uint64_t most, const Halt& halt);
  /// Steps of the grid, taken and accepted by `oneStep`, until it returns something that counts as true: what ended the
  /// walk within the next step. The loop holds nothing but the step; with a clock and a count that nobody else can see
  /// they stay in registers.
  template <class OneStep>
  auto walk(Clock& time, std::uint64_t& accepted, double until, std::uint64_t most, const Halt& halt,
            OneStep&& oneStep);
  /// A walk of explicit steps, which look at neither clock nor counters.
  template <class OneStep>
  OutcomeKind walkUnseen(Clock& clock, double until, std::uint64_t most, const Halt& halt, OneStep&& oneStep);
  OutcomeKind endWalk(Clock& clock, const coupling::Fault& fault);
  void acceptOnGrid(double t1);
  OutcomeKind advanceIterated(Clock& clock, double until, std::uint64_t most, const Halt& halt);
  OutcomeKind advanceHeld(Clock& clock, double until, std::uint64_t most, const Halt& halt);
  OutcomeKind advanceApproximated(Clock& clock, double until, std::uint64_t most, const Halt& halt);
  void lookForEnd(Halt& halt);
  [[nodiscard]] bool asksToEnd(const coupling::Fault& fault);
  [[nodiscard]] bool isIterated(std::size_t position) const;
  void warnAboutEndOfIterate(double t0, std::size_t position);
  void endWithin(Clock& clock, const coupling::Fault& fault);
  [[nodiscard]] unsigned untilNextLook() const;
  void restart(Clock& clock);
  // Values that run away.
  void lookForGrowth(double t);
  OutcomeKind judgeGrowth(const Clock& clock, const Halt& halt);
  [[nodiscard]] bool repeatsStretches() const;  ///< to see whose doing growth is
  [[nodiscard]] double stepOfTrials() const;
  OutcomeKind checkGrowth(const Growth& growth, double t, const Halt& halt);
  OutcomeKind tellOfUnchecked(const Growth& growth, double t);
  [[nodiscard]] Outcome describeLost(const coupling::Fault& fault, double t) const;
  OutcomeKind tellOfInstability(const std::string& message);
  [[nodiscard]] std::string remediesFor(GrowthTrial& trial, std::uint64_t steps) const;
  [[nodiscard]] std::string connectionFrom(const coupling::OutputName& output) const;
  [[nodiscard]] std::string growthText(const Growth& growth, double t) const;
  Outcome startUp(Clock& clock, const Halt& halt);
  [[nodiscard]] bool threadsFromStart() const;
  void tellOfThreads();
  void considerThreads(const Clock& clock);
  /// One accepted step. `solved`: it was tried once already, without control.
  OutcomeKind advanceWithControl(Clock& clock, const Halt& halt, bool solved);
  OutcomeKind fail(Outcome outcome);
  // Tries of a step: beside the fault, and the values in the network, they leave outcome() and error_.
  coupling::Fault attempt(double t0, double t1, double length, bool untested);
  coupling::Fault attemptTwice(double t0, double t1);
  const coupling::StepOutcome& solve(const coupling::Attempt& attempt);
  [[nodiscard]] const coupling::StepOutcome& outcome() const { return coupledStep_.outcome(); }
  coupling::Fault keep();
  coupling::Fault goBack();
  /// Of an accepted step, s.
  void count(double length);
  void widen(double length);  ///< the range of accepted lengths
  void accept(Clock& clock, double t1);
  void goOn(Clock& clock, double t1);
  [[nodiscard]] double nextKnownPoint(double t) const;
  static double shortened(double t0, double t1, double reached, unsigned discards);
  coupling::Fault completeAnyway(double t0, double t1, double length);
  void warnAboutDoubts(double t0, double t1);
  void warnAboutAccepted(double t0, double t1);
  void warnAboutKept(double t0, double t1);
  [[nodiscard]] std::string residualText() const;
  [[nodiscard]] Outcome belowResolution(double t0) const;
  [[nodiscard]] bool getsOn(double t0, double reached) const;
  [[nodiscard]] Outcome stuck(double t0) const;
  /// Of the cycle that did not converge.
  [[nodiscard]] const coupling::Algorithm& failedAlgorithm() const {
    return *coupledStep_.iteratedCycles()[outcome().cycle]->algorithm;
  }
  [[nodiscard]] std::string remedy() const;
  /// Settings of a method that may converge where this one does not; empty where none is offered.
  [[nodiscard]] std::string otherMethod() const;
  [[nodiscard]] Outcome explosion(double t0, double t1) const;
  [[nodiscard]] Outcome giveUp(double t0, double t1) const;
  [[nodiscard]] std::string membersOf(std::size_t cycle) const;

  const coupling::System& system_;
  coupling::Network& network_;
  const std::vector<coupling::Cycle>& cycles_;
  const Settings& settings_;
  core::Log& log_;
  coupling::CoupledStep coupledStep_;
  std::optional<coupling::CoupledStep> starter_;  ///< does the first macro steps in steps of the master
  unsigned stepsToStart_ = 0;
  stepping::StepController controller_;
  bool repeats_;  ///< steps are tried again where they fail a test of step control
  bool mayRepeat_;
  bool undecided_;  ///< explicit, fixed, never repeated: nothing to decide in a step
  /// Iterated, fixed, never repeated, and steps can be told from rounding of times: nothing to decide in one that
  /// converges.
  bool straight_;
  unsigned unwatched_ = 0;
  std::optional<GrowthWatch> growth_;
  bool checksGrowth_;
  double lastLength_ = 0.0;              ///< s, where step control adapts it
  std::uint64_t considerThreadsAt_ = 0;  ///< accepted steps
  bool toldOfThreads_ = false;
  double next_;
  std::optional<StepError> stepError_;  ///< where errors are estimated
  StepCounters counters_;
  std::uint64_t acceptedAnyway_ = 0;
  std::uint64_t kept_ = 0;        ///< steps beyond the tolerances of step control
  std::uint64_t suspicious_ = 0;  ///< accepted steps
  std::uint64_t slow_ = 0;        ///< accepted steps
  std::optional<double> error_;   ///< estimated of the last attempt, in its tolerances
  Outcome failure_;
  std::optional<std::size_t> endedBy_;  ///< the member that asked to end, by position
  double endedAt_ = 0.0;                ///< s, where it stopped
  bool torn_ = false;
  std::vector<double> startOutputs_;
  core::Values startDiscrete_;
};

}  // namespace koppla::run
